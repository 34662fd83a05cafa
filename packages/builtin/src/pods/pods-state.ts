/** The state of the Pod tools: the cursors, rebuilt from what reads really gave, and what children were asked. A Pod that is stopped keeps its own: restored, it goes on in the same log. */
import { isJsonObject, YoiError } from "@yoi/base";
import {
  describedBytesMax,
  type FeatureState,
  type StateDeclaration,
  type StateSnapshot,
  type ToolRecord,
} from "@yoi/feature";
import { childJson, childOf, type KnownChild, type KnownChildren } from "./known-children.ts";
import { markJson, markOf, type OutputCursors, type ReadMark } from "./output-cursors.ts";

export const podsStateDeclaration: StateDeclaration = Object.freeze({ domain: "yoi.pods", version: 1 });

export function podsState(cursors: OutputCursors, children: KnownChildren): FeatureState {
  return {
    restore: (records, snapshot) => {
      const marks = marksOf(snapshot);
      cursors.replace([...marks, ...records.flatMap(markOfRecord)]);
      children.replace(childrenOf(snapshot), records);
    },
    snapshot: () => {
      const known = children.list();
      return {
        cursors: cursors.list().map(markJson),
        ...(known.length === 0 ? {} : { children: known.map(childJson) }),
      };
    },
    describe: () => children.describe(describedBytesMax),
  };
}

/** A snapshot of before had none: what its calls said is gone, and ListPods shows them all the same. */
function childrenOf(snapshot: StateSnapshot | null): readonly KnownChild[] {
  const { children } = isJsonObject(snapshot?.value) ? snapshot.value : {};
  return Array.isArray(children) ? children.map(childOf).filter((child) => child !== null) : [];
}

/** What a call left; nothing where it failed, or left none. */
function markOfRecord({ isError, record }: ToolRecord): readonly ReadMark[] {
  const mark = isError ? null : markOf(record);
  return mark === null ? [] : [mark];
}

/** Throws schema_newer, or log_damaged for what no version of this feature wrote. */
function marksOf(snapshot: StateSnapshot | null): readonly ReadMark[] {
  if (snapshot === null) return [];
  const { version, value } = snapshot;
  if (version > podsStateDeclaration.version) {
    throw new YoiError(
      "schema_newer",
      `What was read of other Pods was noted in format ${version}, and this yoi reads ${podsStateDeclaration.version}: use the newer yoi that wrote it.`,
    );
  }
  const { cursors } = isJsonObject(value) ? value : {};
  const read = Array.isArray(cursors) ? cursors.map(markOf) : [null];
  const whole = read.filter((mark) => mark !== null);
  if (version === podsStateDeclaration.version && whole.length === read.length) return whole;
  throw new YoiError("log_damaged", "The note of what was read of other Pods is not one that a yoi wrote.");
}
