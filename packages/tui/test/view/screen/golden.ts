/** Golden screens: how the whole terminal looks in its main views and in each dialog, on 80x24 and on 200x50. */
import { noUsage } from "@yoi/base";
import { carryOut } from "../../../src/app/update/intents.ts";
import { chooseOpen } from "../../../src/app/update/pods.ts";
import { showRewind } from "../../../src/app/update/rewind.ts";
import type { UiEventBody } from "../../../src/app/event.ts";
import type { UiState } from "../../../src/app/state.ts";
import type { BlockBody } from "../../../src/session/block.ts";
import type { PodSession } from "../../../src/session/session.ts";
import { shownOf } from "../../../src/view/frame.ts";
import { nothingPrinted } from "../../../src/view/printed.ts";
import { emulator } from "../../support/emulator.ts";
import { approval, noPod, pressed, row, start, told, withPod } from "../../app/support/states.ts";
import { sizes } from "../block/golden.ts";

const attachment = 1;
const text = (said: string) => [{ type: "text", text: said }] as const;
const call = (
  tool: string,
  args: object,
  more: Partial<Extract<BlockBody, { kind: "call" }>>,
): BlockBody => ({
  kind: "call",
  call: "5.1",
  tool,
  arguments: JSON.stringify(args),
  progress: "done",
  output: "",
  summary: null,
  content: null,
  diff: null,
  images: 0,
  ...more,
});
const said: readonly BlockBody[] = [
  { kind: "note", level: "info", text: "the Pod began (yoi 1.0.0)" },
  { kind: "input", parts: text("Why does the login test fail now and then?") },
  { kind: "reasoning", text: "The test may depend on the clock.", progress: "whole" },
  call(
    "Bash",
    { command: "npm test -- login" },
    { summary: "exit 1", content: "not ok 3 - logs in at midnight\n" },
  ),
  call(
    "Edit",
    { file_path: "src/login.ts" },
    {
      summary: "1 replacement in src/login.ts",
      diff: "@@ -3,1 +3,1 @@\n-const now = new Date();\n+const now = clock.now();\n",
    },
  ),
  {
    kind: "answer",
    text: "It took the time of the machine, and **midnight** fell between two reads:\n\n- `src/login.ts` takes the clock port now\n- the test holds it still",
    progress: "whole",
  },
];
const blocksOf = (bodies: readonly BlockBody[], openFrom = bodies.length): PodSession["blocks"] =>
  bodies.map((body, n) => ({ ...body, n, id: `4.${n}`, isFinished: n < openFrom }));

const usage = { ...noUsage, input_tokens: 84_000, output_tokens: 3_200 };
const spent = { usage, cost: { nano_usd: 310_000_000, unpriced_requests: 0 } };
const session: Partial<PodSession> = {
  title: "the flaky login",
  about: {
    version: "1.0.0",
    model: "anthropic/claude-x-5",
    workspace: "/w",
    sandbox: "on",
    network: false,
    permission_mode: "allow-in-scope",
    writes: ".",
    tools: ["Bash", "Edit"],
  },
  context: { tokens: 61_000, window: 200_000 },
  spent: { ...spent, tree: spent },
  blocks: blocksOf(said),
};
const conversation = withPod(session);
const streaming = withPod({
  ...session,
  state: "running",
  blocks: blocksOf(
    [
      ...said,
      { kind: "input", parts: text("And the other one?") },
      {
        kind: "answer",
        text: "I look at it. The second test\n\n```ts\nawait clock.advance(",
        progress: "arriving",
      },
      call("Bash", { command: "npm test" }, { progress: "running", output: "ok 1\nok 2\n" }),
    ],
    7,
  ),
  panels: [
    {
      feature: "builtin:task",
      title: "Tasks 1 of 2 done",
      rows: [
        { mark: "done", text: "Find out why" },
        { mark: "doing", text: "Mend it" },
      ],
    },
  ],
  queue: [{ id: "40", when: "boundary", parts: text("Then tidy up.") }],
  children: [{ name: "site-kid", state: "running", approvals: 0 }],
});
const held = withPod({
  ...session,
  queue: [
    { id: "40", when: "boundary", parts: text("Then tidy up.") },
    { id: "41", when: "run_end", parts: text("And write it down.") },
  ],
  queueHeld: true,
});
const asking = pressed(
  withPod({
    ...session,
    state: "running",
    approvals: [
      approval("d", {
        arguments: JSON.stringify({ command: "git  push origin main\n\u001b[2J" }),
        reason: "the mode ask wants a person to allow this",
        offers: ["Bash(git push origin main)", "Bash(git push *)"],
      }),
    ],
  }),
  "enter",
).state;
/** Long enough for keys to count. */
const looked = told(asking, { type: "tick" }, asking.now + 5_000).state;
const leaving = pressed(
  withPod({
    ...session,
    state: "running",
    approvals: [
      approval("e", {
        tool: "Read",
        arguments: JSON.stringify({ file_path: "/srv/data/a" }),
        reason: 'this would read "/srv/data/a", which lies outside of this Pod\'s scope',
        offers: ["read /srv/data/a", "read /srv/data/**"],
        wish: { permission: "read", target: "/srv/data/a" },
      }),
    ],
  }),
  "enter",
).state;

const pods = [
  row("sim", {
    title: "the flaky login",
    standing: "idle",
    model: "anthropic/claude-x-5",
    lastLine: "It took the time",
  }),
  row("docs", { standing: "waiting", approvals: 1, lastLine: "may I write it?", usedMs: start - 60_000 }),
  row("old", { standing: "stopped", usedMs: start - 3 * 86_400_000, bytes: 4_200_000 }),
  row("torn", { standing: "corrupt", detail: "line 7 is damaged" }),
];
const targets = {
  head: "29",
  more: false,
  targets: (["Why does the login test fail?", "And the other one?"] as const).map((preview, at) => ({
    id: `${3 + 20 * at}`,
    side: "before" as const,
    kind: "input" as const,
    segment: "s",
    generation: 0,
    turn: at,
    ts: start,
    preview,
    effects: at === 0 ? 2 : 0,
  })),
};
const providers = [
  {
    name: "anthropic",
    hint: "a key of the console",
    needsKey: true,
    keyIn: null,
    takesKey: true,
    models: ["anthropic/x-5", "anthropic/x-4"],
  },
  {
    name: "ollama",
    hint: "models of this machine",
    needsKey: false,
    keyIn: null,
    takesKey: true,
    models: ["ollama/small", "ollama/large"],
  },
];

const after = (state: UiState, ...events: readonly UiEventBody[]): UiState =>
  events.reduce((so, event) => told(so, event).state, state);
const answer = (state: UiState, got: Extract<UiEventBody, { type: "answered" }>["answer"]): UiState =>
  after(state, { type: "answered", attachment, answer: got });
const rewind = answer(showRewind(conversation, false).state, {
  kind: "rewind_targets",
  olderThan: null,
  result: targets,
});
const listed = after(conversation, { type: "pods", rows: pods });
const firstRun = after(noPod, {
  type: "first_run",
  skills: [],
  why: "There is no key for any provider yet.",
});
const choosing = after(firstRun, { type: "providers", for: "first_run", providers });
const keyed = pressed(choosing, "enter", '"sk-secret"').state;
const modelled = pressed(choosing, "down", "enter").state;
const testing = pressed(modelled, "enter").state;

const states: Readonly<Record<string, UiState>> = {
  "no-pod": noPod,
  conversation,
  streaming,
  "held-queue": held,
  typing: pressed(conversation, '"first"', "ctrl+j", '"second line"').state,
  keys: pressed(conversation, "?").state,
  help: pressed(conversation, "f1").state,
  approval: asking,
  "approval-too-soon": pressed(asking, "enter").state,
  "approval-always": pressed(looked, "4").state,
  "approval-deny": pressed(looked, "6", '"not on a Friday"').state,
  "approval-leaving": leaving,
  pods: pressed(listed, "alt+p").state,
  "pod-stopped": chooseOpen(listed, row("old", { standing: "stopped" })).state,
  tree: after(pressed(listed, "alt+t").state, {
    type: "tree",
    rows: [
      { depth: 0, pod: row("sim", { standing: "running" }), scope: ["writes /w"], loan: null },
      {
        depth: 1,
        pod: row("sim-kid", { standing: "waiting", approvals: 1 }),
        scope: ["reads /w"],
        loan: "writes /w/docs",
      },
    ],
  }),
  rewind,
  "rewind-chosen": pressed(rewind, "enter").state,
  pager: pressed(conversation, "ctrl+o").state,
  title: carryOut(conversation, { type: "ask_title", name: "sim" }).state,
  "first-run-reading": firstRun,
  "first-run-provider": choosing,
  "first-run-key": keyed,
  "first-run-model": modelled,
  "first-run-testing": testing,
  "first-run-tested": after(testing, { type: "model_tested", model: "ollama/small", said: "Hello." }),
  "first-run-failed": after(testing, {
    type: "failed",
    effect: { type: "test_model", model: "ollama/small", key: null },
    why: "Nobody answers at localhost:11434.",
  }),
  "lost-connection": withPod({ ...session, link: "lost", why: "The Pod ended the connection." }),
};

/** Each by the name of its file. */
export function goldenScreens(): ReadonlyMap<string, string> {
  const screens = new Map<string, string>();
  for (const size of sizes)
    for (const [name, state] of Object.entries(states))
      screens.set(`${name}.${size.columns}x${size.rows}.txt`, screenOf({ ...state, size }));
  return screens;
}

/** What a terminal of that size has on it. */
function screenOf(state: UiState): string {
  const { columns, rows } = state.size;
  const shown = shownOf(state, nothingPrinted);
  const lines = shown.screen === "main" ? [...shown.frame.print, ...shown.frame.live] : shown.lines;
  const terminal = emulator(columns, rows);
  terminal.write(lines.join("\r\n"));
  const seen = terminal.screen().map((line) => line.trimEnd());
  return `${seen.join("\n").trimEnd()}\n`;
}
