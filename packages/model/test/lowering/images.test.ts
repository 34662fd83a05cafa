/** Images in a request: where they stand, what introduces them, and when they are left out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommittedItem, Image, ImageType } from "@yoi/base";
import { lowerRequest } from "../../src/lowering/lower.ts";
import type { LoweringTraits } from "../../src/lowering/prompt.ts";
import { call, imageData, note, picture, requestOf, result } from "../support.ts";
import { promptOf, traits } from "./traits.ts";

const seen = (
  items: readonly CommittedItem[],
  over: Partial<LoweringTraits> = {},
  prune_before: number | null = null,
) => {
  const request = requestOf(items, { projection: { prune_before } });
  const config = { ...request.head.config, images: true };
  return lowerRequest({ ...request, head: { ...request.head, config } }, { ...traits, ...over }).prompt.slice(
    1,
  );
};
const file = (rest: string, mediaType: ImageType = "image/png") => ({
  type: "file",
  mediaType,
  data: { type: "data", data: imageData(rest, mediaType) },
});

test("images stand in their result where it may hold them; then its text says that it is an error", () => {
  const items = [
    call(3, 2, 0, "{}"),
    call(4, 2, 1, "{}"),
    result(5, 2, 0, "a.png", { images: [picture("QQ=="), picture("Qg==", "image/webp")] }),
    result(6, 2, 1, "broken", { is_error: true, images: [picture("Qw==")] }),
    note(7, "n"),
  ];
  const part = (index: number, value: readonly object[]) => ({
    type: "tool-result",
    toolCallId: `call_2_${index}`,
    toolName: "read",
    output: { type: "content", value },
  });
  const [, results, after] = seen(items);
  assert.deepEqual(results?.content, [
    part(0, [{ type: "text", text: "a.png" }, file("QQ=="), file("Qg==", "image/webp")]),
    part(1, [{ type: "text", text: "Error: broken" }, file("Qw==")]),
  ]);
  assert.equal(after?.role, "user");
});

test("where no result may hold them, images stand behind all results of the step, each introduced by a note that names its call", () => {
  const items = [
    call(3, 2, 0, "{}"),
    call(4, 2, 1, "{}", "Read <file>"),
    result(5, 2, 0, "a.png", { images: [picture("QQ==")] }),
    result(6, 2, 1, "b", { name: "Read <file>", images: [picture("Qg=="), picture("Qw==")] }),
    note(7, "n"),
    call(9, 8, 0, "{}"),
    result(10, 8, 0, "c.png", { images: [picture("RA==")] }),
  ];
  const introduced = (seq: number, body: string) => ({
    type: "text",
    text: `<yoi-note id="${seq}" kind="tool_images" source="host">\n${body}\n</yoi-note>`,
  });
  const prompt = seen(items, { images: "behind" });
  assert.deepEqual(
    prompt.map(({ role }) => role),
    ["assistant", "tool", "user", "user", "assistant", "tool", "user"],
  );
  assert.deepEqual(prompt[2]?.content, [
    introduced(5, "The image of the result of call_2_0 (read):"),
    file("QQ=="),
    introduced(6, "The 2 images of the result of call_2_1 (Read__file_):"),
    file("Qg=="),
    file("Qw=="),
  ]);
  assert.deepEqual(prompt[6]?.content, [
    introduced(10, "The image of the result of call_8_0 (read):"),
    file("RA=="),
  ]);
  assert.ok(!JSON.stringify(prompt[1]).includes("image"));
  // What was sent stays the beginning of what is sent.
  assert.deepEqual(seen(items.slice(0, 5), { images: "behind" }), prompt.slice(0, 4));
});

test("images are pruned with their content, those of system items are not", () => {
  const attached: CommittedItem = {
    seq: 1,
    item: {
      type: "system_item",
      kind: "file_attachment",
      source: "host",
      body: "a.png",
      images: [picture("QQ==")],
    },
  };
  const items = [
    attached,
    call(3, 2, 0, "{}"),
    result(5, 2, 0, "s", { content: "c", images: [picture("Qg==")] }),
  ];
  for (const images of ["result", "behind"] as const)
    for (const [before, count] of [
      [null, 2],
      [5, 2],
      [6, 1],
    ] as const)
      assert.equal(JSON.stringify(seen(items, { images }, before)).match(/"file"/g)?.length, count);
  const pruned = JSON.stringify(seen(items, {}, 6));
  assert.equal(pruned.match(/\[1 image left out: it is long ago; to see it again/g)?.length, 1);
  const blind = lowerRequest(requestOf(items, { projection: { prune_before: 6 } }), traits).prompt;
  assert.equal(JSON.stringify(blind).match(/image left out: this model sees none/g)?.length, 2);
});

test("a system item with an image is a note of the user's role, whatever role system items have", () => {
  const attached: CommittedItem = {
    seq: 4,
    item: {
      type: "system_item",
      kind: "file_attachment",
      source: "host",
      body: "a.png",
      images: [picture("QQ==")],
    },
  };
  for (const systemItems of ["note", "system", "developer"] as const) {
    assert.deepEqual(seen([attached], { systemItems }), [
      {
        role: "user",
        content: [
          {
            type: "text",
            text: '<yoi-note id="4" kind="file_attachment" source="host">\na.png\n</yoi-note>',
          },
          file("QQ=="),
        ],
      },
    ]);
  }
  const [blind] = promptOf([attached], { systemItems: "developer" });
  assert.deepEqual(blind, { role: "system", content: "a.png\n[1 image left out: this model sees none]" });
});

test("an image whose data is not of its type is left out, and what is left out is said for each reason", () => {
  const mislabelled: Image = { ...picture("QQ==", "image/jpeg"), media_type: "image/png" };
  const noImage: Image = { ...picture("QQ=="), data: "QUJD" };
  const images = [mislabelled, picture("QQ=="), picture("QQ==", "image/gif"), noImage];
  const items = [call(3, 2, 0, "{}"), result(5, 2, 0, "s", { images })];
  const [, results] = seen(items, { imageTypes: ["image/png"] });
  assert.deepEqual(results?.content, [
    {
      type: "tool-result",
      toolCallId: "call_2_0",
      toolName: "read",
      output: {
        type: "content",
        value: [
          {
            type: "text",
            text: "s\n[1 image left out: this model takes no image/gif]\n[2 images left out: the data is not of the type that it is said to be]",
          },
          file("QQ=="),
        ],
      },
    },
  ]);
});

test("images of items that the provider refused a request with are left out, and said to be; later ones are shown", () => {
  const items = [
    call(3, 2, 0, "{}"),
    result(5, 2, 0, "a.png", { images: [picture("QQ==")] }),
    call(7, 6, 0, "{}"),
    result(8, 6, 0, "b.png", { images: [picture("Qg==")] }),
  ];
  const valuesOf = (images_before: number) => {
    const request = requestOf(items, { projection: { prune_before: null, images_before } });
    const head = { ...request.head, config: { ...request.head.config, images: true } };
    return lowerRequest({ ...request, head }, traits)
      .prompt.flatMap((message) => (message.role === "tool" ? message.content : []))
      .map((part) => (part.type === "tool-result" && "value" in part.output ? part.output.value : null));
  };
  const shown = (text: string, data: string) => [{ type: "text", text }, file(data)];
  assert.deepEqual(valuesOf(5), [shown("a.png", "QQ=="), shown("b.png", "Qg==")]);
  assert.deepEqual(valuesOf(6), [
    "a.png\n[1 image left out: the provider refused a request with the images that were there by then]",
    shown("b.png", "Qg=="),
  ]);
});
