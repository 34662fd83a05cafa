/** Named items: which items of a request a refusal is about. The place in the body that it names is looked up, and the items are known by what stands there. */
import { type CommittedItem, imageTypes, isJsonObject } from "@yoi/base";
import { takenImages } from "../lowering/images.ts";
import { type Maker, ownMetadata } from "../lowering/own-metadata.ts";
import type { ModelFailure, ModelRequest } from "../model.ts";

type Part = NonNullable<ModelFailure["about"]>;

/** Shorter strings are names and types: they stand in many places. */
const tellingLengthMin = 8;

/**
 * Seqs, in request order; empty: the places are none of the body, or nothing of that part stands there.
 * @param body as it was sent, parsed.
 */
export function namedItems(
  request: Pick<ModelRequest, "items" | "projection">,
  refused: { readonly about: Part; readonly at: readonly string[]; readonly maker: Maker },
  body: unknown,
): readonly number[] {
  const { about, at, maker } = refused;
  const told = request.items.map((committed) => ({
    seq: committed.seq,
    strings:
      about === "images" ? imagesOf(committed, request) : stringsIn(ownMetadata(committed.item, maker)),
  }));
  const found = new Set<number>();
  for (const place of at) {
    for (const strings of stringsAt(body, place)) {
      const here = told.filter((one) => one.strings.some((string) => strings.has(string)));
      for (const { seq } of here) found.add(seq);
      if (here.length > 0) break;
    }
  }
  return told.flatMap(({ seq }) => (found.has(seq) ? [seq] : []));
}

function imagesOf(committed: CommittedItem, { projection }: Pick<ModelRequest, "projection">): string[] {
  const sight = { images: true, types: imageTypes, projection };
  return takenImages(committed, sight).map(({ data }) => data);
}

/** What stands at a place, and around it, from the inside outwards as far as the message. A place that is no path is an id that stands in the item itself. */
function* stringsAt(body: unknown, place: string): Generator<ReadonlySet<string>> {
  const [root = "", ...steps] = place.split(/[.[\]]+/).filter((step) => step !== "");
  const list = isJsonObject(body) ? body[root] : undefined;
  if (!Array.isArray(list)) {
    yield new Set([place]);
    return;
  }
  const around: unknown[] = [];
  let here: unknown = list;
  for (const step of steps) {
    const next = inside(here, step);
    if (next === undefined) break;
    here = next;
    around.unshift(here);
  }
  for (const node of around) yield new Set(stringsIn(node).flatMap(withoutPrefix));
}

/** One step of a path. Some name the type of what they are in, and some have other names for the fields than the body. */
function inside(node: unknown, step: string): unknown {
  if (Array.isArray(node)) return /^\d+$/.test(step) ? (node[Number(step)] as unknown) : undefined;
  if (!isJsonObject(node)) return undefined;
  const camelCase = step.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  for (const name of [step, camelCase]) if (Object.hasOwn(node, name)) return node[name];
  return node["type"] === step ? node : undefined;
}

function stringsIn(node: unknown): string[] {
  if (typeof node === "string") return node.length < tellingLengthMin ? [] : [node];
  if (Array.isArray(node)) return node.flatMap(stringsIn);
  return isJsonObject(node) ? Object.values(node).flatMap(stringsIn) : [];
}

/** A picture may stand in the body as a URL that holds it. */
function withoutPrefix(string: string): string[] {
  const comma = string.startsWith("data:") ? string.indexOf(",") : -1;
  return comma === -1 ? [string] : [string, string.slice(comma + 1)];
}

/** Characters of base64 that a request holds. */
export function imageBytes({ head, items, projection }: ModelRequest): number {
  if (head.config.images !== true) return 0;
  return items
    .flatMap((committed) => imagesOf(committed, { projection }))
    .reduce((sum, data) => sum + data.length, 0);
}
