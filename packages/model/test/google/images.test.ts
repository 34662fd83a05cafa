/** Images on their way to Gemini: behind the results of their step, and none of a type that it refuses, in this request or any later one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { imageTypes, type CommittedItem, type Image, type ImageType } from "@yoi/base";
import { call, imageData, picture, read, requestOf, result, user } from "../support.ts";
import { bench, partsOf } from "./bench.ts";

const pictureOf = (media_type: ImageType): Image => picture("QQ==", media_type);

function withImages(committed: CommittedItem, types: readonly ImageType[]): CommittedItem {
  const { seq, item } = committed;
  assert.ok(item.type === "tool_result");
  return { seq, item: { ...item, images: types.map(pictureOf) } };
}

const attached: CommittedItem = {
  seq: 7,
  item: {
    type: "system_item",
    kind: "file_attachment",
    source: "host",
    body: "a.gif",
    images: [pictureOf("image/gif")],
  },
};
const items = [
  user(1, "look"),
  call(3, 2, 0, "{}"),
  call(4, 2, 1, "{}"),
  withImages(result(5, 2, 0, "two"), ["image/gif", "image/png"]),
  withImages(result(6, 2, 1, "broken", { is_error: true }), ["image/webp"]),
  attached,
];

function requestSeeing(images: boolean) {
  const request = requestOf(items);
  const config = { ...request.head.config, ...(images && { images }) };
  return { ...request, head: { ...request.head, config } };
}

const answered = (index: number, response: object) => ({
  role: "user",
  functionResponse: { id: `call_2_${index}`, name: "read", response: { name: "read", ...response } },
});
const note = (seq: number, kind: string, body: string) => ({
  role: "user",
  text: `<yoi-note id="${seq}" kind="${kind}" source="host">\n${body}\n</yoi-note>`,
});
const inline = (mimeType: ImageType) => ({
  role: "user",
  inlineData: { mimeType, data: imageData("QQ==", mimeType) },
});

test("images go to Gemini behind the results of their step; a GIF, which it refuses, is named instead", () =>
  bench([{ blocks: [{ type: "text", text: "x" }] }], async ({ model, requests }) => {
    await read(model, requestSeeing(true));
    const taken = "[1 image left out: this model takes no image/gif]";
    assert.deepEqual(partsOf(requests[0]?.body).slice(3), [
      answered(0, { content: `two\n${taken}` }),
      answered(1, { error: "broken" }),
      note(5, "tool_images", "The image of the result of call_2_0 (read):"),
      inline("image/png"),
      note(6, "tool_images", "The image of the result of call_2_1 (read):"),
      inline("image/webp"),
      note(7, "file_attachment", `a.gif\n${taken}`),
    ]);
    assert.ok(imageTypes.includes("image/gif"));
  }));

test("a Gemini model that sees no images gets none, and a word about each", () =>
  bench([{ blocks: [{ type: "text", text: "x" }] }], async ({ model, requests }) => {
    await read(model, requestSeeing(false));
    assert.deepEqual(partsOf(requests[0]?.body).slice(3), [
      answered(0, { content: "two\n[2 images left out: this model sees none]" }),
      answered(1, { error: "broken\n[1 image left out: this model sees none]" }),
      note(7, "file_attachment", "a.gif\n[1 image left out: this model sees none]"),
    ]);
  }));
