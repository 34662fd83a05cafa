/** FeatureStates: rebuilds what features know of a session from the results of their own tools, and takes it down when a segment starts. */
import {
  type CommittedItem,
  isDepthWithin,
  isJsonObject,
  type JsonObject,
  jsonDepthMax,
  type JsonValue,
  YoiError,
} from "@yoi/base";
import type { FeatureId, FeatureState, StateDeclaration, StateSnapshot, ToolRecord } from "@yoi/feature";
import { copiedJson } from "../services/copied-json.ts";
import { thrownText } from "../../hook/said.ts";
import { toolRecords } from "./tool-records.ts";

/** UTF-8 bytes of one feature's snapshot as JSON. */
export const stateBytesMax = 256 * 1024;
/** Arrays and objects inside each other, in a snapshot: it lies three deep in the entry that begins a segment. */
export const stateDepthMax = jsonDepthMax - 3;

export interface StateProblem {
  readonly feature: FeatureId;
  /** It quotes what the feature threw: bounded and without secrets only where it is shown. */
  readonly message: string;
}

interface Member {
  readonly feature: FeatureId;
  readonly declaration: StateDeclaration;
  readonly tools: ReadonlySet<string>;
  readonly state: FeatureState;
}

export class FeatureStates {
  readonly #members: Member[] = [];
  /** What the segment began with of features that are not here now: they may be again. */
  #absent: readonly (readonly [domain: string, stored: JsonValue])[] = [];

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
   * cannot take it has the state of no records, and is among what is returned.
   */
  restore(items: readonly CommittedItem[], folded: JsonObject): readonly StateProblem[] {
    const here = new Set(this.#members.map(({ declaration }) => declaration.domain));
    this.#absent = Object.entries(folded).flatMap(([domain, stored]) =>
      here.has(domain) || stored === undefined ? [] : [[domain, stored]],
    );
    return this.#members.flatMap((member) => restored(member, toolRecords(items, member.tools), folded));
  }

  /** What the next segment begins with. A feature whose state cannot be had is not in it, and is among the problems. */
  snapshot(): { readonly states: JsonObject; readonly problems: readonly StateProblem[] } {
    const problems: StateProblem[] = [];
    const taken = this.#members.flatMap(({ feature, declaration, state }) => {
      try {
        const value = snapshotOf(feature, state);
        return [[declaration.domain, { version: declaration.version, value }] as const];
      } catch (thrown) {
        problems.push({ feature, message: `Its state could not be kept: ${thrownText(thrown)}` });
        return [];
      }
    });
    return { states: Object.fromEntries([...this.#absent, ...taken]), problems };
  }
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
    const message = `Its state could not be restored, so it begins without one: ${thrownText(thrown)}`;
    try {
      apply(state, [], null);
      return [{ feature, message }];
    } catch (again) {
      return [{ feature, message: `${message} That failed too: ${thrownText(again)}` }];
    }
  }
}

function apply(state: FeatureState, records: readonly ToolRecord[], snapshot: StateSnapshot | null): void {
  atOnce("restore", state.restore(records, snapshot));
}

/** What is to be done, or given, by the time that a method returns. */
function atOnce<T>(method: string, given: T): T {
  if (!(given instanceof Promise)) return given;
  // Whatever comes of it comes too late, a rejection too.
  given.catch(() => {});
  throw new Error(`\`${method}\` gave a promise, and what it does has to be done when it returns.`);
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
