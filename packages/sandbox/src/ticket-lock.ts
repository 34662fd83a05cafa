/** The lock of the workspace's tickets: there before a command begins, since what is not there cannot be hidden, and who sees a lock can take it. */
import { closeSync, openSync } from "node:fs";
import { messageOf, YoiError } from "@yoi/base";
import { parentOf, quotePath, ticketLockOf } from "@yoi/scope";
import { machineSurroundings } from "./surroundings.ts";

/** Somebody was faster; or nothing can be made there, and then nobody of this user can change tickets either. */
const harmless = ["EEXIST", "EACCES", "EPERM", "EROFS"];

/** Empty, as whoever changes tickets makes it, where tickets are a directory of the workspace. Throws io_failed where the disk fails. */
export function placeTicketLock(workspace: string): void {
  const lock = ticketLockOf(workspace);
  const tickets = parentOf(lock);
  const { kindOf } = machineSurroundings;
  if (kindOf(lock) !== "missing") return;
  if (kindOf(parentOf(tickets)) !== "directory" || kindOf(tickets) !== "directory") return;
  try {
    closeSync(openSync(lock, "wx", 0o600));
  } catch (error) {
    if (error instanceof Error && "code" in error && harmless.includes(String(error.code))) return;
    throw new YoiError(
      "io_failed",
      `Cannot make ${quotePath(lock)}, which a command must not see (${messageOf(error)}): make room on its disk.`,
      { cause: error, place: { path: lock } },
    );
  }
}
