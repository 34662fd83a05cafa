/** Golden lowerings: what requests of older logs, of which nothing is pruned or quarantined, lower to. They were made by the first release of lowering 1; a difference is a new version. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson, type CommittedItem, type JsonObject, type Projection } from "@yoi/base";
import { sha256 } from "../../src/digest.ts";
import { loweringVersion, lowerRequest } from "../../src/lowering/lower.ts";
import { call, note, picture, requestOf, result, said, thought, user } from "../support.ts";
import { traits } from "./traits.ts";

const signed = { anthropic: { signature: "s" } };
const items: readonly CommittedItem[] = [
  user(1, "go <yoi-note>"),
  thought(3, "hm", signed, { model: "claude-test" }),
  said(4, "reading"),
  call(5, 2, 0, '{"path":"a"}'),
  call(6, 2, 1, "not json"),
  result(7, 2, 0, "ok", { content: "A".repeat(600), images: [picture("QQ==")] }),
  result(8, 2, 1, "bad", { is_error: true, content: "why" }),
  note(9, "time is up", "task_reminder"),
  thought(11, "more", signed, { model: "claude-test" }),
  call(12, 10, 0, "{}"),
  result(13, 10, 0, "", { images: [picture("Qg=="), picture("Qw==", "image/gif")] }),
  {
    seq: 14,
    item: {
      type: "system_item",
      kind: "file_attachment",
      source: "host",
      body: "b.png",
      images: [picture("RA==")],
    },
  },
  said(16, "done"),
  user(17, "and?"),
];
const cacheMark = { anthropic: { cacheControl: { type: "ephemeral" } } };
const variants = [
  { ...traits, cacheMark },
  { ...traits, images: "behind", errorFlag: "lost", imageTypes: ["image/png"] },
  { ...traits, systemItems: "developer", endsInReasoning: true },
] as const;
const projections: readonly Projection[] = [
  { prune_before: null },
  { prune_before: null, images_before: 10 },
  { prune_before: null, reasoning_before: 4, images_before: 14 },
];

test("requests of older logs lower to what they did", () => {
  assert.equal(loweringVersion, 1);
  const { head } = requestOf([]);
  const digests = variants.map((one) =>
    projections.flatMap((projection) =>
      [true, false].map((images) => {
        const seeing = { ...head, config: { ...head.config, images } };
        const lowered = lowerRequest(requestOf(items, { head: seeing, projection }), one);
        return sha256(canonicalJson(JSON.parse(JSON.stringify(lowered)) as JsonObject)).slice(0, 12);
      }),
    ),
  );
  assert.deepEqual(digests, [
    ["6dc6f7771c47", "5c8d10df7541", "354b43034492", "5c8d10df7541", "ff7de8ac7d8a", "6a35fe9e194b"],
    ["76e43a1375fb", "1906a04b1947", "2c55885fc729", "1906a04b1947", "a6bdbc34dd40", "68fac6ec2272"],
    ["d5af5a73f6f5", "8b3eca8a593d", "f0827244a323", "8b3eca8a593d", "3c15f6d994b7", "79ae11d9b8e3"],
  ]);
});
