/** Subset, intersection, narrowing, and where two scopes meet. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scope, ScopeRule } from "@yoi/base";
import fc from "fast-check";
import {
  heldAlone,
  intersectScopes,
  isSubset,
  lowerPermission,
  overlapping,
  sharedPart,
  permissionAt,
  permits,
  writingOnly,
} from "../src/index.ts";
import { sharedWrite } from "../src/algebra.ts";
import { isWithin } from "../src/path.ts";
import { anyPath, anyScope, read, seeded, treePaths, write } from "./support.ts";

const runs = `(seed ${seeded.seed}, ${seeded.numRuns} runs)`;
const none: Scope = { allow: [], deny: [] };

test("isSubset: a table", () => {
  const ws: Scope = { allow: [write("/ws")], deny: [] };
  const table: readonly [Scope, Scope, boolean][] = [
    [none, none, true],
    [none, ws, true],
    [ws, none, false],
    [ws, ws, true],
    [{ allow: [read("/ws")], deny: [] }, ws, true],
    [ws, { allow: [read("/ws")], deny: [] }, false],
    [{ allow: [write("/ws/a")], deny: [] }, ws, true],
    [{ allow: [write("/ws2")], deny: [] }, ws, false],
    [ws, { allow: [write("/ws")], deny: [write("/ws/a")] }, false],
    [
      { allow: [write("/ws")], deny: [write("/ws/a")] },
      { allow: [write("/ws")], deny: [write("/ws/a")] },
      true,
    ],
    [{ allow: [write("/ws", false)], deny: [] }, ws, true],
    [ws, { allow: [write("/ws", false)], deny: [] }, false],
    [{ allow: [write("/ws")], deny: [read("/ws")] }, none, true],
    [{ allow: [write("/ws/a", false)], deny: [] }, { allow: [write("/ws", false)], deny: [] }, false],
    [ws, { allow: [write("/")], deny: [read("/ws/a/b", false)] }, false],
  ];
  for (const [inner, outer, expected] of table)
    assert.equal(isSubset(inner, outer), expected, JSON.stringify({ inner, outer }));
});

test(`isSubset: says the same as every path of the tree ${runs}`, () => {
  fc.assert(
    fc.property(anyScope, anyScope, (inner, outer) => {
      const everywhere = treePaths.every((path) =>
        permits(permissionAt(outer, path), permissionAt(inner, path)),
      );
      assert.equal(isSubset(inner, outer), everywhere);
    }),
    seeded,
  );
});

test(`isSubset: reflexive and transitive ${runs}`, () => {
  fc.assert(
    fc.property(anyScope, anyScope, anyScope, (a, b, c) => {
      assert.ok(isSubset(a, a));
      const [ab, abc] = [intersectScopes(a, b), intersectScopes(intersectScopes(a, b), c)];
      assert.ok(isSubset(abc, ab) && isSubset(ab, a) && isSubset(abc, a));
      if (isSubset(a, b) && isSubset(b, c)) assert.ok(isSubset(a, c));
    }),
    seeded,
  );
});

test(`intersectScopes: a subset of both, and commutative in effect ${runs}`, () => {
  fc.assert(
    fc.property(anyScope, anyScope, anyPath, (a, b, path) => {
      const both = intersectScopes(a, b);
      assert.ok(isSubset(both, a) && isSubset(both, b));
      assert.equal(permissionAt(both, path), permissionAt(intersectScopes(b, a), path));
    }),
    seeded,
  );
});

test(`intersectScopes: exact where every allow is recursive ${runs}`, () => {
  const recursive = (scope: Scope): Scope => ({
    allow: scope.allow.map((rule) => ({ ...rule, recursive: true })),
    deny: scope.deny,
  });
  fc.assert(
    fc.property(anyScope.map(recursive), anyScope.map(recursive), anyPath, (a, b, path) => {
      assert.equal(
        permissionAt(intersectScopes(a, b), path),
        lowerPermission(permissionAt(a, path), permissionAt(b, path)),
      );
    }),
    seeded,
  );
});

test("intersectScopes: a rule that another makes needless is left out", () => {
  const a: Scope = { allow: [write("/ws"), read("/ws/a")], deny: [write("/ws/b")] };
  assert.deepEqual(intersectScopes(a, a), { allow: [write("/ws")], deny: [write("/ws/b")] });
});

test("shared: narrowing keeps it, and keeps apart from it what is held alone", () => {
  const shared: ScopeRule = { ...write("/a"), shared: true };
  const scope: Scope = { allow: [shared, write("/a/b")], deny: [] };
  assert.deepEqual(heldAlone(scope), { allow: [read("/a"), write("/a/b")], deny: [] });
  assert.deepEqual(sharedPart(scope), { allow: [shared], deny: [] });
  assert.deepEqual(intersectScopes(scope, { allow: [write("/a")], deny: [] }).allow, [shared, write("/a/b")]);
  const twice = { allow: [shared, write("/a")], deny: [] };
  assert.deepEqual(intersectScopes(twice, twice).allow, [shared, write("/a")]);
  // A workspace below a place that is shared: it is held alone, and lent to nobody.
  const below: Scope = { allow: [write("/a/ws"), shared], deny: [] };
  assert.deepEqual(writingOnly(below, ["/a/ws"]).allow, [
    write("/a/ws"),
    { ...write("/a/ws"), shared: true },
    read("/a"),
  ]);
  const both = [{ ...write("/a/b"), shared: true }, write("/a/b"), read("/a")];
  assert.deepEqual(writingOnly(scope, ["/a/b"]).allow, both);
});

test("overlapping: a table", () => {
  const ws: Scope = { allow: [write("/ws")], deny: [] };
  const table: readonly [Scope, Scope, boolean][] = [
    [ws, ws, true],
    [ws, none, false],
    [ws, { allow: [read("/ws")], deny: [] }, false],
    [ws, { allow: [write("/ws2")], deny: [] }, false],
    [ws, { allow: [write("/")], deny: [] }, true],
    [ws, { allow: [write("/", false)], deny: [] }, true],
    [{ allow: [write("/ws/a")], deny: [] }, { allow: [write("/", false)], deny: [] }, false],
    [ws, { allow: [write("/")], deny: [write("/ws")] }, false],
    [ws, { allow: [write("/")], deny: [write("/ws", false)] }, true],
    [{ allow: [write("/ws", false)], deny: [] }, { allow: [write("/")], deny: [write("/ws", false)] }, false],
    [{ allow: [write("/ws/a")], deny: [] }, { allow: [write("/ws")], deny: [read("/ws/a")] }, false],
  ];
  for (const [a, b, expected] of table)
    for (const [left, right] of [
      [a, b],
      [b, a],
    ] as const)
      assert.equal(overlapping(left, right), expected, JSON.stringify({ left, right }));
});

test(`overlapping: says the same as every path of the tree, and names one ${runs}`, () => {
  fc.assert(
    fc.property(anyScope, anyScope, (a, b) => {
      const shared = treePaths.filter(
        (path) => permissionAt(a, path) === "write" && permissionAt(b, path) === "write",
      );
      assert.equal(overlapping(a, b), shared.length > 0);
      const named = sharedWrite(a, b);
      if (named !== null) assert.ok(shared.some((path) => isWithin(named, path)));
    }),
    seeded,
  );
});

test(`writingOnly: reads what was readable, writes what was writable in the directories ${runs}`, () => {
  fc.assert(
    fc.property(anyScope, fc.array(anyPath, { maxLength: 2 }), (scope, directories) => {
      const left = writingOnly(scope, directories);
      for (const path of treePaths) {
        const was = permissionAt(scope, path);
        const within = directories.some((directory) => isWithin(directory, path));
        const now = permissionAt(left, path);
        // A rule that is not recursive and meets a directory in one path cannot be cut to that path.
        if (was === "write" && !within) assert.equal(now, "read");
        else assert.ok(permits(was, now) && permits(now, lowerPermission(was, "read")));
        if (scope.allow.every(({ recursive }) => recursive) && within) assert.equal(now, was);
      }
    }),
    { ...seeded, numRuns: 100 },
  );
});
