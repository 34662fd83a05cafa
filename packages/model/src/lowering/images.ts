/** Images on the wire: inside of the tool result where the provider takes them there, else right behind the results; a word about them where the model sees none. */
import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { CommittedItem, Image, ToolResult } from "@yoi/base";
import { wireCallId, wireToolName } from "./calls.ts";
import { wrapText } from "./note.ts";

export type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

export function imagePart({ media_type, data }: Image): LanguageModelV4FilePart {
  return { type: "file", mediaType: media_type, data: { type: "data", data } };
}

/** What a model that sees no images is told instead of them; the empty string when there are none. */
export function leftOut(images: readonly Image[] | undefined): string {
  if (images === undefined || images.length === 0) return "";
  return images.length === 1
    ? "[1 image left out: this model sees none]"
    : `[${images.length} images left out: this model sees none]`;
}

/** The images of a result as user-role parts, introduced by the host: nothing else says whose they are. */
export function imagesBehind(seq: number, item: ToolResult, images: readonly Image[]): UserPart[] {
  const what = images.length === 1 ? "The image" : `The ${images.length} images`;
  const body = `${what} of the result of ${wireCallId(item.call)} (${wireToolName(item.name)}):`;
  return [{ type: "text", text: wrapText(seq, "tool_images", "host", body) }, ...images.map(imagePart)];
}

/** Images to be shown of an item, if any: a projection takes those of older results out. */
export function shownImages({ seq, item }: CommittedItem, prunedBefore: number | null): readonly Image[] {
  if (item.type === "system_item") return item.images ?? [];
  if (item.type !== "tool_result" || (prunedBefore !== null && seq < prunedBefore)) return [];
  return item.images ?? [];
}
