/** FeatureStates: rebuilds what features know of a session from the results of their own tools, and takes it down when a segment starts. */
import {
  type CommittedItem,
  cutUtf8,
  isDepthWithin,
  isJsonObject,
  type JsonObject,
  jsonDepthMax,
  type JsonValue,
  messageOf,
  utf8Length,
  YoiError,
} from "@yoi/base";
import {
  describedBytesMax,
  type FeatureId,
  type FeatureState,
  type StateDeclaration,
  type StateSnapshot,
  type ToolRecord,
} from "@yoi/feature";
import { atOnce } from "../at-once.ts";
import { copiedJson } from "../copied-json.ts";
import { toolRecords } from "./tool-records.ts";

/** UTF-8 bytes of one feature's snapshot as JSON. */
export const stateBytesMax = 256 * 1024;
/** UTF-8 bytes as JSON of the snapshots of all, each with its version: they share the entry that begins a segment. */
export const statesBytesMax = 512 * 1024;
/** Arrays and objects inside each other, in a snapshot: it lies three deep in the entry that begins a segment. */
export const stateDepthMax = jsonDepthMax - 3;

export interface StateProblem {
  readonly feature: FeatureId;
  readonly domain: string;
  /** It quotes what the feature threw: bounded and without secrets only where it is shown. */
  readonly message: string;
}

/** What a feature tells the model of its state. */
export interface StateText {
  readonly feature: FeatureId;
  readonly text: string;
}

/** A feature that has a state. */
export interface Member {
  readonly feature: FeatureId;
  readonly declaration: StateDeclaration;
  readonly tools: ReadonlySet<string>;
  readonly state: FeatureState;
}

export class FeatureStates {
  readonly #members: Member[] = [];
  /** What the segment began with of features that are not here now, or could not take it: another owner's may. */
  #untaken: readonly (readonly [domain: string, stored: JsonValue])[] = [];
  /** Of the last restore. */
  #problems: readonly StateProblem[] = [];

  /** Throws feature_invalid when another feature has the domain. */
  add(
    feature: FeatureId,
    declaration: StateDeclaration,
    tools: readonly string[],
    state: FeatureState,
  ): void {
    const other = this.#members.find((member) => member.declaration.domain === declaration.domain);
    if (other !== undefined) {
      throw new YoiError(
        "feature_invalid",
        `The features ${other.feature} and ${feature} both keep a state "${declaration.domain}": one of them needs another name for it.`,
      );
    }
    this.#members.push({ feature, declaration, tools: new Set(tools), state });
  }

  /**
   * Gives every feature the state that follows from `items` on top of what the segment began with, and forgets the one it had. A feature that
   * cannot take it has the state of no records and a problem, which is among what is returned, until a later restore succeeds.
   */
  restore(items: readonly CommittedItem[], folded: JsonObject): readonly StateProblem[] {
    this.#problems = this.#members.flatMap((member) =>
      restored(member, toolRecords(items, member.tools), folded),
    );
    const taken = new Set(this.inForce().map(({ declaration }) => declaration.domain));
    this.#untaken = Object.entries(folded).flatMap(([domain, stored]) =>
      taken.has(domain) || stored === undefined ? [] : [[domain, stored]],
    );
    return this.#problems;
  }

  /** Why its state is not in force; null: it is. */
  problemOf(feature: FeatureId): StateProblem | null {
    return this.#problems.find((problem) => problem.feature === feature) ?? null;
  }

  /** Those whose state was restored. */
  inForce(): readonly Member[] {
    return this.#members.filter(({ feature }) => this.problemOf(feature) === null);
  }

  /**
   * What the next segment begins with: of a state that could not be restored what this one began with, as it was. A feature whose state cannot be
   * had, or has no room beside those before it, is not in it, and is among the problems.
   */
  snapshot(): { readonly states: JsonObject; readonly problems: readonly StateProblem[] } {
    const problems: StateProblem[] = [];
    // What nobody here can give again comes first.
    let left = this.#untaken.reduce((room, [, stored]) => room - bytesOf(stored), statesBytesMax);
    const taken = this.inForce().flatMap(({ feature, declaration, state }) => {
      try {
        const stored = { version: declaration.version, value: snapshotOf(feature, state) };
        const bytes = bytesOf(stored);
        if (bytes > left) throw new YoiError("limit_exceeded", noRoom(bytes));
        left -= bytes;
        return [[declaration.domain, stored] as const];
      } catch (thrown) {
        problems.push({
          feature,
          domain: declaration.domain,
          message: `Its state could not be kept: ${messageOf(thrown)}`,
        });
        return [];
      }
    });
    return { states: Object.fromEntries([...this.#untaken, ...taken]), problems };
  }

  /** What the model is told of each state in force, in the order of features. One that cannot be told is among the problems. */
  describeAll(): { readonly texts: readonly StateText[]; readonly problems: readonly StateProblem[] } {
    const problems: StateProblem[] = [];
    const texts = this.inForce().flatMap(({ feature, declaration, state }): readonly StateText[] => {
      try {
        const text = describedBy(feature, state);
        return text === null || text.trim() === "" ? [] : [{ feature, text }];
      } catch (thrown) {
        const message = `Its state could not be told to the model: ${messageOf(thrown)}`;
        problems.push({ feature, domain: declaration.domain, message });
        return [];
      }
    });
    return { texts, problems };
  }
}

function describedBy(feature: FeatureId, state: FeatureState): string | null {
  const given: unknown = atOnce("describe", state.describe?.() ?? null);
  if (given === null) return null;
  if (typeof given !== "string")
    throw new YoiError("feature_invalid", `describe() of ${feature} gave no text.`);
  return cutUtf8(given.slice(0, describedBytesMax).toWellFormed(), describedBytesMax);
}

function noRoom(bytes: number): string {
  return `it has ${bytes} bytes, and there is no room for them in the ${statesBytesMax} that the states of all features can have together.`;
}

function bytesOf(stored: JsonValue): number {
  return utf8Length(JSON.stringify(stored));
}

function restored(
  { feature, declaration, state }: Member,
  records: readonly ToolRecord[],
  folded: JsonObject,
): readonly StateProblem[] {
  try {
    apply(state, records, storedSnapshot(folded, declaration.domain));
    return [];
  } catch (thrown) {
    const { domain } = declaration;
    const message = `Its state could not be restored, so its tools are refused: ${messageOf(thrown)}`;
    try {
      apply(state, [], null);
      return [{ feature, domain, message }];
    } catch (again) {
      const both = `${message} To begin without one failed too: ${messageOf(again)}`;
      return [{ feature, domain, message: both }];
    }
  }
}

function apply(state: FeatureState, records: readonly ToolRecord[], snapshot: StateSnapshot | null): void {
  atOnce("restore", state.restore(records, snapshot));
}

function storedSnapshot(folded: JsonObject, domain: string): StateSnapshot | null {
  const stored = Object.hasOwn(folded, domain) ? folded[domain] : undefined;
  if (stored === undefined) return null;
  const { version, value } = isJsonObject(stored) ? stored : {};
  if (typeof version === "number" && value !== undefined) return Object.freeze({ version, value });
  throw new Error(`What the segment began with as "${domain}" is no snapshot.`);
}

function snapshotOf(feature: FeatureId, state: FeatureState): JsonValue {
  const what = `The snapshot of ${feature}`;
  const given = atOnce("snapshot", state.snapshot());
  const copy = copiedJson(given, { bytesMax: stateBytesMax, what, invalid: "feature_invalid" });
  if (isDepthWithin(copy, stateDepthMax)) return copy;
  throw new YoiError("limit_exceeded", `${what} is nested deeper than ${stateDepthMax} levels.`);
}
