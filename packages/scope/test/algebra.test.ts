/** Subset, intersection, and adding and removing rules. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scope } from "@yoi/base";
import fc from "fast-check";
import {
  addAllow,
  addDeny,
  intersectScopes,
  isAncestorOfGrant,
  isSubset,
  lowerPermission,
  permissionAt,
  permits,
  removeDeny,
} from "../src/index.ts";
import { anyPath, anyRule, anyScope, read, seeded, write } from "./support.ts";

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
  const names = ["a", "b", "ab", "z"];
  const paths = ["/"];
  for (let from = 0, depth = 0; depth < 5; depth += 1) {
    const to = paths.length;
    for (; from < to; from += 1)
      for (const name of names) paths.push(`${paths[from] === "/" ? "" : paths[from]}/${name}`);
  }
  fc.assert(
    fc.property(anyScope, anyScope, (inner, outer) => {
      const everywhere = paths.every((path) => permits(permissionAt(outer, path), permissionAt(inner, path)));
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

test(`addDeny and removeDeny: lending and giving back leaves the scope as it was, whatever else was lent ${runs}`, () => {
  fc.assert(
    fc.property(anyScope, anyRule, anyRule, anyPath, (scope, one, other, path) => {
      const lent = addDeny(addDeny(scope, one), other);
      assert.ok(isSubset(lent, scope));
      assert.deepEqual(removeDeny(removeDeny(lent, other), one).deny.length, scope.deny.length);
      assert.equal(permissionAt(removeDeny(removeDeny(lent, one), other), path), permissionAt(scope, path));
    }),
    seeded,
  );
});

test("removeDeny: takes one of two equal denies, and nothing when there is none", () => {
  const scope: Scope = { allow: [write("/ws")], deny: [write("/ws/a"), write("/ws/a")] };
  assert.deepEqual(removeDeny(scope, write("/ws/a")).deny, [write("/ws/a")]);
  assert.equal(removeDeny(scope, read("/ws/a")), scope);
});

test("addAllow: a rule that is there already is not added twice", () => {
  assert.deepEqual(addAllow({ allow: [read("/a")], deny: [] }, read("/a"), read("/b")).allow, [
    read("/a"),
    read("/b"),
  ]);
});

test("isAncestorOfGrant: the way to a grant, not the grant", () => {
  const scope: Scope = { allow: [write("/home/u/ws")], deny: [] };
  const expected = {
    "/": true,
    "/home": true,
    "/home/u": true,
    "/home/u/ws": false,
    "/home/u/ws/a": false,
    "/homer": false,
    "/etc": false,
  };
  assert.deepEqual(
    Object.fromEntries(Object.keys(expected).map((path) => [path, isAncestorOfGrant(scope, path)])),
    expected,
  );
});
