/** What the user may grant a Pod beyond its configuration: the store of grants, and where paths lead that no scope names. */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Host } from "@yoi/host";
import { createGrantStore, type GrantRecord, type GrantStore } from "@yoi/keep";
import type { Granting } from "@yoi/pod";
import type { Environment } from "../environment.ts";
import { inspect } from "./secrets.ts";

export function openGrantStore(
  { directories }: Pick<Environment, "directories">,
  { files, clock }: Pick<Host, "files" | "clock">,
): GrantStore {
  return createGrantStore({ files, clock, dataDir: directories.data, inspect });
}

/** Looked at for a question to the user, and told to nobody else: what is opened later is walked to, link by link, under the scope. */
export const realPath: Granting["realPath"] = (path) => {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      const real = realpathSync.native(at);
      return {
        path: missing.reduceRight((above, name) => join(above, name), real),
        isDirectory: missing.length === 0 && statSync(real).isDirectory(),
      };
    } catch {
      // A link that leads nowhere is no name that is free.
      if (isThere(at) || dirname(at) === at) return null;
      missing.push(basename(at));
    }
  }
};

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Below something that is no directory, or may not be looked into: whoever opens it is told.
    return true;
  }
}

/** Those that count in a workspace now, oldest first. What cannot be read counts nowhere, and is left out: `yoi grant list` says what is wrong. */
export async function grantsIn(
  workspace: string,
  { environment, host }: { readonly environment: Environment; readonly host: Pick<Host, "files" | "clock"> },
): Promise<readonly GrantRecord[]> {
  const { grants } = await openGrantStore(environment, host).list();
  const now = host.clock.now();
  return grants.filter(
    (grant) =>
      grant.state === "given" &&
      (grant.workspace === null || grant.workspace === workspace) &&
      (grant.expires === null || grant.expires > now),
  );
}
