/** What is kept of items between requests: the same bytes as without, for less. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deepFreeze, type CommittedItem, type Item } from "@yoi/base";
import { lowerRequest } from "../../src/lowering/lower.ts";
import { Once } from "../../src/lowering/once.ts";
import type { LoweringTraits } from "../../src/lowering/prompt.ts";
import { call, note, picture, requestOf, result, user } from "../support.ts";
import { traits } from "./traits.ts";

test("a value is found once an item and variant, and only of items that cannot change", () => {
  const once = new Once<number>();
  let found = 0;
  const of = (item: Item, variant: string): number => once.of(item, variant, () => (found += 1));
  const frozen = deepFreeze(user(1, "a").item);
  const open = user(2, "b").item;
  assert.deepEqual([of(frozen, "x"), of(frozen, "x"), of(frozen, "y"), of(frozen, "y")], [1, 1, 2, 2]);
  assert.deepEqual([of(open, "x"), of(open, "x")], [3, 4]);
});

test("committed items lower to the same under every trait and projection, in any order, as copies that were never seen", () => {
  const attached: CommittedItem = {
    seq: 2,
    item: {
      type: "system_item",
      kind: "file_attachment",
      source: "host",
      body: "<yoi-note> a",
      images: [picture("QQ==")],
    },
  };
  const items = deepFreeze([
    user(1, "see <yoi-note>"),
    attached,
    call(3, 3, 0, '{"path":{"deep":["a"]}}'),
    call(4, 3, 1, "none"),
    result(5, 3, 0, "s <yoi-note>", { content: "c", images: [picture("Qg==")] }),
    result(6, 3, 1, "e", { content: "d", is_error: true }),
    note(7, "n"),
  ]);
  const { head } = requestOf([]);
  const variants = (["note", "system", "developer"] as const).flatMap((systemItems) =>
    (["kept", "lost"] as const).flatMap((errorFlag) =>
      (["result", "behind"] as const).flatMap((images) =>
        [null, 6].flatMap((prune_before) =>
          [true, false].map((sees) => ({
            traits: { ...traits, systemItems, errorFlag, images } satisfies LoweringTraits,
            over: {
              projection: { prune_before },
              head: { ...head, config: { ...head.config, images: sees } },
            },
          })),
        ),
      ),
    ),
  );
  assert.equal(variants.length, 48);
  for (const { traits: of, over } of [...variants, ...variants.toReversed()]) {
    const copies = structuredClone(items) as readonly CommittedItem[];
    assert.deepEqual(lowerRequest(requestOf(items, over), of), lowerRequest(requestOf(copies, over), of));
  }
});
