/** One of everything that the protocol can say: hello, each method, each event, each live type, each end of a run. */
import { callId, noCost, noUsage, type Panel } from "@yoi/base";
import type {
  Call,
  ChildNow,
  HelloParams,
  Live,
  PodView,
  Request,
  Response,
  RunEnd,
  SpentNow,
  StreamEvent,
} from "../../src/index.ts";

export const helloParams: HelloParams = {
  protocol: 1,
  role: "user",
  token: "0f".repeat(32),
  client: "attach",
  stream: true,
  after: { segment: "01920000-0000-7000-8000-000000000002", seq: 41 },
};
export const hello: Request = { id: "h", method: "hello", params: helloParams };

/** With every optional field, and without. */
export const calls: readonly Call[] = [
  { id: "1", method: "ping", params: { text: "naïve \u2028 \ud83d\ude00" } },
  { id: "2", method: "ping", params: {} },
  { id: "3", method: "show", params: {} },
  {
    id: "4",
    method: "submit",
    params: {
      parts: [
        { type: "text", text: 'Read "it":\n' },
        { type: "skill_ref", name: "release" },
        { type: "file_ref", path: "src/a b.ts" },
      ],
      submission: "s-1",
      limits: { timeout_ms: 1 },
    },
  },
  { id: "5", method: "submit", params: { parts: [], submission: "s-2" } },
  { id: "6", method: "notify", params: { message: "Done.", reason: "build", submission: "s-3" } },
  { id: "7", method: "notify", params: { message: "", submission: "s-4" } },
  { id: "8", method: "resume", params: { limits: {} } },
  { id: "9", method: "resume", params: {} },
  { id: "10", method: "cancel", params: { run: "0" } },
  { id: "11", method: "cancel", params: {} },
  { id: "12", method: "pause", params: { run: "7" } },
  { id: "13", method: "pause", params: {} },
  {
    id: "14",
    method: "answer_approval",
    params: { digest: "ab".repeat(32), answer: "deny", reason: "No." },
  },
  { id: "15", method: "answer_approval", params: { digest: "ab".repeat(32), answer: "allow" } },
  {
    id: "38",
    method: "answer_approval",
    params: {
      digest: "ab".repeat(32),
      answer: "allow",
      keep: { for: "always", rule: "Bash(git *)", expires: 9, everywhere: true },
    },
  },
  { id: "16", method: "pod_event", params: { event: "turn_ended" } },
  { id: "17", method: "restore_pod", params: { name: "mender" } },
  { id: "18", method: "register_peer", params: { name: "reviewer", remove: true } },
  { id: "19", method: "register_peer", params: { name: "reviewer" } },
  { id: "21", method: "compact", params: {} },
  { id: "22", method: "undo_compaction", params: {} },
  { id: "23", method: "list_rewind_targets", params: { limit: 10_000, older_than: "2-57" } },
  { id: "24", method: "list_rewind_targets", params: {} },
  { id: "25", method: "rewind", params: { id: "57", side: "before", expected_head: "2-114" } },
  { id: "26", method: "rewind", params: { id: "2-57", side: "behind", files: true } },
  {
    id: "27",
    method: "queue",
    params: { parts: [{ type: "text", text: "later" }], submission: "s-5", when: "boundary" },
  },
  { id: "28", method: "queue", params: { parts: [], submission: "s-6", when: "run_end" } },
  { id: "29", method: "unqueue", params: { id: "2-57" } },
  { id: "30", method: "run_command", params: { command: "npm test | tail -5\n", submission: "s-7" } },
  { id: "31", method: "stop_command", params: { id: "2-58" } },
  { id: "32", method: "complete_path", params: { prefix: "src/ma", limit: 200 } },
  { id: "33", method: "complete_path", params: { prefix: "" } },
  { id: "34", method: "set_title", params: { title: "The login bug" } },
  { id: "35", method: "set_title", params: { title: null } },
  { id: "20", method: "shutdown", params: {} },
];

export const runEnds: readonly RunEnd[] = [
  { kind: "finished", text: "Hello." },
  { kind: "limit_reached", limit: "turns", max: 3 },
  { kind: "limit_reached", limit: "time", max: 1000 },
  { kind: "paused", reason: "provider_limit", detail: "Come back.", until: 1_800_000_000_000 },
  { kind: "paused", reason: "user", detail: "", until: null },
  { kind: "yielded", reason: "threshold" },
  { kind: "aborted", reason: "hook" },
  { kind: "cancelled" },
  { kind: "rolled_back" },
  { kind: "failed", failure: "model_failed", message: "It broke.", retryable: true },
];

const runEnded = {
  run: "4",
  end: { kind: "finished", text: "Hello." },
  followed: runEnds,
  turns: 2,
  usage: { ...noUsage, input_tokens: 10, output_tokens: 3 },
  cost: { ...noCost, nano_usd: 12 },
  denials: [
    { call: "5.0", tool: "Bash", target: "rm -rf /", reason: "A rule.", kind: "denied" },
    { call: "5.1", tool: "Bash", target: "ls", reason: "Nobody to ask.", kind: "asked" },
  ],
  permission_needed: true,
} as const;

const alert = { type: "alert", level: "warn", source: "pod", message: "Careful.", at: 5 } as const;

const used = { usage: { ...noUsage, input_tokens: 10 }, cost: { ...noCost, nano_usd: 12 } };
const spent: SpentNow = { ...used, tree: used };
const panel: Panel = {
  feature: "builtin:task",
  title: "Tasks 1 of 2 done",
  rows: [
    { mark: "done", text: "Look" },
    { mark: "doing", text: "Mend" },
  ],
};
const children: readonly ChildNow[] = [
  { name: "mender", state: "running", approvals: 1 },
  { name: "reviewer", state: "stopped", approvals: 0 },
  { name: "later", state: "unknown", approvals: 0 },
];

export const lives: readonly Live[] = [
  { type: "state", state: "running" },
  { type: "turn", turn: 1 },
  { type: "block_start", request: 5, index: 0, block: "text", name: null },
  { type: "block_start", request: 5, index: 1, block: "tool_call", name: "Bash" },
  // Half of a surrogate pair: pieces are cut anywhere.
  { type: "delta", request: 5, index: 0, block: "reasoning", text: "so \ud83d" },
  { type: "tool_start", call: callId(5, 1), name: "Bash", title: "ls" },
  { type: "tool_progress", call: callId(5, 1), text: "a\nb\n" },
  {
    type: "retry",
    request: 5,
    attempt: 1,
    attempts_max: 6,
    wait_ms: 500,
    error_code: "overloaded",
    message: "Busy.",
    status: 529,
  },
  {
    type: "retry",
    request: null,
    attempt: 1,
    attempts_max: 6,
    wait_ms: 0,
    error_code: "network",
    message: "",
    status: null,
  },
  { type: "continuation", request: null, attempt: 1, attempts_max: 3, reason: "cut" },
  alert,
  { type: "run_ended", run: runEnded },
  { type: "run_failed", run: null, code: "io_failed", message: "No." },
  { type: "compaction_begun", trigger: "threshold", tokens: 150_000 },
  {
    type: "compaction_ended",
    trigger: "threshold",
    outcome: "committed",
    message: null,
    tokens_before: 150_000,
    tokens_after: 12_000,
    items_before: 900,
    items_after: 20,
  },
  {
    type: "compaction_ended",
    trigger: "user",
    outcome: "failed",
    message: "The provider refused it.",
    tokens_before: 150_000,
    tokens_after: null,
    items_before: 900,
    items_after: null,
  },
  { type: "title", title: "The login bug" },
  { type: "title", title: null },
  { type: "command_output", id: "2-58", text: "ok 1\n" },
  { type: "panel", panel },
  { type: "panel", panel: { feature: "project:notes", title: "", rows: [] } },
  { type: "spent", context: { tokens: 12_000, window: 200_000 }, spent },
  { type: "spent", context: { tokens: 0, window: null }, spent },
  { type: "children", children },
  { type: "children", children: [] },
  { type: "shutdown" },
];

export const view: PodView = {
  pod: "p",
  session: "01920000-0000-7000-8000-000000000001",
  segment: "01920000-0000-7000-8000-000000000002",
  generation: 2,
  epoch: 3,
  seq: 41,
  n: 7,
  state: "running",
  run: "2-4",
  about: {
    version: "0.1.0",
    model: "scripted/x",
    workspace: "/w",
    sandbox: "on",
    network: false,
    permission_mode: "ask",
    writes: "src, /srv/data",
    tools: ["Read", "Bash"],
    skills: [{ name: "release", description: "How a release is made." }],
  },
  in_flight: {
    request: 5,
    blocks: [
      { index: 0, block: "text", name: null, from: 0, text: "He" },
      { index: 1, block: "tool_call", name: "Bash", from: 2, text: '{"a' },
    ],
    calls: [{ call: "5.1", name: "Bash", title: "ls", output: "a\n" }],
  },
  approvals: [
    { digest: "cd".repeat(32), call: "5.2", tool: "Bash", arguments: "{}", reason: "Asked.", expires: 9 },
    {
      digest: "ce".repeat(32),
      call: "5.3",
      tool: "Write",
      arguments: "{}",
      reason: "It leaves.",
      expires: 9,
      offers: ["write /srv/a", "write /srv/**"],
      wish: { permission: "write", target: "/srv/a" },
    },
  ],
  compaction: { trigger: "user", tokens: 9 },
  waiting: 1,
  queue: [
    { id: "57", when: "boundary", parts: [{ type: "text", text: "And tidy up." }] },
    { id: "2-9", when: "run_end", parts: [{ type: "file_ref", path: "a.ts" }] },
  ],
  queue_held: true,
  title: "The login bug",
  commands: [{ id: "2-58", command: "npm test", output: "ok 1\n" }],
  panels: [panel],
  context: { tokens: 12_000, window: 200_000 },
  spent,
  children,
  alerts: [{ ...alert, n: 6 }],
  last_run: runEnded,
};

export const events: readonly StreamEvent[] = [
  { event: "entry", entry: { seq: 0, batch: 0, ts: 1, kind: "invoke", trigger: "user_send" } },
  {
    event: "entry",
    entry: {
      seq: 1,
      batch: 0,
      ts: 1,
      kind: "user_input",
      parts: [{ type: "text", text: "a\u2028b" }],
      submission: "s-1",
    },
  },
  {
    event: "entry",
    entry: { seq: 2, batch: 2, ts: 2, kind: "later", opaque: true, fields: { opaque: 1, deep: [[{}]] } },
  },
  { event: "entry_omitted", seq: 3, kind: "tool_result", bytes: 20_000_000 },
  {
    event: "segment_rotated",
    segment: view.segment,
    generation: 2,
    why: "compacted",
    from: { segment: "01920000-0000-7000-8000-000000000003", seq: 9 },
    left: { segment: "01920000-0000-7000-8000-000000000003", seq: 9 },
  },
  { event: "snapshot", view },
  {
    event: "snapshot",
    view: {
      ...view,
      state: "idle",
      run: null,
      in_flight: { request: null, blocks: [], calls: [] },
      last_run: null,
    },
  },
  ...lives.map((live, index): StreamEvent => ({ event: "live", n: index + 8, live })),
  { event: "resync", after: { segment: "01920000-0000-7000-8000-000000000002", seq: 41 } },
  { event: "resync", after: null },
];

export const answers: readonly Response[] = [
  {
    id: "h",
    result: { protocol: 1, pod: "p", session: view.session, segment: view.segment, epoch: 3, from: 42 },
  },
  { id: "3", result: view },
  { id: "4", result: { id: "4", duplicate: false } },
  { id: "10", result: {} },
  { id: "11", error: { code: "not_running", message: "Nothing runs." } },
  { id: null, error: { code: "invalid_request", message: "No.", cause: "prompt_empty" } },
  { id: "h", error: { code: "protocol_unsupported", message: "No.", versions: [1] } },
];
