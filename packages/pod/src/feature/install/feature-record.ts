/** FeatureRecord: what becomes of one module while features are installed, and the report of it from then on. */
import { deepFreeze } from "@yoi/base";
import type {
  AuthorityGrants,
  AuthorityRequest,
  FeatureId,
  FeatureInstallReport,
  FeatureRuntimeKind,
  HookDeclaration,
  ServiceId,
  SkippedContribution,
} from "@yoi/feature";
import type { BackgroundTasks } from "../background/background-tasks.ts";
import type { StateProblem } from "../states/feature-states.ts";
import { boundedText, type BoundedTextOptions } from "../../hook/said.ts";
import { FeatureDiagnostics } from "../sinks/feature-diagnostics.ts";

/** Entries of a report's `skipped`: more than a descriptor can declare. */
export const skippedMax = 512;

/** Who it is, as far as that could be read. */
export interface ShownFeature {
  readonly feature: FeatureId;
  readonly runtime: FeatureRuntimeKind;
  readonly display_name: string;
  readonly version: string;
  readonly digest: string | null;
}

/** What is in force of a feature. */
export interface InForce {
  readonly tools: readonly string[];
  readonly hooks: readonly HookDeclaration[];
  readonly provides_services: readonly { readonly id: ServiceId; readonly version: string }[];
  readonly uses_services: readonly { readonly id: ServiceId; readonly version: string }[];
}

export interface FeatureDecisions {
  readonly grants: AuthorityGrants;
  readonly denials: readonly (AuthorityRequest & { readonly denial: string })[];
}

const nothing: InForce = { tools: [], hooks: [], provides_services: [], uses_services: [] };

export class FeatureRecord {
  readonly shown: ShownFeature;
  readonly diagnostics: FeatureDiagnostics;
  readonly #text: BoundedTextOptions;
  readonly #skipped: SkippedContribution[] = [];
  #decisions: FeatureDecisions | null = null;
  #inForce: InForce = nothing;
  #isDegraded = false;
  #isSwitchedOff = false;
  #out: { readonly status: "skipped" | "failed"; readonly why: string } | null = null;

  constructor(shown: ShownFeature, text: BoundedTextOptions) {
    this.shown = shown;
    this.diagnostics = new FeatureDiagnostics(text);
    this.#text = text;
  }

  /** Why it is not installed; null: it is, or may still be. */
  get out(): string | null {
    return this.#out?.why ?? null;
  }

  decided(decisions: FeatureDecisions): void {
    this.#decisions = decisions;
  }

  /** Not in force, and why. */
  skip({ kind, name, reason }: SkippedContribution): void {
    if (this.#skipped.length >= skippedMax) return;
    const entry = { kind, name: boundedText(name, this.#text), reason: boundedText(reason, this.#text) };
    this.#skipped.push(Object.freeze(entry));
  }

  /** It goes on without something. */
  degrade(entry: SkippedContribution): void {
    this.#isDegraded = true;
    this.skip(entry);
    this.diagnostics.host.warning(entry.reason);
  }

  /** Not installed: `skipped` for what is missing around it, `failed` for what is wrong with it. The first reason stands. */
  leaveOut(status: "skipped" | "failed", why: string): void {
    this.diagnostics.host.error(why);
    this.#out ??= { status, why: boundedText(why, this.#text) };
  }

  /** Somebody did not want it: no fault, and nobody is alarmed. */
  switchOff(origin: string): void {
    const why = `It is switched off by ${origin}.`;
    this.#isSwitchedOff = true;
    this.diagnostics.host.warning(why);
    this.#out ??= { status: "skipped", why: boundedText(why, this.#text) };
  }

  get isSwitchedOff(): boolean {
    return this.#isSwitchedOff;
  }

  installed(inForce: InForce): void {
    this.#inForce = inForce;
  }

  /**
   * Frozen, all the way down.
   * @param problem why its state is not in force, as of now.
   */
  report(tasks: Pick<BackgroundTasks, "statesOf">, problem: StateProblem | null): FeatureInstallReport {
    const state =
      problem === null
        ? []
        : [
            {
              kind: "state" as const,
              name: problem.domain,
              reason: boundedText(problem.message, this.#text),
            },
          ];
    return deepFreeze({
      ...this.shown,
      status: this.#out?.status ?? (this.#isDegraded || problem !== null ? "degraded" : "installed"),
      granted: this.#decisions?.grants.granted ?? [],
      denied: this.#decisions?.denials ?? [],
      tools: this.#inForce.tools,
      hooks: this.#inForce.hooks,
      background_tasks: this.#out === null ? tasks.statesOf(this.shown.feature) : [],
      provides_services: this.#inForce.provides_services,
      uses_services: this.#inForce.uses_services,
      skipped: [...this.#skipped, ...state],
      diagnostics: this.diagnostics.all,
    });
  }
}
