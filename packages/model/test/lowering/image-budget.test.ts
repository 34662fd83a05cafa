/** How many images a request shows, over a session of days: within what the provider takes, and with a beginning that seldom changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deepFreeze, type CommittedItem, type Image } from "@yoi/base";
import { requestDigest, type ModelRequest } from "@yoi/model";
import { imageBudgets, type ImageBudget } from "../../src/lowering/image-budget.ts";
import { lowerRequest } from "../../src/lowering/lower.ts";
import type { LoweringTraits } from "../../src/lowering/prompt.ts";
import { bench as anthropic } from "../anthropic/bench.ts";
import { bench as google } from "../google/bench.ts";
import { bench as openAi } from "../openai/bench.ts";
import { bench as openAiCompatible } from "../openai-compatible/bench.ts";
import { call, imageData, note, picture, requestOf, result } from "../support.ts";
import { traits } from "./traits.ts";

const noRoom =
  "newer images took the room that there is; to see it again, read the file again or repeat the call";

function seeing(items: readonly CommittedItem[], prune_before: number | null = null): ModelRequest {
  const request = requestOf(items, { projection: { prune_before } });
  return { ...request, head: { ...request.head, config: { ...request.head.config, images: true } } };
}

function read(seq: number, images: readonly Image[]): CommittedItem[] {
  return [call(seq, seq, 0, "{}"), result(seq + 1, seq, 0, `read ${seq}`, { images })];
}

function attached(seq: number, image: Image): CommittedItem {
  const { item } = note(seq, `attached ${seq}`, "file_attachment");
  assert.ok(item.type === "system_item");
  return { seq, item: { ...item, images: [image] } };
}

/** An image of a letter, of so many bytes of base64. */
const sized = (letter: string, bytes: number): Image => picture(letter.repeat(bytes - imageData("").length));

interface FileLike {
  readonly type: "file";
  readonly data: { readonly data: string };
}

function filesOf(value: unknown): FileLike[] {
  if (Array.isArray(value)) return value.flatMap(filesOf);
  if (typeof value !== "object" || value === null) return [];
  return "type" in value && value.type === "file"
    ? [value as FileLike]
    : Object.values(value).flatMap(filesOf);
}

/** The last letters of the images that are shown, oldest first. */
function shown(
  items: readonly CommittedItem[],
  imageBudget: ImageBudget,
  over: Partial<LoweringTraits> = {},
  prune_before: number | null = null,
): string {
  const { prompt } = lowerRequest(seeing(items, prune_before), { ...traits, ...over, imageBudget });
  return filesOf(prompt)
    .map(({ data }) => data.data.slice(-1))
    .join("");
}

const each = (letters: string, bytes: number): CommittedItem[] =>
  [...letters].flatMap((letter, index) => read(10 * (index + 1), [sized(letter, bytes)]));

test("at the limit every image is shown; beyond it the newest that fill half of it", () => {
  const byCount = { countMax: 4, base64BytesMax: 10_000 };
  const byBytes = { countMax: 100, base64BytesMax: 400 };
  const rows: readonly [string, CommittedItem[], ImageBudget, string][] = [
    ["as many as there may be", each("ABCD", 40), byCount, "ABCD"],
    ["one more", each("ABCDE", 40), byCount, "DE"],
    ["until the limit again", each("ABCDEFG", 40), byCount, "DEFG"],
    ["and one more", each("ABCDEFGH", 40), byCount, "GH"],
    ["as many bytes", each("ABCD", 100), byBytes, "ABCD"],
    ["one more byte", [...each("ABC", 100), ...read(90, [sized("D", 101)])], byBytes, "D"],
    [
      "half of the bytes is enough for two",
      [...each("ABC", 100), ...read(90, [sized("D", 100)]), ...read(95, [sized("E", 100)])],
      byBytes,
      "DE",
    ],
    [
      "the newest stays though it fills more than half",
      [...each("A", 100), ...read(90, [sized("B", 400)])],
      byBytes,
      "B",
    ],
    ["unless it is too much by itself", [...each("A", 100), ...read(90, [sized("B", 401)])], byBytes, ""],
    ["what comes after that is shown", [...read(9, [sized("B", 401)]), ...each("A", 100)], byBytes, "A"],
    [
      "the images of one result stay together",
      [
        ...read(
          1,
          "ABC".split("").map((one) => sized(one, 40)),
        ),
        ...each("DE", 40),
      ],
      byCount,
      "DE",
    ],
  ];
  for (const [what, items, budget, expected] of rows)
    for (const images of ["result", "behind"] as const)
      assert.equal(shown(items, budget, { images }), expected, what);
});

test("images of results and of attachments share the room; those that the model would not see take none", () => {
  const budget = { countMax: 2, base64BytesMax: 1000 };
  const gif = picture("QUJD", "image/gif");
  const items = [
    attached(1, sized("A", 40)),
    ...read(10, [gif, sized("B", 40)]),
    ...read(20, [gif]),
    attached(30, gif),
  ];
  const imageTypes = ["image/png"] as const;
  assert.equal(shown(items, budget, { imageTypes }), "AB");
  assert.equal(shown([...items, attached(40, sized("C", 40))], budget, { imageTypes }), "C");
  assert.equal(shown([...items, attached(40, sized("C", 40))], budget, { imageTypes }, 15), "AC");
  const { prompt } = lowerRequest(seeing([...items, attached(40, sized("C", 40))]), {
    ...traits,
    imageTypes,
    imageBudget: budget,
  });
  const refused = "[1 image left out: this model takes no image/gif]";
  const text = (value: string) => ({ type: "text", text: value });
  const tagged = (seq: number, body: string) =>
    text(`<yoi-note id="${seq}" kind="file_attachment" source="host">\n${body}\n</yoi-note>`);
  const told = (value: string) => ({ type: "text", value });
  assert.deepEqual(
    prompt.flatMap(({ role, content }) =>
      typeof content === "string" || role === "assistant"
        ? []
        : content.map((part) => ("output" in part ? part.output : part)),
    ),
    [
      tagged(1, `attached 1\n[1 image left out: ${noRoom}]`),
      told(`read 10\n${refused}\n[1 image left out: ${noRoom}]`),
      told(`read 20\n${refused}`),
      tagged(30, `attached 30\n${refused}`),
      tagged(40, "attached 40"),
      { type: "file", mediaType: "image/png", data: { type: "data", data: sized("C", 40).data } },
    ],
  );
});

const adapters = [
  {
    name: "anthropic",
    bench: anthropic,
    budget: imageBudgets.anthropic,
    bodyBytesMax: 32e6,
    images: "result",
  },
  { name: "google", bench: google, budget: imageBudgets.google, bodyBytesMax: 20e6, images: "behind" },
  { name: "openai", bench: openAi, budget: imageBudgets.openai, bodyBytesMax: 512e6, images: "result" },
  {
    name: "openai-compatible",
    bench: openAiCompatible,
    budget: imageBudgets.openAiCompatible,
    bodyBytesMax: 20e6,
    images: "behind",
  },
] as const;

/** A session that is shown `count` images, in results and now and then as an attachment. */
function session(count: number, data: string): CommittedItem[] {
  return Array.from({ length: count }, (_, index) => {
    const seq = 10 * (index + 1);
    return index % 7 === 3 ? [attached(seq, picture(data))] : read(seq, [picture(data)]);
  }).flat();
}

/** How often a request of the session does not begin with the one before it. */
function breaks(items: readonly CommittedItem[], over: Partial<LoweringTraits>): number {
  let last: string[] = [];
  let count = 0;
  for (const [index, { item }] of items.entries()) {
    if (item.type === "tool_call") continue;
    const { prompt } = lowerRequest(seeing(items.slice(0, index + 1)), { ...traits, ...over });
    const messages = prompt.map((message) => JSON.stringify(message));
    if (!last.every((message, at) => messages[at] === message)) count += 1;
    last = messages;
  }
  return count;
}

test("over a session of 100 images a request is the beginning of the next, but at a handful of steps", () => {
  const items = deepFreeze(session(100, "QQ=="));
  const counts = adapters.map(({ name, budget, images }) => [
    name,
    breaks(items, { imageBudget: budget, images }),
  ]);
  assert.deepEqual(counts, [
    ["anthropic", 8],
    ["google", 2],
    ["openai", 2],
    ["openai-compatible", 8],
  ]);
  // A window that slides with every image would break it each time.
  const sliding = { countMax: 1, base64BytesMax: 1000 };
  assert.equal(breaks(items, { imageBudget: sliding }), 99);
});

test("60 images of 3.75 MiB go to every provider in a body that it takes", async () => {
  const rest = "A".repeat(5 * 1024 * 1024 - imageData("").length);
  const items = deepFreeze(session(60, rest));
  const unbounded = { countMax: Infinity, base64BytesMax: Infinity };
  for (const { name, bench, budget, bodyBytesMax, images } of adapters) {
    await bench([], async ({ model }) => {
      const { bytes } = await model.lower(seeing(items));
      assert.ok(bytes < bodyBytesMax, `${name}: ${bytes} bytes`);
      assert.ok(bytes > rest.length, `${name}: ${bytes} bytes show no image`);
    });
    const all = filesOf(lowerRequest(seeing(items), { ...traits, images, imageBudget: unbounded }).prompt);
    const control = all.reduce((sum, file) => sum + file.data.data.length, 0);
    assert.equal(control, 60 * 5 * 1024 * 1024);
    assert.ok(control > Math.min(bodyBytesMax, budget.base64BytesMax), name);
  }
});

test("what was sent beyond the budget is rebuilt from the log: the same bytes, whatever was lowered before", async () => {
  const items = deepFreeze(session(60, "QUJD"));
  for (const { name, bench } of adapters) {
    await bench([], async ({ model }) => {
      for (let count = 50; count <= items.length; count += 1) {
        const last = items[count - 1]?.item;
        if (last?.type !== "tool_call") await model.lower(seeing(items.slice(0, count)));
      }
      const live = await model.lower(seeing(items));
      const copies = structuredClone(items) as readonly CommittedItem[];
      assert.deepEqual(await model.lower(seeing(copies)), live, name);
      assert.equal(requestDigest(seeing(copies)), requestDigest(seeing(items)));
    });
  }
});
