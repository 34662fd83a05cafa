/** The transcript: that text that was streamed is not shown again, and what stands beside it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EntryBody, type LogEntry, noCost, noUsage } from "@yoi/base";
import { endChars } from "../../../src/output/transcript/transcript.ts";
import { viewOf } from "../../client/view.ts";
import { call, delta, digest, message, present, record, stored } from "./rig.ts";

test("a run that never began is said; one on record has its own entry", () => {
  const run = {
    run: null,
    end: { kind: "cancelled" },
    followed: [],
    turns: 0,
    usage: noUsage,
    cost: noCost,
    denials: [],
    permission_needed: false,
  } as const;
  const { transcript, text } = present();
  transcript.live({ type: "run_ended", run });
  transcript.live({ type: "run_ended", run: { ...run, run: "4" } });
  assert.equal(text(), "- stopped before it began: nothing of it is kept\n");
});

describe("text that arrives", () => {
  test("is shown once, and its record adds what was not shown", () => {
    const { transcript, text } = present();
    for (const piece of ["He", "llo\n", "\n", "wor"]) transcript.live(delta(piece));
    assert.equal(text(), "  Hello\n\n  wor");
    transcript.entry(stored(message("Hello\n\nworld\n\n")));
    transcript.entry(stored({ kind: "run_completed", result: "finished" }));
    assert.equal(text(), "  Hello\n\n  world\n- finished\n");
  });

  test("gives way to other lines and goes on below them", () => {
    const { transcript, text } = present();
    transcript.live(delta("one "));
    transcript.live({ type: "alert", level: "warn", source: "host", message: "low disk", at: 0 });
    transcript.live(delta("two"));
    transcript.live(delta("other", 1));
    transcript.live(delta(" three"));
    transcript.entry(stored(message("one two three")));
    transcript.entry(stored(message("other", "completed", 1)));
    assert.equal(text(), "  one \n! low disk\n  two\n  other\n   three\n");
  });

  test("that was shown before a cut is not shown again, however much of it is on record", () => {
    for (const recorded of ["one", "one two", "one two three"]) {
      const { transcript, text } = present();
      transcript.live(delta("one two"));
      transcript.endLine();
      transcript.entry(stored(message(recorded, "incomplete")));
      const rest = recorded.slice("one two".length);
      const kept = recorded === "one" ? '- of the answer above only what ends in "one" is on record\n' : "";
      assert.equal(
        text(),
        `  one two\n${rest === "" ? "" : `  ${rest}\n`}${kept}- the answer broke off here\n`,
      );
    }
  });

  test("is the same as what a fresh client sees but for a mark, wherever the answer was cut", () => {
    const whole = "First part.\n\nSecond part, which is so long that its end alone is named.";
    for (let kept = 1; kept <= whole.length; kept += 1) {
      const recorded: readonly LogEntry[] = [
        stored({ kind: "opened", epoch: 2, version: "1" }, 5),
        stored(message(whole.slice(0, kept), "incomplete"), 6),
      ];
      const fresh = record();
      for (const entry of recorded) fresh.transcript.entry(entry);
      fresh.transcript.snapshot(viewOf());
      const live = present();
      live.transcript.live(delta(whole));
      for (const entry of recorded) live.transcript.entry(entry);
      const shown = whole.replace("\n\n", "\n\n  ");
      const mark = /- of the answer above only what ends in ("[^\n]*") is on record\n/.exec(live.text());
      if (kept === whole.length) assert.equal(mark, null);
      else {
        const named = JSON.parse(mark?.[1] ?? "null") as string;
        const end = whole.slice(0, kept).trimEnd();
        assert.equal(named, end.length > endChars ? `…${end.slice(-endChars)}` : end);
      }
      assert.equal(
        live.text(),
        `  ${shown}\n- started (epoch 2, yoi 1)\n${mark?.[0] ?? ""}- the answer broke off here\n`,
      );
      const text = whole.slice(0, kept).replace(/\n+$/, "").replace("\n\n", "\n\n  ");
      assert.equal(fresh.text(), `- started (epoch 2, yoi 1)\n  ${text}\n- the answer broke off here\n`);
    }
  });

  test("of which nothing comes on record is said to be of no record", () => {
    const ends: readonly EntryBody[] = [
      { kind: "llm_request" } as EntryBody,
      { kind: "run_completed", result: "cancelled" },
      { kind: "run_errored", code: "auth", message: "No key." },
    ];
    for (const [at, end] of ends.entries()) {
      for (const [shown, mark] of [
        ["one", "  one\n- what was shown above is not on record\n"],
        ["\n ", ""],
      ] as const) {
        const { transcript, text } = present();
        transcript.live(delta(shown));
        transcript.endLine();
        const before = text();
        transcript.entry(stored(end));
        transcript.entry(stored(message("told again")));
        if (mark !== "") assert.ok(text().startsWith(mark), `${at}: ${text()}`);
        else assert.ok(!text().includes("not on record"), `${before}`);
      }
    }
  });

  test("whose attempt failed is shown anew", () => {
    const { transcript, text } = present();
    transcript.live(delta("one"));
    transcript.live({
      type: "retry",
      request: 4,
      attempt: 1,
      attempts_max: 5,
      wait_ms: 1500,
      error_code: "server",
      message: "Broken.",
      status: 500,
    });
    transcript.live(delta("one"));
    transcript.entry(stored(message("one")));
    assert.equal(text(), "  one\n! Broken. Trying again in 1.5 s (1 of 5).\n  one\n");
  });

  test("is taken over from the snapshot, at first and behind a lost connection", () => {
    const block = { index: 0, block: "text", name: null } as const;
    const inFlight = (from: number, text: string) =>
      viewOf({ in_flight: { request: 4, blocks: [{ ...block, from, text }], calls: [] } });
    const { transcript, text } = record();
    transcript.snapshot(inFlight(0, "one"));
    transcript.endLine();
    transcript.snapshot(inFlight(1, "ne two"));
    transcript.live(delta(" three"));
    transcript.entry(stored(message("one two three")));
    assert.equal(text(), "  one\n   two three\n");
    // Of a long one the snapshot has only the end: the record shows it whole.
    const late = record();
    late.transcript.snapshot(inFlight(4, "two"));
    late.transcript.entry(stored(message("one two")));
    assert.equal(late.text(), "  […]two\n  one two\n");
  });
});

test("of what was before only the end is shown, and a call that waits, whole", () => {
  const args = `{"command":"${"x".repeat(300)}"}`;
  const { transcript, text } = record(2);
  for (let seq = 0; seq < 40; seq += 1) transcript.entry(stored(message(`line ${seq}`), seq));
  transcript.entry(stored({ kind: "turn_end", turn_count: 1 }, 40));
  const waiting = { digest, call, tool: "Bash", arguments: args, reason: "mode ask", expires: 0 };
  transcript.snapshot(viewOf({ approvals: [waiting] }));
  transcript.snapshot(viewOf({ approvals: [waiting] }));
  assert.equal(
    text(),
    `  line 38\n  line 39\n? 0123456789ab waits for your answer: mode ask\n?   Bash ${args}\n`,
  );
  const none = record(0);
  none.transcript.entry(stored(message("old")));
  none.transcript.snapshot(viewOf());
  assert.equal(none.text(), "");
});

test("an input that was taken back is given back whole", () => {
  const { transcript, text } = present();
  transcript.entry(stored({ kind: "invoke", trigger: "user_send" }, 5));
  transcript.entry(stored({ kind: "user_input", parts: [{ type: "text", text: "do\nthis" }] }, 6));
  transcript.entry(stored({ kind: "turn_rolled_back", from_seq: 5 }, 7));
  assert.equal(text(), "> do\n> this\n- taken back: do\n- this\n");
});

test("a call that asks is shown with its tool and whole arguments", () => {
  const args = `{"command":"${"x".repeat(300)}"}`;
  const { transcript, text } = present();
  transcript.entry(
    stored({
      kind: "assistant_item",
      request: 4,
      index: 1,
      item: { type: "tool_call", call, name: "Bash", arguments: args },
    }),
  );
  transcript.entry(stored({ kind: "approval_asked", call, digest, reason: "mode ask", expires: 0 }, 8));
  assert.ok(text().endsWith(`? 0123456789ab waits for your answer: mode ask\n?   Bash ${args}\n`));
});
