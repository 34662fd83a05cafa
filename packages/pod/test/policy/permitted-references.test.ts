/** References under the rules: a deny of Read holds for what is typed behind an @ too, whatever link leads there. */
import assert from "node:assert/strict";
import test from "node:test";
import type { FileRefPart } from "@yoi/base";
import type { PermissionAction, PermissionRule } from "@yoi/manifest";
import { PermissionGate } from "../../src/policy/permission-gate.ts";
import { permittedAttach } from "../../src/policy/permitted-references.ts";
import { namedBy } from "../named-by.ts";

const rule = (tool: string, pattern: string, action: PermissionAction, origin = "/c"): PermissionRule => ({
  tool,
  pattern,
  action,
  origin,
});

const links: Readonly<Record<string, string>> = { "/w/link": "/w/secret/key" };

async function attached(rules: readonly PermissionRule[], ...paths: readonly string[]) {
  const permissions = { mode: "deny-unlisted", rules } as const;
  const gate = new PermissionGate({ permissions, workspace: "/w", locate: (path) => links[path] ?? path });
  const asked: string[] = [];
  const attach = permittedAttach(gate, async (references) => {
    asked.push(...references.map(namedBy));
    return { items: [], warnings: ["later"] };
  });
  const { warnings } = await attach(paths.map((path): FileRefPart => ({ type: "file_ref", path })));
  return { asked, warnings };
}

test("only a deny that would stop Read stops a reference, by its name or by where it lies", async () => {
  const secret = rule("Read", "/w/secret*", "deny");
  const table: readonly (readonly [readonly PermissionRule[], string, boolean])[] = [
    [[], "a", true],
    [[secret], "a", true],
    [[secret], "secret/key", false],
    [[secret], "./x/../secret/key", false],
    [[secret], "/w/secret/key", false],
    [[secret], "link", false],
    [[rule("*", "/w/link", "deny")], "link", false],
    [[rule("Write", "/w/*", "deny")], "a", true],
    [[rule("Read", "/w/*", "ask")], "a", true],
    [[rule("Read", "/w/secret/key", "allow"), secret], "secret/key", true],
    [[rule("Read", "/w/secret/key", "allow"), rule("Read", "/w/*", "deny", "/d")], "secret/key", false],
  ];
  for (const [rules, path, isAttached] of table)
    assert.deepEqual((await attached(rules, path)).asked, isAttached ? [path] : [], path);
});

test("each denied reference is one warning, before those of what could not be attached", async () => {
  const { asked, warnings } = await attached(
    [rule("Read", "*.env", "deny")],
    "x.env",
    "a b",
    "x.env",
    "y z.env",
  );
  assert.deepEqual(asked, ["a b"]);
  assert.deepEqual(warnings, [
    "@x.env was not attached: the rule deny Read(*.env) of /c forbids reading it.",
    '@"y z.env" was not attached: the rule deny Read(*.env) of /c forbids reading it.',
    "later",
  ]);
});
