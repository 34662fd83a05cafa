/** The way to the runtime directory: what lets another user put something else in its place, as a table over made-up trees. */
import assert from "node:assert/strict";
import test from "node:test";
import { type Found, linksMax, type Look, weaknessOfWay } from "../../src/runtime/way.ts";

const uid = 1000;

function directory(mode: number, owner = 0, group = owner): Found {
  return { kind: "directory", uid: owner, gid: group, mode, bytes: 0, target: null };
}

function link(target: string, owner = uid): Found {
  return { kind: "link", uid: owner, gid: owner, mode: 0o777, bytes: 0, target };
}

/** So many links, each to the next, and then a directory. */
function linksTo(count: number): Readonly<Record<string, Found>> {
  const links = Array.from({ length: count }, (_, at) => [`/l/${at}`, link(`/l/${at + 1}`)] as const);
  return { "/l": directory(0o755), ...Object.fromEntries(links), [`/l/${count}`]: directory(0o700, uid) };
}

const base = { "/": directory(0o755), "/home": directory(0o755), "/home/me": directory(0o750, uid) };
const path = "/home/me/data/run";

interface Row {
  readonly what: string;
  readonly tree: Readonly<Record<string, Found>>;
  readonly at?: string;
  readonly weak: readonly [string, string] | null;
}

const rows: readonly Row[] = [
  { what: "mine below root's", tree: { "/home/me/data": directory(0o755, uid) }, weak: null },
  { what: "missing: whoever makes it decides", tree: {}, weak: null },
  {
    what: "the path itself is not looked at",
    tree: { "/home/me/data": directory(0o700, uid), [path]: directory(0o777, 7) },
    weak: null,
  },
  {
    what: "everybody writes",
    tree: { "/home/me/data": directory(0o707, uid) },
    weak: ["/home/me/data", "writable"],
  },
  {
    what: "a group of others writes",
    tree: { "/home/me/data": directory(0o770, uid, 50) },
    weak: ["/home/me/data", "writable"],
  },
  { what: "my own group writes", tree: { "/home/me/data": directory(0o770, uid, uid) }, weak: null },
  {
    what: "everybody writes, further up",
    tree: { "/home": directory(0o777), "/home/me/data": directory(0o700, uid) },
    weak: ["/home", "writable"],
  },
  {
    what: "everybody writes, but takes nothing of others away",
    tree: { "/home": directory(0o1777), "/home/me/data": directory(0o700, uid) },
    weak: null,
  },
  {
    what: "another user's directory in one of everybody",
    tree: { "/tmp": directory(0o1777), "/tmp/x": directory(0o755, 7) },
    at: "/tmp/x/run",
    weak: ["/tmp/x", "foreign"],
  },
  {
    what: "another user's, also with no bit for others",
    tree: { "/home/me": directory(0o700, 7) },
    weak: ["/home/me", "foreign"],
  },
  {
    what: "a link of mine to a place of mine",
    tree: { "/home/me/data": link("real"), "/home/me/real": directory(0o700, uid) },
    weak: null,
  },
  {
    what: "a link of mine to a place that everybody writes",
    tree: { "/home/me/data": link("/open"), "/open": directory(0o777) },
    weak: ["/open", "writable"],
  },
  {
    what: "a link of mine, up and down again",
    tree: { "/home/me/data": link("../you/data"), "/home/you": directory(0o755, 7) },
    weak: ["/home/you", "foreign"],
  },
  {
    what: "a link of another user",
    tree: {
      "/tmp": directory(0o1777),
      "/tmp/l": link("/home/me", 7),
    },
    at: "/tmp/l/run",
    weak: ["/tmp/l", "foreign"],
  },
  { what: "as many links as the system resolves", tree: linksTo(linksMax), at: "/l/0/run", weak: null },
  {
    what: "one link more",
    tree: linksTo(linksMax + 1),
    at: "/l/0/run",
    weak: [`/l/${linksMax}`, "links"],
  },
  { what: "links in a ring", tree: { "/home/me/data": link("data") }, weak: ["/home/me/data", "links"] },
  {
    what: "a file",
    tree: { "/home/me/data": { ...directory(0o600, uid), kind: "file" } },
    weak: ["/home/me/data", "not_a_directory"],
  },
];

for (const { what, tree, at = path, weak } of rows) {
  test(`way: ${what}`, () => {
    const all: Readonly<Record<string, Found>> = { ...base, ...tree };
    const look: Look = (asked) => all[asked] ?? null;
    const found = weaknessOfWay(at, uid, look);
    assert.deepEqual(found === null ? null : [found.path, found.why], weak);
  });
}
