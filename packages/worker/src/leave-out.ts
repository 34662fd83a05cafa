/** Leaving out: a provider that refuses what is in the history refuses every later request too, so the session goes on without that. */
import type { CommittedItem, Projection, ProjectionChanged } from "@yoi/base";
import { type ModelFailure, ownMetadata } from "@yoi/model";
import type { WorkerParts } from "./worker-parts.ts";

type Part = NonNullable<ModelFailure["about"]>;

/** Of reasoning that was refused a second time none is sent any more: some servers take it in no request. */
export const leaveOutAll = Number.MAX_SAFE_INTEGER;

/**
 * Puts on record that a request is made without what it was refused for, and says so. False: the refusal names nothing, or nothing of it is
 * left, so asking again would be asking the same. It ends: each time there is less to leave out.
 */
export async function leaveOut(parts: WorkerParts, failure: ModelFailure): Promise<boolean> {
  const { about } = failure;
  const projection = about === undefined ? null : projectionWithout(parts, about);
  if (about === undefined || projection === null) return false;
  const entry: ProjectionChanged = {
    kind: "projection",
    projection,
    reason: about === "reasoning" ? "reasoning_refused" : "images_refused",
    message: failure.message,
  };
  await parts.history.append([entry]);
  const what = about === "reasoning" ? "the model's earlier reasoning" : "the images so far";
  parts.observe({
    type: "warning",
    text: `The provider refused the request because of ${what}; it is made again without, and so is every later one of this session. Its words are in the log.`,
  });
  return true;
}

/** Null: there is nothing more to leave out. */
function projectionWithout({ history, model }: WorkerParts, about: Part): Projection | null {
  const { items, projection } = history;
  const before = (about === "reasoning" ? projection.reasoning_before : projection.images_before) ?? 0;
  const isSent = ({ seq, item }: CommittedItem): boolean => {
    if (seq < before) return false;
    if (about === "reasoning") return ownMetadata(item, model) !== null;
    return "images" in item && (item.images?.length ?? 0) > 0;
  };
  const last = items.findLast(isSent);
  if (last === undefined) return null;
  if (about === "images") return { ...projection, images_before: last.seq + 1 };
  return { ...projection, reasoning_before: before === 0 ? last.seq + 1 : leaveOutAll };
}
