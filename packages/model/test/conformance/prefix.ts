/** Conformance: each request begins with all of the one before it, unless what is left out changed; then it does up to the first item that is sent otherwise. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommittedItem, JsonObject, Projection } from "@yoi/base";
import { prunedItem } from "@yoi/model";
import { type Adapter, plain } from "./adapter.ts";
import { call, note, picture, read, requestOf, result, said, thought, user } from "../support.ts";

const long = (text: string): string => `${text} `.repeat(60);

/** A step of one request: what it thinks, says and calls, and what comes of it. */
function step(adapter: Adapter, index: number): readonly CommittedItem[] {
  const at = 20 * (index + 1);
  const signature = Buffer.from(`signature ${index}`).toString("base64");
  const metadata = adapter.metadata({ type: "reasoning", text: "Hm.", signature }, 0);
  return [
    ...(metadata === undefined ? [] : [thought(at + 1, "Hm.", metadata, { provider: adapter.name })]),
    ...(index % 2 === 0 ? [said(at + 2, `step ${index}`)] : []),
    call(at + 3, at, 0, `{"path":"${index}"}`),
    call(at + 4, at, 1, "{}"),
    result(at + 5, at, 0, `one ${index}`, {
      content: long(`line ${index}`),
      ...(index === 3 && { images: [picture("aW1hZ2Ux")] }),
    }),
    result(at + 6, at, 1, `two ${index}`, { is_error: true }),
    ...(index % 3 === 0 ? [note(at + 7, `note ${index}`)] : []),
  ];
}

interface Sent {
  readonly items: readonly CommittedItem[];
  readonly projection: Projection;
}

/** The projections of a session: some steps go on as before, some leave out more. */
const projections: readonly Projection[] = [
  { prune_before: null },
  { prune_before: null },
  { prune_before: null },
  { prune_before: 60 },
  { prune_before: 60 },
  { prune_before: 60, quarantined: [{ target: 85, part: "images" }] },
  { prune_before: 60, quarantined: [{ target: 85, part: "images" }] },
  { prune_before: 120, quarantined: [{ target: 85, part: "images" }] },
  { prune_before: 120, reasoning_before: 142, quarantined: [{ target: 85, part: "images" }] },
  { prune_before: 120, reasoning_before: 142, quarantined: [{ target: 85, part: "images" }] },
];

export function prefixConformance(adapter: Adapter): void {
  test(`${adapter.name}: a request begins with the one before it, as far as nothing is sent otherwise`, async () => {
    const history = [user(1, "go"), ...projections.flatMap((_, index) => step(adapter, index))];
    const sent: readonly Sent[] = projections.map((projection, index) => ({
      projection,
      items: history.filter(({ seq }) => seq < 20 * (index + 1)),
    }));
    const { head } = requestOf([]);
    const seeing = { ...head, config: { ...head.config, images: true } };
    const bodies: unknown[] = [];
    await adapter.bench(
      sent.map(() => plain),
      async ({ model, requests }) => {
        for (const { items, projection } of sent)
          assert.equal(
            (await read(model, requestOf(items, { head: seeing, projection }))).terminal.type,
            "finish",
          );
        bodies.push(...requests.map(({ body }) => body));
      },
    );
    const texts = bodies.map((body) =>
      adapter.blocks(body).map((block: JsonObject) => JSON.stringify(block)),
    );
    let breaks = 0;
    for (const [index, now] of texts.entries()) {
      const [before, then, is] = [texts[index - 1], sent[index - 1], sent[index]];
      if (before === undefined || then === undefined || is === undefined) continue;
      assert.deepEqual(adapter.head(bodies[index]), adapter.head(bodies[index - 1]));
      if (
        then.projection === is.projection ||
        JSON.stringify(then.projection) === JSON.stringify(is.projection)
      ) {
        assert.deepEqual(now.slice(0, before.length), before, `request ${index}`);
        continue;
      }
      breaks += 1;
      const other = then.items.findIndex((item) => isSentOtherwise(item, then.projection, is.projection));
      assert.ok(other !== -1, `request ${index}`);
      const untouched = then.items.slice(0, other).length;
      const common = now.findIndex((text, at) => text !== before[at]);
      // Items are blocks of their own, but for images beside a result and items that are never sent.
      assert.ok(common >= Math.min(untouched - unsent(adapter, then.items.slice(0, other)), before.length));
      assert.ok(common < before.length, "control: the record is a break");
    }
    assert.equal(breaks, 4);
  });
}

/** Some providers are sent no reasoning of this kind. */
function unsent(adapter: Adapter, items: readonly CommittedItem[]): number {
  return adapter.signs ? 0 : items.filter(({ item }) => item.type === "reasoning").length;
}

function isSentOtherwise(committed: CommittedItem, a: Projection, b: Projection): boolean {
  const { seq, item } = committed;
  const has = (one: Projection) => one.quarantined?.some(({ target }) => target === seq) === true;
  return (
    JSON.stringify(prunedItem(committed, a)) !== JSON.stringify(prunedItem(committed, b)) ||
    has(a) !== has(b) ||
    (item.type === "reasoning" && seq < (a.reasoning_before ?? 0) !== seq < (b.reasoning_before ?? 0))
  );
}
