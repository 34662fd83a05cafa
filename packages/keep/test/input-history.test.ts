/** What the user typed: given back as it went in, bounded, without secrets, over damage, crashes and several processes. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { YoiError } from "@yoi/base";
import { crashAt, HostCrashed, type MemoryHost, memoryHost } from "@yoi/host";
import {
  createInputHistory,
  historyEntriesMax,
  historyFileBytesMax,
  historySlackEntries,
  historyTextBytesMax,
  type InputHistory,
  type PathProtection,
} from "../src/index.ts";
import { dataDir, inspectOf } from "./support.ts";

const workspace = "/home/user/site";
const directory = "/data/keep/history";
const path = `${directory}/${createHash("sha256").update(workspace).digest("hex")}.jsonl`;

function bench(host: MemoryHost = memoryHost({ seed: 1 })) {
  const protections = new Map<string, PathProtection>();
  const open = createInputHistory({
    files: host.files,
    clock: host.clock,
    dataDir,
    inspect: async (each) => protections.get(each) ?? (await inspectOf(host)(each)),
    redact: (text) => text.replaceAll("hunter2-hunter2", "[redacted: KEY]"),
  });
  return { host, protections, open, history: open(workspace) };
}

async function addAll(history: InputHistory, texts: readonly string[]): Promise<void> {
  for (const text of texts) await history.add(text);
}

/** Puts the bytes there, past the store. */
async function write(host: MemoryHost, text: string): Promise<void> {
  await host.files.makeDirectory(directory);
  await host.files.replace(path, Buffer.from(text));
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${JSON.stringify({ text })}\n`).join("");
}

async function linesOf(host: MemoryHost): Promise<number> {
  return Buffer.from((await host.files.read(path)) ?? [])
    .toString()
    .split("\n")
    .slice(0, -1).length;
}

test("of several processes that make the file at once each line is kept", async () => {
  const { host, open } = bench();
  const texts = ["one", "two", "three", "four"];
  await Promise.all(texts.map((text) => open(workspace).add(text)));
  assert.deepEqual((await open(workspace).load()).toSorted(), texts.toSorted());
  assert.equal(await linesOf(host), texts.length);
});

describe("what was typed", () => {
  const cases: readonly {
    readonly name: string;
    readonly typed: readonly string[];
    readonly kept: readonly string[];
  }[] = [
    { name: "nothing", typed: [], kept: [] },
    { name: "oldest first", typed: ["one", "two", "three"], kept: ["one", "two", "three"] },
    { name: "a double in a row once, apart twice", typed: ["a", "a", "b", "a"], kept: ["a", "b", "a"] },
    { name: "white space not at all", typed: ["a", "  ", "\n", ""], kept: ["a"] },
    {
      name: "several lines, quotes and any script",
      typed: ['a\n"b"\\n', "日本\u2028😀"],
      kept: ['a\n"b"\\n', "日本\u2028😀"],
    },
    { name: "its end without white space", typed: ["a \n", "a"], kept: ["a"] },
    { name: "known secrets taken out", typed: ["is hunter2-hunter2 it?"], kept: ["is [redacted: KEY] it?"] },
  ];
  for (const { name, typed, kept } of cases) {
    test(name, async () => {
      const { open, history } = bench();
      await addAll(history, typed);
      assert.deepEqual(await history.load(), kept);
      assert.deepEqual(await open(workspace).load(), kept, "another process");
    });
  }

  test("belongs to its workspace alone", async () => {
    const { open, history } = bench();
    await addAll(history, ["here"]);
    await addAll(open("/elsewhere"), ["there"]);
    assert.deepEqual([await history.load(), await open("/elsewhere").load()], [["here"], ["there"]]);
  });

  test(`has at most ${historyTextBytesMax} bytes`, async () => {
    const { history } = bench();
    const longest = "é".repeat(historyTextBytesMax / 2);
    await addAll(history, [longest, `${longest}x`]);
    assert.deepEqual(await history.load(), [longest]);
  });

  test(`is the last ${historyEntriesMax}, and its file is made shorter ${historySlackEntries} lines later`, async () => {
    const { host, history } = bench();
    const all = Array.from({ length: historyEntriesMax + historySlackEntries }, (_, n) => `n ${n}`);
    await write(host, lines(all));
    assert.deepEqual(await history.load(), all.slice(-historyEntriesMax));
    await history.add("the last");
    assert.deepEqual(await history.load(), [...all.slice(1 - historyEntriesMax), "the last"]);
    assert.equal(await linesOf(host), historyEntriesMax);
    await history.add("one more");
    assert.equal(await linesOf(host), historyEntriesMax + 1, "appended, not written anew");
  });

  test(`takes ${historyFileBytesMax} bytes, and less once it would take one more`, async () => {
    const { host, history } = bench();
    const last = lines(["z"]).length;
    const text = "x".repeat(1_000);
    const filling = Math.floor((historyFileBytesMax - last) / lines([text]).length);
    const rest = historyFileBytesMax - last - lines(Array.from({ length: filling }, () => text)).length;
    const full = [
      ...Array.from({ length: filling - 1 }, (_, n) => `${n}`.padEnd(1_000, "x")),
      "y".repeat(1_000 + rest),
    ];
    await write(host, lines(full));
    await history.add("z");
    assert.equal((await host.files.stat(path))?.bytes, historyFileBytesMax);
    await history.add("and one more");
    const kept = await history.load();
    assert.equal(kept.at(-1), "and one more");
    assert.ok(kept.length < full.length);
    assert.deepEqual(kept.slice(0, -2), full.slice(-(kept.length - 2)));
  });
});

describe("a file that is not as it was written", () => {
  const damaged = [
    { name: "garbage between lines", text: `${lines(["a"])}garbage\n{"text":7}\n[]\n${lines(["b"])}` },
    { name: "a line that was broken off", text: `${lines(["a", "b"])}{"text":"c` },
    { name: "NUL bytes that a power cut left", text: `${lines(["a", "b"])}\0\0\0\0` },
  ];
  for (const { name, text } of damaged) {
    test(`${name}: the others are there, and the next one too`, async () => {
      const { host, history } = bench();
      await write(host, text);
      assert.deepEqual(await history.load(), ["a", "b"]);
      await history.add("next");
      assert.deepEqual(await history.load(), ["a", "b", "next"]);
    });
  }

  test("one that somebody made huge is read from its end", async () => {
    const { host, history } = bench();
    await write(host, `${"x".repeat(3 * historyFileBytesMax)}\n${lines(["a"])}`);
    assert.deepEqual(await history.load(), ["a"]);
    await history.add("b");
    assert.deepEqual(await history.load(), ["a", "b"]);
    assert.ok(((await host.files.stat(path))?.bytes ?? Infinity) < historyFileBytesMax);
  });
});

test("only the user's own directories and file are read and written", async () => {
  const own = { mode: 0o700, own: true } as const;
  const wrong: readonly (readonly [string, PathProtection])[] = [
    ["/data/keep", { kind: "directory", mode: 0o755, own: true }],
    [directory, { ...own, kind: "link" }],
    [path, { kind: "file", mode: 0o644, own: true }],
    [path, { kind: "file", mode: 0o600, own: false }],
  ];
  for (const [place, protection] of wrong) {
    const { history, protections } = bench();
    await history.add("a");
    protections.set(place, protection);
    const refused = (error: unknown) => error instanceof YoiError && error.code === "permission_denied";
    await assert.rejects(history.load(), refused, place);
    await assert.rejects(history.add("b"), refused, place);
    protections.clear();
    assert.deepEqual(await history.load(), ["a"], "a refusal leaves it as it was");
  }
});

test("what was acknowledged is there after a power cut at any operation of the next one", async () => {
  let cuts = 0;
  for (let at = 0; ; at += 1) {
    const { host, history } = bench();
    await history.add("first");
    host.disk.plan = crashAt(host.disk.operations + 1 + at);
    try {
      await history.add("second");
      break;
    } catch (error) {
      if (!(error instanceof HostCrashed)) throw error;
    }
    cuts += 1;
    const after = host.restart();
    const kept = await bench(after).history.load();
    assert.ok(
      [["first"], ["first", "second"]].some((one) => one.join() === kept.join()),
      `cut ${at}: ${kept.join()}`,
    );
  }
  assert.ok(cuts >= 2, `only ${cuts} cuts`);
});

test("of several processes at once nothing is lost", async () => {
  const { open, history } = bench();
  await history.add("begin");
  const typed = Array.from({ length: 5 }, (_, process) =>
    Array.from({ length: 20 }, (__, n) => `${process}: ${n}`),
  );
  await Promise.all(typed.map((texts) => addAll(open(workspace), texts)));
  const kept = await history.load();
  assert.deepEqual(kept.toSorted(), ["begin", ...typed.flat()].toSorted());
  for (const texts of typed)
    assert.deepEqual(
      kept.filter((text) => texts.includes(text)),
      texts,
      "each in its order",
    );
});

test("while another process makes the file shorter, at most one line of each is lost", async () => {
  const { host, open, history } = bench();
  const before = Array.from({ length: historyEntriesMax + historySlackEntries - 1 }, (_, n) => `n ${n}`);
  await write(host, lines(before));
  const typed = ["a1", "a2", "a3", "a4"];
  const others = ["b1", "b2", "b3", "b4"];
  await Promise.all([addAll(open(workspace), typed), addAll(open(workspace), others)]);
  const kept = await history.load();
  for (const texts of [typed, others])
    assert.ok(texts.filter((text) => !kept.includes(text)).length <= 1, kept.slice(-9).join());
  assert.ok(kept.includes("n 1100"));
});
