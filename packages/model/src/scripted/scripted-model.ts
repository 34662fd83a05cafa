/** The scripted model: a real model kind that plays a scenario file. Same scenario and request, same events. */
import { canonicalJson, noUsage, type Price, type Timers, utf8Length, type WireRecord } from "@yoi/base";
import { sha256 } from "../digest.ts";
import { cancelled } from "../failure.ts";
import { prunedItem } from "../lowering/left-out.ts";
import type { FailedUsage, Model, ModelEvent, ModelRequest, StreamOptions } from "../model.ts";
import { unmet } from "./expect.ts";
import { parseScenario } from "./parse.ts";
import { play, tokensOf } from "./play.ts";
import { positionOf } from "./position.ts";
import { dueStep } from "./reactions.ts";
import type { Attempt, Scenario, Step } from "./scenario.ts";

const scriptedVersion = "1";
const scriptedLowering = 1;

export interface ScriptedOptions {
  /** The file's name, as it stands behind `scripted/`; also in messages. */
  readonly name: string;
  /** The scenario: YAML. */
  readonly text: string;
  readonly ports: { readonly timers: Timers };
  /** Keeps every request: of a long session that is a lot of memory. */
  readonly keepRequests?: boolean;
}

export interface ScriptedModel extends Model {
  /** Every request that was sent, frozen, in order. Throws unless opened with `keepRequests`. */
  readonly requests: readonly ModelRequest[];
}

/** Reads the scenario. Throws config_invalid with file and line. */
export function openScripted(options: ScriptedOptions): ScriptedModel {
  const scenario = parseScenario(options.name, options.text);
  return new ScenarioModel(scenario, options.ports.timers, options.keepRequests === true ? [] : null);
}

class ScenarioModel implements ScriptedModel {
  readonly provider = "scripted";
  readonly id: string;
  readonly limits: Model["limits"];
  readonly capabilities: Model["capabilities"];
  readonly price = (): Price | null => this.#scenario.price;
  readonly adapter = { name: "scripted", version: scriptedVersion };
  readonly lowering = scriptedLowering;
  readonly #kept: ModelRequest[] | null;
  readonly #scenario: Scenario;
  readonly #timers: Timers;

  constructor(scenario: Scenario, timers: Timers, kept: ModelRequest[] | null) {
    this.#kept = kept;
    this.id = scenario.file;
    this.limits = { contextWindow: scenario.contextWindow, outputTokensMax: scenario.outputTokensMax };
    this.capabilities = scenario.capabilities;
    this.#scenario = scenario;
    this.#timers = timers;
  }

  get requests(): readonly ModelRequest[] {
    if (this.#kept === null) throw new Error("the scripted model was opened without keepRequests");
    return this.#kept;
  }

  async lower(request: ModelRequest): Promise<WireRecord> {
    const { head, projection } = request;
    const items = request.items.map((item) => prunedItem(item, projection));
    const body = canonicalJson({ head, items, projection });
    return { sha256: sha256(body), bytes: utf8Length(body), method: "SCRIPTED", path: this.id, headers: {} };
  }

  async *stream(request: ModelRequest, { signal, beforeSend }: StreamOptions): AsyncGenerator<ModelEvent> {
    const wire = await this.lower(request);
    if (signal.aborted) {
      yield cancelledWith(null);
      return;
    }
    const found = this.#find(request);
    await beforeSend(wire);
    this.#kept?.push(Object.freeze({ ...request, items: Object.freeze([...request.items]) }));
    if (found.attempt === null) {
      yield refuse(found.missing);
      return;
    }
    const { attempt, step } = found;
    const wrong = unmet(attempt.expect, request);
    if (wrong !== null) {
      yield refuse(`${step} (line ${attempt.line}): ${wrong}.`);
      return;
    }
    // Between two sendings nothing is under way.
    let isWaiting = false;
    try {
      for (const [index, retry] of attempt.retries.entries()) {
        yield {
          type: "retry",
          attempt: index + 1,
          attemptsMax: attempt.retries.length + 1,
          waitMs: retry.waitMs,
          failure: retry.failure,
          usage: retry.usage,
        };
        isWaiting = true;
        await this.#timers.sleep(retry.waitMs, signal);
        isWaiting = false;
        await beforeSend(wire);
      }
      if (attempt.delayMs > 0) await this.#timers.sleep(attempt.delayMs, signal);
      const stage = { timers: this.#timers, signal, inputTokens: inputTokens(request, wire.bytes) };
      for await (const event of play(attempt, stage)) {
        if (signal.aborted) break;
        yield event;
        if (event.type === "finish" || event.type === "failure") return;
      }
    } catch (thrown) {
      if (!signal.aborted || thrown !== signal.reason) throw thrown;
    }
    yield cancelledWith(isWaiting ? null : noUsage);
  }

  #find(request: ModelRequest): Found {
    const { steps: own, compactor } = this.#scenario;
    const isCompactor = request.head.tools.some(({ name }) => name === summaryTool);
    const steps = isCompactor ? compactor : own;
    const of = isCompactor ? "the list compactor of the scenario" : "the scenario";
    if (steps === null)
      return {
        attempt: null,
        missing: `The scenario ${this.id} has no list compactor, so no summary comes of it.`,
      };
    if (!isCompactor && this.#scenario.reactions.length > 0) return this.#react(request);
    const position = positionOf(request.items);
    const step: Step | undefined = steps[position.step];
    const attempt = step?.attempts[position.attempt] ?? step?.attempts.at(-1);
    if (step === undefined || attempt === undefined) {
      const asked = position.step + 1;
      const said = `${of} ${this.id} has ${steps.length} steps and was asked for step ${asked}: add one.`;
      return { attempt: null, missing: `${said.charAt(0).toUpperCase()}${said.slice(1)}` };
    }
    return { attempt, step: `Step ${step.name} of ${of} ${this.id}` };
  }

  #react(request: ModelRequest): Found {
    const { step, attempt } = dueStep(request.items, this.#scenario);
    const found = step?.attempts[attempt] ?? step?.attempts.at(-1);
    if (step === undefined || found === undefined)
      return {
        attempt: null,
        missing: `Neither steps nor reactions of the scenario ${this.id} answer this, and it has no otherwise: add one.`,
      };
    return { attempt: found, step: `Step ${step.name} of the scenario ${this.id}` };
  }
}

/** About what providers count for a picture, whatever its bytes. */
const pictureTokens = 1_600;

function inputTokens({ items, projection }: ModelRequest, bytes: number): number {
  const pictures = items.flatMap((one) => {
    const { item } = prunedItem(one, projection);
    return "images" in item && item.images !== undefined ? item.images : [];
  });
  const data = pictures.reduce((sum, picture) => sum + picture.data.length, 0);
  return tokensOf(bytes - data) + pictures.length * pictureTokens;
}

/** Whoever is offered this tool sums a session up. */
const summaryTool = "write_summary";

type Found =
  | { readonly attempt: Attempt; readonly step: string }
  /** A sentence for whoever wrote the scenario. */
  | { readonly attempt: null; readonly missing: string };

function cancelledWith(usage: FailedUsage): ModelEvent {
  return { type: "failure", failure: cancelled, usage };
}

function refuse(message: string): ModelEvent {
  return { type: "failure", failure: { kind: "invalid_request", message, retryable: false }, usage: null };
}
