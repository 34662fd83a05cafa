/** The tickets of a workspace, for commands and for Pods: one way to open them. */
import { YoiError } from "@yoi/base";
import type { Host } from "@yoi/host";
import { createTicketStore, type TicketStore } from "@yoi/tickets";
import { dirname } from "node:path";
import { inspect } from "../compose/secrets.ts";
import { ticketRootOf } from "./ticket-workspace.ts";

/**
 * Nothing is made before the first ticket is.
 * @param workspace canonical.
 * @throws permission_denied where `.yoi` or what is to be the folder of the tickets is a link or no directory.
 */
export async function openTicketStore(
  { files, locks, clock }: Pick<Host, "files" | "locks" | "clock">,
  workspace: string,
): Promise<TicketStore> {
  const root = ticketRootOf(workspace);
  for (const path of [dirname(root), root]) await checkDirectory(path);
  return createTicketStore({ files, locks, clock, kindAt, root });
}

async function checkDirectory(path: string): Promise<void> {
  const kind = await kindAt(path);
  if (kind === null || kind === "directory") return;
  const what = kind === "link" ? "a symbolic link, and none is followed to tickets" : "no directory";
  throw new YoiError("permission_denied", `${path} is ${what}: put a directory in its place.`, {
    place: { path },
  });
}

async function kindAt(path: string): Promise<"file" | "directory" | "link" | "other" | null> {
  return (await inspect(path))?.kind ?? null;
}
