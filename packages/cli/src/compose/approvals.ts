/** The user's decisions about features, opened with what the store of them needs. */
import type { Host } from "@yoi/host";
import { type ApprovalStore, createApprovalStore } from "@yoi/keep";
import type { Environment } from "../environment.ts";
import { inspect } from "./secrets.ts";

export function openApprovalStore(
  { directories }: Environment,
  { files, clock }: Pick<Host, "files" | "clock">,
): ApprovalStore {
  return createApprovalStore({ files, clock, dataDir: directories.data, inspect });
}
