/** A Pod whose history goes on in another segment while clients are attached. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { noSpent } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { clientEventsMax, encodeLine, type PodLine } from "@yoi/protocol";
import { proofTest } from "../../../../test/support/proof.ts";
import { note, rotatingPod } from "./rotating-pod.ts";
import { overRotations } from "./rotation.proof.ts";
import { helloOf, LineClient } from "./support.ts";

proofTest(overRotations);

const shape = (line: PodLine): string => {
  if (!("event" in line)) return "answer";
  switch (line.event) {
    case "entry":
      return `${line.entry.seq} ${line.entry.kind}`;
    case "live":
      return line.live.type;
    default:
      return line.event;
  }
};

describe("a client that is attached", () => {
  test("is told of the compaction and of the segment, then has all of it, and then the present again", async () => {
    const pod = await rotatingPod(memoryHost({ seed: 1 }));
    await pod.gate.append([note("before")]);
    const client = await LineClient.hello(await pod.place.connect());
    await client.snapshot();
    const told = client.lines.length;
    const { ref: left, head } = pod.gate;
    const compaction = { trigger: "user", compactor: null } as const;
    await pod.gate.append([{ kind: "compaction_begun", ...compaction, tokens: 900 }]);
    assert.deepEqual(client.view?.compaction, undefined);
    await pod.rotate("compacted_from", [
      {
        kind: "compacted",
        ...compaction,
        outcome: "committed",
        spent: noSpent,
        tokens_before: 900,
        tokens_after: 90,
        items_before: 1,
        items_after: 1,
        items_kept: 1,
      },
    ]);
    await client.until(
      (line) => "event" in line && line.event === "snapshot" && line.view.generation === 1,
      "the snapshot of the new segment",
    );
    await pod.gate.append([note("behind")]);
    await client.until(
      (line) => "event" in line && line.event === "entry" && line.entry.seq === 6,
      "the last",
    );
    assert.deepEqual(client.lines.slice(told).map(shape), [
      `${head.seq + 1} compaction_begun`,
      "compaction_begun",
      "compaction_ended",
      "segment_rotated",
      "0 segment_start",
      "1 carried",
      "2 segment_ready",
      "3 opened",
      "4 tools_changed",
      "5 compacted",
      "snapshot",
      "6 system_item",
    ]);
    const place = { segment: left.segment, seq: head.seq + 1 };
    assert.deepEqual(client.lines[told + 3], {
      event: "segment_rotated",
      segment: pod.gate.ref.segment,
      generation: 1,
      why: "compacted",
      from: place,
      left: place,
    });
    assert.deepEqual(client.live, [
      { type: "compaction_begun", trigger: "user", tokens: 900 },
      {
        type: "compaction_ended",
        trigger: "user",
        outcome: "committed",
        message: null,
        tokens_before: 900,
        tokens_after: 90,
        items_before: 1,
        items_after: 1,
      },
    ]);
    const snapshot = client.lines.at(-2);
    assert.ok(snapshot !== undefined && "event" in snapshot && snapshot.event === "snapshot");
    const { segment, generation, seq } = snapshot.view;
    assert.deepEqual([segment, generation, seq], [pod.gate.ref.segment, 1, 5]);
    await pod.close();
  });
});

describe("a place that a client names", () => {
  const opened = async () => {
    const pod = await rotatingPod(memoryHost({ seed: 1 }));
    await pod.gate.append([note("one"), note("two")]);
    const { ref, head } = pod.gate;
    await pod.rotate("forked_from");
    const old = { segment: ref.segment, seq: head.seq };
    return { pod, old };
  };

  test("in a segment that was left: the rest of that, and then the ones behind it", async () => {
    const { pod, old } = await opened();
    const client = await LineClient.hello(await pod.place.connect(), { after: { ...old, seq: old.seq - 1 } });
    await client.snapshot();
    const [hello, ...lines] = client.lines;
    assert.ok(hello !== undefined && "result" in hello);
    assert.deepEqual([hello.result["segment"], hello.result["from"]], [old.segment, old.seq]);
    assert.deepEqual(lines.slice(0, 3).map(shape), [
      `${old.seq} system_item`,
      "segment_rotated",
      "0 segment_start",
    ]);
    await pod.close();
  });

  for (const [what, moved] of [
    ["behind the end of the segment that was left", { by: 1 }],
    ["in a segment that the Pod never ran on", { segment: "01920000-0000-7000-8000-000000000009" }],
    ["in something that is no segment", { segment: "../../etc/passwd" }],
  ] as const) {
    test(`${what}: the stream begins anew, in the segment that is written`, async () => {
      const { pod, old } = await opened();
      const seq = old.seq + ("by" in moved ? moved.by : 0);
      const segment = "segment" in moved ? moved.segment : old.segment;
      const client = await LineClient.hello(await pod.place.connect(), { after: { segment, seq } });
      await client.snapshot();
      const [hello] = client.lines;
      assert.ok(hello !== undefined && "result" in hello);
      assert.deepEqual([hello.result["segment"], hello.result["from"]], [pod.gate.ref.segment, 0]);
      await pod.close();
    });
  }
});

test("a client that was dropped for being slow goes on behind its place, over the rotations since", async () => {
  const host = memoryHost({ seed: 1 });
  const pod = await rotatingPod(host);
  const pair = pod.place.connectPair({ bufferBytes: 1_000 });
  await pair.client.write(encodeLine({ id: "hello", method: "hello", params: helloOf() }));
  for (let i = 0; i < 200; i += 1) await Promise.resolve();
  const first = pod.written[0] ?? "";
  await pod.rotate("compacted_from");
  for (let n = 0; n < 2; n += 1)
    await pod.gate.append(
      Array.from(
        { length: clientEventsMax },
        () => ({ kind: "extension", domain: "n", payload: n }) as const,
      ),
    );
  await pod.rotate("compacted_from");
  const slow = new LineClient(pair.client);
  await slow.closed;
  const last = slow.lines.at(-1);
  assert.ok(last !== undefined && "event" in last && last.event === "resync" && last.after !== null);
  const again = await LineClient.hello(await pod.place.connect(), { after: last.after });
  await again.snapshot();
  let segment = first.split("/")[0] ?? "";
  const seen: string[] = [];
  for (const line of [...slow.lines, ...again.lines]) {
    if ("event" in line && line.event === "segment_rotated") segment = line.segment;
    if ("event" in line && line.event === "entry") seen.push(`${segment}/${line.entry.seq}`);
  }
  assert.deepEqual(seen, pod.written);
  await pod.close();
});
