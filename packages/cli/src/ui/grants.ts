/** The rules that the user gave beyond one session, as the terminal lists and revokes them. */
import type { Host } from "@yoi/host";
import type { UiHost } from "@yoi/tui";
import { openGrantStore } from "../compose/granting.ts";
import type { Environment } from "../environment.ts";

export function openGrants(environment: Environment, host: Pick<Host, "files" | "clock">): UiHost["grants"] {
  const store = openGrantStore(environment, host);
  return {
    list: async () =>
      (await store.list()).grants
        // One that is not on record in its Pod's log lets nothing through.
        .filter(({ state }) => state === "given")
        .map(({ id, rule, workspace, given, expires }) => ({
          id,
          rule,
          workspace,
          givenMs: given,
          expiresMs: expires,
        })),
    revoke: (id) => store.remove(id),
  };
}
