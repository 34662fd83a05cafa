/** Rules that share a place: who may say it, and of what. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkConfig, type ConfigSource, parseConfig } from "../src/index.ts";

const user: ConfigSource = { path: "/c/config.toml", trust: "user", home: "/home/me" };
const project: ConfigSource = { path: "/w/.yoi/config.toml", trust: "project", home: "/home/me" };

function problemsOf(text: string, source: ConfigSource): readonly string[] {
  return checkConfig(text, source).problems.map(({ message }) => message);
}

test("shared: of a rule for write in the user's own file alone", () => {
  const rule = (permission: string, shared: string): string =>
    `scope.allow = [{ target = "x", permission = "${permission}", shared = ${shared} }]`;
  const { allow } = parseConfig(rule("write", "true"), user).scope;
  assert.deepEqual(allow, [{ target: "/c/x", permission: "write", recursive: true, shared: true }]);
  assert.deepEqual(parseConfig(rule("write", "false"), user).scope.allow, [
    { target: "/c/x", permission: "write", recursive: true },
  ]);
  const profile = { ...user, profile: { selector: "user:p", workspace: "/w" } };
  const table: readonly [string, ConfigSource, RegExp][] = [
    [rule("read", "true"), user, /allow\[0\]\.shared goes with the permission write/],
    [rule("write", '"yes"'), user, /allow\[0\]\.shared must be true or false/],
    [
      rule("write", "true"),
      project,
      /allow\[0\]\.shared may not be said in a file that comes with a workspace/,
    ],
    [rule("write", "true"), profile, /allow\[0\]\.shared may not stand in a profile/],
    [rule("write", "true").replace("allow", "deny"), user, /shared is not a key/],
  ];
  for (const [text, source, says] of table) assert.match(problemsOf(text, source).join("\n"), says);
});
