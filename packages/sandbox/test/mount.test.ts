/** What a command can have as its directory: what is there of the machine, not what hides it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isVisible, type Mount } from "../src/mount.ts";

const mounts = new Map<string, Mount>([
  ["/home/me", { kind: "fixed" }],
  ["/home/me/project", { kind: "bind", access: "write" }],
  ["/home/me/.ssh", { kind: "fixed" }],
  ["/home/other", { kind: "private" }],
  ["/data", { kind: "fixed" }],
  ["/data/inner", { kind: "fixed" }],
  ["/usr", { kind: "bind", access: "read" }],
]);

for (const [path, visible] of [
  ["/home/me", true],
  ["/home/me/project", true],
  ["/home/me/project/below", true],
  ["/home/me/missing", false],
  ["/home/me/.ssh", false],
  ["/home", false],
  ["/home/other", false],
  ["/data", false],
  ["/usr/bin", true],
  ["/", false],
] as const) {
  test(`${path} is ${visible ? "seen" : "not seen"}`, () => {
    assert.equal(isVisible(mounts, path), visible);
  });
}
