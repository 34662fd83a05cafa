/** Lends in a mount namespace where `<workspace>/mounted` is a bind mount of a directory of the same file system; prints what came of each. */
import { statSync } from "node:fs";
import { messageOf } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { protectionOf, scopeRule } from "@yoi/scope";
import { lendable } from "@yoi/tools";

const workspace = process.argv[2] ?? "";
const { clock, timers } = nodeHost();
const protection = protectionOf({ workspace, home: null, own: [], spill: null });
const said: unknown[] = [statSync(`${workspace}/mounted`).dev === statSync(workspace).dev];
for (const [target, allow] of [
  ["mounted", []],
  ["mounted/deep", []],
  ["", []],
  ["beside", []],
  ["mounted", [scopeRule(`${workspace}/mounted`, "write")]],
] as const) {
  const scope = { allow: [scopeRule(workspace, "write"), ...allow], deny: [] };
  const rule = scopeRule(`${workspace}/${target}`, "write");
  const lent = lendable([rule], { scope, protection, clock, timers });
  said.push(
    await lent.then(
      ({ rules }) => rules.length,
      (thrown: unknown) => messageOf(thrown),
    ),
  );
}
process.stdout.write(JSON.stringify(said));
