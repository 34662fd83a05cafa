/** What a scope says about one path. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scope } from "@yoi/base";
import fc from "fast-check";
import { permissionAt, permits, type Permission } from "../src/index.ts";
import { anyPath, anyRule, anyScope, read, seeded, write } from "./support.ts";

const cases: readonly [string, Scope, Record<string, Permission>][] = [
  ["nothing is granted", { allow: [], deny: [] }, { "/": "none", "/a": "none" }],
  [
    "a recursive rule covers its target and all below, by whole names",
    { allow: [write("/ws")], deny: [] },
    { "/": "none", "/ws": "write", "/ws/a/b": "write", "/ws2": "none", "/w": "none", "/WS": "none" },
  ],
  [
    "a rule that is not recursive covers its target and its direct children",
    { allow: [read("/ws", false)], deny: [] },
    { "/ws": "read", "/ws/a": "read", "/ws/a/b": "none", "/": "none" },
  ],
  ["the root", { allow: [read("/")], deny: [] }, { "/": "read", "/a/b": "read" }],
  ["the root alone", { allow: [read("/", false)], deny: [] }, { "/": "read", "/a": "read", "/a/b": "none" }],
  [
    "the greatest allow counts",
    { allow: [read("/ws"), write("/ws/a")], deny: [] },
    { "/ws/b": "read", "/ws/a/c": "write" },
  ],
  [
    "a deny of write leaves read",
    { allow: [write("/ws")], deny: [write("/ws/a")] },
    { "/ws/a": "read", "/ws/a/b": "read", "/ws/b": "write" },
  ],
  [
    "the lowest deny counts, also against a deeper allow",
    { allow: [write("/ws"), write("/ws/a/b")], deny: [write("/ws"), read("/ws/a")] },
    { "/ws/a": "none", "/ws/a/b": "none", "/ws/c": "read" },
  ],
  ["a deny grants nothing", { allow: [], deny: [write("/ws")] }, { "/ws": "none" }],
];

for (const [name, scope, expected] of cases) {
  test(`permissionAt: ${name}`, () => {
    assert.deepEqual(
      Object.fromEntries(Object.keys(expected).map((path) => [path, permissionAt(scope, path)])),
      expected,
    );
  });
}

test(`permissionAt: a deny never raises and always wins (seed ${seeded.seed}, ${seeded.numRuns} runs)`, () => {
  fc.assert(
    fc.property(anyScope, anyRule, anyPath, (scope, deny, path) => {
      const before = permissionAt(scope, path);
      const after = permissionAt({ allow: scope.allow, deny: [...scope.deny, deny] }, path);
      assert.ok(permits(before, after));
      const allowed = permissionAt(
        { allow: [...scope.allow, write("/")], deny: [...scope.deny, read(path)] },
        path,
      );
      assert.equal(allowed, "none");
    }),
    seeded,
  );
});
