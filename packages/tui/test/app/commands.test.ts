/** Every slash command: what it asks for, opens or says. None is passed over. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openDialog } from "../../src/app/step.ts";
import type { Effect } from "../../src/app/effect.ts";
import type { UiState } from "../../src/app/state.ts";
import { composerOf, textOf } from "../../src/composer/composer.ts";
import { commandSpecs } from "../../src/commands/table.ts";
import { approval, noPod, pressed, row, withPod } from "./support/states.ts";

const ask = (of: Extract<Effect, { readonly type: "ask" }>["ask"]): Effect => ({
  type: "ask",
  attachment: 1,
  ask: of,
});
const parts = (text: string) => [{ type: "text" as const, text }];
const page = (name: Extract<Effect, { readonly type: "page" }>["page"]): Effect => ({
  type: "page",
  page: name,
  pod: "sim",
});
const idle: UiState = { ...withPod(), pods: [row("sim"), row("a"), row("old", { standing: "stopped" })] };
const running: UiState = { ...withPod({ state: "running" }), pods: idle.pods };
const paused: UiState = { ...withPod({ state: "paused" }), pods: idle.pods };
const queued: UiState = withPod({
  queue: [
    { id: "7", when: "boundary", parts: parts("one") },
    { id: "9", when: "run_end", parts: [] },
  ],
});
const asked: UiState = openDialog(withPod({ approvals: [approval("abcdef0123")] }), {
  kind: "field",
  title: "",
  field: idle.composer,
  for: "title",
  pod: "sim",
});
const withCall: UiState = {
  ...asked,
  dialogs: [],
  open: asked.open === null ? null : { ...asked.open, aside: ["abcdef0123"] },
};

/** Typed, from a state: effects but for the history, dialogs, and what is said (a part of it). */
const table: readonly (readonly [string, UiState, readonly Effect[], readonly string[], string])[] = [
  ["/help", idle, [], ["pager"], ""],
  ["/keys", idle, [], ["pager"], ""],
  ["?", idle, [], ["pager"], ""],
  ["/status", idle, [], ["pager"], ""],
  ["/transcript", idle, [], ["pager"], ""],
  ["/tasks", idle, [], [], ""],
  ["/copy", idle, [], [], "There is no answer yet."],
  [
    "/copy",
    withPod({
      blocks: [{ n: 0, id: "1.0", isFinished: true, kind: "answer", text: "Yes.", progress: "whole" }],
    }),
    [{ type: "copy", text: "Yes." }],
    [],
    "The last answer, 4 characters, goes",
  ],
  ["/setup", idle, [{ type: "list_providers", for: "first_run" }], ["first_run"], ""],
  ["/usage", idle, [page("usage")], [], ""],
  ["/cost", idle, [page("usage")], [], ""],
  ["/context", idle, [page("context")], [], ""],
  ["/diff", idle, [page("diff")], [], ""],
  ["/doctor", idle, [page("doctor")], [], ""],
  ["/config", idle, [page("config")], [], ""],
  ["/hooks", idle, [page("hooks")], [], ""],
  ["/mcp", idle, [], [], "MCP"],
  ["/plugins", idle, [], [], "feature"],
  ["/skills", idle, [page("skills")], [], ""],
  ["/tickets", idle, [page("tickets")], [], ""],
  ["/skill release", idle, [{ type: "list_skills" }], [], ""],
  ["/memory", idle, [], [], "memory"],
  [
    "/notify look",
    running,
    [ask({ kind: "send", sending: 2, what: { as: "notify", message: "look" } })],
    [],
    "",
  ],
  [
    "/queue later",
    running,
    [ask({ kind: "send", sending: 2, what: { as: "queue", parts: parts("later"), when: "run_end" } })],
    [],
    "",
  ],
  ["/queue", idle, [], [], "Nothing waits."],
  ["/queue", queued, [], ["choice"], ""],
  ["/unqueue", queued, [ask({ kind: "unqueue", id: "9" })], [], ""],
  ["/unqueue 1", queued, [ask({ kind: "unqueue", id: "7" })], [], ""],
  ["/unqueue 3", queued, [], [], "Only 2 wait"],
  ["/pods", idle, [{ type: "list_pods" }], ["pods"], ""],
  ["/tree", idle, [{ type: "list_tree" }], ["tree"], ""],
  ["/grants", idle, [{ type: "list_grants" }], [], ""],
  ["/revoke g1", idle, [{ type: "revoke", id: "g1" }], [], ""],
  ["/pause", running, [ask({ kind: "pause" })], [], ""],
  ["/pause", idle, [], [], "needs a run"],
  ["/cancel", running, [ask({ kind: "cancel" })], [], ""],
  ["/compact", idle, [ask({ kind: "compact" })], [], ""],
  ["/compact undo", idle, [ask({ kind: "undo_compaction" })], [], ""],
  ["/compact", running, [], [], "has to wait"],
  ["/rewind", idle, [ask({ kind: "rewind_targets", olderThan: null })], ["rewind"], ""],
  ["/undo", idle, [ask({ kind: "rewind_targets", olderThan: null })], ["rewind"], ""],
  ["/fork", idle, [], ["choice"], ""],
  ["/export", idle, [{ type: "export", name: "sim" }], [], "Writing"],
  ["/new", idle, [{ type: "start", ticket: 2, name: null, choices: {} }], [], "sim stays as it is"],
  ["/clear", idle, [{ type: "start", ticket: 2, name: null, choices: {} }], [], "sim stays as it is"],
  ["/new b", noPod, [{ type: "start", ticket: 1, name: "b", choices: {} }], [], "Starting a new Pod"],
  [
    "/open a",
    idle,
    [
      { type: "detach", attachment: 1 },
      { type: "attach", attachment: 2, name: "a", after: null },
      { type: "list_pods" },
    ],
    [],
    "",
  ],
  ["/open old", idle, [], ["choice"], ""],
  ["/resume", paused, [ask({ kind: "resume" })], [], ""],
  ["/resume", running, [], [], "The run goes on."],
  ["/resume", noPod, [{ type: "list_pods" }], ["pods"], ""],
  ["/resume old", idle, [], ["choice"], ""],
  ["/send a hello you", idle, [{ type: "send_other", name: "a", text: "hello you" }], [], "Sending it to a"],
  ["/stop", idle, [{ type: "stop", name: "sim" }], [], "Stopping sim"],
  ["/stop a", idle, [{ type: "stop", name: "a" }], [], "Stopping a"],
  ["/stop", noPod, [], [], "No Pod is open"],
  [
    "/restore old",
    idle,
    [{ type: "restore", name: "old", how: { resume: false }, opens: true }],
    [],
    "Starting old",
  ],
  ["/title My work", idle, [ask({ kind: "set_title", title: "My work" })], [], ""],
  ["/rename", idle, [ask({ kind: "set_title", title: null })], [], ""],
  [`/title ${"x".repeat(121)}`, idle, [], [], "at most 120"],
  ["/model", idle, [{ type: "list_providers", for: "choice" }], [], ""],
  [
    "/model p/m",
    idle,
    [{ type: "restore", name: "sim", how: { model: "p/m" }, opens: true }],
    [],
    "Starting sim ...",
  ],
  ["/model p/m", running, [], [], "stop the run first"],
  ["/model p/m", noPod, [], [], "The next Pod"],
  ["/permissions", idle, [], ["choice"], ""],
  [
    "/permissions ask",
    idle,
    [{ type: "restore", name: "sim", how: { permissionMode: "ask" }, opens: true }],
    [],
    "Starting sim ...",
  ],
  [
    "/sandbox off",
    idle,
    [{ type: "restore", name: "sim", how: { sandbox: "off" }, opens: true }],
    [],
    "Starting sim ...",
  ],
  ["/theme", idle, [], [], "The theme is auto"],
  ["/theme none", idle, [{ type: "redraw" }], [], ""],
  ["/screen", idle, [], [], "The screen is main"],
  ["/screen alternate", idle, [], [], ""],
  ["/approve", withCall, [], ["approval"], ""],
  [
    "/approve abcdef",
    withCall,
    [ask({ kind: "answer_approval", params: { digest: "abcdef0123", answer: "allow" } })],
    [],
    "",
  ],
  ["/approve ffffff", withCall, [], [], "No call waits under"],
  [
    "/deny no way",
    withCall,
    [ask({ kind: "answer_approval", params: { digest: "abcdef0123", answer: "deny", reason: "no way" } })],
    [],
    "",
  ],
  ["/deny no way", idle, [], [], "No call waits"],
  // What is unknown is looked for among skills first.
  ["/nosuch", idle, [{ type: "list_skills" }], [], ""],
];

describe("a slash command", () => {
  for (const [at, [typed, state, effects, dialogs, says]] of table.entries()) {
    test(`${typed.slice(0, 20)} (${at})`, () => {
      const end = pressed({ ...state, composer: composerOf(typed) }, "enter");
      assert.deepEqual(
        end.effects.filter(({ type }) => type !== "add_history"),
        effects,
      );
      assert.deepEqual(
        end.state.dialogs.map(({ kind }) => kind),
        dialogs,
      );
      const said = end.state.notices.map(({ text }) => text).join(" ");
      assert.ok(says === "" ? said === "" : said.includes(says), said);
    });
  }

  test("is in this table, every one of them", () => {
    const tried = table.map(([typed]) => /^\/(\w+)/.exec(typed)?.[1]);
    const prompts = new Set(["init", "review"]);
    const missing = commandSpecs.filter(
      ({ name }) => !tried.includes(name) && !prompts.has(name) && name !== "quit",
    );
    assert.deepEqual(
      missing.map(({ name }) => name),
      [],
    );
  });

  test("/quit leaves; /init and /review are sent as prompts", () => {
    assert.deepEqual(pressed(idle, '"/quit"', "enter").state.end, { kind: "left", pod: "sim" });
    for (const name of ["init", "review"]) {
      const { effects } = pressed(idle, `"/${name}"`, "enter");
      const sent = effects.find((one) => one.type === "ask");
      assert.equal(sent?.type === "ask" && sent.ask.kind === "send" && sent.ask.what.as, "submit");
    }
  });

  test("that is wrong stays in the composer", () => {
    assert.equal(textOf(pressed(idle, '"/nosuch"', "enter").state.composer), "/nosuch");
  });
});
