/** Quarantine: a refusal that names one item takes that part of that item out, on record; it never asks the same twice, and gives up in bounds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, noProjection } from "@yoi/base";
import { isQuarantined, type Model, type ModelRequest, requestDigest, withStream } from "@yoi/model";
import { buildRequest } from "../src/index.ts";
import { quarantinedPartsMax } from "../src/leave-out.ts";
import { bench, type Bench, type BenchOptions, tool } from "./support/bench-worker.ts";

const png = { type: "image", media_type: "image/png", data: "iVBORw0KGgo=" } as const;
const look = tool("Look", async () => ({ summary: "looked at a.png", images: [png] }));
/** So many pictures are looked at, one call each. */
const looks = (count: number): BenchOptions => ({
  scenario: `steps: [${"{ tool_calls: [{ name: Look, arguments: {} }] }, ".repeat(count)}{ text: seen }, { text: again }]`,
  tools: [look],
});

/** Seqs of the pictures that are sent. */
const shownIn = ({ items, projection }: ModelRequest): number[] =>
  items
    .filter(
      (one) =>
        one.item.type === "tool_result" &&
        one.item.images !== undefined &&
        one.seq >= (projection.images_before ?? 0) &&
        !isQuarantined(one, "images", projection),
    )
    .map(({ seq }) => seq);

/** A provider that refuses as long as `named` gives seqs; none of them are none that it names. */
const refusing =
  (named: (request: ModelRequest, asked: number) => readonly number[] | null) =>
  (scripted: Model): Model => {
    let asked = 0;
    return withStream(scripted, async function* (request, options) {
      const items = named(request, asked);
      asked += 1;
      if (items === null) return yield* scripted.stream(request, options);
      await options.beforeSend(await scripted.lower(request));
      const message = `The provider refused the request (status 400, "bad; image"); change the request as it says.`;
      yield {
        type: "failure",
        failure: { kind: "invalid_request", message, retryable: false, about: "images", items },
        usage: null,
      };
    });
  };

const taken = (b: Bench): unknown[] =>
  (b.history.entries as readonly Entry[]).flatMap((entry): unknown[] => {
    if (entry.kind === "quarantined") return [entry.target];
    return entry.kind === "projection" ? [entry.projection] : [];
  });
const warnings = (b: Bench): string[] =>
  b.events.flatMap((event) => (event.type === "warning" ? [event.text] : []));

/** Every request on record is rebuilt from what was in front of it. */
function assertRebuilds(b: Bench): void {
  b.history.assertReplays();
  let inForce = noProjection;
  for (const entry of b.history.entries as readonly Entry[]) {
    if (entry.kind === "projection") inForce = entry.projection;
    if (entry.kind === "quarantined") {
      const { target, part } = entry;
      inForce = { ...inForce, quarantined: [...(inForce.quarantined ?? []), { target, part }] };
    }
    if (entry.kind !== "llm_request") continue;
    assert.deepEqual(entry.projection, inForce);
    const items = b.history.items.filter(({ seq }) => seq <= entry.through);
    const head = { system: "Be brief.", tools: b.tools.definitions, config: entry.config };
    assert.equal(requestDigest(buildRequest(head, items, entry.projection)), entry.digest);
  }
}

test("one picture that is refused is left out, the others are sent, and a person hears which it was", async () => {
  let bad = 0;
  const b = bench({
    ...looks(3),
    model: refusing((request) => {
      bad ||= shownIn(request)[1] ?? 0;
      return shownIn(request).includes(bad) ? [bad] : null;
    }),
  });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "seen" });
  assert.deepEqual(taken(b), [bad]);
  assert.deepEqual(warnings(b), [
    `The provider refused the images of entry ${bad} (result of Look: looked at a.png): the request is made again without, and so is every later one of this session. The provider refused the request (status 400, "bad; image").`,
  ]);
  const last = b.scripted.requests.at(-1);
  assert.ok(last);
  assert.equal(shownIn(last).length, 2);
  assertRebuilds(b);
});

test("the same item a second time, or one that is not there: all of the kind so far is left out", async () => {
  for (const named of [
    (request: ModelRequest) => shownIn(request).slice(0, 1),
    () => [1_000_000],
    () => [],
  ]) {
    let first: readonly number[] | null = null;
    const b = bench({
      ...looks(2),
      model: refusing((request) => {
        if (shownIn(request).length < 2 && first === null) return null;
        first ??= named(request);
        return shownIn(request).length > 0 ? first : null;
      }),
    });
    assert.deepEqual(await b.run("go"), { kind: "finished", text: "seen" });
    const through = b.history.items.findLast(({ item }) => item.type === "tool_result")?.seq ?? 0;
    const known = taken(b).filter((one) => typeof one === "number");
    // What is left out with the others is not named any more.
    assert.deepEqual(taken(b).at(-1), { prune_before: null, images_before: through + 1 });
    assert.ok(known.length <= 1);
    assertRebuilds(b);
  }
});

test("so many parts are quarantined and no more", async () => {
  for (const count of [quarantinedPartsMax, quarantinedPartsMax + 1]) {
    const b = bench({
      ...looks(count),
      model: refusing((request) => {
        const shown = shownIn(request);
        return shown.length > 0 ? shown : null;
      }),
    });
    assert.deepEqual(await b.run("go"), { kind: "finished", text: "seen" });
    const targets = taken(b).filter((one) => typeof one === "number");
    assert.equal(targets.length, quarantinedPartsMax);
    assert.equal(taken(b).length, count);
    assertRebuilds(b);
  }
});

test("a refusal with no picture left ends the run, and is asked no more", async () => {
  let asked = 0;
  const b = bench({
    ...looks(1),
    model: refusing((request, index) => {
      asked = index + 1;
      return index === 0 ? null : shownIn(request);
    }),
  });
  const outcome = await b.run("go");
  assert.equal(outcome.kind, "failed");
  assert.equal(asked, 3, "with the picture, without it, and not again");
  assert.equal(taken(b).length, 1);
});

test("reasoning that is named is left out alone, and a result with that seq is none", async () => {
  const thinking = (text: string) => `{ reasoning: { text: hm, metadata: { signature: s } }, text: ${text} }`;
  let bad = 0;
  const b = bench({
    scenario: `steps: [${thinking("one")}, ${thinking("two")}, ${thinking("three")}]`,
    model: (scripted) =>
      withStream(scripted, async function* (request, options) {
        const thoughts = request.items.filter(
          (one) => one.item.type === "reasoning" && !isQuarantined(one, "reasoning", request.projection),
        );
        bad ||= thoughts[0]?.seq ?? 0;
        if (!thoughts.some(({ seq }) => seq === bad)) return yield* scripted.stream(request, options);
        await options.beforeSend(await scripted.lower(request));
        const failure = { kind: "invalid_request", message: "No.", retryable: false } as const;
        yield {
          type: "failure",
          failure: { ...failure, about: "reasoning", items: [bad, 1, 2] },
          usage: null,
        };
      }),
  });
  for (const text of ["one", "two", "three"]) assert.deepEqual(await b.run(text), { kind: "finished", text });
  assert.deepEqual(taken(b), [bad]);
  assertRebuilds(b);
});
