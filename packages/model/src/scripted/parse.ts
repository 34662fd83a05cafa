/** Reads a scenario file. Every mistake is config_invalid with file and line; docs/scripted.md describes the format. */
import {
  canonicalJson,
  type FinishReason,
  isJsonObject,
  type JsonObject,
  type Price,
  type Usage,
} from "@yoi/base";
import type { FailureKind, ModelFailure } from "../model.ts";
import { usageTokensMax } from "../usage-limit.ts";
import { retryAfterMsMax } from "../wire/reset-time.ts";
import type {
  Attempt,
  ExpectedResult,
  Expectation,
  Reaction,
  Scenario,
  ScriptedBlock,
  ScriptedRetry,
  Step,
} from "./scenario.ts";
import { YamlPlace } from "./yaml-place.ts";

const defaultContextWindow = 200_000;
const defaultOutputTokensMax = 32_000;
const defaultChunk = 16;

const failureKinds = [
  "auth",
  "rate_limit",
  "overloaded",
  "server",
  "context_overflow",
  "invalid_request",
  "not_found",
  "timeout",
  "network",
  "stream_broken",
] as const satisfies readonly FailureKind[];
const retryableKinds: ReadonlySet<FailureKind> = new Set([
  "rate_limit",
  "overloaded",
  "server",
  "timeout",
  "network",
  "stream_broken",
]);
const finishReasons = [
  "stop",
  "tool_calls",
  "length",
  "content_filter",
  "other",
] as const satisfies readonly FinishReason[];
const attemptKeys = [
  "expect",
  "delay_ms",
  "pace_ms",
  "chunk",
  "retries",
  "reasoning",
  "text",
  "tool_calls",
  "blocks",
  "interleave",
  "cut_after",
  "failure",
  "finish",
  "usage",
] as const;
type AttemptFields = { readonly [key in (typeof attemptKeys)[number]]?: YamlPlace };

interface Pace {
  readonly chunk: number;
  readonly paceMs: number;
}

export function parseScenario(file: string, text: string): Scenario {
  const root = YamlPlace.parse(file, text);
  const fields = root.fields([
    "context_window",
    "output_tokens_max",
    "images",
    "mid_system",
    "price",
    "chunk",
    "pace_ms",
    "steps",
    "reactions",
    "otherwise",
    "compactor",
  ]);
  if (fields.steps === undefined) throw root.fail("the key steps is missing: a list of answers");
  const pace = { chunk: fields.chunk?.integer(1) ?? defaultChunk, paceMs: fields.pace_ms?.integer(0) ?? 0 };
  const stepsOf = (list: YamlPlace) => list.list().map((place, index) => parseStep(place, index, pace));
  if (fields.otherwise !== undefined && fields.reactions === undefined)
    throw fields.otherwise.fail(
      "is for a scenario with reactions: leave it out, or write the list reactions",
    );
  const reactionOf = (place: YamlPlace): Reaction => {
    const { to, once, steps } = place.fields(["to", "once", "steps"]);
    if (to === undefined || steps === undefined)
      throw place.fail("needs to, what the input contains, and steps, what is answered to it");
    const texts = parseTexts(to);
    if (texts.length === 0 || texts.includes("")) throw to.fail("must name what an input contains");
    return { to: texts, once: once?.boolean() ?? false, steps: stepsOf(steps) };
  };
  return {
    file,
    contextWindow: fields.context_window?.integer(1) ?? defaultContextWindow,
    outputTokensMax: fields.output_tokens_max?.integer(1) ?? defaultOutputTokensMax,
    capabilities: {
      images: fields.images?.boolean() ?? true,
      midSystem: fields.mid_system?.boolean() ?? false,
    },
    price: fields.price === undefined ? null : parsePrice(fields.price),
    steps: stepsOf(fields.steps),
    reactions: fields.reactions === undefined ? [] : fields.reactions.list().map(reactionOf),
    otherwise: fields.otherwise === undefined ? undefined : parseStep(fields.otherwise, 0, pace),
    compactor: fields.compactor === undefined ? null : stepsOf(fields.compactor),
  };
}

function parsePrice(place: YamlPlace): Price {
  const fields = place.fields(["input", "output", "cache_read", "cache_write"]);
  if (fields.input === undefined || fields.output === undefined)
    throw place.fail("needs input and output: US dollars per million tokens");
  const input = fields.input.number(0);
  return {
    input,
    output: fields.output.number(0),
    cache_read: fields.cache_read?.number(0) ?? input,
    cache_write: fields.cache_write?.number(0) ?? input,
  };
}

function parseStep(place: YamlPlace, index: number, pace: Pace): Step {
  const { name, attempts, ...rest } = place.fields(["name", "attempts", ...attemptKeys]);
  const title = `${index + 1}${name === undefined ? "" : ` (${name.text()})`}`;
  if (attempts === undefined) return { name: title, attempts: [parseAttempt(place, rest, pace)] };
  if (Object.keys(rest).length > 0) throw place.fail("has attempts: everything but name belongs into them");
  const [first, ...later] = attempts.list().map((p) => parseAttempt(p, p.fields(attemptKeys), pace));
  if (first === undefined) throw attempts.fail("must not be empty");
  return { name: title, attempts: [first, ...later] };
}

function parseAttempt(place: YamlPlace, fields: AttemptFields, pace: Pace): Attempt {
  const blocks = parseBlocks(place, fields);
  const failure = fields.failure === undefined ? undefined : parseFailure(fields.failure);
  const cutAfter = fields.cut_after?.integer(0);
  if (blocks.length === 0) {
    if (failure === undefined)
      throw place.fail("has no answer: give text, reasoning, tool_calls, blocks or failure");
    if (cutAfter !== undefined) throw place.fail("has cut_after but nothing to cut");
  }
  const calls = blocks.some((block) => block.block === "tool_call");
  return {
    line: place.line,
    expect: fields.expect === undefined ? noExpectation : parseExpectation(fields.expect),
    delayMs: fields.delay_ms?.integer(0) ?? 0,
    paceMs: fields.pace_ms?.integer(0) ?? pace.paceMs,
    chunk: fields.chunk?.integer(1) ?? pace.chunk,
    retries: fields.retries?.list().map(parseRetry) ?? [],
    blocks,
    interleave: fields.interleave?.boolean() ?? false,
    finish: fields.finish?.oneOf(finishReasons) ?? (calls ? "tool_calls" : "stop"),
    ...(cutAfter === undefined ? {} : { cutAfter }),
    ...(failure === undefined ? {} : { failure }),
    ...(fields.usage === undefined ? {} : { usage: parseUsage(fields.usage) }),
  };
}

function parseBlocks(place: YamlPlace, fields: AttemptFields): readonly ScriptedBlock[] {
  const { reasoning, text, tool_calls: calls, blocks } = fields;
  if (blocks === undefined) {
    const before = [
      reasoning && parseTextBlock("reasoning", reasoning),
      text && parseTextBlock("text", text),
    ];
    const said = before.filter((block) => block !== undefined);
    const made = calls?.list().map((call, index) => parseCall(call, said.length + index)) ?? [];
    return [...said, ...made];
  }
  if (reasoning !== undefined || text !== undefined || calls !== undefined) {
    throw place.fail("has blocks: reasoning, text and tool_calls belong into that list");
  }
  return blocks.list().map((block, index) => {
    const one = block.fields(["reasoning", "text", "tool_call"]);
    if (Object.keys(one).length !== 1) throw block.fail("must be one of reasoning, text or tool_call");
    if (one.reasoning !== undefined) return parseTextBlock("reasoning", one.reasoning);
    if (one.text !== undefined) return parseTextBlock("text", one.text);
    return parseCall(one.tool_call ?? block, index);
  });
}

/** A text, or {text, metadata}. */
function parseTextBlock(block: "text" | "reasoning", place: YamlPlace): ScriptedBlock {
  if (place.isText) return { block, text: place.text() };
  const fields = place.fields(["text", "metadata"]);
  return {
    block,
    text: fields.text?.text() ?? "",
    ...(fields.metadata === undefined ? {} : { metadata: parseObject(fields.metadata) }),
  };
}

function parseCall(place: YamlPlace, index: number): ScriptedBlock {
  const fields = place.fields(["name", "arguments", "id", "metadata"]);
  if (fields.name === undefined) throw place.fail("needs a name: the tool to call");
  const args = fields.arguments;
  return {
    block: "tool_call",
    name: fields.name.text(),
    text: args === undefined ? "{}" : args.isText ? args.text() : canonicalJson(args.json()),
    providerCallId: fields.id?.text() ?? `call_${index}`,
    ...(fields.metadata === undefined ? {} : { metadata: parseObject(fields.metadata) }),
  };
}

function parseObject(place: YamlPlace): JsonObject {
  const value = place.json();
  if (!isJsonObject(value)) throw place.fail("must be a mapping");
  return value;
}

function parseFailure(place: YamlPlace): ModelFailure {
  const fields = place.fields(["kind", "message", "status", "retryable", "retry_after_ms"]);
  if (fields.kind === undefined) throw place.fail(`needs a kind, one of: ${failureKinds.join(", ")}`);
  const kind = fields.kind.oneOf(failureKinds);
  return {
    kind,
    message: fields.message?.text() ?? `The scripted provider failed with ${kind}.`,
    retryable: fields.retryable?.boolean() ?? retryableKinds.has(kind),
    ...(fields.status === undefined ? {} : { status: fields.status.integer(100) }),
    ...(fields.retry_after_ms === undefined
      ? {}
      : { retryAfterMs: fields.retry_after_ms.integer(0, retryAfterMsMax) }),
  };
}

function parseRetry(place: YamlPlace): ScriptedRetry {
  const fields = place.fields(["wait_ms", "failure", "usage"]);
  if (fields.failure === undefined) throw place.fail("needs a failure");
  return {
    waitMs: fields.wait_ms?.integer(0) ?? 0,
    failure: parseFailure(fields.failure),
    usage: fields.usage === undefined ? null : parseUsage(fields.usage),
  };
}

function parseUsage(place: YamlPlace): Usage {
  const fields = place.fields(["input", "output", "cache_read", "cache_write", "reasoning"]);
  return {
    input_tokens: fields.input?.integer(0, usageTokensMax) ?? 0,
    output_tokens: fields.output?.integer(0, usageTokensMax) ?? 0,
    cache_read_tokens: fields.cache_read?.integer(0, usageTokensMax) ?? 0,
    cache_write_tokens: fields.cache_write?.integer(0, usageTokensMax) ?? 0,
    reasoning_tokens: fields.reasoning?.integer(0, usageTokensMax) ?? 0,
  };
}

const noExpectation: Expectation = { lastInput: [], system: [], tools: [] };

function parseExpectation(place: YamlPlace): Expectation {
  const fields = place.fields(["items", "last_input", "system", "tools", "results"]);
  return {
    lastInput: parseTexts(fields.last_input),
    system: parseTexts(fields.system),
    tools: parseTexts(fields.tools),
    ...(fields.items === undefined ? {} : { items: fields.items.integer(0) }),
    ...(fields.results === undefined ? {} : { results: fields.results.list().map(parseExpectedResult) }),
  };
}

function parseExpectedResult(place: YamlPlace): ExpectedResult {
  const fields = place.fields(["name", "error", "contains"]);
  return {
    contains: parseTexts(fields.contains),
    ...(fields.name === undefined ? {} : { name: fields.name.text() }),
    ...(fields.error === undefined ? {} : { error: fields.error.boolean() }),
  };
}

/** A text, or a list of texts. */
function parseTexts(place: YamlPlace | undefined): readonly string[] {
  if (place === undefined) return [];
  return place.isList ? place.list().map((one) => one.text()) : [place.text()];
}
