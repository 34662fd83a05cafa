/** Catching up and joining: at whatever moment a client comes, it sees the log's own sequence and all of the present behind it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LogEntry } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { PodView } from "@yoi/protocol";
import { connectionPair } from "../../../../test/support/connection-pair.ts";
import { overriding } from "../../../../test/support/overriding.ts";
import { effectTool, World } from "../../../../test/support/simulated-pod.ts";
import { ConnectedClient } from "../../src/serve/connected-client.ts";
import { HalfLines } from "../../src/serve/half-lines.ts";
import { Hub } from "../../src/serve/hub.ts";
import { LargeRecords } from "../../src/serve/large-records.ts";
import { RequestDesk } from "../../src/serve/request-desk.ts";
import { snapshotLine } from "../../src/serve/stream-line.ts";
import { eventfulPod } from "./eventful-pod.ts";
import { everybody, helloOf, LineClient, served, text } from "./support.ts";

const scenario = JSON.stringify({
  chunk: 3,
  steps: [
    {
      reasoning: "I should look at that first.",
      text: "I look.",
      tool_calls: [
        { name: "Effect", arguments: { what: "one" } },
        { name: "Effect", arguments: { what: "two" } },
      ],
    },
    { text: "It is done, and all of it is well." },
  ],
});

/** What a client knows of the present: each block of the answer that is arriving, and each call that goes on. */
function fold(client: LineClient): { readonly blocks: ReadonlyMap<string, string>; readonly n: number } {
  const blocks = new Map<string, string>();
  let n = -1;
  for (const line of client.lines) {
    if (!("event" in line)) continue;
    if (line.event === "snapshot") {
      ({ n } = line.view);
      for (const block of line.view.in_flight.blocks) {
        assert.equal(block.from, 0);
        blocks.set(`${line.view.in_flight.request}.${block.index}`, block.text);
      }
    } else if (line.event === "live") {
      assert.equal(line.n, n + 1, "a live event is missing or told twice");
      n = line.n;
      const { live } = line;
      if (live.type === "block_start") blocks.set(`${live.request}.${live.index}`, "");
      if (live.type === "delta") {
        const key = `${live.request}.${live.index}`;
        const before = blocks.get(key);
        assert.ok(before !== undefined, `a delta of a block that nobody began: ${key}`);
        blocks.set(key, before + live.text);
      }
    } else if (line.event === "entry") {
      const { entry } = line;
      if (entry.kind !== "assistant_item" || "opaque" in entry) continue;
      const key = `${entry.request}.${entry.index}`;
      const seen = blocks.get(key);
      // What was seen of it live, from the snapshot on, is what came on record.
      if (seen !== undefined) {
        const { item } = entry;
        assert.equal(seen, item.type === "tool_call" ? item.arguments : item.text, key);
      }
      if (n !== -1) assert.ok(seen !== undefined, `nothing was seen of ${key} before it came on record`);
    }
  }
  return { blocks, n };
}

function assertDense(entries: readonly LogEntry[], from: number, last: number): void {
  assert.deepEqual(
    entries.map(({ seq }) => seq),
    Array.from({ length: last + 1 - from }, (_, at) => from + at),
  );
}

describe("joining", () => {
  test("at every await of a scripted run: the log's sequence, one snapshot, and every live event behind it", async () => {
    const host = memoryHost({ seed: 1 });
    await using it = await served({ host, scenario, tools: [effectTool(new World(), host)] });
    const first = await LineClient.hello(await it.place.connect());
    await first.snapshot();
    const answered = first.ask("submit", { parts: text("go"), submission: "s" });
    const clients: LineClient[] = [];
    for (let moment = 0; moment < 400 && !first.live.some(({ type }) => type === "run_ended"); moment += 1) {
      const client = new LineClient(await it.place.connect());
      void client.send({ id: "hello", method: "hello", params: helloOf() });
      if (clients.length < 200) clients.push(client);
      else client.connection.destroy();
      await Promise.resolve();
    }
    await first.liveOf("run_ended");
    assert.deepEqual(await answered, { id: "4", duplicate: false });
    const { lastSeq } = it.pod.snapshot;
    const heads = new Set<number>();
    let inFlight = 0;
    for (const client of [first, ...clients]) {
      await client.snapshot();
      await client.ask("ping");
      fold(client);
      assertDense(client.entries, 0, lastSeq);
      assert.equal(client.lines.filter((line) => "event" in line && line.event === "snapshot").length, 1);
      const { view } = client;
      heads.add(view?.seq ?? -1);
      const at = client.lines.findIndex((line) => "event" in line && line.event === "snapshot");
      const before = client.lines.slice(0, at).filter((line) => "event" in line && line.event === "entry");
      assert.equal(
        before.length,
        (view?.seq ?? -1) + 1,
        "the snapshot stands right behind the records it is of",
      );
      if ((view?.in_flight.blocks.length ?? 0) > 0) inFlight += 1;
    }
    assert.ok(heads.size >= 6 && inFlight >= 5, `joined at ${heads.size} places, ${inFlight} in an answer`);
  });

  /** Entries and live events of a client that joins while something happens at every microtask. */
  async function joinedWhileRestless(join: (hub: Hub) => Hub): Promise<LineClient> {
    const { pod, commit, tell, log } = eventfulPod();
    const { timers } = memoryHost({ seed: 1 });
    const redact = (said: string) => said;
    const hub = join(new Hub(pod, redact));
    const desk = new RequestDesk({ pod, view: () => hub.view, redact, shutdown: () => {} });
    const { client: end, server } = connectionPair();
    const connected = new ConnectedClient(server, {
      pod,
      hub,
      desk,
      halfLines: new HalfLines(),
      largeRecords: new LargeRecords(),
      options: { authorize: everybody, timers, redact },
    });
    const over = connected.live();
    const client = new LineClient(end);
    void client.send({ id: "hello", method: "hello", params: helloOf() });
    for (let turn = 0; turn < 90; turn += 1) {
      if (turn % 3 === 0) commit();
      else tell();
      await Promise.resolve();
    }
    await client.until(
      (line) => "event" in line && line.event === "entry" && line.entry.seq === log.length - 1,
      "the end",
    );
    client.connection.destroy();
    await over;
    return client;
  }

  test("while something happens at every microtask nothing is missing; control: with a snapshot one await earlier something is", async () => {
    const client = await joinedWhileRestless((hub) => hub);
    assertDense(client.entries, 0, client.entries.length - 1);
    assert.ok(fold(client).n > 10 && client.view !== null);
    await assert.rejects(async () => {
      const late = await joinedWhileRestless((hub) =>
        overriding(hub, {
          join: async (follower) => {
            let view: PodView | null = hub.view;
            await Promise.resolve();
            hub.join({
              push: (line) => {
                follower.push(view === null ? line : snapshotLine(view));
                view = null;
              },
              rotated: (rotation) => follower.rotated(rotation),
            });
          },
        }),
      );
      assertDense(late.entries, 0, late.entries.length - 1);
      fold(late);
    }, assert.AssertionError);
  });
});

describe("going on behind a place", () => {
  test("from every seq of the log on: what follows, and nothing else; of another log, or beyond its end, all of it", async () => {
    const host = memoryHost({ seed: 1 });
    await using it = await served({ host, scenario, tools: [effectTool(new World(), host)] });
    const first = await LineClient.hello(await it.place.connect());
    await first.ask("submit", { parts: text("go"), submission: "s" });
    await first.liveOf("run_ended");
    const { lastSeq, segment } = it.pod.snapshot;
    const seen = async (after: { readonly segment: string; readonly seq: number }, from: number) => {
      const client = await LineClient.hello(await it.place.connect(), { after });
      await client.snapshot();
      const answer = await client.answer("hello");
      assert.ok(typeof answer === "object" && answer !== null && "from" in answer);
      assert.equal(answer.from, from);
      assert.deepEqual(client.entries, first.entries.slice(from));
      client.connection.destroy();
    };
    for (let seq = 0; seq <= lastSeq; seq += 1) await seen({ segment, seq }, seq + 1);
    await seen({ segment, seq: lastSeq + 1 }, 0);
    await seen({ segment: "another", seq: 3 }, 0);
  });

  test("over a new owner of the log", async () => {
    const host = memoryHost({ seed: 1 });
    const leases = new Map();
    const kept: LogEntry[] = [];
    for (let life = 1; life <= 3; life += 1) {
      await using it = await served({ host, leases });
      const last = kept.at(-1);
      const after = last === undefined ? {} : { after: { segment: it.pod.snapshot.segment, seq: last.seq } };
      const client = await LineClient.hello(await it.place.connect(), after);
      await client.snapshot();
      kept.push(...client.entries);
      assert.equal(client.view?.epoch, life);
    }
    assertDense(kept, 0, kept.length - 1);
  });
});
