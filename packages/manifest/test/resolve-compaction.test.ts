/** `[compaction]`: what may be said of it, by whom, and what contradicts itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compactionTokensKeys, workerTurnsMax } from "../src/compaction-keys.ts";
import { checkConfig, compactionDefault, configKeys, parseConfig } from "../src/index.ts";
import { resolve } from "./resolve-texts.ts";

const problemsOf = (text: string, trust: "user" | "project" = "user") =>
  checkConfig(text, { path: "/c", trust }).problems.map(({ message }) => message);

test("every key of [compaction] is read", () => {
  const lines = [
    "enabled = false",
    ...compactionTokensKeys.map((key, index) => `${key} = ${index + 1}`),
    "worker_max_turns = 7",
    'model = "corp/y"',
  ];
  const { settings } = parseConfig(`[compaction]\n${lines.join("\n")}`, { path: "/c", trust: "user" });
  assert.deepEqual(settings, {
    "compaction.enabled": false,
    ...Object.fromEntries(compactionTokensKeys.map((key, index) => [`compaction.${key}`, index + 1])),
    "compaction.worker_max_turns": 7,
    "compaction.model": "corp/y",
  });
  const known = configKeys.keys.filter((key) => key.startsWith("compaction."));
  assert.deepEqual(Object.keys(settings).sort(), known.sort());
});

test("each key counts from whichever file says it, and older names mean the same", () => {
  const { manifest, sources } = resolve({
    user: '[compaction]\nthreshold = 100\ncompact_request_threshold = 200\nmodel = "p/m"',
    project:
      "[compaction]\ncompact_threshold = 150\ncompact_worker_max_input_tokens = 9\nfinal_reserve_tokens = 3",
    local: "[compaction]\nenabled = false\ncompact_worker_max_turns = 4\ncompact_retained_tokens = 5",
  });
  assert.deepEqual(manifest.compaction, {
    ...compactionDefault,
    enabled: false,
    threshold: 150,
    request_threshold: 200,
    retained_tokens: 5,
    worker_context_max_tokens: 9,
    final_reserve_tokens: 3,
    worker_max_turns: 4,
    model: "p/m",
  });
  const originOf = (key: string) => sources.find((source) => source.key === `compaction.${key}`)?.origin;
  assert.deepEqual(
    [originOf("threshold"), originOf("request_threshold"), originOf("limit")],
    ["/w/.yoi/config.toml:2", "/c/config.toml:3", "built-in"],
  );
});

test("what is no key any more, stands twice or is no such value gets one sentence", () => {
  const cases: readonly (readonly [line: string, sentence: string])[] = [
    [
      "prune_protected_turns = 3",
      "compaction.prune_protected_turns is no key any more: what is protected is counted in tokens now, so write prune_protected_tokens",
    ],
    [
      "auto_read_budget_tokens = 3",
      "compaction.auto_read_budget_tokens is no key any more: a compaction puts no file into history by itself, and the model reads what it needs; remove the line",
    ],
    [
      "compact_auto_read_budget = 3",
      "compaction.compact_auto_read_budget is no key any more: a compaction puts no file into history by itself, and the model reads what it needs; remove the line",
    ],
    ["threshold = 0", "compaction.threshold must be a whole number of tokens, at least 1, but is 0"],
    [
      `worker_max_turns = ${workerTurnsMax + 1}`,
      `compaction.worker_max_turns must be a whole number from 1 to ${workerTurnsMax}, but is ${workerTurnsMax + 1}`,
    ],
    [
      "compact_threshold = 0.5",
      "compaction.compact_threshold must be a whole number of tokens, at least 1, but is 0.5",
    ],
    ["treshold = 1", "compaction.treshold is not a key: did you mean compaction.threshold"],
  ];
  for (const [line, sentence] of cases)
    assert.deepEqual(problemsOf(`[compaction]\n${line}`), [`/c:2: ${sentence}.`]);
  assert.deepEqual(problemsOf(`[compaction]\nworker_max_turns = ${workerTurnsMax}\nthreshold = 1`), []);
  assert.deepEqual(problemsOf("[compaction]\ncompact_threshold = 1\nthreshold = 1"), [
    "/c:2: compaction.compact_threshold is an older name of compaction.threshold, which stands beside it: remove one of them.",
  ]);
  assert.equal(problemsOf('[compaction]\nmodel = "p/x"', "project").length, 1);
  assert.deepEqual(problemsOf('[compaction]\nmodel = "p/x"', "user"), []);
});

test("two values that contradict each other are refused, with both places; one alone never is", () => {
  const both = (lines: string) => () => resolve({ user: `[compaction]\n${lines}` });
  assert.throws(both("threshold = 11\nrequest_threshold = 10"), {
    code: "config_invalid",
    message:
      "/c/config.toml:2: compaction.threshold = 11 is more than compaction.request_threshold = 10 (/c/config.toml:3): make the first smaller or the second greater.",
  });
  for (const [less, more] of [
    ["threshold", "limit"],
    ["request_threshold", "limit"],
    ["prune_threshold", "limit"],
    ["retained_tokens", "result_context_max_tokens"],
    ["overview_target_tokens", "overview_warning_tokens"],
    ["overview_warning_tokens", "overview_deadline_tokens"],
    ["summary_target_tokens", "summary_max_tokens"],
    ["final_reserve_tokens", "finish_warning_remaining_tokens"],
    ["finish_warning_remaining_tokens", "worker_context_max_tokens"],
  ]) {
    assert.throws(both(`${less} = 90001\n${more} = 90000`), { code: "config_invalid" }, less);
    both(`${less} = 90000\n${more} = 90000`)();
    both(`${less} = 90001`)();
    both(`${more} = 1`)();
  }
});
