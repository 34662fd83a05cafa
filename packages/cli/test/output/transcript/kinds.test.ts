/** What each kind of entry and event becomes as lines, and what a command of the user shows. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EntryBody, type JsonObject, noSpent } from "@yoi/base";
import type { Live } from "@yoi/protocol";
import { openLineCharsMax, shownCharsMax } from "../../../src/output/transcript/command-output.ts";
import { viewOf } from "../../client/view.ts";
import { call, digest, message, present, stored } from "./rig.ts";

/** What came of a command of the user. */
const ended = (record: JsonObject, body = "The user ran it.\nIt ended: exit 1.") =>
  ({
    kind: "inbox_accepted",
    item: { type: "system_item", kind: "user_command", source: "user", body, record },
    quiet: true,
  }) as const;

const entries: readonly (readonly [EntryBody, string])[] = [
  [
    {
      kind: "carried",
      of: "item",
      id: "3",
      item: { type: "user_message", parts: [{ type: "text", text: "asked before" }] },
    },
    "> asked before\n",
  ],
  [{ kind: "carried", of: "tool_started", call }, ""],
  [
    {
      kind: "projection",
      projection: { prune_before: 4 },
      reason: "pruned",
      message: "Old results.",
      saved_tokens: 5_000,
    },
    "- pruned, about 5000 tokens less: Old results.\n",
  ],
  [
    { kind: "quarantined", target: 4, part: "images", message: "Too large." },
    "- without the images of entry 4: Too large.\n",
  ],
  [
    { kind: "user_input", parts: [{ type: "text", text: "one\n\nthree\u001b[2J" }] },
    "> one\n>\n> three\\u001b[2J\n",
  ],
  [message("a\n- not ours\n"), "  a\n  - not ours\n"],
  [message("  \n"), ""],
  [message("cut", "incomplete"), "  cut\n- the answer broke off here\n"],
  [
    {
      kind: "assistant_item",
      request: 4,
      index: 0,
      item: { type: "reasoning", text: "hm\nhm", status: "completed" },
    },
    "~ hm\n~ hm\n",
  ],
  [
    {
      kind: "assistant_item",
      request: 4,
      index: 1,
      item: { type: "tool_call", call, name: "Bash", arguments: `{"command":"${"x".repeat(200)}"}` },
    },
    `* Bash {"command":"${"x".repeat(148)}…\n`,
  ],
  [
    {
      kind: "tool_result",
      item: { type: "tool_result", call, name: "Bash", summary: "2 lines\r", is_error: false },
    },
    "✓ Bash: 2 lines\\u000d\n",
  ],
  [
    {
      kind: "tool_result",
      item: { type: "tool_result", call, name: "Bash", summary: "No.\n\nNever.\n", is_error: true },
    },
    "✗ Bash: No. · Never.\n",
  ],
  [
    {
      kind: "system_item",
      item: { type: "system_item", kind: "notification", source: "lint", reason: "on save", body: "2 new" },
    },
    "# notification from lint (on save): 2 new\n",
  ],
  [
    {
      kind: "system_item",
      item: { type: "system_item", kind: "notification", source: "a", body: "one\n> two\u001b" },
    },
    "# notification from a: one\n# > two\\u001b\n",
  ],
  [
    {
      kind: "system_item",
      item: {
        type: "system_item",
        kind: "skill",
        source: "host",
        reason: "the model asked for the skill a\u001b",
        body: "How it is done.\n\nLike that.",
        record: { skill: "a\u001b[2J", sha256: "0a" },
      },
    },
    "# skill a\\u001b[2J loaded (3 lines)\n",
  ],
  [ended({}), "# The user ran it.\n# It ended: exit 1.\n"],
  [{ ...ended({}), kind: "system_item", delivers: 5 }, ""],
  [
    {
      kind: "inbox_accepted",
      item: { type: "system_item", kind: "notification", source: "a", body: "later" },
    },
    "",
  ],
  [{ kind: "user_command", command: "ls\n-l", submission: "s" }, "- ! ls\n- -l\n"],
  [
    { kind: "input_queued", parts: [{ type: "text", text: "more" }], when: "boundary", submission: "s" },
    "- waits for the next step: more\n",
  ],
  [{ kind: "input_unqueued", queued: 5 }, "- an input that waited was taken back\n"],
  [{ kind: "opened", epoch: 3, version: "1.2" }, "- started (epoch 3, yoi 1.2)\n"],
  [{ kind: "invoke", trigger: "user_send" }, ""],
  [{ kind: "invoke", trigger: "resume" }, "- goes on\n"],
  [{ kind: "invoke", trigger: "notify" }, "- takes in what arrived\n"],
  [{ kind: "run_completed", result: "finished" }, "- finished\n"],
  [{ kind: "run_completed", result: "limit_reached", detail: "5 turns" }, "- stopped at a limit: 5 turns\n"],
  [{ kind: "run_paused", reason: "user" }, "- paused (user)\n"],
  [
    { kind: "run_paused", reason: "provider_limit", detail: "Later.", until: 3_600_000 },
    "- paused until 1970-01-01 01:00 (provider limit): Later.\n",
  ],
  [{ kind: "run_errored", code: "auth", message: "No key." }, "- failed (auth): No key.\n"],
  [{ kind: "turn_rolled_back", from_seq: 5 }, "- the input was taken back\n"],
  [
    { kind: "approval_asked", call, digest, reason: "rule 3", expires: 0 },
    "? 0123456789ab waits for your answer: rule 3\n?   call 4.1 (see the log)\n",
  ],
  [{ kind: "approval_answered", call, digest, answer: "allow" }, "? 0123456789ab allowed once\n"],
  [{ kind: "approval_answered", call, digest, answer: "deny", reason: "no" }, "? 0123456789ab denied: no\n"],
  [{ kind: "config_changed", config: { model: "m/n" } }, "- model m/n\n"],
  [
    {
      kind: "compacted",
      trigger: "user",
      outcome: "failed",
      message: "No.",
      compactor: null,
      spent: noSpent,
      tokens_before: 9,
      tokens_after: null,
      items_before: 2,
      items_after: null,
      items_kept: null,
    },
    "- not compacted (failed): No.\n",
  ],
  [{ kind: "tool_started", call }, ""],
  [{ kind: "turn_end", turn_count: 1 }, ""],
];

const lives: readonly (readonly [Live, string])[] = [
  [{ type: "alert", level: "warn", source: "lint", message: "careful\n", at: 0 }, "! lint: careful\n"],
  [
    { type: "run_failed", run: "4", code: "log_poisoned", message: "No." },
    "! the run failed (log_poisoned): No.\n",
  ],
  [
    { type: "continuation", request: 4, attempt: 1, attempts_max: 3, reason: "cut" },
    "! The answer broke off (cut); going on (1 of 3).\n",
  ],
  [{ type: "shutdown" }, "- the Pod is closing\n"],
  [{ type: "state", state: "idle" }, ""],
  [{ type: "tool_progress", call, text: "50 %" }, ""],
];

test("every entry and event becomes lines that no text can forge", () => {
  for (const [body, expected] of entries) {
    const { transcript, text } = present();
    transcript.entry(stored(body));
    assert.equal(text(), expected, body.kind);
  }
  for (const [live, expected] of lives) {
    const { transcript, text } = present();
    transcript.live(live);
    assert.equal(text(), expected, live.type);
  }
  const { transcript, text } = present();
  transcript.entry({ seq: 1, batch: 1, ts: 0, kind: "later", opaque: true, fields: {} });
  transcript.omitted(8, "tool_result");
  assert.equal(text(), "! entry 8 (tool_result) is too large to be shown here: it is in the log\n");
});

/** Of each kind whether lines show it, and why not. */
const shown: Readonly<Record<EntryBody["kind"], "shown" | { readonly silent: string }>> = {
  opened: "shown",
  invoke: "shown",
  user_input: "shown",
  assistant_item: "shown",
  tool_result: "shown",
  system_item: "shown",
  approval_asked: "shown",
  approval_answered: "shown",
  run_completed: "shown",
  run_paused: "shown",
  run_errored: "shown",
  turn_rolled_back: "shown",
  quarantined: "shown",
  carried: "shown",
  projection: "shown",
  input_queued: "shown",
  input_unqueued: "shown",
  user_command: "shown",
  inbox_accepted: "shown",
  config_changed: "shown",
  compacted: "shown",
  segment_start: { silent: "what it carries on was shown" },
  segment_ready: { silent: "the same" },
  compaction_begun: { silent: "its live event says it" },
  assistant_partial: { silent: "its text was shown as it arrived" },
  tool_started: { silent: "its call was shown" },
  tools_changed: { silent: "nobody did anything" },
  llm_request: { silent: "its answer is shown" },
  llm_usage: { silent: "`yoi usage` says it" },
  turn_end: { silent: "the run goes on, or its end is shown" },
  child_cursor: { silent: "what ended in a child is told as a system item" },
  extension: { silent: "it is some feature's own" },
};

test("each kind of entry is shown, or is silent for a reason", () => {
  for (const [kind, how] of Object.entries(shown)) {
    const rows = entries.filter(([body]) => body.kind === kind);
    if (how === "shown")
      assert.ok(
        rows.some(([, text]) => text !== ""),
        `no row shows ${kind}`,
      );
    else
      assert.deepEqual(
        rows.filter(([, text]) => text !== ""),
        [],
        `${kind} is silent: ${how.silent}`,
      );
  }
});

describe("a command of the user", () => {
  const wrote = (text: string): Live => ({ type: "command_output", id: "s.5", text });
  const outcome = stored(ended({ command: "s.5", end: "exited", exit: 1 }));

  test("is shown line by line while it writes, and once", () => {
    const { transcript, text } = present();
    for (const piece of ["one\nt", "wo\n> thr", "ee"]) transcript.live(wrote(piece));
    assert.equal(text(), "# one\n# two\n");
    transcript.entry(outcome);
    assert.equal(text(), "# one\n# two\n# > three\n- the command ended: with exit 1\n");
  });

  test("is shown whole at its end where something of it was missed, and goes on where somebody comes", () => {
    const { transcript, text } = present();
    transcript.live(wrote("one\n"));
    transcript.snapshot(viewOf({ commands: [{ id: "s.5", command: "make", output: "one\n" }] }));
    transcript.entry(outcome);
    assert.equal(text(), "# one\n- ! make (running)\n# The user ran it.\n# It ended: exit 1.\n");
  });

  test("shows so much of its output and of a line without an end, and no more", () => {
    for (const more of [0, 1]) {
      const { transcript, text } = present();
      transcript.live(wrote("x".repeat(shownCharsMax - 1)));
      transcript.live(wrote("y".repeat(1 + more)));
      transcript.live(wrote("z"));
      assert.doesNotMatch(text(), more === 0 ? /z/ : /yy|z/);
      assert.equal(text().match(/what else that command writes/g)?.length, 1);
    }
    for (const [length, isShown] of [
      [openLineCharsMax, false],
      [openLineCharsMax + 1, true],
    ] as const) {
      const { transcript, text } = present();
      transcript.live(wrote("x".repeat(length)));
      assert.equal(text() !== "", isShown);
    }
    for (const [length, end] of [
      [shownCharsMax, "x\n"],
      [shownCharsMax + 1, "x…\n"],
    ] as const) {
      const { transcript, text } = present();
      transcript.entry(stored(ended({}, "x".repeat(length))));
      assert.ok(text().endsWith(end));
    }
  });
});
