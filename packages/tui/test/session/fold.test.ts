/** What each kind of record and of live event makes of a session. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { noSpent, outcomeUnknown } from "@yoi/base";
import type { Live } from "@yoi/protocol";
import type { SessionEvent } from "../../src/session/session.ts";
import { updateSession } from "../../src/session/update-session.ts";
import { LogRig, systemItem } from "./support/log-rig.ts";
import {
  after,
  answer,
  answered,
  asked,
  begun,
  type Body,
  call,
  id,
  input,
  invoke,
  result,
  said,
  started,
} from "./support/said.ts";
import { folded, now } from "./support/shown.ts";

const partial = (from: number, text: string): Body => ({
  kind: "assistant_partial",
  request: 5,
  index: 0,
  block: "text",
  from,
  text,
});
const opened = (epoch: number): Body => ({ kind: "opened", epoch, version: "0" });

describe("records", () => {
  const rows: readonly (readonly [what: string, bodies: readonly Body[], blocks: readonly string[]])[] = [
    ["an input may be taken back", [invoke, input("a")], ["4 input ..."]],
    ["an answer keeps its input", [invoke, input("a"), answer(0, "b")], ["4 input", "5.0 answer whole b"]],
    ["an answer that broke off", [answer(0, "b", "incomplete")], ["5.0 answer cut b"]],
    ["a blank answer is nothing", [answer(0, " \n")], []],
    [
      "taken back",
      [invoke, input("a"), { kind: "turn_rolled_back", from_seq: 3 }],
      ["4 info: taken back: a"],
    ],
    [
      "taken back with what it attached",
      [
        invoke,
        { kind: "user_input", parts: [{ type: "text", text: "a" }], attachments: 1 },
        systemItem("file_attachment", "f"),
        systemItem("notification", "n"),
        { kind: "turn_rolled_back", from_seq: 3 },
      ],
      ["4 info: taken back: a", "6 system notification"],
    ],
    [
      "taken back with the skill that it loaded; one that the model asked for stays",
      [
        systemItem("skill", "s"),
        invoke,
        { kind: "user_input", parts: [{ type: "skill_ref", name: "release" }], attachments: 2 },
        systemItem("skill", "s"),
        systemItem("file_attachment", "f"),
        { kind: "turn_rolled_back", from_seq: 4 },
      ],
      ["3 system skill", "5 info: taken back: /release"],
    ],
    [
      "what had waited waits again",
      [
        { kind: "input_queued", parts: [{ type: "text", text: "q" }], when: "run_end", submission: "s" },
        invoke,
        { kind: "user_input", parts: [{ type: "text", text: "q" }], delivers: 3 },
        { kind: "turn_rolled_back", from_seq: 4 },
      ],
      ["5 info: waits again: q"],
    ],
    ["what is on record of an answer", [partial(0, "ab"), partial(2, "c")], ["5.0 answer arriving abc ..."]],
    ["a piece that is lost", [partial(0, "ab"), partial(3, "d")], ["5.0 answer arriving ab ..."]],
    [
      "an answer whose process died",
      [partial(0, "ab"), opened(2)],
      ["5.0 answer cut ab ...", "4 info: the Pod was started again (yoi 0)"],
    ],
    [
      "an answer whose process died, once it is history",
      [
        partial(0, "ab"),
        opened(2),
        { kind: "run_paused", reason: "interrupted" },
        answer(0, "ab", "incomplete"),
      ],
      [
        "5.0 answer cut ab",
        "4 info: the Pod was started again (yoi 0)",
        "5 warn: paused because it was interrupted",
      ],
    ],
    ["a process that died twice", [opened(2), opened(3)], ["3 info: the Pod was started again (yoi 0)"]],
    [
      "a process that died twice, with something between",
      [opened(2), invoke, opened(3), { kind: "run_paused", reason: "interrupted" }, opened(4)],
      [
        "3 info: the Pod was started again (yoi 0)",
        "6 warn: paused because it was interrupted",
        "7 info: the Pod was started again (yoi 0)",
      ],
    ],
    ["a call", [call], ["5.1 call Bash waiting ..."]],
    ["asked", [call, asked], ["5.1 call Bash asked ..."]],
    ["allowed", [call, asked, answered], ["5.1 call Bash waiting ..."]],
    [
      "allowed for more",
      [call, asked, { ...answered, keep: { for: "session", rule: "Bash(x)" } }],
      ["5.1 call Bash waiting ...", "5 info: allowed in this session: Bash(x)"],
    ],
    ["started", [call, started], ["5.1 call Bash running ..."]],
    ["done", [call, started, result({})], ["5.1 call Bash done = s"]],
    ["failed", [call, started, result({ is_error: true })], ["5.1 call Bash failed = s"]],
    ["refused", [call, result({ is_error: true, refusal: "denied" })], ["5.1 call Bash refused = s"]],
    [
      "not executed",
      [call, result({ is_error: true, summary: "not executed" })],
      ["5.1 call Bash refused = not executed"],
    ],
    [
      "unknown",
      [call, started, result({ is_error: true, summary: outcomeUnknown })],
      [`5.1 call Bash unknown = ${outcomeUnknown}`],
    ],
    [
      "its process died",
      [call, started, { kind: "opened", epoch: 2, version: "0" }],
      ["5.1 call Bash unknown ...", "5 info: the Pod was started again (yoi 0)"],
    ],
    ["a result whose call is not here", [result({})], ["5.1 3 call Bash done = s"]],
    ["a system item", [systemItem("task_reminder", "t")], ["3 system task_reminder"]],
    [
      "what waits to be told is shown once it is",
      [
        { kind: "inbox_accepted", item: systemItem("notification", "n").item },
        { ...systemItem("notification", "n"), delivers: 3 },
      ],
      ["4 system notification"],
    ],
    [
      "a command, and what came of it once",
      [
        { kind: "user_command", command: "x", submission: "s" },
        {
          kind: "inbox_accepted",
          item: { ...systemItem("user_command", "b").item, record: { command: "3", end: "exited", exit: 0 } },
          quiet: true,
        },
        { ...systemItem("user_command", "b"), delivers: 4 },
      ],
      ["3 command done"],
    ],
    [
      "a command that failed",
      [
        { kind: "user_command", command: "x", submission: "s" },
        {
          kind: "inbox_accepted",
          item: { ...systemItem("user_command", "b").item, record: { command: "3", end: "exited", exit: 1 } },
          quiet: true,
        },
      ],
      ["3 command failed"],
    ],
    ["a run that finished says nothing", [{ kind: "run_completed", result: "finished" }], []],
    ["cancelled", [{ kind: "run_completed", result: "cancelled" }], ["3 warn: cancelled"]],
    [
      "paused",
      [{ kind: "run_paused", reason: "provider_limit", until: 0 }],
      ["3 warn: paused for a limit of the provider until 1970-01-01 00:00 UTC"],
    ],
    ["errored", [{ kind: "run_errored", code: "internal", message: "m" }], ["3 error: failed (internal): m"]],
    ["resumed", [{ kind: "invoke", trigger: "resume" }], ["3 info: goes on"]],
    [
      "another model",
      [{ kind: "config_changed", config: { model: "a/b" } }],
      ["3 info: answers come from a/b from here on"],
    ],
    [
      "pruned",
      [
        {
          kind: "projection",
          projection: { prune_before: 2 },
          reason: "pruned",
          message: "m",
          saved_tokens: 5_000,
        },
      ],
      ["3 info: what is old is left out of requests, about 5.0k tokens less: m"],
    ],
    [
      "quarantined",
      [{ kind: "quarantined", target: 2, part: "images", message: "m" }],
      ["3 warn: the images of the entry 2 is left out of requests: m"],
    ],
    [
      "of a later version",
      [{ kind: "later", opaque: true, fields: {} }],
      ["3 info: an entry of a later version: later"],
    ],
    [
      "nothing to show",
      [
        { kind: "segment_ready" },
        { kind: "turn_end", turn_count: 1 },
        { kind: "extension", domain: "d", payload: 1 },
      ],
      [],
    ],
  ];
  for (const [what, bodies, blocks] of rows) test(what, () => assert.deepEqual(said(after(bodies)), blocks));

  test("a call that waits is among the approvals, as the Pod tells it, until it is answered", () => {
    const waiting = after([call, asked]);
    assert.deepEqual(waiting.approvals, [
      {
        digest: "d",
        call: "5.1",
        tool: "Bash",
        arguments: '{"command":"x"}',
        reason: "r",
        expires: 9,
        offers: ["Bash(x)"],
      },
    ]);
    assert.deepEqual(after([answered], [], waiting).approvals, []);
  });

  test("one that is too large to be sent has a note", () => {
    const session = updateSession(begun(), { type: "omitted", seq: 3, kind: "tool_result" }, now);
    assert.deepEqual(said(session), [
      "3 warn: entry 3 (tool_result) is too large to be shown here: the log has it",
    ]);
  });

  test("a compaction shows what it made, and one note; a way back shows a note that names the place", () => {
    const rig = new LogRig();
    const events: SessionEvent[] = rig.attach();
    rig.follow({ tell: (event) => void events.push(event) });
    rig.commit([invoke, input("a"), answer(0, "b"), { kind: "run_completed", result: "finished" }]);
    rig.rotate("compacted_from", 0, {
      kind: "compacted",
      trigger: "user",
      outcome: "committed",
      compactor: null,
      spent: noSpent,
      tokens_before: 9_000,
      tokens_after: 900,
      items_before: 2,
      items_after: 2,
      items_kept: 1,
    });
    rig.rotate("forked_from", 0);
    assert.deepEqual(said(folded(events)), [
      "4 input",
      "5.0 answer whole b",
      "1-1 system summary",
      "1-6 info: history was compacted from about 9.0k to 900 tokens: the model reads what stands above under # instead of what came before",
      "fork 01920000-0000-7000-8000-000000000102 info: the session went back (to the entry 1-6): the model reads no more of what stands above since then. /rewind leads back to it",
      "2-6 system lineage",
    ]);
  });
});

describe("live events", () => {
  const delta = (index: number, text: string): Live => ({
    type: "delta",
    request: 5,
    index,
    block: "text",
    text,
  });
  const rows: readonly (readonly [
    what: string,
    bodies: readonly Body[],
    live: readonly Live[],
    blocks: readonly string[],
  ])[] = [
    [
      "text arrives",
      [],
      [
        { type: "block_start", request: 5, index: 0, block: "text", name: null },
        delta(0, "a"),
        delta(0, "b"),
      ],
      ["5.0 answer arriving ab ..."],
    ],
    [
      "it begins anew",
      [],
      [
        delta(0, "a"),
        {
          type: "retry",
          request: 5,
          attempt: 1,
          attempts_max: 2,
          wait_ms: 9,
          error_code: "c",
          message: "m",
          status: null,
        },
        delta(0, "c"),
      ],
      ["5.0 answer arriving c ..."],
    ],
    [
      "a call writes",
      [call, started],
      [{ type: "tool_progress", call: id, text: "out" }],
      ["5.1 call Bash running > out ..."],
    ],
    [
      "a command writes",
      [{ kind: "user_command", command: "x", submission: "s" }],
      [{ type: "command_output", id: "3", text: "o" }],
      ["3 command running ..."],
    ],
    [
      "an alert",
      [],
      [{ type: "alert", level: "warn", source: "my:feature", message: "m", at: 0 }],
      ["live 1.1 warn: my:feature: m"],
    ],
    [
      "the log cannot be written",
      [],
      [{ type: "run_failed", run: null, code: "disk_full", message: "m" }],
      ["live 1.1 error: the run failed (disk_full): m"],
    ],
    ["of no call that is known", [], [{ type: "tool_progress", call: id, text: "out" }], []],
  ];
  for (const [what, bodies, live, blocks] of rows)
    test(what, () => assert.deepEqual(said(after(bodies, live)), blocks));

  test("a record takes the place of what arrived; what is on record meanwhile stands before it", () => {
    const arriving = after([invoke, input("a")], [delta(0, "b"), delta(1, "c")]);
    const beside = after([{ kind: "user_command", command: "x", submission: "s" }], [], arriving);
    assert.deepEqual(said(beside), [
      "4 input",
      "5 command running ...",
      "5.0 answer arriving b ...",
      "5.1 answer arriving c ...",
    ]);
    assert.deepEqual(said(after([answer(0, "b!")], [], beside)), [
      "4 input",
      "5 command running ...",
      "5.0 answer whole b!",
      "5.1 answer arriving c ...",
    ]);
  });

  test("a retry says when, and is over once something comes", () => {
    const waiting = after(
      [],
      [
        {
          type: "retry",
          request: 5,
          attempt: 1,
          attempts_max: 2,
          wait_ms: 9,
          error_code: "c",
          message: "m",
          status: null,
        },
      ],
    );
    assert.deepEqual(waiting.retry, { message: "m", attempt: 1, attemptsMax: 2, at: now + 9 });
    assert.equal(after([], [delta(0, "a")], waiting).retry, null);
  });
});
