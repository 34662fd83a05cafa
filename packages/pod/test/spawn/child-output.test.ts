/** What a child said, behind a cursor: nothing lost and nothing doubled over bounds and segments, and what it does as it says itself. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EntryBody, YoiError } from "@yoi/base";
import { type OutputCursor, type PodOutput, podOutputBytesMax } from "@yoi/feature";
import { type MemoryHost, memoryHost } from "@yoi/host";
import { simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { readOutput } from "../../src/spawn/child-output.ts";
import { finished, invoke, said, WrittenChild } from "./written-child.ts";

const scope = { allow: [], deny: [] };

interface Asking {
  /** Default: nobody holds the child. */
  readonly held?: { readonly alive: boolean };
  readonly ask?: () => Promise<"idle" | "running" | "paused">;
  readonly reclaimed?: boolean;
}

function reader(host: MemoryHost, kid: WrittenChild, { held, ask, reclaimed = false }: Asking = {}) {
  const owner = { pid: 1, started: 1, boot: "b", sinceMs: 0, purpose: "host", runtime: null };
  const { name, session } = kid;
  const loan = { id: "l", scope };
  const child = { name, session, loan, tokenDigest: "", socket: null, callback: null, sinceMs: 0 };
  const own = {
    name: kid.name,
    children: reclaimed ? [] : [{ ...child, state: "live" as const }],
    reclaimed: reclaimed ? [{ name, session, loan, reason: "lost" as const, atMs: 0 }] : [],
  };
  const ports = {
    ...simulatedStores(host, new Map()),
    lease: { owner: async () => (held === undefined ? null : { owner, alive: held.alive }) },
    ask: ask ?? (() => Promise.reject(new YoiError("pod_unreachable", "nobody"))),
  };
  return (after: OutputCursor | null, of: string = kid.name) => readOutput(ports, own, of, after);
}

/** Reads on until nothing waits: all texts, and how many reads that took. */
async function readAll(read: ReturnType<typeof reader>, from: OutputCursor | null = null) {
  const texts: string[] = [];
  let cursor = from;
  for (let reads = 1; ; reads += 1) {
    const output: PodOutput = await read(cursor);
    texts.push(...output.texts);
    ({ cursor } = output);
    if (!output.more) return { texts, cursor, reads };
  }
}

test("texts of answers alone, oldest first, each once; a read that finds nothing keeps its place", async () => {
  const host = memoryHost({ seed: 1 });
  const kid = await new WrittenChild(host).begin();
  const read = reader(host, kid);
  const reasoning: EntryBody = {
    kind: "assistant_item",
    request: 0,
    index: 1,
    item: { type: "reasoning", text: "hm", status: "completed" },
  };
  await kid.append(invoke, reasoning, said("One."), said(" \n"), said("Two."));
  const first = await read(null);
  assert.deepEqual(first, {
    texts: ["One.", "Two."],
    more: false,
    cursor: { segment: kid.segment, seq: kid.lastSeq },
    state: "stopped",
  });
  assert.deepEqual(await read(first.cursor), { ...first, texts: [] });
  await kid.append(said("Three."), finished);
  assert.deepEqual((await read(first.cursor)).texts, ["Three."]);
  assert.deepEqual(
    (await read(null)).texts,
    ["One.", "Two.", "Three."],
    "from the beginning without a cursor",
  );
});

test("W-41: over a rotation and a rewind nothing is lost and nothing comes again", async () => {
  const host = memoryHost({ seed: 1 });
  const kid = await new WrittenChild(host).begin();
  const read = reader(host, kid);
  await kid.append(said("1"));
  const { cursor } = await read(null);
  const place = kid.origin;
  await kid.append(said("2"));
  await kid.begin({ compacted_from: kid.origin });
  await kid.append(said("3"));
  assert.deepEqual((await readAll(read)).texts, ["1", "2", "3"]);
  const behind = await readAll(read, cursor);
  assert.deepEqual(behind.texts, ["2", "3"]);
  await kid.append(said("4"), { kind: "turn_rolled_back", from_seq: 3 });
  await kid.begin({ forked_from: place });
  await kid.append(said("5"));
  assert.deepEqual((await readAll(read, behind.cursor)).texts, ["4", "5"]);
});

describe(`a read gives ${podOutputBytesMax} bytes`, () => {
  const half = podOutputBytesMax / 2;
  const rows: readonly (readonly [string, readonly number[], readonly number[]])[] = [
    ["exactly that", [half, half], [2]],
    ["one byte more", [half, half + 1], [1, 1]],
    ["one alone that has it", [podOutputBytesMax, 1], [1, 1]],
    ["many", [half, half, half, half, 1], [2, 2, 1]],
  ];
  for (const [name, sizes, reads] of rows) {
    test(name, async () => {
      const host = memoryHost({ seed: 1 });
      const kid = await new WrittenChild(host).begin();
      const texts = sizes.map((size, n) => String(n).repeat(size));
      for (const text of texts) await kid.append(said(text));
      const read = reader(host, kid);
      const counts: number[] = [];
      let cursor: OutputCursor | null = null;
      for (let more = true; more;) {
        const output: PodOutput = await read(cursor);
        counts.push(output.texts.length);
        ({ cursor, more } = output);
      }
      assert.deepEqual(counts, reads);
      assert.deepEqual((await readAll(read)).texts, texts);
    });
  }

  test("an answer that is longer is cut, never in the middle of a character, and says how much is left", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const whole = `${"é".repeat(half)}é`;
    await kid.append(said(whole), said("next"));
    const read = reader(host, kid);
    const { texts, more, cursor } = await read(null);
    assert.deepEqual([texts.length, more], [1, true]);
    const [, start, left] =
      /^(é+)\n\[(\d+) more bytes of this answer are in the child's log\.\]$/.exec(texts[0] ?? "") ?? [];
    assert.equal(Buffer.byteLength(start ?? "") + Number(left), Buffer.byteLength(whole));
    const bytes = Buffer.byteLength(texts[0] ?? "");
    assert.ok(bytes <= podOutputBytesMax && bytes > podOutputBytesMax - 4, String(bytes));
    assert.deepEqual((await read(cursor)).texts, ["next"]);
  });
});

describe("what it does", () => {
  const rows: readonly (readonly [string, Asking, PodOutput["state"]])[] = [
    ["nobody holds it", {}, "stopped"],
    ["who held it is gone", { held: { alive: false }, ask: async () => "idle" }, "stopped"],
    ["it answers", { held: { alive: true }, ask: async () => "running" }, "running"],
    ["it does not", { held: { alive: true } }, "unknown"],
    ["its loan came back", { reclaimed: true }, "stopped"],
  ];
  for (const [name, asking, state] of rows) {
    test(`${name}: ${state}, and what it said can be read`, async () => {
      const host = memoryHost({ seed: 1 });
      const kid = await new WrittenChild(host).begin();
      await kid.append(said("Hello."));
      const output = await reader(host, kid, asking)(null);
      assert.deepEqual([output.state, output.texts], [state, ["Hello."]]);
    });
  }

  test("no child of this Pod: refused; one that said nothing yet: nothing", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = new WrittenChild(host);
    const read = reader(host, kid);
    await assert.rejects(read(null, "stranger"), {
      code: "child_unknown",
      message: /no child named stranger/,
    });
    assert.deepEqual(await read(null), { texts: [], more: false, cursor: null, state: "stopped" });
  });
});
