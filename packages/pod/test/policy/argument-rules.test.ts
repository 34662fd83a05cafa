/** Rules over one argument of a tool, and rules over tools that there are not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject, ToolDefinition } from "@yoi/base";
import type { PermissionAction, PermissionRule } from "@yoi/manifest";
import { PermissionGate } from "../../src/policy/permission-gate.ts";
import { rulesWithoutEffect } from "../../src/policy/rules-without-effect.ts";
import { userFile } from "./rules.ts";

function rule(
  tool: string,
  argument: string | null,
  pattern: string,
  action: PermissionAction = "deny",
): PermissionRule {
  return { tool, ...(argument !== null && { argument }), pattern, action, origin: userFile };
}

const links: Readonly<Record<string, string>> = { "/w/link": "/w/secret/key" };

function gateOf(rules: readonly PermissionRule[], mode: "allow-in-scope" | "deny-unlisted"): PermissionGate {
  return new PermissionGate({
    permissions: { mode, rules },
    workspace: "/w",
    locate: (path) => links[path] ?? path,
  });
}

test("a rule with an argument is matched against that argument, a rule without one against the telling one", async () => {
  const grep = {
    pattern: "password",
    path: "src",
    glob: "*.ts",
    multiline: true,
    limit: 5,
    more: { a: [1] },
  };
  const table: readonly (readonly [PermissionRule, string, JsonObject, boolean])[] = [
    [rule("Grep", "pattern", "pass*"), "Grep", grep, true],
    [rule("Grep", "pattern", "/w/src"), "Grep", grep, false],
    [rule("Grep", null, "/w/src"), "Grep", grep, true],
    [rule("Grep", "path", "/w/src"), "Grep", grep, true],
    [rule("Grep", "path", "src"), "Grep", grep, false],
    [rule("Grep", "path", "/w"), "Grep", { pattern: "x" }, true],
    [rule("Grep", "glob", "*"), "Grep", { pattern: "x" }, false],
    [rule("Grep", "multiline", "true"), "Grep", grep, true],
    [rule("Grep", "limit", "5"), "Grep", grep, true],
    [rule("Grep", "more", '{"a":[1]}'), "Grep", grep, true],
    [rule("Grep", "Pattern", "*"), "Grep", grep, false],
    [rule("Grep", "toString", "*"), "Grep", grep, false],
    [rule("grep", "pattern", "pass*"), "Grep", grep, true],
    [rule("*", "pattern", "pass*"), "Grep", grep, true],
    [rule("*", "pattern", "pass*"), "Read", { file_path: "pass" }, false],
    [rule("*", "file_path", "/w/secret*"), "Read", { file_path: "link" }, true],
    [rule("*", "file_path", "/w/link"), "Write", { file_path: "./x/../link", content: "" }, true],
    [rule("Write", "content", "*KEY*"), "Write", { file_path: "a", content: "a KEY b" }, true],
    [rule("Write", "content", "/w/link"), "Write", { file_path: "a", content: "link" }, false],
    [rule("WebFetch", "url", "http://in.test*"), "WebFetch", { url: "HTTP://IN.test./" }, true],
    [rule("Deploy", "stage", "prod*"), "Deploy", { stage: "production" }, true],
    [rule("Deploy", "stage", "prod*"), "Deploy", { stage: ["production"] }, false],
    [rule("Deploy", "command", "git push"), "Deploy", { command: "true; git push" }, false],
  ];
  for (const [given, name, args, denied] of table) {
    const { action } = await gateOf([given], "allow-in-scope").decide({ name, args, readOnly: false });
    assert.equal(action, denied ? "deny" : "allow", JSON.stringify([given, args]));
  }
});

test("an allow over a path argument is for where the path really leads", async () => {
  const read = { name: "Read", args: { file_path: "link" }, readOnly: true };
  const byName = gateOf([rule("Read", "file_path", "/w/link", "allow")], "deny-unlisted");
  assert.equal((await byName.decide(read)).action, "deny");
  const byPlace = gateOf([rule("Read", "file_path", "/w/secret/*", "allow")], "deny-unlisted");
  assert.equal((await byPlace.decide(read)).action, "allow");
});

test("what a search leaves out, and what a reference or a redirect may not lead to, counts rules over that argument", () => {
  const files = gateOf(
    [rule("Read", "file_path", "/w/secret*"), rule("Read", "offset", "*")],
    "allow-in-scope",
  );
  assert.equal(files.mayShow("Grep", "/w/secret/key"), false);
  assert.equal(files.mayShow("Grep", "/w/open"), true);
  assert.equal(files.denialOfReading("link"), `the rule deny Read(file_path: /w/secret*) of ${userFile}`);
  const web = gateOf([rule("*", "url", "http://in.test*")], "allow-in-scope");
  assert.equal(
    web.refusalOfFetching("http://in.test/"),
    `the rule deny *(url: http://in.test*) of ${userFile}`,
  );
  assert.equal(web.refusalOfFetching("http://out.test/"), null);
});

test("tools are named without the case of ASCII letters, and no other letter stands for one", async () => {
  const table: readonly (readonly [string, boolean])[] = [
    ["TaskCreate", true],
    ["taskcreate", true],
    ["TASKCREATE", true],
    ["Tas\u212aCreate", false],
    ["\u0422askCreate", false],
    ["TaskCreate ", false],
  ];
  for (const [tool, denied] of table) {
    const call = { name: "TaskCreate", args: {}, readOnly: false };
    const { action } = await gateOf([rule(tool, null, "*")], "allow-in-scope").decide(call);
    assert.equal(action, denied ? "deny" : "allow", tool);
    assert.equal(
      rulesWithoutEffect([rule(tool, null, "*")], [definition("Read"), definition("TaskCreate")]).length,
      denied ? 0 : 1,
      tool,
    );
  }
});

test("a rule about a tool or an argument that there is not is said, with what was probably meant", () => {
  const rules = [
    rule("*", null, "x"),
    rule("*", "path", "x"),
    rule("bash", null, "git push*"),
    rule("Bahs", null, "git push*"),
    rule("Deploy", "stage", "prod*", "allow"),
    rule("Bash", "command", "git push*"),
    rule("bash", "comand", "git push*"),
    rule("Read", "offset", "1"),
    rule("Now", "zone", "x"),
  ];
  const bash = definition("Bash", { command: {}, timeout_s: {} });
  const read = definition("Read", { file_path: {} });
  const now = definition("Now", {});
  assert.deepEqual(rulesWithoutEffect(rules, [bash, read, now]), [
    `The rule deny Bahs(git push*) of ${userFile} has no effect, as there is no tool Bahs: did you mean Bash.`,
    `The rule allow Deploy(stage: prod*) of ${userFile} has no effect, as there is no tool Deploy: the tools of this Pod are Bash, Read, Now.`,
    `The rule deny bash(comand: git push*) of ${userFile} has no effect, as bash has no argument comand: did you mean command.`,
    `The rule deny Read(offset: 1) of ${userFile} has no effect, as Read has no argument offset: its arguments are file_path.`,
    `The rule deny Now(zone: x) of ${userFile} has no effect, as Now has no argument zone: it has none.`,
  ]);
  const unlisted = ["Bash", "Bahs", "deploy", "READ", "now"].map((name) => definition(name));
  assert.deepEqual(rulesWithoutEffect(rules, unlisted), []);
});

/** @param properties none: the schema does not say. */
function definition(name: string, properties?: JsonObject): ToolDefinition {
  return { name, description: "", input_schema: properties === undefined ? {} : { properties } };
}
