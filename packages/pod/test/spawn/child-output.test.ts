/** What a child said, behind a cursor: nothing lost and nothing doubled over bounds and segments, and what it does as it says itself. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EntryBody, podName, segmentId, sessionId, YoiError } from "@yoi/base";
import { type OutputCursor, type PodOutput, podOutputBytesMax } from "@yoi/feature";
import { type MemoryHost, memoryHost } from "@yoi/host";
import { segmentPath } from "@yoi/session-store";
import { dataDir, simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { type LiveStatePorts, probesMs } from "../../src/spawn/live-state.ts";
import { readOutput } from "../../src/spawn/child-output.ts";
import { finished, invoke, said, WrittenChild } from "./written-child.ts";

const scope = { allow: [], deny: [] };

interface Asking {
  /** Default: nobody holds the child. */
  readonly held?: { readonly alive: boolean; readonly purpose?: "host" | "run" };
  readonly probe?: LiveStatePorts["probe"];
  readonly reclaimed?: boolean;
}

const parentSession = sessionId("019a0000-0000-7000-8000-00000000000a");

function reader(host: MemoryHost, kid: WrittenChild, { held, probe, reclaimed = false }: Asking = {}) {
  const owner = {
    pid: 1,
    started: 1,
    boot: "b",
    sinceMs: 0,
    purpose: held?.purpose ?? "host",
    runtime: null,
  };
  const { name, session } = kid;
  const loan = { id: "l", scope };
  const child = { name, session, loan, tokenDigest: "", socket: null, callback: null, sinceMs: 0 };
  const own = {
    name: podName("parent"),
    pointer: { state: "pending" as const, session: parentSession },
    children: reclaimed ? [] : [{ ...child, state: "live" as const }],
    reclaimed: reclaimed ? [{ name, session, loan, reason: "lost" as const, atMs: 0 }] : [],
  };
  const ports = {
    ...simulatedStores(host, new Map()),
    timers: host.timers,
    lease: { owner: async () => (held === undefined ? null : { owner, alive: held.alive }) },
    probe: probe ?? (() => Promise.reject(new YoiError("pod_unreachable", "nobody"))),
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
    approvals: 0,
    damage: null,
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

  test("an answer that is longer comes in parts, never cut in the middle of a character, and each says how much is left", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const whole = `${"é".repeat(podOutputBytesMax)}!`;
    await kid.append(said("before"), said(whole), said("next"));
    const read = reader(host, kid);
    let { cursor } = await read(null);
    let together = "";
    for (const isLast of [false, false, true]) {
      const output = await read(cursor);
      const [text = ""] = output.texts;
      const bytes = Buffer.byteLength(text);
      const [, start, left] =
        /^(é+)\n\[(\d+) more bytes of this answer come with the next read\.\]$/.exec(text) ?? [];
      if (!isLast) {
        assert.deepEqual([output.texts.length, output.more], [1, true]);
        assert.ok(bytes <= podOutputBytesMax && bytes > podOutputBytesMax - 4, String(bytes));
        together += start ?? "";
        assert.equal(Buffer.byteLength(together) + Number(left), Buffer.byteLength(whole));
        assert.equal(output.cursor?.bytes, Buffer.byteLength(together));
      } else
        assert.deepEqual([together + text, output.texts.slice(1), output.more], [whole, ["next"], false]);
      ({ cursor } = output);
    }
    assert.deepEqual(await read(cursor), {
      texts: [],
      more: false,
      cursor,
      state: "stopped",
      approvals: 0,
      damage: null,
    });
  });
});

test("of a log that is damaged what is good is given, with where the damage begins", async () => {
  const host = memoryHost({ seed: 1 });
  const kid = await new WrittenChild(host).begin();
  await kid.append(said("First."), said("Second."));
  const path = segmentPath(dataDir, { session: kid.session, segment: segmentId(kid.segment) });
  const bytes = Buffer.from((await host.files.read(path)) ?? "");
  await host.files.replace(path, Buffer.from(bytes.toString().replace("Second", "second")));
  const output = await reader(host, kid)(null);
  assert.deepEqual([output.texts, output.more], [["First."], false]);
  assert.match(output.damage ?? "", /^at line \d+ /);
  const again = await reader(host, kid)(output.cursor);
  assert.deepEqual([again.texts, again.damage], [[], output.damage]);
});

test("an answer that was cut off is marked as such", async () => {
  const host = memoryHost({ seed: 1 });
  const kid = await new WrittenChild(host).begin();
  const item = { type: "assistant_message", text: "The result is", status: "incomplete" } as const;
  await kid.append({ kind: "assistant_item", request: 0, index: 0, item });
  assert.deepEqual((await reader(host, kid)(null)).texts, [
    "The result is\n[This answer was cut off before its end.]",
  ]);
});

describe("what it does", () => {
  const idle = { state: "idle", approvals: 0 } as const;
  const rows: readonly (readonly [string, Asking, PodOutput["state"], number])[] = [
    ["nobody holds it", {}, "stopped", 0],
    ["who held it is gone", { held: { alive: false }, probe: async () => idle }, "stopped", 0],
    ["it answers", { held: { alive: true }, probe: async () => idle }, "idle", 0],
    [
      "it waits for the user",
      { held: { alive: true }, probe: async () => ({ state: "running", approvals: 2 }) },
      "running",
      2,
    ],
    ["it does not answer", { held: { alive: true } }, "unknown", 0],
    [
      "a run in a terminal has it",
      { held: { alive: true, purpose: "run" }, probe: async () => idle },
      "unknown",
      0,
    ],
    ["its loan came back", { reclaimed: true }, "stopped", 0],
  ];
  for (const [name, asking, state, approvals] of rows) {
    test(`${name}: ${state}, and what it said can be read`, async () => {
      const host = memoryHost({ seed: 1 });
      const kid = await new WrittenChild(host).begin();
      await kid.append(said("Hello."));
      const output = await reader(host, kid, asking)(null);
      assert.deepEqual([output.state, output.approvals, output.texts], [state, approvals, ["Hello."]]);
    });
  }

  test(`one that hangs holds a read up for ${probesMs} ms`, async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    await kid.append(said("Hello."));
    const startedMs = host.clock.monotonic();
    const probe = () => new Promise<never>(() => {});
    const reading = reader(host, kid, { held: { alive: true }, probe })(null);
    await host.advance(probesMs);
    const output = await reading;
    assert.deepEqual([output.state, output.texts], ["unknown", ["Hello."]]);
    assert.equal(host.clock.monotonic() - startedMs, probesMs);
  });

  test("another Pod that has the name of a child that was removed is not asked, and not read", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = await new WrittenChild(host).begin();
    const stranger = new WrittenChild(host);
    await simulatedStores(host, new Map()).pods.remove(kid.name);
    await stranger.begin();
    await stranger.append(said("I am another one."));
    const read = reader(host, kid, { held: { alive: true }, probe: () => assert.fail("it is asked") });
    assert.deepEqual(await read(null), {
      texts: [],
      more: false,
      cursor: null,
      state: "stopped",
      approvals: 0,
      damage: null,
    });
  });

  test("no child of this Pod: refused; one that said nothing yet: nothing", async () => {
    const host = memoryHost({ seed: 1 });
    const kid = new WrittenChild(host);
    const read = reader(host, kid);
    await assert.rejects(read(null, "stranger"), {
      code: "child_unknown",
      message: /no child named stranger/,
    });
    assert.deepEqual(await read(null), {
      texts: [],
      more: false,
      cursor: null,
      state: "stopped",
      approvals: 0,
      damage: null,
    });
  });
});
