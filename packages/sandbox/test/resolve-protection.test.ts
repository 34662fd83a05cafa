/** One look for each name resolves the whole list of what is protected, links included. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { childOf, parentOf } from "@yoi/scope";
import { resolveProtection } from "../src/resolve-protection.ts";
import type { Surroundings } from "../src/surroundings.ts";
import { machine } from "./support.ts";

const around = machine({
  "/home": "dir",
  "/home/u": "dir",
  "/home/u/.ssh": "-> /data/keys",
  "/home/u/.config": "-> ../joint",
  "/home/u/gone": "-> /nowhere/at/all",
  "/home/u/loop": "-> loop",
  "/home/u/file": "text",
  "/home/joint": "dir",
  "/home/joint/gh": "dir",
  "/data": "dir",
  "/data/keys": "dir",
});

/** What it is to give: each path resolved on its own, what is missing below where its directory really is. */
function realOneByOne(path: string): string {
  if (path === "/") return path;
  const name = path.slice(path.lastIndexOf("/") + 1);
  return around.realPath(path) ?? childOf(realOneByOne(parentOf(path)), name);
}

const paths = [
  "/",
  "/home/u",
  "/home/u/.ssh",
  "/home/u/.ssh/id",
  "/home/u/.config/gh/hosts.yml",
  "/home/u/.config/none/hosts.yml",
  "/home/u/gone",
  "/home/u/gone/x",
  "/home/u/loop/x",
  "/home/u/file/x",
  "/home/none/.ssh/id",
  "/home/u/../joint/gh",
  "/home/u/.config/../x",
  "/home//u/.ssh",
  "/home/u/./.ssh/",
];

test("every path is there as it was named and as it really is, and missing ones where they would be made", () => {
  const { hidden } = resolveProtection(
    { hidden: paths, readOnly: [], spill: null, workspace: "/", home: null, programs: [] },
    around,
  );
  const expected = new Set(paths.flatMap((path) => [path, realOneByOne(path)]));
  assert.deepEqual(hidden, [...expected]);
  for (const real of ["/data/keys/id", "/home/joint/gh/hosts.yml", "/home/joint/none/hosts.yml"])
    assert.ok(hidden.includes(real), real);
});

test("a directory that many paths lie in is looked at once", () => {
  const looks: string[] = [];
  const counting: Surroundings = {
    ...around,
    kindOf: (path) => {
      looks.push(path);
      return around.kindOf(path);
    },
  };
  const many = Array.from({ length: 50 }, (_, index) => `/home/u/a/b/${index}`);
  resolveProtection(
    { hidden: many, readOnly: many, spill: null, workspace: "/home/u", home: "/home/u", programs: [] },
    counting,
  );
  assert.equal(looks.length, 54);
});
