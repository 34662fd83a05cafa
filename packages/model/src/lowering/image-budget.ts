/** How many images a request shows: a session reads them for days, and a request beyond what the provider takes would be refused from then on for good. */
import type { CommittedItem } from "@yoi/base";
import { takenImages, type ImageSight } from "./images.ts";

/** What the images of one request may come to. */
export interface ImageBudget {
  readonly countMax: number;
  /** Bytes of base64. */
  readonly base64BytesMax: number;
}

const mib = 1024 * 1024;

/** What is left below the limit of a body is for texts: a window of a million tokens is about 4 MB of them. */
export const imageBudgets = {
  /**
   * platform.claude.com/docs, vision: a body of 32 MB and at least 100 images; but of more than 20, none with a side above 2,000 pixels, and
   * Read shows larger ones.
   */
  anthropic: { countMax: 20, base64BytesMax: 20 * mib },
  /** ai.google.dev/gemini-api/docs, image understanding: 20 MB with all data in it, and 3,600 images. */
  google: { countMax: 50, base64BytesMax: 14 * mib },
  /** developers.openai.com, images and vision: 512 MB and 1,500 images. Each request carries them all again, so not nearly as many. */
  openai: { countMax: 50, base64BytesMax: 32 * mib },
  /** Nobody's word for what a server or gateway takes: the least of the others. */
  openAiCompatible: { countMax: 20, base64BytesMax: 14 * mib },
} as const satisfies { readonly [adapter: string]: ImageBudget };

/**
 * The index of the first item whose images are shown. Whenever the budget is passed, the newest that fill half of it stay: so what a request
 * begins with changes seldom, and providers find it in their caches. It depends on the items alone, and grows with them.
 */
export function firstShown(
  items: readonly CommittedItem[],
  sight: ImageSight,
  { countMax, base64BytesMax }: ImageBudget,
): number {
  /** Items whose images are shown so far, oldest first. */
  const shown: { readonly index: number; readonly count: number; readonly bytes: number }[] = [];
  let first = 0;
  let count = 0;
  let bytes = 0;
  for (const [index, committed] of items.entries()) {
    const images = takenImages(committed, sight);
    if (images.length === 0) continue;
    const own = {
      index,
      count: images.length,
      bytes: images.reduce((sum, { data }) => sum + data.length, 0),
    };
    shown.push(own);
    count += own.count;
    bytes += own.bytes;
    if (count <= countMax && bytes <= base64BytesMax) continue;
    while (count > countMax / 2 || bytes > base64BytesMax / 2) {
      const oldest = shown[0];
      // The newest stays also where it fills more than half, unless it is too much by itself.
      if (oldest === undefined || (oldest === own && count <= countMax && bytes <= base64BytesMax)) break;
      shown.shift();
      count -= oldest.count;
      bytes -= oldest.bytes;
      first = oldest.index + 1;
    }
  }
  return first;
}
