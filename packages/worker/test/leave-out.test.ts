/** Leaving out: a refusal of what is in the history is put on record, and the request made again without it; never twice the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, noProjection } from "@yoi/base";
import { type Model, type ModelFailure, type ModelRequest, requestDigest, withStream } from "@yoi/model";
import { buildRequest, leaveOutAll } from "../src/index.ts";
import { bench, type Bench, tool } from "./support/bench-worker.ts";

const refusal = (about: NonNullable<ModelFailure["about"]>): ModelFailure => ({
  kind: "invalid_request",
  message: `Refused because of its ${about}.`,
  retryable: false,
  about,
});

/** A provider that refuses each request in which `isRefused` finds something, after it is on record as with every other. */
function refusing(about: NonNullable<ModelFailure["about"]>, isRefused: (request: ModelRequest) => boolean) {
  return (scripted: Model): Model =>
    withStream(scripted, async function* (request, options) {
      if (!isRefused(request)) return yield* scripted.stream(request, options);
      await options.beforeSend(await scripted.lower(request));
      yield { type: "failure", failure: refusal(about), usage: null };
    });
}

const thoughtsIn = ({ items, projection }: ModelRequest): number =>
  items.filter(({ seq, item }) => item.type === "reasoning" && seq >= (projection.reasoning_before ?? 0))
    .length;
const picturesIn = ({ items, projection }: ModelRequest): number =>
  items.filter(
    ({ seq, item }) => item.type === "tool_result" && item.images && seq >= (projection.images_before ?? 0),
  ).length;

const thinking = (text: string) => `
  - reasoning: { text: let me think, metadata: { signature: s } }
    text: ${text}
`;
const warnings = (b: Bench) => b.events.filter(({ type }) => type === "warning").length;
const projections = (b: Bench) =>
  b.history.kinds("projection").map((entry) => (entry as Extract<Entry, { kind: "projection" }>).projection);

/** Every request on record can be rebuilt from what is in front of it, with the projection that was in force. */
function assertRebuilds(b: Bench): void {
  b.history.assertReplays();
  const { entries } = b.history;
  let inForce = noProjection;
  for (const entry of entries as readonly Entry[]) {
    if (entry.kind === "projection") inForce = entry.projection;
    if (entry.kind !== "llm_request") continue;
    assert.deepEqual(entry.projection, inForce);
    const items = b.history.items.filter(({ seq }) => seq <= entry.through);
    const head = { system: "Be brief.", tools: b.tools.definitions, config: entry.config };
    assert.equal(requestDigest(buildRequest(head, items, entry.projection)), entry.digest);
  }
}

test("reasoning that is refused is left out from then on, and what is thought later is sent again", async () => {
  let refused = 0;
  // The first answer's signature is bad, and no other.
  const b = bench({
    scenario: `steps:${thinking("one")}${thinking("two")}${thinking("three")}`,
    model: refusing("reasoning", ({ items, projection }) => {
      const isBad = items.some(({ seq }) => seq === 6 && seq >= (projection.reasoning_before ?? 0));
      refused += isBad ? 1 : 0;
      return isBad;
    }),
  });
  assert.deepEqual(await b.run("a"), { kind: "finished", text: "one" });
  assert.equal(b.history.items[1]?.seq, 6, "control: where the scenario thinks");
  assert.deepEqual(await b.run("b"), { kind: "finished", text: "two" });
  assert.deepEqual(await b.run("c"), { kind: "finished", text: "three" });
  assert.deepEqual([refused, warnings(b)], [1, 1]);
  assert.deepEqual(projections(b), [{ prune_before: null, reasoning_before: 7 }]);
  const last = b.scripted.requests.at(-1);
  assert.ok(last);
  assert.equal(thoughtsIn(last), 1);
  assertRebuilds(b);
});

test("a server that takes no reasoning at all refuses twice, also within one run, and then never", async () => {
  const called = `
  - reasoning: { text: hm, metadata: { signature: s } }
    tool_calls: [{ name: Echo, arguments: { say: a } }]
`;
  const b = bench({
    scenario: `steps:${called}${called}${called}${thinking("done")}${thinking("more")}`,
    model: refusing("reasoning", (request) => thoughtsIn(request) > 0),
  });
  assert.deepEqual(await b.run("a"), { kind: "finished", text: "done" });
  assert.deepEqual(await b.run("b"), { kind: "finished", text: "more" });
  assert.deepEqual(
    projections(b).map(({ reasoning_before }) => reasoning_before === leaveOutAll),
    [false, true],
  );
  assert.equal(warnings(b), 2);
  assertRebuilds(b);
});

test("images that are refused are left out, and later ones are shown", async () => {
  const png = { type: "image", media_type: "image/png", data: "iVBORw0KGgo=" } as const;
  const look = tool("Look", async () => ({ summary: "looked", images: [png] }));
  const calls = `
  - tool_calls: [{ name: Look, arguments: {} }]
  - text: seen
`;
  let sent = 0;
  const b = bench({
    scenario: `steps:${calls}${calls}`,
    tools: [look],
    model: refusing("images", (request) => {
      sent = Math.max(sent, picturesIn(request));
      return (
        request.items.filter(({ item }) => item.type === "tool_result").length === 1 &&
        picturesIn(request) === 1
      );
    }),
  });
  assert.deepEqual(await b.run("a"), { kind: "finished", text: "seen" });
  assert.deepEqual(await b.run("b"), { kind: "finished", text: "seen" });
  assert.equal(projections(b).length, 1);
  const last = b.scripted.requests.at(-1);
  assert.ok(last);
  assert.deepEqual([picturesIn(last), sent], [1, 1]);
  assertRebuilds(b);
});

test("a refusal with nothing to leave out, or that names nothing, ends the run and is asked once", async () => {
  for (const failure of [
    refusal("images"),
    refusal("reasoning"),
    { ...refusal("images"), about: undefined },
  ]) {
    const { about, ...rest } = failure;
    let asked = 0;
    const b = bench({
      model: (scripted) =>
        withStream(scripted, async function* (request, options) {
          asked += 1;
          await options.beforeSend(await scripted.lower(request));
          yield {
            type: "failure",
            failure: { ...rest, ...(about === undefined ? {} : { about }) },
            usage: null,
          };
        }),
    });
    const outcome = await b.run("a");
    assert.deepEqual([outcome.kind, asked, projections(b)], ["failed", 1, []]);
  }
});

test("reasoning of another model is none that this one was refused for", async () => {
  const b = bench({ scenario: `steps:${thinking("one")}` });
  await b.run("a");
  const other = bench({
    history: b.history,
    model: (scripted) => ({ ...refusing("reasoning", () => true)(scripted), id: "other" }),
  });
  assert.equal((await other.run("b")).kind, "failed");
  assert.deepEqual(projections(other), []);
});

test("what cannot be put on record is not sent", async () => {
  const b = bench({
    scenario: `steps:${thinking("one")}${thinking("two")}`,
    model: refusing("reasoning", (request) => thoughtsIn(request) > 0),
  });
  await b.run("a");
  b.history.onAppend = (bodies) => {
    if (bodies.some(({ kind }) => kind === "projection")) throw new Error("no room");
  };
  await assert.rejects(b.run("b"), /no room/);
  assert.equal(b.scripted.requests.length, 1);
});
