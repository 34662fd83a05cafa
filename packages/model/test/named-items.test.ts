/** Named items: places as providers write them, looked up in a body of theirs; see also the conformance suite, which does it over each adapter. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { namedItems } from "../src/adapter/named-items.ts";
import { picture, requestOf, result, thought } from "./support.ts";

const id = "rs_037e7e05148bdd58006996d2f3bd0481";
const request = requestOf([
  thought(
    3,
    "hm",
    { openai: { itemId: id, reasoningEncryptedContent: "gAAAAABnZW5lcmF0ZWQ" } },
    { provider: "openai" },
  ),
  thought(
    4,
    "hm",
    { openai: { itemId: "rs_other", reasoningEncryptedContent: "gAAAAABvdGhlcg" } },
    { provider: "openai" },
  ),
  result(5, 2, 0, "s", { images: [picture("Qg=="), picture("QQ==")] }),
  result(6, 2, 1, "s", { images: [picture("QQ==")] }),
  result(7, 2, 2, "s", { images: [picture("Rw==")] }),
]);
const body = {
  input: [
    { role: "developer", content: "be brief" },
    { type: "reasoning", id, encrypted_content: "gAAAAABnZW5lcmF0ZWQ" },
    {
      type: "function_call_output",
      output: [
        { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgoAQQ==" },
        { type: "input_text", text: "data:" },
      ],
    },
  ],
};
const maker = { provider: "openai", id: "m" };

test("a place is looked up from the inside outwards, and an id wherever it stands", () => {
  const rows: readonly (readonly ["images" | "reasoning", string, readonly number[]])[] = [
    ["reasoning", id, [3]],
    ["reasoning", "rs_nowhere_to_be_found", []],
    ["reasoning", "input[1].encrypted_content", [3]],
    ["reasoning", "input[0]", []],
    ["reasoning", "input[2]", []],
    // The same picture was refused wherever it stands.
    ["images", "input[2].output[0].image_url", [5, 6]],
    ["images", "input.2.output.0.image_url", [5, 6]],
    ["images", "input[2].output[1].text", [5, 6]],
    ["images", "input[2].nothing.like[3].this", [5, 6]],
    ["images", "input[3]", []],
    ["images", "input", []],
    ["images", "messages[2]", []],
  ];
  for (const [about, at, expected] of rows)
    assert.deepEqual(namedItems(request, { about, at: [at], maker }, body), expected, `${about} at ${at}`);
  assert.deepEqual(namedItems(request, { about: "images", at: ["input[2]"], maker }, null), []);
});

test("what is not sent any more is named by nobody", () => {
  const hidden = { ...request, projection: { prune_before: null, images_before: 6 } };
  assert.deepEqual(namedItems(hidden, { about: "images", at: ["input[2]"], maker }, body), [6]);
  const other = { about: "reasoning", at: ["input[1]"], maker: { ...maker, provider: "else" } } as const;
  assert.deepEqual(namedItems(request, other, body), []);
});
