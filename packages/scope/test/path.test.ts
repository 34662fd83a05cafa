/** Paths as text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import {
  checkScope,
  isBelow,
  isWithin,
  nameBytesMax,
  normalPath,
  parentOf,
  pathBytesMax,
  pathProblem,
  scopeRule,
  scopeRulesMax,
} from "../src/index.ts";
import { read } from "./support.ts";

test("normalPath: the same place has one text", () => {
  const table: readonly [string, string][] = [
    ["/", "/"],
    ["//", "/"],
    ["/a/", "/a"],
    ["/a//b/./c", "/a/b/c"],
    ["/.", "/"],
    ["/a/...", "/a/..."],
    ["/a/.b", "/a/.b"],
    ["/a\\..\\b", "/a\\..\\b"],
    ["/%2e%2e/x", "/%2e%2e/x"],
  ];
  for (const [path, expected] of table) assert.equal(normalPath(path), expected);
});

test("pathProblem: what no path may be", () => {
  const table: readonly [string, RegExp][] = [
    ["", /empty/],
    ["a", /not absolute/],
    ["~/a", /not absolute/],
    ["file:///etc/passwd", /not absolute/],
    ["/a/../b", /"\.\."/],
    ["/..", /"\.\."/],
    ["/a\0b", /NUL/],
    [`/${"n".repeat(nameBytesMax + 1)}`, /name longer/],
    [`/${"é".repeat(nameBytesMax / 2 + 1)}`, /name longer/],
    [`/${"ab/".repeat(pathBytesMax / 3 + 1)}`, /longer than 4095/],
  ];
  for (const [path, expected] of table) {
    assert.match(pathProblem(path) ?? "", expected, path);
    assert.throws(
      () => normalPath(path),
      (thrown) => thrown instanceof YoiError && thrown.code === "out_of_scope",
    );
  }
});

test("pathProblem: names and paths at their limits pass", () => {
  assert.equal(pathProblem(`/${"n".repeat(nameBytesMax)}`), null);
  assert.equal(pathProblem(`/${"ab/".repeat((pathBytesMax - 3) / 3)}`.padEnd(pathBytesMax, "/")), null);
});

test("isWithin, isBelow, parentOf: by whole names", () => {
  assert.deepEqual(
    [
      isWithin("/a", "/a"),
      isWithin("/a", "/a/b"),
      isWithin("/a", "/ab"),
      isWithin("/", "/a"),
      isWithin("/a/b", "/a"),
    ],
    [true, true, false, true, false],
  );
  assert.deepEqual(
    [isBelow("/a", "/a"), isBelow("/a", "/a/b"), isBelow("/", "/"), isBelow("/", "/a")],
    [false, true, false, true],
  );
  assert.deepEqual([parentOf("/"), parentOf("/a"), parentOf("/a/b")], ["/", "/", "/a"]);
});

test("scopeRule and checkScope: normalised, checked, bounded", () => {
  assert.deepEqual(scopeRule("/a//b/", "read"), { target: "/a/b", permission: "read", recursive: true });
  assert.deepEqual(scopeRule("/a", "write", { recursive: false }), {
    target: "/a",
    permission: "write",
    recursive: false,
  });
  assert.throws(
    () => scopeRule("a", "read"),
    (thrown) => thrown instanceof YoiError && thrown.code === "config_invalid",
  );
  assert.throws(
    () => checkScope({ allow: [], deny: [{ target: "/../x", permission: "read", recursive: true }] }),
    YoiError,
  );
  const many = (count: number) => ({
    allow: Array.from({ length: count }, (_, index) => read(`/${index}`)),
    deny: [],
  });
  assert.equal(checkScope(many(scopeRulesMax)).allow.length, scopeRulesMax);
  assert.throws(() => checkScope(many(scopeRulesMax + 1)), YoiError);
});
