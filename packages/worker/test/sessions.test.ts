/** I1, I3 and stability as properties over random scripted sessions with random deaths and cancels. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson, type CommittedItem, type Entry, type SystemItem } from "@yoi/base";
import { type Model, type ModelRequest, requestDigest } from "@yoi/model";
import fc from "fast-check";
import { buildRequest, closingEntries } from "../src/index.ts";
import { bench, type BenchOptions, echo, tool } from "./support/bench-worker.ts";
import { LogHistory } from "./support/log-history.ts";

const call = fc.record({
  name: fc.constantFrom("Echo", "Slow", "Fails", "Unknown"),
  arguments: fc.constantFrom<unknown>({ say: "x" }, { say: "y" }, "{bad", "[]"),
});
const answer = fc.record(
  {
    reasoning: fc.constantFrom("hm", "", " "),
    text: fc.constantFrom("some words", "", "é😀", "\n\n", " ".repeat(300)),
    tool_calls: fc.array(call, { maxLength: 4 }),
    finish: fc.constantFrom("stop", "length"),
    cut_after: fc.nat({ max: 30 }),
    interleave: fc.boolean(),
  },
  { requiredKeys: ["text"] },
);
const session = fc.record({
  steps: fc.array(fc.record({ attempts: fc.array(answer, { minLength: 1, maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 6,
  }),
  runs: fc.array(
    fc.record({
      end: fc.constantFrom("none", "cancel", "death"),
      at: fc.nat({ max: 40 }),
      resume: fc.boolean(),
      notes: fc.nat({ max: 2 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

const note = (body: string): SystemItem => ({
  type: "system_item",
  kind: "notification",
  source: "host",
  body,
});

class Died extends Error {}

/** Plays a session over one log, checking every request at the moment at which the model is asked. */
async function play({
  steps,
  runs,
}: typeof session extends fc.Arbitrary<infer T> ? T : never): Promise<ModelRequest[]> {
  const scenario = JSON.stringify({
    chunk: 3,
    steps: [...steps, { text: "last" }, { text: "last" }, { text: "last" }],
  });
  const requests: ModelRequest[] = [];
  let history = new LogHistory();
  const watched = (scripted: Model): Model => ({
    provider: scripted.provider,
    id: scripted.id,
    limits: scripted.limits,
    capabilities: scripted.capabilities,
    price: scripted.price,
    adapter: scripted.adapter,
    lowering: scripted.lowering,
    lower: (request) => scripted.lower(request),
    async *stream(request, options) {
      assertCommitted(request, history);
      requests.push(request);
      yield* scripted.stream(request, options);
    },
  });
  for (const [index, { end, at, resume, notes }] of runs.entries()) {
    let seen = 0;
    const controller = new AbortController();
    const see = () => {
      seen += 1;
      if (seen === at && end === "cancel") controller.abort();
      if (seen >= at && end === "death") throw new Died();
    };
    const inbox = Array.from({ length: notes }, (_, n) => note(`news ${index}.${n}`));
    const options: BenchOptions = {
      scenario,
      history,
      model: watched,
      observer: () => void (end === "cancel" && see()),
      points: { drain: async () => inbox.splice(0, 1).map((item) => ({ kind: "system_item", item })) },
      tools: [
        echo(),
        tool("Slow", async () => {
          await new Promise((resolve) => setImmediate(resolve));
          return { summary: "slow" };
        }),
        tool("Fails", () => Promise.reject(new Error("it failed"))),
      ],
    };
    const b = bench(options);
    const isResume = resume && index > 0;
    if (!isResume) {
      const closing = closingEntries(history);
      await history.append([
        ...closing,
        { kind: "invoke", trigger: "user_send" },
        { kind: "user_input", parts: [{ type: "text", text: `input ${index}` }] },
      ]);
    }
    history.onAppend = () => void (end === "death" && see());
    await b.run(null, { signal: controller.signal }).catch((error: unknown) => {
      if (!(error instanceof Died)) throw error;
    });
    history.assertReplays();
    // The next life has only the log.
    history = new LogHistory({ entries: history.entries });
  }
  assertRebuilds(history, requests);
  return requests;
}

/** I1: every item of the request is in the durable log at this moment. */
function assertCommitted(request: ModelRequest, history: LogHistory): void {
  for (const { seq, item } of request.items) {
    const entry = history.entries[seq];
    assert.ok(entry !== undefined, `item ${seq} is not in the log`);
    const stored =
      entry.kind === "user_input" && "parts" in entry
        ? { type: "user_message", parts: entry.parts }
        : "item" in entry
          ? entry.item
          : null;
    assert.equal(canonicalJson(item), canonicalJson(stored));
  }
}

/** I3: every record is rebuilt from the log alone. */
function assertRebuilds(history: LogHistory, requests: readonly ModelRequest[]): void {
  const records = history.kinds("llm_request") as Extract<Entry, { kind: "llm_request" }>[];
  const asked = new Map(requests.map((request) => [requestDigest(request), request]));
  for (const record of records) {
    const items = history.items.filter(({ seq }) => seq <= record.through);
    const head = asked.get(record.digest)?.head;
    assert.ok(head, `the request at ${record.seq} was never asked`);
    const rebuilt = buildRequest({ ...head, config: record.config }, items, record.projection);
    assert.equal(rebuilt.items.length, record.items);
    // Nothing that no request may hold was committed.
    assert.equal(items.length, record.items);
    assert.equal(requestDigest(rebuilt), record.digest);
  }
}

function isPrefix(a: readonly CommittedItem[], b: readonly CommittedItem[]): boolean {
  return canonicalJson(a) === canonicalJson(b.slice(0, a.length));
}

test("random sessions: items committed before they are asked, requests rebuilt, prefixes stable; seed 20, 100 sessions", async () => {
  let asked = 0;
  await fc.assert(
    fc.asyncProperty(session, async (one) => {
      const requests = await play(one);
      asked += requests.length;
      for (const [index, request] of requests.entries()) {
        const next = requests[index + 1];
        if (next !== undefined)
          assert.ok(isPrefix(request.items, next.items), `request ${index + 1} is no prefix of the next`);
      }
    }),
    { seed: 20, numRuns: 100 },
  );
  assert.ok(asked > 200, `only ${asked} requests`);
});

test("control: an item that is not in the log is noticed", () => {
  const history = new LogHistory();
  const request: ModelRequest = {
    head: { system: "", tools: [], config: history.state.config },
    items: [{ seq: 99, item: note("injected") }],
    projection: { prune_before: null },
  };
  assert.throws(() => assertCommitted(request, history), /item 99 is not in the log/);
});
