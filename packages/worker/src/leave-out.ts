/** Leaving out: a provider that refuses what is in the history refuses every later request too, so the session goes on without that. */
import {
  type CommittedItem,
  cutUtf8,
  type EntryBody,
  idOf,
  type Item,
  type Projection,
  type Quarantined,
  type QuarantinedPart,
} from "@yoi/base";
import { isPruned, isQuarantined, type ModelFailure, ownMetadata } from "@yoi/model";
import type { WorkerParts } from "./worker-parts.ts";

type Part = NonNullable<ModelFailure["about"]>;

/** Of reasoning that was refused a second time none is sent any more: some servers take it in no request. */
export const leaveOutAll = Number.MAX_SAFE_INTEGER;
/** Single items that are left out: beyond that, everything of the kind so far is. */
export const quarantinedPartsMax = 16;
/** Of what is said of an item. */
const nameBytesMax = 120;

/**
 * Puts on record that a request is made without what it was refused for, and says so: without that part of the items that the refusal names, or else
 * without all of the kind so far. False: nothing of it is left, so asking again would be asking the same. It ends: each time there is less to leave out.
 */
export async function leaveOut(parts: WorkerParts, failure: ModelFailure): Promise<boolean> {
  const { about } = failure;
  if (about === undefined) return false;
  const left = withoutNamed(parts, about, failure) ?? withoutAll(parts, about, failure);
  if (left === null) return false;
  await parts.history.append(left.entries);
  parts.observe({ type: "warning", text: left.warning });
  return true;
}

interface LeftOut {
  readonly entries: readonly EntryBody[];
  readonly warning: string;
}

/** Null: it names nothing that is still sent, or too much was named before. */
function withoutNamed(parts: WorkerParts, part: Part, { items = [], message }: ModelFailure): LeftOut | null {
  const { projection } = parts.history;
  const named = parts.history.items.filter((one) => items.includes(one.seq) && isSent(parts, part, one));
  const known = projection.quarantined?.length ?? 0;
  if (named.length === 0 || known + named.length > quarantinedPartsMax) return null;
  const entries = named.map(({ seq }): Quarantined => {
    return { kind: "quarantined", target: seq, part, message };
  });
  const what = part === "images" ? "images" : "reasoning";
  const of = named.map((one) => `entry ${idOf(one)} (${nameOf(one.item)})`).join(" and ");
  const warning = `The provider refused the ${what} of ${of}: the request is made again without, and so is every later one of this session. ${refusalOf(message)}`;
  return { entries, warning };
}

/** Null: there is nothing more to leave out. */
function withoutAll(parts: WorkerParts, about: Part, { message }: ModelFailure): LeftOut | null {
  const projection = projectionWithout(parts, about);
  if (projection === null) return null;
  const reason = about === "reasoning" ? "reasoning_refused" : "images_refused";
  const what = about === "reasoning" ? "the model's earlier reasoning" : "the images so far";
  return {
    entries: [{ kind: "projection", projection, reason, message }],
    warning: `The provider refused the request because of ${what}; it is made again without, and so is every later one of this session. Its words are in the log.`,
  };
}

function isSent({ history, model }: WorkerParts, part: Part, committed: CommittedItem): boolean {
  const { projection } = history;
  if (isQuarantined(committed, part, projection)) return false;
  const { seq, item } = committed;
  if (part === "reasoning")
    return seq >= (projection.reasoning_before ?? 0) && ownMetadata(item, model) !== null;
  if (seq < (projection.images_before ?? 0) || isPruned(committed, projection)) return false;
  return "images" in item && (item.images?.length ?? 0) > 0;
}

function projectionWithout(parts: WorkerParts, about: Part): Projection | null {
  const { items, projection } = parts.history;
  const last = items.findLast((committed) => isSent(parts, about, committed));
  if (last === undefined) return null;
  const isFirst = (projection.reasoning_before ?? 0) === 0;
  const before = about === "images" || isFirst ? last.seq + 1 : leaveOutAll;
  const { quarantined = [], ...others } = projection;
  // What is left out with all others needs no word of its own any more.
  const kept = quarantined.filter(({ part, target }: QuarantinedPart) => part !== about || target >= before);
  return {
    ...others,
    [about === "images" ? "images_before" : "reasoning_before"]: before,
    ...(kept.length === 0 ? {} : { quarantined: kept }),
  };
}

/** What a person knows the item by. */
function nameOf(item: Item): string {
  switch (item.type) {
    case "tool_result":
      return cutUtf8(`result of ${item.name}: ${item.summary.split("\n", 1)[0] ?? ""}`, nameBytesMax);
    case "system_item":
      return cutUtf8(`${item.kind}: ${item.body.split("\n", 1)[0] ?? ""}`, nameBytesMax);
    case "tool_call":
      return cutUtf8(`call of ${item.name}`, nameBytesMax);
    case "assistant_message":
    case "reasoning":
      return "an answer of the model";
    case "user_message":
      return "an input";
  }
}

/** A failure without its last clause, which tells somebody to do what is being done. */
function refusalOf(message: string): string {
  return `${message.replace(/; [^;]*$/, "")}.`;
}
