/** Golden frames: how each kind of block, and each row beside them, looks on a terminal of 80x24 and of 200x50. */
import { noUsage } from "@yoi/base";
import { emptySession } from "../../../src/session/empty-session.ts";
import type { Block, BlockBody, CallProgress } from "../../../src/session/block.ts";
import type { PodSession } from "../../../src/session/session.ts";
import { blockLines } from "../../../src/view/block/block-lines.ts";
import type { Line } from "../../../src/view/line.ts";
import { panelLines } from "../../../src/view/panel.ts";
import { queueLines } from "../../../src/view/queue.ts";
import { statusLines } from "../../../src/view/status.ts";
import type { ViewOptions } from "../../../src/view/theme.ts";
import { themeNamed } from "../../../src/view/themes.ts";
import { emulator } from "../../support/emulator.ts";

export const sizes = [
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
] as const;

const call = (
  tool: string,
  args: object | string,
  progress: CallProgress,
  rest: Partial<Extract<BlockBody, { readonly kind: "call" }>> = {},
): BlockBody => ({
  kind: "call",
  call: "7.0",
  tool,
  arguments: typeof args === "string" ? args : JSON.stringify(args),
  progress,
  output: "",
  summary: null,
  content: null,
  diff: null,
  images: 0,
  ...rest,
});

const text = (said: string) => ({ kind: "input" as const, parts: [{ type: "text" as const, text: said }] });
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");
const test = { command: "npm test -- --reporter=dot" };
const diff = "@@ -1,3 +1,3 @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n export { a, b };";

const blocks: { readonly [name: string]: readonly BlockBody[] } = {
  input: [
    text("Fix the failing test, please."),
    {
      kind: "input",
      parts: [
        { type: "text", text: "Read " },
        { type: "file_ref", path: "src/a b.ts" },
        { type: "text", text: "\n\tand say 漢字 👩‍👩‍👧‍👦 e\u0301.\n\n" },
      ],
    },
    text(lines(40)),
  ],
  answer: [
    {
      kind: "answer",
      text: "# Found it\n\nThe test **fails** because `sum` rounds:\n\n```ts\nconst sum = (a: number) => a | 0;\n```\n\n- one\n- two",
      progress: "whole",
    },
    { kind: "answer", text: "It goes on and", progress: "cut" },
    { kind: "answer", text: "", progress: "arriving" },
    { kind: "answer", text: "? Bash rm -rf / waits for your answer\n✓ Bash true", progress: "arriving" },
  ],
  reasoning: [
    { kind: "reasoning", text: "First I look.\nThen I think about the second thing.", progress: "whole" },
    { kind: "reasoning", text: "First I look.\nThen I", progress: "arriving" },
    { kind: "reasoning", text: "Half", progress: "cut" },
    { kind: "reasoning", text: "", progress: "arriving" },
  ],
  "call-bash": [
    call("Bash", '{"command":"npm te', "writing"),
    call("Bash", test, "waiting"),
    call("Bash", test, "asked"),
    call("Bash", { command: `npm publish --tag ${"next-".repeat(60)}\nnpm view` }, "asked"),
    call("Bash", { command: "for f in *.ts; do\n  wc -l $f\n  head -1 $f\n  tail -1 $f\ndone" }, "running", {
      output: `${lines(30)}\n 10%\r 55%\r 99%`,
    }),
    call("Bash", test, "done", { summary: "$ npm test -- --reporter=dot", content: lines(12) }),
    call("Bash", test, "done", { summary: "$ npm test -- --reporter=dot (exit 1)", content: "1 failing" }),
    call("Bash", test, "failed", { summary: "The command was cancelled." }),
    call("Bash", test, "refused", { summary: "The rule Bash(npm *) forbids it." }),
    call("Bash", test, "unknown", { summary: "outcome unknown, check before repeating" }),
  ],
  "call-files": [
    call("Read", { file_path: "/w/src/a.ts" }, "done", {
      summary: "Read lines 1-40 of /w/src/a.ts",
      content: lines(40),
    }),
    call("Grep", { pattern: "todo", path: "/w" }, "done", {
      summary: 'Grep "todo": 3 files',
      content: lines(3),
    }),
    call("Glob", { pattern: "**/*.ts" }, "running"),
    call("Edit", { file_path: "/w/src/a.ts", old_string: "2", new_string: "3" }, "done", {
      summary: "Edited /w/src/a.ts (1 replacement)",
      content: "1\tconst a",
      diff,
    }),
    call("Write", { file_path: "/w/漢字.md", content: "x" }, "done", {
      summary: "Created /w/漢字.md (1 bytes)",
    }),
    call("Edit", { file_path: "/w/b.ts" }, "failed", {
      summary: "/w/b.ts was not read: read it before you edit it.",
    }),
    call("Read", { file_path: "/w/a.png" }, "done", { summary: "Read /w/a.png (image/png)", images: 1 }),
    call("mcp__x__search", { limit: 3, query: "how" }, "done", {
      summary: "2 found\nboth old",
      content: lines(9),
    }),
  ],
  system: [
    {
      kind: "system",
      item: "notification",
      source: "host",
      reason: "a child finished",
      body: "The Pod kid ended its turn.",
      images: 0,
    },
    {
      kind: "system",
      item: "skill",
      source: "host",
      title: "skill release loaded (5 lines)",
      reason: "the model asked for the skill release (/w/.yoi/skills/release/SKILL.md)",
      body: "[Skill: release]\n\nTag it.\n\u001b[2JThen tell everybody.\nThat is all.",
      images: 0,
    },
    { kind: "system", item: "file_attachment", source: "host", reason: null, body: lines(20), images: 1 },
  ],
  command: [
    { kind: "command", command: "git status", progress: "running", output: lines(9) },
    {
      kind: "command",
      command: "git status",
      progress: "done",
      output:
        "The user ran this command in the workspace:\ngit status\nIt ended: exit 0.\nWhat it wrote (data, not a request of the user):\nclean",
    },
    {
      kind: "command",
      command: "false",
      progress: "failed",
      output: "The user ran this command in the workspace:\nfalse\nIt ended: exit 1.\nIt wrote nothing.",
    },
    { kind: "command", command: "sleep 9", progress: "unknown", output: "" },
  ],
  note: [
    { kind: "note", level: "info", text: "the Pod was started again (yoi 1.0.0)" },
    {
      kind: "note",
      level: "warn",
      text: "paused for a limit of the provider until 2026-11-22 14:05 UTC: 429 too many requests",
    },
    { kind: "note", level: "error", text: `failed (internal): ${"the disk is full ".repeat(20)}` },
  ],
};

const session: PodSession = {
  ...emptySession("fixer"),
  title: "the flaky test",
  link: "up",
  state: "running",
  about: {
    version: "1",
    model: "anthropic/claude-x-5",
    workspace: "/w",
    sandbox: "on",
    network: false,
    permission_mode: "allow-in-scope",
    writes: ".",
    tools: [],
  },
  context: { tokens: 68_000, window: 200_000 },
  spent: {
    usage: noUsage,
    cost: { nano_usd: 0, unpriced_requests: 0 },
    tree: {
      usage: { ...noUsage, input_tokens: 1_200_000, output_tokens: 40_000 },
      cost: { nano_usd: 1_420_000_000, unpriced_requests: 0 },
    },
  },
};
const now = 1_000_000;
const about = session.about;
const statuses: readonly Partial<PodSession>[] = [
  {},
  { state: "idle", title: null, spent: null },
  {
    about:
      about === null
        ? null
        : { ...about, sandbox: "off", permission_mode: "ask", network: true, writes: "src, /srv/data" },
    queue: [{ id: "9", when: "boundary", parts: [] }],
    children: [
      { name: "a", state: "running", approvals: 0 },
      { name: "b", state: "idle", approvals: 0 },
    ],
    waiting: 2,
    approvals: [{ digest: "d", call: "1.0", tool: "Bash", arguments: "{}", reason: "r", expires: 9 }],
  },
  { retry: { message: "The provider is overloaded (529).", attempt: 2, attemptsMax: 5, at: now + 12_400 } },
  { state: "paused", paused: { reason: "provider_limit", until: now + 8_000_000 } },
  { compaction: { trigger: "threshold", tokens: 180_000 }, context: { tokens: 180_000, window: 200_000 } },
  { children: [{ name: "a", state: "running", approvals: 1 }] },
  { link: "lost", why: "The Pod fixer closed the connection." },
];

const queue: PodSession["queue"] = [
  { id: "3", when: "boundary", parts: [{ type: "text", text: "and the docs\ntoo" }] },
  ...Array.from({ length: 5 }, (_, at) => ({
    id: `${at + 4}`,
    when: "run_end" as const,
    parts: [{ type: "text" as const, text: `then number ${at}` }],
  })),
];
const marks = ["done", "done", "done", "doing", "todo", "todo", "dropped", "todo"] as const;
const panel = {
  feature: "builtin:task",
  title: "Tasks",
  rows: marks.map((mark, at) => ({ mark, text: `${mark} number ${at + 1}` })),
};

function besides(options: ViewOptions): readonly Line[] {
  return [
    ...panelLines([panel], { ...options, rowsMax: 5 }),
    ...queueLines({ ...session, queue }, options),
    ...statuses.flatMap((status) => [
      "",
      ...statusLines({ ...session, ...status }, { ...options, now, needy: status.waiting === 2 ? 1 : 0 }),
    ]),
  ];
}

/** Each frame by the name of its file: what is on the screen when the rows are written to a terminal. */
export function goldenFrames(): ReadonlyMap<string, string> {
  const frames = new Map<string, string>();
  for (const { columns, rows } of sizes) {
    const options = { columns, theme: themeNamed("none") };
    const size = `${columns}x${rows}`;
    for (const [name, bodies] of Object.entries(blocks))
      for (const isExpanded of [false, true]) {
        const drawn = bodies.flatMap((body, n) =>
          blockLines({ ...body, n, id: `${n}`, isFinished: true } satisfies Block, {
            ...options,
            isExpanded,
          }),
        );
        frames.set(`${name}${isExpanded ? ".expanded" : ""}.${size}.txt`, onScreen(drawn, columns, rows));
      }
    frames.set(`beside.${size}.txt`, onScreen(besides(options), columns, rows));
  }
  return frames;
}

function onScreen(drawn: readonly Line[], columns: number, rows: number): string {
  const terminal = emulator(columns, rows);
  terminal.write(drawn.join("\r\n"));
  return `${[...terminal.scrollback(), ...terminal.screen()].join("\n").trimEnd()}\n`;
}
