/** Listing a directory: what is in it, in order, less what the scope hides. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { messageOf } from "@yoi/base";
import { scopeRule } from "@yoi/scope";
import { listedEntriesMax } from "../src/index.ts";
import { createBench } from "./support.ts";

test("entries come by the bytes of their names, each with its kind; a link is only a link", async () => {
  const bench = createBench();
  try {
    bench.put("b/x", "");
    bench.put("B", "");
    bench.put("\u{1f600}", "");
    bench.put("\uffee", "");
    bench.put("a b\n", "");
    bench.put(".h", "");
    symlinkSync("b", bench.path("to-b"));
    symlinkSync("/etc", bench.path("out"));
    execFileSync("mkfifo", [bench.path("fifo")]);
    writeFileSync(Buffer.concat([Buffer.from(`${bench.workspace}/`), Buffer.from([0x66, 0xff])]), "");
    assert.deepEqual(await bench.files.list(`${bench.workspace}/./`), {
      path: bench.workspace,
      entries: [
        { name: ".h", kind: "file" },
        { name: "B", kind: "file" },
        { name: "a b\n", kind: "file" },
        { name: "b", kind: "directory" },
        { name: "fifo", kind: "other" },
        { name: "out", kind: "link" },
        { name: "to-b", kind: "link" },
        { name: "\uffee", kind: "file" },
        { name: "\u{1f600}", kind: "file" },
      ],
      unnameable: 1,
      isCut: false,
    });
    assert.equal((await bench.files.list(bench.path("to-b"))).path, bench.path("b"));
  } finally {
    bench.close();
  }
});

test("what the scope or the protection hides is not in the list", async () => {
  const bench = createBench({
    scope: (ws) => ({
      allow: [
        scopeRule(join(ws, ".."), "read"),
        scopeRule(ws, "write"),
        { target: join(ws, "..", "flat"), permission: "read", recursive: false },
      ],
      deny: [scopeRule(join(ws, "denied"), "read"), scopeRule(join(ws, "kept"), "write")],
    }),
  });
  try {
    for (const name of ["denied/x", "kept/x", "free/x"]) bench.put(name, "");
    mkdirSync(join(bench.root, "home", ".ssh"), { recursive: true });
    const names = async (path: string) => (await bench.files.list(path)).entries.map(({ name }) => name);
    assert.deepEqual(await names(bench.workspace), ["free", "kept"]);
    assert.deepEqual(await names(bench.root), ["home", "ws"]);
    assert.deepEqual(await names(join(bench.root, "home")), []);
  } finally {
    bench.close();
  }
});

test("a rule that is not recursive lists its directory and shows nothing of what is deeper", async () => {
  const bench = createBench({
    scope: (ws) => ({ allow: [{ target: ws, permission: "read", recursive: false }], deny: [] }),
  });
  try {
    bench.put("a", "");
    bench.put("d/deep", "");
    const names = async (path: string) => (await bench.files.list(path)).entries.map(({ name }) => name);
    assert.deepEqual(await names(bench.workspace), ["a", "d"]);
    assert.deepEqual(await names(bench.path("d")), []);
  } finally {
    bench.close();
  }
});

const refusals: readonly (readonly [string, (ws: string) => string, RegExp])[] = [
  ["missing", (ws) => `${ws}/none`, /does not exist/],
  ["a file", (ws) => `${ws}/f`, /is not a directory/],
  ["outside", (ws) => join(ws, ".."), /outside this Pod's scope/],
  ["a link to outside", (ws) => `${ws}/out`, /outside this Pod's scope/],
];

test("what is no directory of the scope is refused", async () => {
  const bench = createBench();
  try {
    bench.put("f", "");
    symlinkSync("..", bench.path("out"));
    for (const [name, path, message] of refusals)
      await assert.rejects(
        bench.files.list(path(bench.workspace)),
        (thrown) => message.test(messageOf(thrown)),
        name,
      );
  } finally {
    bench.close();
  }
});

test("a directory of too many names says that it is cut", async () => {
  const bench = createBench();
  try {
    const big = bench.path("big");
    mkdirSync(big);
    // Made by one process that is good at it.
    execFileSync("sh", ["-c", `seq 1 ${listedEntriesMax} | xargs touch`], { cwd: big });
    const whole = await bench.files.list(big);
    assert.deepEqual([whole.entries.length, whole.isCut], [listedEntriesMax, false]);
    writeFileSync(join(big, "one-more"), "");
    const cut = await bench.files.list(big);
    assert.deepEqual([cut.entries.length, cut.isCut], [listedEntriesMax, true]);
  } finally {
    bench.close();
  }
});
