/** Which store is asked for what: the name's meaning from metadata, everything that happened from the log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { segmentId, sessionId } from "@yoi/base";
import { originOf, replay } from "@yoi/session-store";
import { simulatedPod } from "../../../../test/support/simulated-pod.ts";
import { activeSegment, findPod, podTree, readActive } from "../../src/index.ts";
import { ranOnce, uuid } from "./family.ts";

test("A3-26: by name, the pointer comes from the Pod store and the conversation from the session store", async () => {
  const home = await ranOnce();
  const { record, segment, view } = await readActive(home.stores, simulatedPod);
  assert.deepEqual({ state: "active", session: record.pointer.session, segment }, record.pointer);
  assert.ok(view.path.endsWith(`/sessions/${record.pointer.session}/${segment}.jsonl`));
  assert.ok(view.entries.some((entry) => entry.kind === "user_input"));
  // The name is made to refer to a log that there is not: nothing else decides which one is read.
  const session = sessionId(uuid(77));
  await home.stores.pods.update(simulatedPod, record, { pointer: { state: "pending", session } });
  await assert.rejects(readActive(home.stores, simulatedPod), /has no log yet/);
});

test("A3-28: metadata without its log, and a log without metadata, are each said for what they are", async () => {
  const home = await ranOnce();
  const record = await findPod(home.stores.pods, simulatedPod);
  const ref = activeSegment(record);
  await home.stores.sessions.removeSession(ref.session);
  await assert.rejects(
    readActive(home.stores, simulatedPod),
    (error) => error instanceof Error && error.message.includes(ref.segment),
  );
  const [sim] = await podTree(home.stores, null);
  assert.deepEqual([sim?.state, sim?.spent], ["damaged", null]);
  assert.ok(sim?.error?.includes(ref.segment), sim?.error ?? "");

  const other = await ranOnce();
  const { segment, session } = activeSegment(await findPod(other.stores.pods, simulatedPod));
  await other.stores.pods.remove(simulatedPod);
  assert.deepEqual(await podTree(other.stores, null), []);
  await assert.rejects(readActive(other.stores, simulatedPod), { code: "pod_unknown" });
  // The log is whole without a name.
  assert.equal((await other.stores.sessions.read({ session, segment })).damage, null);
});

test("A3-33: history, prompt, lineage, configuration, usage and what extensions recorded come from the log, with the metadata gone", async () => {
  const home = await ranOnce();
  const { sessions, pods } = home.stores;
  const record = await findPod(pods, simulatedPod);
  const ref = activeSegment(record);
  const payloads = [
    { domain: "metrics", payload: { ms: [1, 2.5], é: null } },
    { domain: "memory", payload: { notes: ["kept"] } },
  ];
  const { writer } = await sessions.open(ref, { metadataEpoch: record.epoch, version: "1" });
  await writer.append(payloads.map((each) => ({ kind: "extension", ...each })));
  const origin = { segment_id: ref.segment, ...writer.head };
  await writer.close();
  const before = (await sessions.read(ref)).entries;
  const [start] = before;
  assert.ok(start?.kind === "segment_start" && "prompt" in start);
  const segment_id = segmentId(uuid(0x77));
  const { seq: _, batch: __, ts: ___, ...fields } = start;
  const opening = { metadataEpoch: record.epoch, version: "1" };
  const fork = await sessions.create({ ...fields, segment_id, forked_from: origin }, opening);
  await fork.writer.close();
  await pods.remove(simulatedPod);
  const view = await sessions.read(ref);
  assert.deepEqual([view.entries, view.damage], [before, null]);
  const state = replay(view.entries);
  assert.deepEqual(
    [state.session, state.segment, state.prompt, state.config.model, state.turnCount],
    [ref.session, ref.segment, "You are simulated.", "scripted/sim.yaml", 1],
  );
  assert.deepEqual(
    state.items.map(({ item }) => item.type),
    ["user_message", "assistant_message"],
  );
  assert.ok(state.usage.output_tokens > 0);
  // Lineage, too: which log another one goes on from, and from where.
  const forked = (await sessions.read({ ...ref, segment: segment_id })).entries;
  assert.deepEqual([originOf(forked[0]), originOf(view.entries[0])], [origin, null]);
  for (const { domain, payload } of payloads) assert.deepEqual(state.extensions.get(domain), payload);
});
