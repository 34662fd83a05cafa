/** Paths of a git index, of each version that git writes; what is damaged or hostile is no index. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { parseGitIndex } from "../../src/copies/git-index.ts";

interface Entry {
  readonly name: string;
  readonly mode?: number;
  readonly extended?: boolean;
}

/** As git's own documentation of the format has it. */
function indexOf(
  version: number,
  entries: readonly Entry[],
  sum: "true" | "none" | "false" = "true",
  [algorithm, idBytes]: readonly [string, number] = ["sha1", 20],
): Buffer {
  let last = "";
  const parts = entries.map(({ name, mode = 0o100644, extended = false }) => {
    const fixed = Buffer.alloc(42 + idBytes + (extended ? 2 : 0));
    fixed.writeUInt32BE(mode, 24);
    fixed.writeUInt16BE((extended ? 0x4000 : 0) | Math.min(name.length, 0xfff), 40 + idBytes);
    if (version < 4) {
      const length = fixed.length + name.length;
      return Buffer.concat([fixed, Buffer.from(name, "latin1"), Buffer.alloc(8 - (length % 8))]);
    }
    let common = 0;
    while (common < last.length && last[common] === name[common]) common += 1;
    const gone = varint(last.length - common);
    last = name;
    return Buffer.concat([fixed, gone, Buffer.from(`${name.slice(common)}\0`, "latin1")]);
  });
  const head = Buffer.from("DIRC\0\0\0\0\0\0\0\0", "latin1");
  head.writeUInt32BE(version, 4);
  head.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([head, ...parts]);
  const digest = {
    true: hash(algorithm, body, "buffer"),
    none: Buffer.alloc(idBytes),
    false: Buffer.alloc(idBytes, 1),
  }[sum];
  return Buffer.concat([body, digest]);
}

function varint(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) {
    rest -= 1;
    bytes.unshift(0x80 | (rest & 0x7f));
  }
  return Buffer.from(bytes);
}

const long = `d/${"x".repeat(300)}`;
const names = ["a", "b/c", "b/c2", long, "e"];

test("each version, its sum there or left out", () => {
  for (const version of [2, 3, 4])
    for (const sum of ["true", "none"] as const)
      assert.deepEqual(
        parseGitIndex(
          indexOf(
            version,
            names.map((name, at) => ({ name, extended: version > 2 && at === 1 })),
            sum,
          ),
        ),
        names,
        `version ${version}`,
      );
  assert.deepEqual(parseGitIndex(indexOf(2, [])), []);
});

test("of a repository with SHA-256", () => {
  const entries = names.map((name) => ({ name }));
  for (const version of [2, 3, 4])
    assert.deepEqual(parseGitIndex(indexOf(version, entries, "true", ["sha256", 32])), names);
  assert.equal(parseGitIndex(indexOf(2, entries, "true", ["md5", 16])), null);
});

test("of files alone: links and other repositories are left out", () => {
  const entries = [{ name: "a" }, { name: "link", mode: 0o120000 }, { name: "sub", mode: 0o160000 }];
  assert.deepEqual(parseGitIndex(indexOf(2, entries)), ["a"]);
});

test("what is damaged, unknown or leads elsewhere is none", () => {
  const good = indexOf(2, [{ name: "a" }, { name: "b" }]);
  const counted = Buffer.from(indexOf(2, [{ name: "a" }], "none"));
  counted.writeUInt32BE(1_000_000, 8);
  const rows = [
    Buffer.alloc(0),
    Buffer.from("DIRC"),
    good.subarray(0, -30),
    indexOf(2, [{ name: "a" }], "false"),
    indexOf(5, []),
    indexOf(2, [{ name: "a", extended: true }]),
    counted,
    ...["../a", "/a", "a//b", "a/./b", ".git/config", "b/.GIT/x"].map((name) => indexOf(2, [{ name }])),
  ];
  for (const bytes of rows) assert.equal(parseGitIndex(bytes), null, bytes.toString("latin1"));
});
