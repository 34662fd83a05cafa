/** A scope in a few words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScopePermission, ScopeRule } from "@yoi/base";
import { scopeText } from "../../src/output/scope-text.ts";

const rule = (target: string, permission: ScopePermission = "write", recursive = true): ScopeRule => ({
  target,
  permission,
  recursive,
});

test("what may be written, as it lies in the workspace; what may only be read is not listed", () => {
  const cases: readonly (readonly [string, readonly ScopeRule[], readonly ScopeRule[], string | null])[] = [
    [".", [rule("/w"), rule("/usr", "read")], [], "/w"],
    ["src/a", [rule("/w/src/a")], [], "/w"],
    ["/workspace", [rule("/workspace")], [], "/w"],
    ["/w/a", [rule("/w/a")], [], null],
    ["/srv, ..x", [rule("/srv"), rule("/w/..x")], [], "/w"],
    ["src (not below)", [rule("/w/src", "write", false)], [], "/w"],
    ["reads only", [rule("/w", "read")], [], "/w"],
    ["reads only", [rule("/w")], [rule("/w")], "/w"],
    ["reads only", [], [], "/w"],
    ["a, b, c", ["a", "b", "c"].map((name) => rule(`/w/${name}`)), [], "/w"],
    ["a, b, c, 1 more", ["a", "b", "c", "d"].map((name) => rule(`/w/${name}`)), [], "/w"],
  ];
  for (const [text, allow, deny, workspace] of cases)
    assert.equal(scopeText({ allow, deny }, workspace), text);
});
