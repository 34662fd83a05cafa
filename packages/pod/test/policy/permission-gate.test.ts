/** The permission gate: rules and modes. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, type JsonObject } from "@yoi/base";
import type { Manifest, PermissionAction, PermissionMode, PermissionRule } from "@yoi/manifest";
import type { CallView } from "@yoi/worker";
import { judge, PermissionGate } from "../../src/policy/permission-gate.ts";

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

test("mode and rules decide, the strictest origin stands, and the first match within an origin counts", () => {
  const table: readonly [string, Manifest["permissions"], CallView, string, "allow" | "deny" | "ask"][] = [
    ["allow-in-scope allows what nothing names", permissions("allow-in-scope"), bash, "git push", "allow"],
    ["ask passes reads", permissions("ask"), read, "/w/a", "allow"],
    ["ask asks for the rest", permissions("ask"), bash, "git push", "ask"],
    ["deny-unlisted refuses also reads", permissions("deny-unlisted"), read, "/w/a", "deny"],
    [
      "deny-unlisted allows what a rule allows",
      permissions("deny-unlisted", rule("Read", "*", "allow")),
      read,
      "/w/a",
      "allow",
    ],
    [
      "a rule is asked first in every mode",
      permissions("allow-in-scope", rule("Bash", "git push*", "deny")),
      bash,
      "git push",
      "deny",
    ],
    [
      "tool names are compared without case",
      permissions("allow-in-scope", rule("bash", "*", "ask")),
      bash,
      "git push",
      "ask",
    ],
    [
      "* names every tool",
      permissions("allow-in-scope", rule("*", "*push*", "ask")),
      bash,
      "git push",
      "ask",
    ],
    [
      "another tool's rule does not count",
      permissions("allow-in-scope", rule("Read", "*", "deny")),
      bash,
      "git push",
      "allow",
    ],
    [
      "the first match of a file counts",
      permissions("ask", rule("Bash", "git *", "allow"), rule("Bash", "*", "deny")),
      bash,
      "git push",
      "allow",
    ],
    [
      "a deny of another file stands over an allow",
      permissions("ask", rule("Bash", "git *", "allow"), rule("Bash", "*", "deny", project)),
      bash,
      "git push",
      "deny",
    ],
    [
      "an ask of another file stands over an allow",
      permissions("ask", rule("Bash", "git *", "allow"), rule("Bash", "*", "ask", project)),
      bash,
      "git push",
      "ask",
    ],
    [
      "deny stands over ask",
      permissions("ask", rule("Bash", "*", "ask"), rule("Bash", "*", "deny", project)),
      bash,
      "git push",
      "deny",
    ],
  ];
  for (const [name, given, view, target, want] of table) {
    assert.equal(judge(given, view, target).action, want, name);
  }
});

test("a refusal names the rule and its file, and is listed as asked or denied", () => {
  const gate = new PermissionGate(
    permissions("allow-in-scope", rule("Bash", "git push*", "ask"), rule("Write", "/w/secret*", "deny")),
    "/w",
  );
  const asked = gate.decide(bash);
  const denied = gate.decide(call("Write", { file_path: "/w/./x/../secret.txt", content: "" }));
  assert.equal(gate.decide(read).action, "allow");
  assert.equal(asked.action, "deny");
  assert.match(
    asked.action === "deny" ? asked.reason : "",
    /ask Bash\(git push\*\) of \/home\/u\/config\.toml/,
  );
  assert.equal(denied.action, "deny", "a path is judged in its normal form");
  assert.deepEqual(
    gate.denials.map(({ tool, target, kind }) => ({ tool, target, kind })),
    [
      { tool: "Bash", target: "git push", kind: "asked" },
      { tool: "Write", target: "/w/secret.txt", kind: "denied" },
    ],
  );
});
