/** Tickets on the real disk: a store as the program opens it, in a folder of the test's own. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type Host, nodeHost } from "@yoi/host";
import { createTicketStore, type KindAt, type TicketStore } from "@yoi/tickets";

export function rootIn(workspace: string): string {
  return join(workspace, ".yoi", "tickets");
}

export const kindAt: KindAt = async (path) => {
  const stat = await lstat(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  if (stat === null) return null;
  if (stat.isSymbolicLink()) return "link";
  if (stat.isFile()) return "file";
  return stat.isDirectory() ? "directory" : "other";
};

export function realStore(
  workspace: string,
  host: Pick<Host, "files" | "locks" | "clock"> = nodeHost(),
): TicketStore {
  const { files, locks, clock } = host;
  return createTicketStore({ files, locks, clock, kindAt, root: rootIn(workspace) });
}
