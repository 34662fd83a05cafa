/** Writes and reads in `<workspace>/mounted`, which is another file system here, with one rule and with a rule of its own; prints what came of it. */
import { messageOf, type Scope } from "@yoi/base";
import { protectionOf, scopeRule } from "@yoi/scope";
import { createScopedFiles } from "@yoi/tools";

const workspace = process.argv[2] ?? "";
const path = `${workspace}/mounted/file.txt`;
const protection = protectionOf({ workspace, home: null, own: [], spill: null });
const scopes: readonly Scope[] = [
  { allow: [scopeRule(workspace, "write"), scopeRule(`${workspace}/mounted`, "write")], deny: [] },
  { allow: [scopeRule(workspace, "write")], deny: [] },
];
const said: string[] = [];
for (const scope of scopes) {
  const files = createScopedFiles({ scope: () => scope, protection });
  const tries = [
    async () => (await files.write(path, Buffer.from("x"), { kind: "missing" })).path,
    async () => (await files.read(path)).bytes.toString(),
  ];
  for (const one of tries) said.push(await one().catch(messageOf));
}
process.stdout.write(JSON.stringify(said));
