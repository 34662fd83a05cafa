/** Whatever comes in whatever order: nothing throws, the frame fits, what is printed is printed once, and what is seen is what somebody sees who comes now. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { UiEventBody } from "../../src/app/event.ts";
import { lookOf } from "../../src/app/look.ts";
import type { UiState } from "../../src/app/state.ts";
import { update } from "../../src/app/update.ts";
import { carryOut } from "../../src/app/update/intents.ts";
import { showRewind } from "../../src/app/update/rewind.ts";
import { actions, actionSpecs } from "../../src/keys/actions.ts";
import type { Block } from "../../src/session/block.ts";
import { emptySession } from "../../src/session/empty-session.ts";
import type { SessionEvent } from "../../src/session/session.ts";
import { shownOf } from "../../src/view/frame.ts";
import { nothingPrinted, type Printed } from "../../src/view/printed.ts";
import { themeNamed } from "../../src/view/themes.ts";
import { widthOf } from "../../src/view/width.ts";
import { RandomStream } from "../session/support/random-stream.ts";
import { folded } from "../session/support/shown.ts";
import { name } from "../session/support/log-rig.ts";
import { approval, row, start, withPod } from "./support/states.ts";

const seed = 8;
const numRuns = 30;
const choices = fc.array(fc.nat(5_039), { minLength: 20, maxLength: 120 });

const keys = [
  ...new Set(
    actions.flatMap((action) =>
      Object.values(actionSpecs[action].keys).flatMap((bound) => bound.flatMap((key) => key.split(" "))),
    ),
  ),
  ..."ab19/!#@?:日",
];
/** What opens something, so that it is often pressed. */
const openers = [
  "alt+p",
  "alt+t",
  "ctrl+o",
  "f1",
  "shift+tab",
  "escape",
  "ctrl+u",
  "tab",
  "enter",
  "y",
  "n",
  "2",
  "4",
  "/",
];
/** Dialogs that were seen: a sequence that opens none proves nothing of them. */
const opened = new Set<string>();
const sizes = [
  { columns: 80, rows: 24 },
  { columns: 40, rows: 10 },
  { columns: 200, rows: 50 },
  { columns: 12, rows: 4 },
] as const;

/** Answers of the machine, good and bad. */
function answers(state: UiState, pick: (below: number) => number): UiEventBody {
  const sending = state.open?.sending[0]?.n ?? 1;
  const attachment = state.open?.attachment ?? 1;
  const all: readonly UiEventBody[] = [
    {
      type: "pods",
      rows: [
        row("sim"),
        row("a", { approvals: pick(3) }),
        row("b", { standing: "stopped" }),
        row("c", { standing: "corrupt" }),
      ],
    },
    { type: "tree", rows: [{ depth: 0, pod: row("a"), scope: ["writes /w"], loan: null }] },
    { type: "answered", attachment, answer: { kind: "sent", sending } },
    {
      type: "answered",
      attachment,
      answer: { kind: "not_sent", sending, why: "No.", isBusy: pick(2) === 0, isKnown: pick(2) === 0 },
    },
    { type: "answered", attachment, answer: { kind: "unqueued", parts: [{ type: "text", text: "back" }] } },
    {
      type: "answered",
      attachment,
      answer: {
        kind: "rewind_targets",
        olderThan: null,
        result: {
          head: "9",
          more: true,
          targets: [
            {
              id: "3",
              side: "before",
              kind: "input",
              segment: "s",
              generation: 0,
              turn: 1,
              ts: 1,
              preview: "p\u001b[31m",
              effects: 2,
            },
          ],
        },
      },
    },
    { type: "failed", effect: { type: "list_tree" }, why: "It is not there." },
    {
      type: "failed",
      effect: { type: "attach", attachment, name: "sim", after: null },
      why: "It is not there.",
    },
    { type: "started", ticket: pick(4), name: "new", warnings: ["w"] },
    { type: "restored", name: "sim", opens: true, warnings: [] },
    { type: "forked", from: "sim", name: "f", next: "stays" },
    { type: "page", page: { title: "t", text: "one\ntwo\u001b[31m\n".repeat(pick(60)) } },
    {
      type: "providers",
      for: "first_run",
      providers: [
        { name: "p", hint: "h", needsKey: true, keyIn: null, takesKey: true, models: ["p/m", "p/n"] },
        { name: "q", hint: "h", needsKey: true, keyIn: "KEY", takesKey: pick(2) === 0, models: ["q/m"] },
      ],
    },
    { type: "first_run", skills: [], why: "There is no key." },
    { type: "grants", rows: [{ id: "g", rule: "Bash", workspace: null, givenMs: 1, expiresMs: null }] },
    { type: "edited", text: pick(2) === 0 ? null : "edited" },
    { type: "focus", isFocused: pick(2) === 0 },
    { type: "tick" },
  ];
  return all[pick(all.length)] ?? { type: "tick" };
}

function assertFits(state: UiState, printed: Printed): Printed {
  const shown = shownOf(state, printed);
  const { columns, rows } = state.size;
  const lines = shown.screen === "main" ? [...shown.frame.print, ...shown.frame.live] : shown.lines;
  const seen = shown.screen === "main" ? shown.frame.live.length : shown.lines.length;
  const cursor = shown.screen === "main" ? shown.frame.cursor : shown.cursor;
  assert.ok(seen <= (shown.screen === "main" ? Math.max(1, rows - 1) : rows), `${seen} rows of ${rows}`);
  for (const line of lines) assert.ok(widthOf(line) <= columns, JSON.stringify(line));
  if (state.dialogs.length === 0 && state.end === null) {
    assert.ok(cursor !== null && cursor.row < seen && cursor.column <= columns, "the composer is not seen");
  }
  return shown.printed;
}

describe(`the terminal, at random (seed ${seed}, ${numRuns} sequences each)`, () => {
  test("takes every key and answer in every state, and its frame fits", () => {
    fc.assert(
      fc.property(choices, (chosen) => {
        let at = 0;
        const pick = (below: number) => (chosen[(at += 1) % chosen.length] ?? 0) % below;
        const stream = new RandomStream(pick);
        let state = withPod({
          approvals: [approval("d", { offers: ["Bash(rm *)"], wish: { permission: "write", target: "/x" } })],
        });
        const first = pick(6);
        if (first === 0) state = carryOut(state, { type: "ask_message", name: "a" }).state;
        if (first === 1) state = showRewind(state, false).state;
        let printed = nothingPrinted;
        const tell = (event: UiEventBody) => {
          ({ state } = update(state, { ...event, now: state.now + pick(700) }));
          for (const { kind } of state.dialogs) opened.add(kind);
          printed = assertFits(state, printed);
        };
        stream.rig.follow({
          tell: (event: SessionEvent) =>
            tell({ type: "session", attachment: state.open?.attachment ?? 1, event }),
        });
        for (const [step, what] of chosen.entries()) {
          if (state.end !== null) state = { ...state, end: null };
          if (what % 7 === 0) stream.step();
          else if (what % 7 === 1) tell(answers(state, pick));
          else if (what % 31 === 2) tell({ type: "resize", size: sizes[pick(sizes.length)] ?? sizes[0] });
          else if (what % 31 === 3)
            tell({ type: "input", input: { type: "paste", text: "p\n".repeat(pick(30)) } });
          else {
            const from = what % 3 === 0 ? openers : keys;
            const key = from[(what + step) % from.length] ?? "a";
            const again = what % 2 === 0 ? [key, key] : [key];
            for (const one of again)
              tell({
                type: "input",
                input: { type: "key", key: one, text: [...one].length === 1 ? one : null },
              });
          }
        }
      }),
      { seed, numRuns, endOnFailure: true },
    );
    assert.deepEqual([...opened].toSorted(), [
      "approval",
      "choice",
      "field",
      "first_run",
      "pager",
      "pods",
      "rewind",
      "tree",
    ]);
  });

  test("prints each block once, in order, commands when they end", () => {
    // A row names its block, so that it is known again.
    const look = lookOf(themeNamed("none"), (block: Block) => [`#${block.n}`]);
    fc.assert(
      fc.property(choices, (chosen) => {
        let at = 0;
        const stream = new RandomStream((below) => (chosen[(at += 1) % chosen.length] ?? 0) % below);
        let state: UiState = { ...withPod({}), look, size: { columns: 80, rows: 2_000 } };
        state = {
          ...state,
          open: state.open === null ? null : { ...state.open, session: emptySession(name) },
        };
        let printed = nothingPrinted;
        const rows: string[] = [];
        const tell = (event: SessionEvent) => {
          ({ state } = update(state, { type: "session", attachment: 1, event, now: start }));
          const shown = shownOf({ ...state, dialogs: [] }, printed);
          assert.equal(shown.screen, "main");
          if (shown.screen === "main") rows.push(...shown.frame.print.filter((line) => line.startsWith("#")));
          printed = shown.printed;
        };
        for (const event of stream.rig.attach()) tell(event);
        stream.rig.follow({ tell });
        for (const _ of chosen) stream.step();
        const blocks = state.open?.session.blocks ?? [];
        const open = new Set(blocks.filter(({ isFinished }) => !isFinished).map(({ n }) => n));
        const numbers = rows.map((line) => Number(line.slice(1)));
        assert.equal(new Set(numbers).size, numbers.length);
        assert.deepEqual(
          numbers.filter((n) => open.has(n)),
          [],
        );
        const kinds = new Map(blocks.map((block) => [block.n, block.kind]));
        const inOrder = numbers.filter((n) => kinds.get(n) !== "command");
        assert.deepEqual(
          inOrder,
          inOrder.toSorted((a, b) => a - b),
        );
        // What is finished and not printed stands behind something that is not finished.
        const firstOpen = Math.min(
          ...blocks.filter((block) => open.has(block.n) && block.kind !== "command").map(({ n }) => n),
        );
        const missing = blocks.filter(
          ({ n, isFinished }) => isFinished && n < firstOpen && !numbers.includes(n),
        );
        assert.deepEqual(missing, []);
      }),
      { seed, numRuns, endOnFailure: true },
    );
  });

  test("shows what somebody sees who comes now", () => {
    fc.assert(
      fc.property(choices, (chosen) => {
        let at = 0;
        const stream = new RandomStream((below) => (chosen[(at += 1) % chosen.length] ?? 0) % below);
        const seen: SessionEvent[] = [...stream.rig.attach()];
        stream.rig.follow({ tell: (event) => seen.push(event) });
        for (const _ of chosen) stream.step();
        const screenOf = (events: readonly SessionEvent[]) => {
          const session = folded(events, emptySession(name));
          const recorded = session.blocks.filter(({ id }) => !id.startsWith("live "));
          const blocks = recorded.map((block, n) => ({ ...block, n }));
          const panels = session.panels.toSorted((a, b) => a.feature.localeCompare(b.feature));
          const state = withPod({ ...session, blocks, panels, retry: null });
          const shown = shownOf(
            {
              ...state,
              size: { columns: 80, rows: 400 },
              settings: { ...state.settings, screen: "alternate" },
            },
            nothingPrinted,
          );
          return shown.screen === "alternate" ? shown.lines : assert.fail("it is the main screen");
        };
        assert.deepEqual(screenOf(seen), screenOf(stream.rig.attach()));
      }),
      { seed, numRuns, endOnFailure: true },
    );
  });
});
