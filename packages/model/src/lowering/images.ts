/** Images on the wire: inside of the tool result where the provider takes them there, else right behind the results; a word about those that the model does not see. */
import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { CommittedItem, Image, ImageType, Projection, ToolResult } from "@yoi/base";
import { wireCallId, wireToolName } from "./calls.ts";
import { isPruned, isQuarantined } from "./left-out.ts";
import { wrapText } from "./note.ts";

export type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

export function imagePart({ media_type, data }: Image): LanguageModelV4FilePart {
  return { type: "file", mediaType: media_type, data: { type: "data", data } };
}

/** The images of a result as user-role parts, introduced by the host: nothing else says whose they are. */
export function imagesBehind(id: string, item: ToolResult, images: readonly Image[]): UserPart[] {
  const what = images.length === 1 ? "The image" : `The ${images.length} images`;
  const body = `${what} of the result of ${wireCallId(item.call)} (${wireToolName(item.name)}):`;
  return [{ type: "text", text: wrapText(id, "tool_images", "host", body) }, ...images.map(imagePart)];
}

export interface SeenImages {
  readonly shown: readonly Image[];
  /** Said of those that are left out; the empty string when there are none. */
  readonly instead: string;
}

export interface ImageSight {
  /** Whether the model sees images at all. */
  readonly images: boolean;
  /** The types that the provider takes. */
  readonly types: readonly ImageType[];
  /** A projection takes those of older results out, and those that the provider refused a request for. */
  readonly projection: Projection;
}

function imagesOf({ item }: CommittedItem): readonly Image[] {
  return item.type === "system_item" || item.type === "tool_result" ? (item.images ?? []) : [];
}

/** Why the projection has none of an item's images sent; null: it says nothing of them. */
function whyNone(committed: CommittedItem, { projection }: ImageSight): string | null {
  if (isPruned(committed, projection)) return wasPruned;
  if (committed.seq < (projection.images_before ?? 0)) return wasRefused;
  return isQuarantined(committed, "images", projection) ? wasQuarantined : null;
}

/** How the base64 of each type begins, in whichever way it goes on. */
const beginnings: { readonly [type in ImageType]: string } = {
  "image/png": "iVBORw0KGg",
  "image/jpeg": "/9j/",
  "image/gif": "R0lGOD",
  "image/webp": "UklGR",
};

/** A tool may say what it likes; a provider refuses data that is not of the type that it is said to be. */
function isOfItsType({ media_type, data }: Image): boolean {
  return data.startsWith(beginnings[media_type]);
}

/** Those that this model takes. */
export function takenImages(committed: CommittedItem, sight: ImageSight): readonly Image[] {
  if (!sight.images || whyNone(committed, sight) !== null) return [];
  return imagesOf(committed).filter((image) => sight.types.includes(image.media_type) && isOfItsType(image));
}

/** What of an item's images is shown, and what is said instead of the others. `hasRoom`: there is room for those that the model takes. */
export function seenImages(committed: CommittedItem, sight: ImageSight, hasRoom: boolean): SeenImages {
  const all = imagesOf(committed);
  if (all.length === 0) return { shown: [], instead: "" };
  if (!sight.images) return { shown: [], instead: leftOut(all, "this model sees none") };
  const none = whyNone(committed, sight);
  if (none !== null) return { shown: [], instead: leftOut(all, none) };
  const refused = all.filter(({ media_type }) => !sight.types.includes(media_type));
  const damaged = all.filter((image) => !refused.includes(image) && !isOfItsType(image));
  const taken = takenImages(committed, sight);
  const names = [...new Set(refused.map(({ media_type }) => media_type))].join(", ");
  const instead = [
    leftOut(refused, `this model takes no ${names}`),
    leftOut(damaged, "the data is not of the type that it is said to be"),
    leftOut(hasRoom ? [] : taken, noRoom),
  ];
  return { shown: hasRoom ? taken : [], instead: instead.filter((line) => line !== "").join("\n") };
}

/** Not every image is that of a file. */
const noRoom =
  "newer images took the room that there is; to see it again, read the file again or repeat the call";

const wasPruned = "it is long ago; to see it again, read the file again or repeat the call";

const wasQuarantined = "the provider refused a request for it";

const wasRefused = "the provider refused a request with the images that were there by then";

function leftOut(images: readonly Image[], why: string): string {
  if (images.length === 0) return "";
  return `[${images.length} ${images.length === 1 ? "image" : "images"} left out: ${why}]`;
}
