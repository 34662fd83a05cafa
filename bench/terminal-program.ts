/** What the real program takes on a terminal: its first frame, a Pod with a long past, and a key while an answer streams. */
import { setTimeout as delay } from "node:timers/promises";
import type { EntryBody } from "@yoi/base";
import { type HostedPod, Hosting } from "../test/service/hosted.ts";
import type { Entry } from "../test/service/raw-client.ts";
import { growLog } from "./grow-log.ts";
import { OnTerminal } from "./on-terminal.ts";
import { summary, type Summary } from "./summary.ts";

export interface TerminalProgramOptions {
  /** The launcher. */
  readonly command: string;
  /** Of the Pod that is attached to. */
  readonly entries: number;
  readonly keys: number;
  readonly runs: number;
}

export interface TerminalProgramResults {
  /** From the start of the process; beside a Node that writes a line. */
  readonly firstPaintMs: { readonly yoi: Summary; readonly node: Summary };
  readonly attach: {
    readonly entries: number;
    readonly ms: Summary;
    /** Resident at most until then. */
    readonly peakBytes: Summary;
  };
  readonly echo: {
    readonly keys: number;
    /** Of the answer that streamed meanwhile, four characters each. */
    readonly tokensPerSecond: number;
    /** The worst is the 99th of a hundred. */
    readonly ms: { readonly median: number; readonly worst: number };
  };
}

/** The end of what belongs together: a frame stands. */
const frameEnd = "\u001b[?2026l";
const pieceChars = 19;
const charsPerToken = 4;
/** So that the first frame is not the question for one. */
const key = { ANTHROPIC_API_KEY: "sk-ant-bench-0000000000000000" };

export async function measureTerminalProgram(
  options: TerminalProgramOptions,
): Promise<TerminalProgramResults> {
  return {
    firstPaintMs: await measureFirstPaint(options),
    attach: await measureAttach(options),
    echo: await measureEcho(options),
  };
}

async function measureFirstPaint({
  command,
  runs,
}: TerminalProgramOptions): Promise<TerminalProgramResults["firstPaintMs"]> {
  await using hosting = new Hosting({ command, env: key });
  const { env, workspace: cwd } = hosting.home;
  const subjects = [
    { words: [process.execPath, "-e", "console.log(6 * 7)"], sign: "42", ms: [] as number[] },
    { words: [command], sign: frameEnd, ms: [] as number[] },
  ];
  // In turns; the first round fills the cache of compiled code.
  for (let run = -1; run < runs; run += 1) {
    for (const { words, sign, ms } of subjects) {
      await using shown = new OnTerminal(words, { cwd, env });
      const paintedMs = await shown.writes(sign);
      if (run >= 0) ms.push(paintedMs - shown.startedMs);
    }
  }
  const [node, yoi] = subjects.map(({ ms }) => summary(ms));
  if (node === undefined || yoi === undefined) throw new Error("nothing was measured");
  return { yoi, node };
}

async function measureAttach({
  command,
  entries,
  runs,
}: TerminalProgramOptions): Promise<TerminalProgramResults["attach"]> {
  await using hosting = new Hosting({ command });
  const { env, workspace: cwd } = hosting.home;
  await grown(hosting, entries);
  const ms: number[] = [];
  const peakBytes: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    await using shown = new OnTerminal([command, "attach", "long"], { cwd, env });
    ms.push((await shown.writes("ready")) - shown.startedMs);
    peakBytes.push(shown.peak());
  }
  return { entries, ms: summary(ms), peakBytes: summary(peakBytes) };
}

/** A Pod with so many entries at least, of runs with a call each. */
export async function grown(hosting: Hosting, entries: number): Promise<HostedPod> {
  const pod = await hosting.startPod("long", oneRun);
  using client = await pod.client();
  await client.ask("submit", { parts: [{ type: "text", text: "Look at it." }], submission: "first" });
  await client.until("the end of the run", () => client.runsEnded > 0);
  await pod.stop();
  const log = pod.log();
  const begins = log.findIndex(({ kind }) => kind === "invoke");
  const run = log.slice(begins, log.findIndex(({ kind }) => kind === "run_completed") + 1);
  const whole = Math.ceil(entries / run.length) * run.length;
  await growLog(hosting.home.home, "long", whole, (index) => {
    const body = run[index % run.length];
    if (body === undefined) throw new Error("the first run left nothing on record");
    return laterBy(body, log.length - begins + index - (index % run.length));
  });
  await pod.restore();
  return pod;
}

const oneRun = `context_window: 100000000
steps:
  - text: "I look at what it says, and then at what there is **beside** it."
    tool_calls: [{ name: Read, arguments: { file_path: /etc/hostname } }]
  - text: "It is one line.\\n\\n- the name\\n- and nothing else\\n"
`;

/** An entry of a run as it is in a run that begins so many entries later. */
function laterBy({ seq: _, batch: __, ts: ___, ...body }: Entry, entries: number): EntryBody {
  const text = JSON.stringify(body)
    .replace(/"(request|through)":(\d+)/g, (_all, name, seq) => `"${name}":${Number(seq) + entries}`)
    .replace(/"call":"(\d+)\./g, (_all, seq) => `"call":"${Number(seq) + entries}.`)
    .replace('"submission":"first"', `"submission":"later-${entries}"`);
  // SAFETY: as the program wrote it, but for its references.
  return JSON.parse(text) as EntryBody;
}

/** Keys that are typed one after the other, each a sign of its own, until it is written. */
async function measureEcho({
  command,
  keys,
}: TerminalProgramOptions): Promise<TerminalProgramResults["echo"]> {
  await using hosting = new Hosting({ command });
  const { env, workspace: cwd } = hosting.home;
  const pod = await hosting.startPod("stream", streaming(keys));
  using reader = await pod.client();
  await using shown = new OnTerminal([command, "attach", "stream"], { cwd, env });
  await shown.writes("ready");
  shown.type("go\r");
  await shown.writes("working");
  await delay(settlesMs);
  const [since, before] = [performance.now(), reader.live.length];
  const ms: number[] = [];
  for (let at = 0; at < keys; at += 1) {
    // Letters that are in no answer.
    const sign = String.fromCodePoint(0x0100 + at);
    const typedMs = performance.now();
    shown.type(sign);
    ms.push((await shown.writes(sign)) - typedMs);
    await delay(betweenKeysMs);
  }
  const pieces = reader.live.slice(before).filter(({ type }) => type === "delta").length;
  const seconds = (performance.now() - since) / 1000;
  const worst = ms.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(ms.length * 0.99) - 1)];
  if (worst === undefined) throw new Error("nothing was typed");
  return {
    keys,
    tokensPerSecond: (pieces * pieceChars) / charsPerToken / seconds,
    ms: { median: summary(ms).median, worst },
  };
}

const settlesMs = 500;
const betweenKeysMs = 37;
const paceMs = 2;
const paragraph =
  "The **Pod** keeps `what` it did in a log that nobody rewrites, and says so in [its pages](https://example.com).\n\n- one\n- two\n\n";

/** 2,000 tokens a second, for longer than the keys take. */
function streaming(keys: number): string {
  const seconds = (settlesMs + 2 * keys * betweenKeysMs) / 1000 + 5;
  const chars = (seconds * 1000 * pieceChars) / paceMs;
  const text = paragraph.repeat(Math.ceil(chars / paragraph.length));
  return `chunk: ${pieceChars}\npace_ms: ${paceMs}\nsteps:\n  - text: ${JSON.stringify(text)}\n`;
}
