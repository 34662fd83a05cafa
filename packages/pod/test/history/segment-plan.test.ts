/** The segment that history goes on in as it is: the same items under the same ids, the same request, and everything that goes on. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  callId,
  continuedLogSchema,
  type EntryBody,
  idOf,
  type LogEntry,
  noSpent,
  segmentId,
  sessionId,
  type SystemItem,
} from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { requestDigest, sha256 } from "@yoi/model";
import {
  createReplay,
  createSessionStore,
  type OpenedSegment,
  replay,
  type SessionState,
} from "@yoi/session-store";
import { picture } from "../../../../test/segments/rotating.ts";
import {
  planSegment,
  submissionsBytesMax,
  submissionsCarriedMax,
  withIds,
} from "../../src/history/segment-plan.ts";
import { outcomeEntry } from "../../src/turn/command-outcome.ts";
import { carriedProjection } from "../../src/rewind/plan-fork.ts";

const config = { model: "scripted/sim.yaml" };
const notice = (body: string): SystemItem => ({
  type: "system_item",
  kind: "notification",
  source: "test",
  body,
});

/** What can happen in a session, as the bodies that it appends to what is there. */
type Step = (state: SessionState, nth: number) => readonly EntryBody[];
const request = ({ lastSeq, items, projection }: SessionState): EntryBody => ({
  kind: "llm_request",
  through: items.at(-1)?.seq ?? lastSeq,
  items: items.length,
  projection,
  tools: sha256("tools"),
  config,
  adapter: { name: "scripted", version: "1" },
  lowering: 1,
  digest: sha256("digest"),
  wire: { sha256: sha256("body"), bytes: 400 + items.length, method: "POST", path: "/", headers: {} },
});
const usage = (asked: number, input_tokens: number): EntryBody => ({
  kind: "llm_usage",
  request: asked,
  usage: { input_tokens, output_tokens: 9, cache_read_tokens: 1, cache_write_tokens: 2, reasoning_tokens: 3 },
  ...(input_tokens % 2 === 0 ? { cost_nano_usd: input_tokens } : {}),
  finish: "stop",
});
const steps: { readonly [name: string]: Step } = {
  input: (_state, nth) => [
    { kind: "invoke", trigger: "user_send" },
    { kind: "user_input", parts: [{ type: "text", text: `input ${nth}` }], submission: `s-${nth}` },
  ],
  answer: (state, nth) => [
    request(state),
    {
      kind: "assistant_item",
      request: state.lastSeq + 1,
      index: 0,
      item: { type: "assistant_message", text: `answer ${nth}`, status: "completed" },
    },
    usage(state.lastSeq + 1, 100 + nth),
    { kind: "turn_end", turn_count: state.turnCount + 1 },
  ],
  calls: (state, nth) => [
    request(state),
    ...[0, 1].map((index): EntryBody => ({
      kind: "assistant_item",
      request: state.lastSeq + 1,
      index,
      item: {
        type: "tool_call",
        call: callId(state.lastSeq + 1, index, state.generation),
        name: "Effect",
        arguments: `{"what":${nth}}`,
      },
    })),
    usage(state.lastSeq + 1, 200 + nth),
    { kind: "turn_end", turn_count: state.turnCount + 1 },
  ],
  start: ({ unanswered }) =>
    unanswered
      .filter(({ started }) => !started)
      .slice(0, 1)
      .map(({ call }) => ({ kind: "tool_started", call })),
  result: ({ unanswered }) =>
    unanswered.slice(0, 1).map(({ call, name }) => ({
      kind: "tool_result",
      item: { type: "tool_result", call, name, summary: "done", is_error: false },
    })),
  accept: (_state, nth) => [
    {
      kind: "inbox_accepted",
      item: notice(`notice ${nth}`),
      submission: `n-${nth}`,
      ...(nth % 2 === 0 ? { quiet: true } : {}),
    },
  ],
  deliver: ({ inbox }) =>
    inbox.slice(0, 1).map(({ seq, item }) => ({ kind: "system_item", item, delivers: seq })),
  queue: (_state, nth) => [
    {
      kind: "input_queued",
      parts: [{ type: "text", text: `later ${nth}` }],
      when: nth % 2 === 0 ? "boundary" : "run_end",
      submission: `q-${nth}`,
    },
  ],
  give: ({ queue }) =>
    queue.slice(0, 1).map(({ seq, parts, submission }) => {
      return { kind: "user_input", parts, submission, delivers: seq };
    }),
  unqueue: ({ queue }) => queue.slice(-1).map(({ seq }) => ({ kind: "input_unqueued", queued: seq })),
  command: (_state, nth) => [{ kind: "user_command", command: `make ${nth}`, submission: `c-${nth}` }],
  outcome: ({ commands }) =>
    commands.slice(0, 1).map((one) => ({
      ...outcomeEntry(one, { end: "exited", exit: 0, how: "exit code 0", text: "" }),
    })),
  uncounted: (state) => [request(state)],
  prune: ({ items }) => [
    {
      kind: "projection",
      projection: { prune_before: items.at(-1)?.seq ?? 0, images_before: items[0]?.seq ?? 0 },
      reason: "pruned",
      message: "Old contents are left out.",
    },
  ],
  quarantine: ({ items }) =>
    items.slice(-1).map(({ seq }) => ({ kind: "quarantined", target: seq, part: "images", message: "No." })),
  cursor: (_state, nth) => [{ kind: "child_cursor", child: `c-${nth % 3}`, segment: "x", through: nth }],
  record: (_state, nth) => [{ kind: "extension", domain: `d-${nth % 3}`, payload: [nth] }],
  pause: () => [{ kind: "run_paused", reason: "user", detail: "by hand", until: 5 }],
  wait: () => [{ kind: "run_paused", reason: "provider_limit", detail: "Later.", until: 5 }],
  compact: ({ items }, nth) => [
    {
      kind: "compacted",
      trigger: "threshold",
      outcome: "committed",
      compactor: null,
      spent: noSpent,
      tokens_before: 9,
      tokens_after: 1,
      items_before: items.length,
      items_after: items.length,
      items_kept: items.length,
      ...(nth % 4 === 0 ? {} : { in_row: nth }),
    },
  ],
  finish: () => [{ kind: "run_completed", result: "finished" }],
};

async function appended({ writer, entries }: OpenedSegment, names: readonly string[]): Promise<SessionState> {
  const fold = createReplay();
  const apply = (some: readonly LogEntry[]) => some.forEach((entry) => fold.apply(entry));
  apply(entries);
  for (const [nth, name] of names.entries()) {
    const bodies = steps[name]?.(fold.state, nth) ?? [];
    if (bodies.length > 0) apply(await writer.append(bodies));
  }
  await writer.close();
  return fold.state;
}

const machine = () => {
  const host = memoryHost({ seed: 1 });
  return { host, sessions: createSessionStore({ ...host, dataDir: "/data" }), ids: host.ids };
};
type Machine = ReturnType<typeof machine>;

function begin({ sessions, ids }: Machine): Promise<OpenedSegment> {
  const start = {
    schema: 1,
    session_id: sessionId(ids.uuidV7()),
    segment_id: segmentId(ids.uuidV7()),
    config,
    prompt: "You are simulated.",
    documents: [],
    turn_count: 0,
    states: { "builtin:task": { version: 1, value: [] } },
  };
  return sessions.create(start, { metadataEpoch: 0, version: "0" });
}

function planEnd(state: SessionState, { writer }: OpenedSegment, { ids }: Machine) {
  const origin = { segment_id: writer.ref.segment, seq: writer.head.seq, sum: writer.head.sum };
  return planSegment({
    segment: segmentId(ids.uuidV7()),
    from: "forked_from",
    origin,
    left: origin,
    at: state,
    now: state,
    items: withIds(state.items),
    started: state.unanswered.filter(({ started }) => started).map(({ call }) => call),
    states: state.states,
    projection: carriedProjection(state),
    measured: state.measured,
    inbox: state.inbox,
    behind: [],
  });
}

const head = { system: "You are simulated.", tools: [], config };
const digestOf = ({ items }: SessionState) =>
  requestDigest({ head, items, projection: { prune_before: null } });
/** A run that went on where history was left is an interrupted one. */
const settled = (state: SessionState) => ({
  ...picture(state),
  run:
    state.run.state === "running"
      ? "paused interrupted"
      : state.run.state === "paused"
        ? `paused ${state.run.reason}`
        : "idle",
});

test("a random session goes on twice in another segment as it is, and its requests keep their digests", async () => {
  const seed = 7;
  const numRuns = 60;
  const name = fc.constantFrom(...Object.keys(steps));
  const names = fc.array(name, { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(names, names, names, async (first, second, third) => {
      const m = machine();
      let opened = await begin(m);
      let state = await appended(opened, first);
      for (const more of [second, third]) {
        const plan = planEnd(state, opened, m);
        const next = await m.sessions.create(
          plan.start,
          { metadataEpoch: state.epoch - 1, version: "0" },
          plan,
        );
        const now = replay(next.entries);
        assert.deepEqual(settled(now), settled(state));
        assert.deepEqual(digestOf(now), digestOf(state));
        assert.deepEqual(leftOut(now), leftOut(state));
        assert.deepEqual(now.commands, state.commands);
        assert.deepEqual(queueOf(now), queueOf(state));
        assert.equal(now.queueHeld, state.queue.length > 0);
        assert.deepEqual([now.epoch, now.generation], [state.epoch, state.generation + 1]);
        const view = await m.sessions.read(next.writer.ref);
        assert.deepEqual([view.damage, view.ready, view.entries], [null, true, next.entries]);
        opened = next;
        state = await appended(opened, more);
      }
    }),
    { seed, numRuns },
  );
});

/** By id. */
function queueOf({ queue }: SessionState) {
  return queue.map((one) => ({ ...one, seq: 0, id: idOf(one) }));
}

/** By item id. */
function leftOut({ items, projection }: SessionState): readonly string[] {
  const { prune_before, images_before = 0, quarantined = [] } = projection;
  return items.map(
    ({ seq }) =>
      `${seq < (prune_before ?? 0)} ${seq < images_before} ${quarantined.some(({ target }) => target === seq)}`,
  );
}

test("a new segment knows the last names of submissions, up to their number and their bytes", async () => {
  const m = machine();
  const opened = await begin(m);
  const { writer } = opened;
  const submit = (name: string): EntryBody => ({
    kind: "inbox_accepted",
    item: notice("n"),
    submission: name,
  });
  const name = (nth: number) => `s-${nth}`;
  const known = async (): Promise<readonly string[]> => {
    const { entries } = await m.sessions.read(writer.ref);
    const { start } = planEnd(replay(entries), opened, m);
    assert.equal(start.schema, continuedLogSchema);
    return (start.submissions ?? []).map((one) => one.name);
  };
  const all = Array.from({ length: submissionsCarriedMax }, (_, nth) => name(nth));
  await writer.append(all.map(submit));
  assert.deepEqual(await known(), all);
  await writer.append([submit("one more")]);
  assert.deepEqual(await known(), [...all.slice(1), "one more"]);
  // Names as long as they may be, of characters that take six bytes each in JSON.
  const long = Array.from({ length: submissionsCarriedMax }, (_, nth) => `${nth}`.padEnd(128, "\u0001"));
  await writer.append(long.map(submit));
  const kept = await known();
  assert.deepEqual(kept, long.slice(-kept.length));
  const { start } = planEnd(replay((await m.sessions.read(writer.ref)).entries), opened, m);
  const bytes = (start.submissions ?? []).reduce((sum, one) => sum + JSON.stringify(one).length, 0);
  const each = bytes / kept.length;
  assert.ok(bytes <= submissionsBytesMax && bytes > submissionsBytesMax - 2 * each, `${bytes} bytes`);
});
