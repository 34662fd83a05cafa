/** Shorter items: their text up to a bound, and a reference to the rest, which the log keeps. Pure. */
import { cutUtf8, flattenInput, type Image, type SystemItem, type ToolResult, utf8Length } from "@yoi/base";
import { leftOutLine, prunedContentBytesMin } from "@yoi/model";
import type { KeptItem } from "./kept-item.ts";

/** What a picture weighs beside text, in bytes. */
const imageWeightBytes = 6_400;

export interface ShortenWish {
  /** Of each text, the reference included; what is hardly longer than a reference stays. */
  readonly bytesMax: number;
  /** Also what the user wrote, and what a model answered without a call; else only what tools and notes say. */
  readonly words: boolean;
}

/** The items as the wish has them; one from which it takes nothing is the same one. */
export function shortened(items: readonly KeptItem[], wish: ShortenWish): readonly KeptItem[] {
  // The arguments of a call cannot be cut, and what belongs to it stays beside it.
  const answers = wish.words && !items.some(({ item }) => item.type === "tool_call");
  const short = items.map((one) => shortenedItem(one, wish, answers));
  const isAnswerCut = short.some(
    ({ item }, index) => item.type === "assistant_message" && item !== items[index]?.item,
  );
  return isAnswerCut ? short.flatMap(unsigned) : short;
}

/** What a provider signed is of the answer as it was. */
function unsigned(one: KeptItem): readonly KeptItem[] {
  const { item } = one;
  if (item.type === "reasoning") return [];
  if (item.type !== "assistant_message") return [one];
  const { provider_data: _, ...bare } = item;
  return [{ ...one, item: bare }];
}

function shortenedItem(one: KeptItem, { bytesMax, words }: ShortenWish, answers: boolean): KeptItem {
  const { id, item } = one;
  switch (item.type) {
    case "tool_result":
      return withItem(one, shortenedResult(item, id, bytesMax));
    case "system_item":
      return withItem(one, shortenedNote(item, id, bytesMax));
    case "user_message": {
      if (!words) return one;
      const text = flattenInput(item.parts);
      const cut = cutText(text, id, bytesMax);
      return cut === text ? one : withItem(one, { ...item, parts: [{ type: "text", text: cut }] });
    }
    case "assistant_message": {
      const text = answers ? cutText(item.text, id, bytesMax) : item.text;
      return text === item.text ? one : withItem(one, { ...item, text });
    }
    case "reasoning":
    case "tool_call":
      return one;
  }
}

function withItem(one: KeptItem, item: KeptItem["item"]): KeptItem {
  // Frozen as committed ones are: what is measured once need not be measured again.
  return item === one.item ? one : { ...one, item: Object.freeze(item) };
}

function shortenedResult(item: ToolResult, id: string, bytesMax: number): ToolResult {
  const { images = [], content = "", ...rest } = item;
  if (weight(content, images) <= bytesMax) return item;
  const text = withReference(content, id, { bytesMax, beside: imageBytes(images) });
  return text === content && images.length === 0 ? item : { ...rest, content: text };
}

function shortenedNote(item: SystemItem, id: string, bytesMax: number): SystemItem {
  const { images = [], body, ...rest } = item;
  if (weight(body, images) <= bytesMax) return item;
  const text = withReference(body, id, { bytesMax, beside: imageBytes(images) });
  return text === body && images.length === 0 ? item : { ...rest, body: text };
}

function weight(text: string, images: readonly Image[]): number {
  return utf8Length(text) + images.length * imageWeightBytes;
}

function imageBytes(images: readonly Image[]): number {
  return images.reduce((sum, { data }) => sum + data.length, 0);
}

/** At most `bytesMax` bytes, or the reference alone where that is longer. */
function cutText(text: string, id: string, bytesMax: number): string {
  return withReference(text, id, { bytesMax, beside: 0 });
}

/** What was left out of the text before, by its own reference at the end. */
const referenceCharsMax = 128;
const reference = /\n?\[left out: ([\d,]+) bytes; SessionRead (\S+) shows them\]$/;

function withReference(
  text: string,
  id: string,
  { bytesMax, beside }: { readonly bytesMax: number; readonly beside: number },
): string {
  const bytes = utf8Length(text);
  if (beside === 0 && (bytes <= bytesMax || bytes < prunedContentBytesMin)) return text;
  const end = Math.max(0, text.length - referenceCharsMax);
  const known = reference.exec(text.slice(end));
  const isKnown = known?.[2] === id;
  const before = isKnown ? Number(known[1]?.replaceAll(",", "")) : 0;
  const whole = isKnown ? text.slice(0, end + known.index) : text;
  const wholeBytes = utf8Length(whole);
  const room = bytesMax - utf8Length(leftOutLine(id, wholeBytes + before + beside)) - 1;
  const beginning = cutUtf8(whole, Math.max(0, room)).trimEnd();
  const left = wholeBytes - utf8Length(beginning) + before + beside;
  const line = leftOutLine(id, left);
  return beginning === "" ? line : `${beginning}\n${line}`;
}
