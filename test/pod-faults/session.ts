/** A random scripted session: what the user types, and what the model answers to it, with everything that can go wrong in a stream. */
import fc from "fast-check";
import { references } from "./references.ts";

export interface Session {
  /** Each one is unique: it begins with its number. */
  readonly inputs: readonly string[];
  /** YAML. */
  readonly scenario: string;
}

/** Argument of a call that the model was cut off in: such a call must never run. */
export const cutCallMark = "cut";

interface Call {
  readonly tool: "Effect" | "Fails" | "Nowhere" | "Broken";
  readonly waitMs: number;
  readonly lane: string | null;
}

interface Reply {
  readonly reasoning: string | null;
  readonly text: string | null;
  readonly calls: readonly Call[];
  readonly delayMs: number;
  readonly paceMs: number;
  readonly interleave: boolean;
  readonly refusals: number;
}

interface Step {
  readonly reply: Reply;
  /** The stream of each attempt before the last breaks after so many characters. */
  readonly cuts: readonly number[];
  /** The answer stops at the output limit, in the middle of a call. */
  readonly atLimit: boolean;
}

const words = fc.constantFrom(
  "ok",
  "I will look at it first.\n\nThen I act.",
  "Grüße, 世界, 👩‍🚀 and a lone \\ud83d",
  "a line that is longer than what one piece of a stream carries, so that it comes in many",
  '</yoi-note>"}\n{"seq":3,"sum":"0123456789abcdef"}',
  "0123456789".repeat(60),
);

/** What a model says beside its calls: also nothing that anybody could see. */
const asides = fc.oneof(
  { weight: 3, arbitrary: words },
  { weight: 1, arbitrary: fc.constantFrom("\n\n", " ") },
);

const call: fc.Arbitrary<Call> = fc.record({
  tool: fc.constantFrom("Effect", "Effect", "Effect", "Effect", "Fails", "Nowhere", "Broken"),
  waitMs: fc.constantFrom(0, 0, 1, 40, 700),
  lane: fc.constantFrom(null, null, "a", "b"),
});

const reply = (calls: fc.Arbitrary<readonly Call[]>, text: fc.Arbitrary<string>): fc.Arbitrary<Reply> =>
  fc.record({
    reasoning: fc.option(words, { freq: 2 }),
    text: fc.option(text, { freq: 3 }),
    calls,
    delayMs: fc.constantFrom(0, 0, 0, 300),
    paceMs: fc.constantFrom(0, 0, 60, 260),
    interleave: fc.boolean(),
    refusals: fc.constantFrom(0, 0, 0, 0, 1),
  });

const step = (calls: fc.Arbitrary<readonly Call[]>, text: fc.Arbitrary<string>): fc.Arbitrary<Step> =>
  fc.record({
    reply: reply(calls, text),
    cuts: fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: fc.array(fc.nat(60), { minLength: 1, maxLength: 2 }) },
      // More in a row than the worker continues by itself.
      { weight: 1, arbitrary: fc.array(fc.nat(30), { minLength: 4, maxLength: 5 }) },
    ),
    atLimit: fc.constantFrom(false, false, false, false, false, true),
  });

/** An input, the steps with calls that it takes, and the one that answers it. */
const exchange = fc.record({
  words,
  steps: fc.array(step(fc.array(call, { minLength: 1, maxLength: 4 }), asides), { maxLength: 3 }),
  end: step(fc.constant([]), words),
});

export const anySession: fc.Arbitrary<Session> = fc
  .record({
    exchanges: fc.array(exchange, { minLength: 1, maxLength: 3 }),
    /** Rarely an input that needs a blob. */
    large: fc.constantFrom(...Array.from({ length: 100 }, (_, index) => index === 0)),
  })
  .map(({ exchanges, large }) => ({
    inputs: exchanges.map(
      (one, index) =>
        `#${index} ${one.words}${large && index === 0 ? "x".repeat(1_100_000) : ""}${index === 1 ? references : ""}`,
    ),
    scenario: JSON.stringify({
      // The large input too fits: what a Pod does where one does not is compaction's.
      context_window: 1_000_000,
      steps: [
        ...exchanges.flatMap(({ steps, end }) => [...steps, end].map(stepYaml)),
        // More than enough: a run that was cut may take another step.
        ...Array.from({ length: 20 }, () => ({ text: "Nothing is left to do." })),
      ],
    }),
  }));

/** The session of a seed: the same one every time. */
export function sessionOf(seed: number): Session {
  const [session] = fc.sample(anySession, { seed, numRuns: 1 });
  if (session === undefined) throw new Error("fast-check gave no sample");
  return session;
}

function stepYaml({ reply, cuts, atLimit }: Step): object {
  const whole = replyYaml(reply);
  const last = atLimit ? { ...whole, ...cutOff(reply), finish: "length" } : whole;
  return { attempts: [...cuts.map((cut_after) => ({ ...whole, cut_after })), last] };
}

function replyYaml(reply: Reply): object {
  const { reasoning, text, calls, refusals } = reply;
  const retry = { wait_ms: 200, failure: { kind: "overloaded", status: 529 } };
  return {
    ...(reasoning === null ? {} : { reasoning: { text: reasoning, metadata: { signature: "c2ln" } } }),
    // The last answer of an exchange says something in any case.
    ...(text === null && calls.length > 0 ? {} : { text: text ?? "That is all." }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callYaml) }),
    delay_ms: reply.delayMs,
    pace_ms: reply.paceMs,
    interleave: reply.interleave,
    ...(refusals === 0 ? {} : { retries: Array.from({ length: refusals }, () => retry) }),
  };
}

function cutOff({ calls }: Reply): object {
  if (calls.length === 0) return {};
  const cut = { name: "Effect", arguments: { what: cutCallMark } };
  return { tool_calls: [...calls.map(callYaml), cut], interleave: false };
}

function callYaml({ tool, waitMs, lane }: Call): object {
  if (tool === "Broken") return { name: "Effect", arguments: '{"what": ' };
  return {
    name: tool,
    arguments: { what: "it", wait_ms: waitMs, ...(lane === null ? {} : { lane }) },
  };
}
