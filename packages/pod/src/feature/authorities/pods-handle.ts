/** The Pods of a feature: what it asks and what it is told are copies, checked and bounded, whatever the host's port would do. */
import { deepFreeze, isUuidV7, podName, type ScopeRule, utf8Length, YoiError } from "@yoi/base";
import {
  childInstructionBytesMax,
  childMessageBytesMax,
  type ChildReached,
  type FeatureId,
  lentRulesMax,
  type ManagedPod,
  type ManagementCall,
  type OutputCursor,
  peerMessageBytesMax,
  type PodManagement,
  type PodOutput,
  podOutputBytesMax,
  podsListedMax,
  type SpawnRequest,
} from "@yoi/feature";
import { pathBytesMax } from "@yoi/scope";
import type { AskHost } from "./ask-host.ts";

export interface PodsHandleOptions {
  readonly askHost: AskHost;
  /** Takes known secrets out. */
  readonly redact: (text: string) => string;
}

/** UTF-16 units of the id of a call. */
export const callCharsMax = 64;
/** UTF-8 bytes of the selector of a profile. */
export const selectorBytesMax = 128;

export function podsHandle(
  feature: FeatureId,
  pods: PodManagement,
  { askHost, redact }: PodsHandleOptions,
): PodManagement {
  const check = new Check(feature);
  return Object.freeze<PodManagement>({
    spawn: (request, call) =>
      askHost(async () => reached(await pods.spawn(check.request(request), check.call(call)))),
    send: (name, message, call) =>
      askHost(async () => {
        const text = check.text("a message", message, childMessageBytesMax);
        await pods.send(check.name(name), text, check.call(call));
      }),
    read: (name, after, call) =>
      askHost(async () =>
        output(await pods.read(check.name(name), check.cursor(after), check.call(call)), redact),
      ),
    stop: (name, call) =>
      askHost(async () => {
        const { writable, killed } = await pods.stop(check.name(name), check.call(call));
        return deepFreeze({ writable: writable.map(ruleOf), killed: [...killed] });
      }),
    list: (call) =>
      askHost(async () => {
        const listed = await pods.list(check.call(call));
        if (listed.length > podsListedMax) {
          throw new YoiError(
            "limit_exceeded",
            `There are ${listed.length} Pods to list; the most that are listed are ${podsListedMax}.`,
          );
        }
        return deepFreeze(listed.map((pod) => managed(pod, redact)));
      }),
    restore: (name, call) =>
      askHost(async () => {
        const restored = await pods.restore(check.name(name), check.call(call));
        return Object.freeze({ ...reached(restored), action: restored.action });
      }),
    sendToPeer: (name, message, call) =>
      askHost(async () => {
        const text = check.text("a message to a peer", message, peerMessageBytesMax);
        await pods.sendToPeer(check.name(name), text, check.call(call));
      }),
  });
}

/**
 * What comes in, each part read once. Throws feature_invalid for what is of another shape, limit_exceeded, and pod_name_invalid. Whether a target can be lent,
 * and what a selector means, is for the port to say.
 */
class Check {
  readonly #feature: FeatureId;

  constructor(feature: FeatureId) {
    this.#feature = feature;
  }

  name(name: unknown): string {
    return podName(typeof name === "string" ? name : this.#refuse("a Pod", "a name"));
  }

  text(what: string, text: unknown, bytesMax: number): string {
    if (typeof text !== "string" || !text.isWellFormed()) return this.#refuse(what, "text");
    const bytes = utf8Length(text);
    if (bytes <= bytesMax) return text;
    throw new YoiError(
      "limit_exceeded",
      `${this.#feature} gave ${what} of ${bytes} bytes; the most that it can have is ${bytesMax}.`,
    );
  }

  /** The signal is one of the host's own: nothing of the feature runs when it aborts, or when somebody listens. */
  call(call: ManagementCall): ManagementCall {
    const { call: id, signal } = Object(call) as Partial<ManagementCall>;
    if (typeof id !== "string" || id === "" || id.length > callCharsMax)
      return this.#refuse("a call", "the id of a tool call");
    if (!(signal instanceof AbortSignal)) return this.#refuse("the signal of a call", "an AbortSignal");
    return { call: id, signal: AbortSignal.any([signal]) };
  }

  cursor(cursor: OutputCursor | null): OutputCursor | null {
    if (cursor === null) return null;
    const { segment, seq, bytes } = Object(cursor) as Partial<OutputCursor>;
    if (typeof segment !== "string" || !isUuidV7(segment))
      return this.#refuse("a cursor", "a place in a log");
    if (!isCount(seq) || !(bytes === undefined || isCount(bytes)))
      return this.#refuse("a cursor", "a place in a log");
    return cursorOf({ segment, seq, ...(bytes === undefined ? {} : { bytes }) });
  }

  request(request: SpawnRequest): SpawnRequest {
    const { name, profile, instruction, task, scope } = Object(request) as Partial<SpawnRequest>;
    return {
      name: this.name(name),
      profile: profile === null ? null : this.text("a profile", profile, selectorBytesMax),
      instruction:
        instruction === null ? null : this.text("an instruction", instruction, childInstructionBytesMax),
      task: this.text("a task", task, childMessageBytesMax),
      scope: this.#rules(scope),
    };
  }

  #rules(rules: unknown): readonly ScopeRule[] {
    if (!Array.isArray(rules) || rules.length === 0) return this.#refuse("a loan", "a list of rules");
    if (rules.length > lentRulesMax) {
      throw new YoiError(
        "limit_exceeded",
        `${this.#feature} would lend by ${rules.length} rules; the most that a loan has are ${lentRulesMax}.`,
      );
    }
    return Array.from(rules, (rule) => this.#rule(rule));
  }

  #rule(rule: unknown): ScopeRule {
    const { target, permission, recursive } = Object(rule) as Partial<ScopeRule>;
    const path = this.text("a target", target, pathBytesMax);
    if ((permission !== "read" && permission !== "write") || typeof recursive !== "boolean")
      return this.#refuse("a rule", "a target with read or write, recursive or not");
    return { target: path, permission, recursive };
  }

  #refuse(what: string, wanted: string): never {
    throw new YoiError("feature_invalid", `${this.#feature} gave ${what} that is not ${wanted}.`);
  }
}

function reached({ name, socket }: ChildReached): ChildReached {
  return Object.freeze({ name, socket });
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function cursorOf({ segment, seq, bytes }: OutputCursor): OutputCursor {
  return { segment, seq, ...(bytes === undefined ? {} : { bytes }) };
}

function ruleOf({ target, permission, recursive }: ScopeRule): ScopeRule {
  return { target, permission, recursive };
}

function output(output: PodOutput, redact: PodsHandleOptions["redact"]): PodOutput {
  const { texts, more, cursor, state, approvals, damage } = output;
  const bytes = texts.reduce((sum, text) => sum + utf8Length(text), 0);
  if (bytes > podOutputBytesMax) {
    throw new YoiError(
      "limit_exceeded",
      `What was read has ${bytes} bytes; the most that one read gives is ${podOutputBytesMax}.`,
    );
  }
  return deepFreeze({
    texts: texts.map(redact),
    more,
    cursor: cursor === null ? null : cursorOf(cursor),
    state,
    approvals,
    damage,
  });
}

function managed(pod: ManagedPod, redact: PodsHandleOptions["redact"]): ManagedPod {
  const { name, relation, metadata, state, session, segment, socket, scope, loan } = pod;
  const { restorable, reason, approvals, children } = pod;
  return {
    name,
    relation,
    metadata,
    state,
    session,
    segment,
    socket,
    scope: scope.map(ruleOf),
    loan,
    restorable,
    reason: reason === null ? null : redact(reason),
    approvals,
    children,
  };
}
