/** Panels: what features show of their states beside the conversation, asked when it can have changed, bounded, and told when it has. */
import {
  canonicalJson,
  type Entry,
  escapeControls,
  messageOf,
  type Panel,
  panelMarks,
  panelRowsMax,
  panelTextCharsMax,
  YoiError,
} from "@yoi/base";
import type { FeatureId, FeatureState } from "@yoi/feature";
import { firstChars } from "../../hook/said.ts";
import { atOnce } from "../at-once.ts";
import type { FeatureStates } from "./feature-states.ts";

export interface PanelsOptions {
  readonly states: Pick<FeatureStates, "inForce">;
  /** Takes known secrets out of what is shown. */
  readonly redact: (text: string) => string;
  /** Told of each panel that is another one now; without rows: there is nothing to show any more. Must not throw. */
  readonly shown: (panel: Panel) => void;
  /** Told of a feature whose panel cannot be shown: it quotes what that threw. */
  readonly problem: (feature: FeatureId, message: string) => void;
}

/** Of so much text no more is looked at for one row. */
const readCharsMax = 16 * panelTextCharsMax;

export class Panels {
  readonly #options: PanelsOptions;
  /** Those with something to show, in the order of the features. */
  #panels = new Map<FeatureId, Panel>();

  constructor(options: PanelsOptions) {
    this.#options = options;
  }

  get list(): readonly Panel[] {
    return [...this.#panels.values()];
  }

  /** Results are on record: the features whose tools they are of may show something else. */
  committed(entries: readonly Entry[]): void {
    const tools = entries.flatMap((entry) => (entry.kind === "tool_result" ? [entry.item.name] : []));
    if (tools.length === 0) return;
    this.#ask((own) => tools.some((tool) => own.has(tool)));
  }

  /** All states are other ones. */
  restored(): void {
    this.#ask(() => true);
  }

  #ask(isMeant: (tools: ReadonlySet<string>) => boolean): void {
    const before = this.#panels;
    const { shown, problem } = this.#options;
    this.#panels = new Map();
    const changed: Panel[] = [];
    const members = this.#options.states.inForce();
    for (const { feature, tools, state } of members) {
      const old = before.get(feature) ?? null;
      const now = isMeant(tools) ? this.#panelOf(feature, state, problem) : old;
      if (now !== null) this.#panels.set(feature, now);
      if (canonicalJson(now) !== canonicalJson(old)) changed.push(now ?? { feature, title: "", rows: [] });
    }
    // A state that could not be restored shows nothing.
    for (const feature of before.keys())
      if (members.every((member) => member.feature !== feature))
        changed.push({ feature, title: "", rows: [] });
    for (const panel of changed) shown(panel);
  }

  #panelOf(feature: FeatureId, state: FeatureState, problem: PanelsOptions["problem"]): Panel | null {
    try {
      const given: unknown = atOnce("panel", state.panel?.() ?? null);
      return given === null ? null : this.#read(feature, given);
    } catch (thrown) {
      problem(feature, `Its state could not be shown: ${messageOf(thrown)}`);
      return null;
    }
  }

  /** Null: it has no rows. */
  #read(feature: FeatureId, given: unknown): Panel | null {
    const { title, rows } = fieldsOf(given, feature);
    if (!Array.isArray(rows)) throw invalid(feature, "rows that are no list");
    if (rows.length === 0) return null;
    return {
      feature,
      title: this.#line(title, feature),
      rows: rows.slice(0, panelRowsMax).map((row: unknown) => {
        const { mark, text } = fieldsOf(row, feature);
        const known = panelMarks.find((one) => one === mark);
        if (known === undefined) throw invalid(feature, "a row with an unknown mark");
        return { mark: known, text: this.#line(text, feature) };
      }),
    };
  }

  #line(text: unknown, feature: FeatureId): string {
    if (typeof text !== "string") throw invalid(feature, "a text that is none");
    const clean = escapeControls(this.#options.redact(text.slice(0, readCharsMax))).toWellFormed();
    return firstChars(clean, panelTextCharsMax);
  }
}

function fieldsOf(value: unknown, feature: FeatureId): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) throw invalid(feature, "something that is no panel");
  // Read field by field, each of which may be anything.
  return value as Readonly<Record<string, unknown>>;
}

function invalid(feature: FeatureId, what: string): YoiError {
  return new YoiError("feature_invalid", `panel() of ${feature} gave ${what}.`);
}
