/** Write and Edit: what is changed, what is kept, and what is refused. */
import assert from "node:assert/strict";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { after, before, test } from "node:test";
import { type JsonObject, YoiError } from "@yoi/base";
import { createBench, type Bench } from "./support.ts";

let bench: Bench;
before(() => {
  bench = createBench();
});
after(() => bench.close());

async function refused(tool: string, args: JsonObject, message: RegExp, code = "usage"): Promise<void> {
  await assert.rejects(bench.call(tool, args), (thrown) => {
    assert.ok(thrown instanceof YoiError, String(thrown));
    assert.match(thrown.message, message);
    assert.equal(thrown.code, code);
    return true;
  });
}

test("Write: a new file with its directories, then again without a Read", async () => {
  const file_path = bench.path("new/deep/a.txt");
  assert.deepEqual(await bench.shown("Write", { file_path, content: "héllo\n" }), {
    summary: `Created "${file_path}" (7 bytes)`,
  });
  assert.deepEqual(await bench.shown("Write", { file_path, content: "" }), {
    summary: `Overwrote "${file_path}" (0 bytes)`,
  });
  assert.equal(readFileSync(file_path, "utf8"), "");
  assert.deepEqual(readdirSync(bench.path("new/deep")), ["a.txt"]);
});

test("Write: directly in .yoi no new name is made, below its directories it is", async () => {
  for (const name of [".yoi/first", ".yoi/deep/first"])
    await refused("Write", { file_path: bench.path(name), content: "x" }, /is read-only/, "out_of_scope");
  bench.put(".yoi/notes.md", "old\n");
  bench.put(".yoi/plans/1.md", "one\n");
  for (const name of [".yoi/second", ".yoi/second/x.md"])
    await refused("Write", { file_path: bench.path(name), content: "x" }, /is read-only/, "out_of_scope");
  await bench.call("Write", { file_path: bench.path(".yoi/plans/2/a.md"), content: "two\n" });
  await bench.call("Read", { file_path: bench.path(".yoi/notes.md") });
  await bench.call("Write", { file_path: bench.path(".yoi/notes.md"), content: "new\n" });
  assert.deepEqual(readdirSync(bench.path(".yoi")).toSorted(), ["notes.md", "plans"]);
});

test("Write and Edit: tickets are read-only, and the answer says what to do instead; their lock is not read either", async () => {
  const thread = bench.put(".yoi/tickets/0000000000001/thread.md", "one\n");
  const lock = bench.put(".yoi/tickets/.lock", "SQLite");
  const inClone = bench.put(".yoi-work/0000000000001/.yoi/tickets/.lock", "SQLite");
  const instead =
    /read-only .*: tickets change through the tools for them alone, or by the user with `yoi ticket`\.$/;
  await bench.call("Read", { file_path: thread });
  for (const file_path of [thread, bench.path(".yoi/tickets/0000000000002/thread.md")])
    await refused("Write", { file_path, content: "x" }, instead, "out_of_scope");
  await refused("Edit", { file_path: thread, old_string: "one", new_string: "x" }, instead, "out_of_scope");
  for (const file_path of [lock, inClone])
    await refused("Read", { file_path }, /is outside this Pod's scope/, "out_of_scope");
  assert.equal(readFileSync(thread, "utf8"), "one\n");
  const { content } = await bench.shown("Glob", { pattern: "**/tickets/**" });
  assert.match(String(content), /thread\.md/);
  assert.doesNotMatch(String(content), /lock/);
});

test("Write: an existing file must have been read whole and be unchanged", async () => {
  const file_path = bench.put("old.txt", "1\n2\n3\n");
  await refused("Write", { file_path, content: "x" }, /exists and was not read/);
  await bench.call("Read", { file_path, limit: 2 });
  await refused("Write", { file_path, content: "x" }, /read only in part/);
  await bench.call("Read", { file_path, offset: 3 });
  writeFileSync(file_path, "1\n2\n4\n");
  await refused("Write", { file_path, content: "x" }, /changed since it was read/);
  assert.equal(readFileSync(file_path, "utf8"), "1\n2\n4\n");
  await bench.call("Read", { file_path });
  assert.deepEqual(await bench.shown("Write", { file_path, content: "x" }), {
    summary: `Overwrote "${file_path}" (1 bytes)`,
  });
});

test("Write and Edit: the mode is kept, set-user-id is not, the file is replaced and not written in place", async () => {
  const file_path = bench.put("run.sh", "#!/bin/sh\necho a\n");
  chmodSync(file_path, 0o4751);
  const before = statSync(file_path).ino;
  await bench.call("Read", { file_path });
  await bench.call("Edit", { file_path, old_string: "echo a", new_string: "echo b" });
  assert.equal(statSync(file_path).mode & 0o7777, 0o751);
  assert.notEqual(statSync(file_path).ino, before);
  await bench.call("Write", { file_path, content: "x" });
  assert.equal(statSync(file_path).mode & 0o7777, 0o751);
});

test("Write and Edit: through a link to its target, which stays a file of its own", async () => {
  const target = bench.put("target.txt", "one\n");
  const file_path = bench.path("link.txt");
  symlinkSync("target.txt", file_path);
  await bench.call("Read", { file_path });
  assert.equal(
    (await bench.call("Edit", { file_path, old_string: "one", new_string: "two" })).summary,
    `Edited "${target}" (1 replacement)`,
  );
  assert.equal(readFileSync(target, "utf8"), "two\n");
  assert.ok(lstatSync(file_path).isSymbolicLink());
  const claims = ["Read", "Edit", "Write"].map((name) => bench.tool(name).claim?.({ file_path }));
  assert.deepEqual(claims, [
    { path: target, mode: "shared" },
    { path: target, mode: "exclusive" },
    { path: target, mode: "exclusive" },
  ]);
  assert.equal(bench.tool("Read").claim?.({ file_path: 7 }), null);
  symlinkSync("nowhere/x.txt", bench.path("dangling.txt"));
  await bench.call("Write", { file_path: bench.path("dangling.txt"), content: "made\n" });
  assert.equal(readFileSync(bench.path("nowhere/x.txt"), "utf8"), "made\n");
});

test("Write and Edit: a hard link is refused and both names stay as they were", async () => {
  const file_path = bench.put("hard.txt", "one\n");
  linkSync(file_path, bench.path("hard2.txt"));
  await bench.call("Read", { file_path });
  await refused("Edit", { file_path, old_string: "one", new_string: "two" }, /2 hard links/, "out_of_scope");
  await refused("Write", { file_path, content: "two" }, /2 hard links/, "out_of_scope");
  assert.equal(readFileSync(bench.path("hard2.txt"), "utf8"), "one\n");
});

test("Write: what cannot be written leaves nothing behind", async () => {
  mkdirSync(bench.path("dir"));
  bench.put("dir/file.txt", "x");
  const before = readdirSync(bench.workspace, { recursive: true }).toSorted();
  await refused("Write", { file_path: bench.path("dir"), content: "x" }, /is a directory/);
  await refused(
    "Write",
    { file_path: bench.path("dir/file.txt/below"), content: "x" },
    /not a directory/,
    "io_failed",
  );
  await refused("Write", { file_path: bench.path("dir/u.txt"), content: "\ud800" }, /not valid Unicode/);
  await refused("Write", { file_path: "relative.txt", content: "x" }, /not absolute/, "out_of_scope");
  await refused(
    "Write",
    { file_path: bench.path("big"), content: "x".repeat(16 * 1024 * 1024 + 1) },
    /Write takes 16777216/,
    "limit_exceeded",
  );
  assert.deepEqual(readdirSync(bench.workspace, { recursive: true }).toSorted(), before);
});

test("Edit: a table", async () => {
  const table: readonly [string, JsonObject, string, { summary: string; content: string } | RegExp][] = [
    [
      "a\nb\nc\n",
      { old_string: "b", new_string: "B" },
      "a\nB\nc\n",
      { summary: "(1 replacement)", content: "     1\ta\n     2\tB\n     3\tc" },
    ],
    [
      "x x x",
      { old_string: "x", new_string: "yy", replace_all: true },
      "yy yy yy",
      { summary: "(3 replacements)", content: "     1\tyy yy yy" },
    ],
    [
      "aaa",
      { old_string: "aa", new_string: "b", replace_all: true },
      "ba",
      { summary: "(1 replacement)", content: "     1\tba" },
    ],
    [
      "gone",
      { old_string: "gone", new_string: "" },
      "",
      { summary: "(1 replacement)", content: "(the file is empty now)" },
    ],
    [
      "}\n1\n2\n3\n4\n5\n}\nend\n",
      { old_string: "5\n}", new_string: "6\n}" },
      "}\n1\n2\n3\n4\n6\n}\nend\n",
      {
        summary: "(1 replacement)",
        content: "     3\t2\n     4\t3\n     5\t4\n     6\t6\n     7\t}\n     8\tend",
      },
    ],
    [
      "a\r\nb\r\nc\r\n",
      { old_string: "a\nb", new_string: "x\ny\nz" },
      "x\r\ny\r\nz\r\nc\r\n",
      {
        summary: "(1 replacement; CRLF line ends kept)",
        content: "     1\tx\n     2\ty\n     3\tz\n     4\tc",
      },
    ],
    [
      "a\r\nb\r\nc",
      { old_string: "c", new_string: "C\nD" },
      "a\r\nb\r\nC\r\nD",
      {
        summary: "(1 replacement; CRLF line ends kept)",
        content: "     1\ta\n     2\tb\n     3\tC\n     4\tD",
      },
    ],
    [
      "a\r\nb\r\n",
      { old_string: "a\r\nb", new_string: "x\ny\r\nz" },
      "x\r\ny\r\nz\r\n",
      { summary: "(1 replacement; CRLF line ends kept)", content: "     1\tx\n     2\ty\n     3\tz" },
    ],
    [
      "a\r\nb",
      { old_string: "\nb", new_string: "\nB\nC" },
      "a\r\nB\r\nC",
      { summary: "(1 replacement; CRLF line ends kept)", content: "     1\ta\n     2\tB\n     3\tC" },
    ],
    [
      "a\r\nb\r\n",
      { old_string: "b", new_string: "B" },
      "a\r\nB\r\n",
      { summary: "(1 replacement)", content: "     1\ta\n     2\tB" },
    ],
    [
      "a\r\nb\nc",
      { old_string: "c", new_string: "C\nD" },
      "a\r\nb\nC\nD",
      { summary: "(1 replacement)", content: "     1\ta\n     2\tb\n     3\tC\n     4\tD" },
    ],
    [
      "a\r\nb",
      { old_string: "a\r\nb", new_string: "a\nb" },
      "a\r\nb",
      /differ only in line ends, and Edit keeps the CRLF line ends/,
    ],
    [
      "$& $1",
      { old_string: "$1", new_string: "$&$`" },
      "$& $&$`",
      { summary: "(1 replacement)", content: "     1\t$& $&$`" },
    ],
    [
      "a\na\n",
      { old_string: "a", new_string: "b" },
      "a\na\n",
      /occurs 2 times in .* \(lines 1, 2\): add text around it/,
    ],
    ["abc\n", { old_string: "x", new_string: "y" }, "abc\n", /is not in .*: read the file again/],
    [
      "  foo(a)\n",
      { old_string: "\tfoo(a)", new_string: "bar" },
      "  foo(a)\n",
      /line 1 is like its first line, but white space/,
    ],
    ["abc\n", { old_string: "     1\tabc", new_string: "y" }, "abc\n", /contains line numbers/],
    [
      "\nnew\n",
      { old_string: "old", new_string: "new" },
      "\nnew\n",
      /new_string is there already \(line 2\)/,
    ],
    ["abc", { old_string: "", new_string: "y" }, "abc", /old_string is empty/],
    ["abc", { old_string: "abc", new_string: "abc" }, "abc", /are the same/],
    ["abc", { old_string: "b", new_string: "\udc00" }, "abc", /not valid Unicode/],
    [
      "abc",
      { old_string: "b", new_string: "c", replace_all: "yes" },
      "abc",
      /"replace_all" of Edit must be true or false/,
    ],
  ];
  for (const [index, [content, args, expected, outcome]] of table.entries()) {
    const file_path = bench.put(`edit-${index}.txt`, content);
    await bench.call("Read", { file_path });
    if (outcome instanceof RegExp) await refused("Edit", { file_path, ...args }, outcome);
    else {
      assert.deepEqual(await bench.shown("Edit", { file_path, ...args }), {
        summary: `Edited "${file_path}" ${outcome.summary}`,
        content: outcome.content,
      });
    }
    assert.equal(readFileSync(file_path, "utf8"), expected);
  }
});

test("Edit: only what was shown, also after other edits moved it", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}.`);
  const file_path = bench.put("parts.txt", `${lines.join("\n")}\n`);
  await refused("Edit", { file_path, old_string: "line 1.", new_string: "x" }, /was not read/);
  await bench.call("Read", { file_path, offset: 10, limit: 10 });
  await refused(
    "Edit",
    { file_path, old_string: "line 9.", new_string: "x" },
    /not shown \(line 9\): read that part first/,
  );
  await refused(
    "Edit",
    { file_path, old_string: "line 19.\nline 20.", new_string: "x" },
    /not shown \(line 19\)/,
  );
  await refused(
    "Edit",
    { file_path, old_string: "line 2", new_string: "x", replace_all: true },
    /not shown \(lines 2, 20, 21/,
  );
  await bench.call("Edit", {
    file_path,
    old_string: "line 10.",
    new_string: "much longer than before\nand one more",
  });
  await refused("Edit", { file_path, old_string: "line 20.", new_string: "x" }, /not shown \(line 21\)/);
  await refused("Edit", { file_path, old_string: "line 9.", new_string: "x" }, /not shown \(line 9\)/);
  await bench.call("Edit", { file_path, old_string: "line 19.", new_string: "short" });
  await bench.call("Edit", { file_path, old_string: "longer than before\nand", new_string: "changed" });
  assert.match(readFileSync(file_path, "utf8"), /line 9\.\nmuch changed one more\nline 11\./);
});

test("Edit: bytes that are not UTF-8 are not touched, changes by others are seen", async () => {
  const bytes = Buffer.from([0x61, 0xff, 0x62, 0x0a]);
  const latin = bench.put("latin.txt", bytes);
  await bench.call("Read", { file_path: latin });
  await refused("Edit", { file_path: latin, old_string: "a", new_string: "b" }, /not valid UTF-8/);
  assert.deepEqual(readFileSync(latin), bytes);
  const file_path = bench.put("other.txt", "a\n");
  await bench.call("Read", { file_path });
  writeFileSync(file_path, "a\nb\n");
  await refused("Edit", { file_path, old_string: "a", new_string: "c" }, /changed since it was read/);
});

test("ScopedFiles.write: a file that is not as expected is left alone", async () => {
  const path = bench.put("race.txt", "one");
  const { identity } = await bench.files.read(path);
  await assert.rejects(
    bench.files.write(path, Buffer.from("x"), { kind: "missing" }),
    /changed by somebody else/,
  );
  await assert.rejects(
    bench.files.write(bench.path("none.txt"), Buffer.from("x"), { kind: "same", identity }),
    /changed by somebody else/,
  );
  writeFileSync(path, "two");
  await assert.rejects(
    bench.files.write(path, Buffer.from("x"), { kind: "same", identity }),
    /changed by somebody else/,
  );
  assert.equal(readFileSync(path, "utf8"), "two");
});
