/** The permission gate: rules and modes. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, type JsonObject } from "@yoi/base";
import type { Manifest, PermissionAction, PermissionMode, PermissionRule } from "@yoi/manifest";
import type { CallView } from "@yoi/worker";
import { PermissionGate } from "../../src/policy/permission-gate.ts";
import type { PermissionDecision } from "../../src/policy/refusal.ts";

const user = "/home/u/config.toml";
const project = "/w/.yoi/config.toml";

function rule(tool: string, pattern: string, action: PermissionAction, origin = user): PermissionRule {
  return { tool, pattern, action, origin };
}

function call(name: string, args: JsonObject, readOnly = false): CallView {
  return { call: callId(7, 0), name, args, readOnly };
}

function permissions(mode: PermissionMode, ...rules: PermissionRule[]): Manifest["permissions"] {
  return { mode, rules };
}

const bash = call("Bash", { command: "git push" });
const read = call("Read", { file_path: "/w/a" }, true);

test("mode and rules decide, the strictest origin stands, and the first match within an origin counts", async () => {
  const table: readonly [string, Manifest["permissions"], CallView, "allow" | "deny" | "ask"][] = [
    ["allow-in-scope allows what nothing names", permissions("allow-in-scope"), bash, "allow"],
    ["ask passes reads", permissions("ask"), read, "allow"],
    ["ask asks for the rest", permissions("ask"), bash, "ask"],
    ["deny-unlisted refuses also reads", permissions("deny-unlisted"), read, "deny"],
    [
      "deny-unlisted allows what a rule allows",
      permissions("deny-unlisted", rule("Read", "*", "allow")),
      read,
      "allow",
    ],
    [
      "a rule is asked first in every mode",
      permissions("allow-in-scope", rule("Bash", "git push*", "deny")),
      bash,
      "deny",
    ],
    [
      "tool names are compared without case",
      permissions("allow-in-scope", rule("bash", "*", "ask")),
      bash,
      "ask",
    ],
    ["* names every tool", permissions("allow-in-scope", rule("*", "*push*", "ask")), bash, "ask"],
    [
      "another tool's rule does not count",
      permissions("allow-in-scope", rule("Read", "*", "deny")),
      bash,
      "allow",
    ],
    [
      "the first match of a file counts",
      permissions("ask", rule("Bash", "git *", "allow"), rule("Bash", "*", "deny")),
      bash,
      "allow",
    ],
    [
      "a deny of another file stands over an allow",
      permissions("ask", rule("Bash", "git *", "allow"), rule("Bash", "*", "deny", project)),
      bash,
      "deny",
    ],
    [
      "an ask of another file stands over an allow",
      permissions("ask", rule("Bash", "git *", "allow"), rule("Bash", "*", "ask", project)),
      bash,
      "ask",
    ],
    [
      "deny stands over ask",
      permissions("ask", rule("Bash", "*", "ask"), rule("Bash", "*", "deny", project)),
      bash,
      "deny",
    ],
  ];
  for (const [name, given, view, want] of table) {
    assert.equal(verdictOf(await gateOf(given).decide(view)), want, name);
  }
});

const verdictOf = ({ action }: PermissionDecision): string => action;

const gateOf = (
  given: Manifest["permissions"],
  links: Readonly<Record<string, string>> = {},
): PermissionGate =>
  new PermissionGate({ permissions: given, workspace: "/w", locate: (path) => links[path] ?? path });

test("a refusal names the rule and its file, and says whether somebody could allow it", async () => {
  const gate = gateOf(
    permissions("allow-in-scope", rule("Bash", "git push*", "ask"), rule("Write", "/w/secret*", "deny")),
  );
  assert.deepEqual(await gate.decide(bash), {
    action: "ask",
    wants: `the rule ask Bash(git push*) of ${user} wants a person to allow this`,
  });
  const write = call("Write", { file_path: "/w/./x/../secret.txt", content: "" });
  assert.deepEqual(
    await gate.decide(write),
    {
      action: "deny",
      reason: `Refused by the rule deny Write(/w/secret*) of ${user}. Nothing was done.`,
    },
    "a path is judged in its normal form",
  );
  assert.deepEqual(await gate.decide(read), { action: "allow" });
});

test("a path is judged by its name and by where it really lies; only the real place can be allowed", async () => {
  const links = { "/w/link": "/w/secret/key", "/w/elsewhere": "/w/open" };
  const readOf = (path: string) => call("Read", { file_path: path }, true);
  const table: readonly [string, Manifest["permissions"], string, PermissionDecision["action"]][] = [
    [
      "a link into what is denied",
      permissions("allow-in-scope", rule("*", "/w/secret*", "deny")),
      "/w/link",
      "deny",
    ],
    ["the same, asked", permissions("allow-in-scope", rule("*", "/w/secret*", "ask")), "link", "ask"],
    ["a denied name", permissions("allow-in-scope", rule("*", "/w/link", "deny")), "/w/link", "deny"],
    [
      "an allowed name, not its file",
      permissions("deny-unlisted", rule("*", "/w/link", "allow")),
      "/w/link",
      "deny",
    ],
    ["an allowed file", permissions("deny-unlisted", rule("*", "/w/secret*", "allow")), "/w/link", "allow"],
    [
      "an allow of the name does not shade a deny of the file",
      permissions("allow-in-scope", rule("*", "/w/link", "allow"), rule("*", "/w/secret*", "deny")),
      "/w/link",
      "deny",
    ],
    ["another link", permissions("allow-in-scope", rule("*", "/w/secret*", "deny")), "/w/elsewhere", "allow"],
  ];
  for (const [name, given, path, want] of table)
    assert.equal((await gateOf(given, links).decide(readOf(path))).action, want, name);
});

test("an argument that the tool does not have cannot stand for the one it has", async () => {
  const gate = gateOf(permissions("allow-in-scope", rule("Write", "/w/secret*", "deny")));
  const write = call("Write", { command: "harmless", file_path: "/w/secret", content: "" });
  assert.equal((await gate.decide(write)).action, "deny");
});

test("a URL is judged as it is written and by what it leads to; only that can be allowed, also of a redirect", async () => {
  const deny = permissions("allow-in-scope", rule("WebFetch", "http://in.test*", "deny"));
  const ask = permissions("allow-in-scope", rule("WebFetch", "http://in.test*", "ask"));
  const allow = permissions("deny-unlisted", rule("WebFetch", "http://in.test/*", "allow"));
  const raw = permissions("allow-in-scope", rule("WebFetch", "HTTP://IN.TEST*", "deny"));
  const table: readonly [Manifest["permissions"], string, PermissionDecision["action"], string | null][] = [
    [deny, "http://in.test/a", "deny", `the rule deny WebFetch(http://in.test*) of ${user}`],
    [deny, "HTTP:IN.test", "deny", `the rule deny WebFetch(http://in.test*) of ${user}`],
    [deny, "http://out.test/http://in.test/", "allow", null],
    [ask, "http:\\\\in.test.", "ask", `the rule ask WebFetch(http://in.test*) of ${user}`],
    [allow, "http://IN.test", "allow", null],
    [
      allow,
      "http://out.test/",
      "deny",
      "the permission mode deny-unlisted, which refuses what no rule allows",
    ],
    [raw, "HTTP://IN.TEST/", "deny", `the rule deny WebFetch(HTTP://IN.TEST*) of ${user}`],
  ];
  for (const [given, url, want, because] of table) {
    const gate = gateOf(given);
    assert.equal((await gate.decide(call("WebFetch", { url }))).action, want, url);
    assert.equal(gate.refusalOfFetching(url), because, url);
  }
});

test("a search without a path is judged as one of the workspace", async () => {
  for (const tool of ["Grep", "Glob"]) {
    const searched = call(tool, { pattern: "x" }, true);
    const denied = gateOf(permissions("allow-in-scope", rule(tool, "/w*", "deny")));
    assert.equal((await denied.decide(searched)).action, "deny");
    const allowed = gateOf(permissions("deny-unlisted", rule(tool, "/*", "allow")));
    assert.equal((await allowed.decide(searched)).action, "allow");
  }
});

test("of a tree no file is shown that a rule keeps from the tool or from Read", () => {
  const key = "/w/secret/key";
  const table: readonly (readonly [readonly PermissionRule[], string, boolean])[] = [
    [[], key, true],
    [[rule("Read", "/w/secret*", "deny")], key, false],
    [[rule("Read", "/w/secret*", "ask")], key, false],
    [[rule("Read", "/w/secret*", "deny")], "/w/open", true],
    [[rule("Grep", "/w/secret*", "deny")], key, false],
    [[rule("Glob", "/w/secret*", "deny")], key, true],
    [[rule("*", "*.key", "deny")], "/w/a.key", false],
    [[rule("Read", key, "allow"), rule("Read", "/w/secret*", "deny")], key, true],
    [[rule("Read", key, "allow"), rule("Read", "/w/secret*", "deny", project)], key, false],
  ];
  for (const [rules, path, isShown] of table)
    assert.equal(gateOf(permissions("deny-unlisted", ...rules)).mayShow("Grep", path), isShown, path);
});
