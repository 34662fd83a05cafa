/** The result object: literals that scripts depend on, for every way a run ends. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, podName, segmentId, sessionId, type Spent, YoiError } from "@yoi/base";
import type { PodSnapshot, RunReport } from "@yoi/pod";
import type { RunOutcome } from "@yoi/worker";
import { exitCodeOfRun } from "../../src/exit-code.ts";
import { failureOf } from "../../src/failure.ts";
import { nothingSpent } from "../../src/output/cost.ts";
import { errorObject } from "../../src/output/error-object.ts";
import { failureObject } from "../../src/output/failure-object.ts";
import { explainFollowed, explainOutcome, resultObject } from "../../src/output/result.ts";

const session = sessionId("01a20058-1c5e-71ce-bd3e-56da102f80ca");
const segment = segmentId("01a20058-1c5e-71cf-b6c7-865b937da299");
const usage = {
  input_tokens: 900,
  output_tokens: 12,
  cache_read_tokens: 640,
  cache_write_tokens: 3,
  reasoning_tokens: 1,
};
const cost = { nano_usd: 4_200_001, unpriced_requests: 0 };
const snapshot: PodSnapshot = {
  name: podName("review"),
  session,
  segment,
  state: "idle",
  turns: 9,
  usage,
  cost,
  documents: [],
  tools: [],
  waiting: 0,
  queued: 0,
  approvals: 0,
  lastSeq: 40,
};
const denial = {
  call: callId(7, 1),
  tool: "Bash",
  target: "git push",
  reason: "Permission needed: the rule ask Bash(git *) of /w/.yoi/config.toml wants a person to allow this.",
  kind: "asked",
} as const;

const goOn = "`yoi run --pod review` goes on with it.";
const until = Date.UTC(2026, 0, 2, 3, 4, 5);

interface Ending {
  readonly outcome: RunOutcome;
  readonly permissionNeeded?: boolean;
  readonly subtype: string;
  readonly code: string | null;
  readonly result: string | null;
  readonly error: string | null;
  readonly more?: object;
}

const endings: readonly Ending[] = [
  {
    outcome: { kind: "finished", text: "Done." },
    subtype: "success",
    code: null,
    result: "Done.",
    error: null,
  },
  {
    outcome: { kind: "finished", text: "I may not." },
    permissionNeeded: true,
    subtype: "permission_needed",
    code: "permission_needed",
    result: "I may not.",
    error:
      'The run ended without a permission that it needed. Bash: git push: Permission needed: the rule ask Bash(git *) of /w/.yoi/config.toml wants a person to allow this. Change that rule where it stands (for a mode, add an allow rule to [permissions] of your config.toml) and give the Pod a new prompt: `yoi run --pod review "..."`.',
  },
  {
    outcome: { kind: "limit_reached", limit: "turns", max: 2 },
    subtype: "limit_turns",
    code: "limit_turns",
    result: null,
    error: `The run stopped at its limit of 2 turns: ${goOn}`,
  },
  {
    outcome: { kind: "limit_reached", limit: "budget", key: "max_tokens", max: 500, used: 550 },
    subtype: "limit_budget",
    code: "limit_budget",
    result: null,
    error:
      "The run stopped, because the budget of the Pod and its children is used up (550 of 500 tokens): raise it with --max-tokens or max_tokens below [budget] of your config.toml. Everything up to here is in the log: with more, `yoi run --pod review` goes on with it.",
  },
  {
    outcome: { kind: "limit_reached", limit: "time", maxMs: 90_000 },
    subtype: "limit_time",
    code: "limit_time",
    result: null,
    error: `The run stopped at its time limit of 90 s; everything up to here is in the log: ${goOn}`,
  },
  {
    outcome: { kind: "paused", reason: "provider_limit", detail: "Slow down.", until },
    subtype: "paused",
    code: "provider_limit",
    result: null,
    error: `The run is paused (Slow down.) until 2026-01-02T03:04:05.000Z: ${goOn}`,
    more: { resume_after_ms: until },
  },
  {
    outcome: { kind: "paused", reason: "provider_limit", detail: "Slow down.", until: 9e15 },
    subtype: "paused",
    code: "provider_limit",
    result: null,
    error: `The run is paused (Slow down.) until 9000000000000000 ms (out of range): ${goOn}`,
    more: { resume_after_ms: 9e15 },
  },
  {
    outcome: { kind: "paused", reason: "hook", detail: "wait" },
    subtype: "paused",
    code: "hook",
    result: null,
    error: `The run is paused (wait): ${goOn}`,
  },
  {
    outcome: { kind: "yielded", reason: "the context is full" },
    subtype: "paused",
    code: "paused",
    result: null,
    error: `The run is paused (the context is full): ${goOn}`,
  },
  {
    outcome: { kind: "paused", reason: "user", detail: "stopped by a signal" },
    subtype: "interrupted",
    code: "interrupted",
    result: null,
    error: `The run was stopped; everything up to here is in the log: ${goOn}`,
  },
  {
    outcome: { kind: "cancelled" },
    subtype: "interrupted",
    code: "interrupted",
    result: null,
    error: `The run was stopped; everything up to here is in the log: ${goOn}`,
  },
  {
    outcome: { kind: "aborted", reason: "a gate said so" },
    subtype: "aborted",
    code: "aborted",
    result: null,
    error: "The run was aborted: a gate said so",
  },
  {
    outcome: { kind: "failed", failure: { kind: "auth", message: "It refused the key.", retryable: false } },
    subtype: "model_failed",
    code: "auth",
    result: null,
    error: `It refused the key. ${goOn}`,
  },
  ...(["invalid_request", "context_overflow"] as const).map((kind) => ({
    outcome: {
      kind: "failed" as const,
      failure: { kind, message: "It refused.", status: 400, retryable: false },
    },
    subtype: "model_failed",
    code: kind,
    result: null,
    error:
      'It refused. Asked the same again it refuses again: `yoi run --pod review -m PROVIDER/MODEL` goes on with another model, and `yoi run "..."` begins a new Pod.',
  })),
];

const tree: Spent = {
  requests: 40,
  usage: { ...usage, input_tokens: 90_000 },
  cost_nano_usd: 2_500_000_000,
  unpriced_requests: 1,
  turns: 30,
  run_ms: 60_000,
};

for (const { outcome, permissionNeeded = false, subtype, code, result, error, more } of endings) {
  test(`${subtype} (${code ?? "no code"})`, () => {
    const report: RunReport = {
      outcome,
      followed: [],
      accepted: true,
      turns: 3,
      usage,
      cost,
      denials: [denial],
      permissionNeeded,
    };
    const expected = {
      type: "result",
      schema_version: 1,
      subtype,
      is_error: code !== null,
      result,
      error,
      error_code: code,
      pod: "review",
      session_id: session,
      segment_id: segment,
      num_turns: 3,
      followed_runs: 0,
      duration_ms: 1235,
      usage: {
        input_tokens: 900,
        output_tokens: 12,
        cache_read_tokens: 640,
        cache_write_tokens: 3,
        reasoning_tokens: 1,
      },
      total_cost_usd: 0.004200001,
      cost: { known_usd: 0.004200001, unpriced_requests: 0 },
      tree: {
        requests: 40,
        turns: 30,
        usage: { ...usage, input_tokens: 90_000 },
        total_cost_usd: null,
        cost: { known_usd: 2.5, unpriced_requests: 1 },
      },
      permission_denials: [
        { call: "7.1", tool: "Bash", target: "git push", reason: denial.reason, kind: "asked" },
      ],
      ...more,
    };
    assert.deepEqual(resultObject({ report, snapshot, durationMs: 1234.6, tree }), expected);
    assert.equal(explainOutcome(report, "review"), error);
  });
}

test("what stopped before it was on record is not to be gone on with", () => {
  const stopped = {
    followed: [],
    turns: 0,
    usage,
    cost,
    denials: [],
    permissionNeeded: false,
    accepted: false,
  };
  for (const [outcome, subtype] of [
    [{ kind: "paused", reason: "user", detail: "stopped by a signal" }, "interrupted"],
    [{ kind: "limit_reached", limit: "time", maxMs: 5 }, "limit_time"],
    [{ kind: "limit_reached", limit: "budget", key: "max_tokens", max: 5, used: 7 }, "limit_budget"],
  ] as const) {
    const report: RunReport = { ...stopped, outcome };
    assert.match(
      explainOutcome(report, "x") ?? "",
      /before it began: nothing was sent.*nothing of it is kept; give the same command again/,
    );
    assert.equal(resultObject({ report, snapshot, durationMs: 1, tree: null })["subtype"], subtype);
  }
});

test("what followed the run is a line each, and changes nothing of its result", () => {
  const outcome = { kind: "finished", text: "42." } as const;
  const failure = { kind: "auth", message: "It refused the key.", retryable: false } as const;
  const report: RunReport = {
    outcome,
    followed: [
      { kind: "finished", text: "Noted." },
      { kind: "failed", failure },
      { kind: "limit_reached", limit: "time", maxMs: 90_000 },
      { kind: "paused", reason: "user", detail: "stopped by a signal" },
    ],
    accepted: true,
    turns: 2,
    usage,
    cost,
    denials: [],
    permissionNeeded: false,
  };
  const did = "A notification came meanwhile, and";
  const not = `${did} the run that took it in did not finish.`;
  assert.deepEqual(explainFollowed(report, "review"), [
    `${did} the model answered it: \`yoi pod log review\` shows what it said.`,
    `${not} It refused the key. ${goOn}`,
    `${not} The run stopped at its time limit of 90 s; everything up to here is in the log: ${goOn}`,
    `${not} The run was stopped; everything up to here is in the log: ${goOn}`,
  ]);
  assert.equal(explainOutcome(report, "review"), null);
  assert.equal(exitCodeOfRun(report, "SIGINT"), 0);
  const { subtype, result, error, followed_runs } = resultObject({
    report,
    snapshot,
    durationMs: 1,
    tree: null,
  });
  assert.deepEqual([subtype, result, error, followed_runs], ["success", "42.", null, 4]);
});

test("one turn is one turn", () => {
  const report: RunReport = {
    outcome: { kind: "limit_reached", limit: "turns", max: 1 },
    followed: [],
    accepted: true,
    turns: 1,
    usage,
    cost,
    denials: [],
    permissionNeeded: false,
  };
  assert.match(explainOutcome(report, "x") ?? "", /its limit of 1 turn:/);
});

const noUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
};
const failed = {
  type: "result",
  schema_version: 1,
  subtype: "error",
  is_error: true,
  result: null,
  error: "No room.",
  error_code: "disk_full",
  pod: null,
  session_id: null,
  segment_id: null,
  num_turns: 0,
  followed_runs: 0,
  duration_ms: 0,
  usage: noUsage,
  total_cost_usd: 0,
  cost: { known_usd: 0, unpriced_requests: 0 },
  tree: null,
  permission_denials: [],
};

test("a failure has every field of a result, and as much of the Pod as is known", () => {
  const failure = failureOf(new YoiError("disk_full", "No room."));
  assert.deepEqual(failure, { code: "disk_full", message: "No room.", exitCode: 1 });
  assert.deepEqual(errorObject(failure), failed);
  assert.deepEqual(
    errorObject(failure, { pod: "review", snapshot: null, spent: nothingSpent, turns: 0, durationMs: 0 }),
    {
      ...failed,
      pod: "review",
    },
  );
  const spent = { usage, cost: { nano_usd: 5, unpriced_requests: 1 } };
  const known = { pod: "review", snapshot, spent, turns: 3, durationMs: 41.6 };
  assert.deepEqual(errorObject(failure, known), {
    ...failed,
    pod: "review",
    session_id: session,
    segment_id: segment,
    num_turns: 3,
    duration_ms: 42,
    usage,
    total_cost_usd: null,
    cost: { known_usd: 5e-9, unpriced_requests: 1 },
  });
});

test("a bug says that it is one, and exits 1", () => {
  const failure = failureOf(new TypeError("x is not a function"));
  assert.deepEqual([failure.code, failure.exitCode], ["internal", 1]);
  assert.match(
    failure.message,
    /^yoi has a bug \(nothing that was acknowledged is lost\): TypeError: x is not/,
  );
});

test("a failure is JSON only for whoever asked for it, in the shape of the command", () => {
  const plain = { error: "No room.", error_code: "disk_full" };
  for (const [argv, expected] of [
    [["run", "x"], null],
    [["run", "x", "--output-format", "text"], null],
    [["run", "x", "--output-format"], null],
    [["run", "--output-format", "json", "x"], failed],
    [["run", "x", "--output-format=json"], failed],
    [["run", "x", "--output-format", "stream-json"], failed],
    [["run", "x", "--output-format=stream-json"], failed],
    [["run", "x", "--output-format", "json", "--output-format", "text"], null],
    [["run", "--", "--output-format", "json"], null],
    [["pod", "show", "x"], null],
    [["pod", "show", "x", "--json"], plain],
    [["pod", "show", "--", "--json"], null],
  ] as const) {
    assert.deepEqual(failureObject(argv, "disk_full", "No room."), expected, argv.join(" "));
  }
});
