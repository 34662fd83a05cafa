/** Submissions over connections that break anywhere, repeated until they are answered, on a Pod that is killed in between: each is on record once. */
import assert from "node:assert/strict";
import { type SeededRandom, seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { Follower } from "./follower.ts";
import { type HostedPod, Hosting } from "./hosted.ts";
import type { Answer, Entry } from "./raw-client.ts";

export interface SubmissionCase {
  readonly seed: number;
  readonly submissions: number;
  readonly kills: number;
  /** False: a repeat comes under another name, which must be found out. */
  readonly keepsName?: boolean;
}

/** What goes wrong with one submission before it is repeated. */
const faults = [
  "none",
  "half a line, then gone",
  "gone before the answer",
  "gone after the answer",
  "twice at once",
  "by two clients at once",
  "under a taken name",
] as const;
type Fault = (typeof faults)[number];

interface Sent {
  readonly name: string;
  readonly text: string;
}

export async function eachSubmittedOnce(options: SubmissionCase): Promise<void> {
  const { seed, submissions, kills, keepsName = true } = options;
  const random = seededRandom(seed);
  await using hosting = new Hosting();
  const pod = await hosting.startPod("submitted", `steps:\n${"  - text: done\n".repeat(2 * submissions)}`);
  using follower = new Follower(pod);
  const killedAt = new Set(Array.from({ length: kills }, () => random.below(submissions)));
  const seqs = new Map<string, number>();
  for (let at = 0; at < submissions; at += 1) {
    const sent = { name: `s-${at}`, text: `Submission ${at} of seed ${seed}.` };
    await meetFault(faults[random.below(faults.length)] ?? "none", { pod, sent, random, follower });
    if (killedAt.has(at)) {
      await pod.kill9();
      follower.drop();
      await pod.restore();
    }
    const repeated = keepsName ? sent : { ...sent, name: `${sent.name}-again` };
    seqs.set(repeated.name, await accepted(repeated, follower));
  }
  checkOnce(pod.log(), submissions, seqs);
}

interface Attempt {
  readonly pod: HostedPod;
  readonly sent: Sent;
  readonly random: SeededRandom;
  readonly follower: Follower;
}

function lineOf({ name, text }: Sent, id = name): string {
  const params = { parts: [{ type: "text", text }], submission: name };
  return JSON.stringify({ id, method: "submit", params });
}

/** None of it has to succeed: the Pod may be busy with the run before. */
async function meetFault(fault: Fault, { pod, sent, random, follower }: Attempt): Promise<void> {
  if (fault === "none") return;
  using client = await pod.client({ stream: false });
  const line = lineOf(sent);
  switch (fault) {
    case "half a line, then gone":
      client.send(line.slice(0, 1 + random.below(line.length - 1)), "");
      break;
    case "gone before the answer":
      client.send(line);
      break;
    case "gone after the answer":
      await client.ask("submit", paramsOf(sent));
      return;
    case "twice at once": {
      const answers = Promise.all([client.answerTo("a"), client.answerTo("b")]);
      client.send(`${lineOf(sent, "a")}\n${lineOf(sent, "b")}`);
      checkSame(await answers);
      return;
    }
    case "by two clients at once": {
      using other = await pod.client({ stream: false });
      checkSame(
        await Promise.all([client.ask("submit", paramsOf(sent)), other.ask("submit", paramsOf(sent))]),
      );
      return;
    }
    case "under a taken name": {
      const seq = await accepted(sent, follower);
      const { error } = await client.ask("submit", paramsOf({ ...sent, text: "Something else." }));
      assert.equal(error?.cause, "submission_conflict", `after ${seq}: ${JSON.stringify(error)}`);
      return;
    }
  }
  // What was written arrives, whatever becomes of the connection.
  await new Promise<void>((resolve) => void client.socket.end(resolve));
}

function paramsOf({ name, text }: Sent) {
  return { parts: [{ type: "text", text }], submission: name };
}

/** One of the two at most began something; both name the same place. */
function checkSame(answers: readonly Answer[]): void {
  const results = answers.flatMap(({ result }) => (result === undefined ? [] : [result]));
  assert.ok(results.filter(({ duplicate }) => duplicate === false).length <= 1, JSON.stringify(answers));
  assert.ok(new Set(results.map(({ seq }) => seq)).size <= 1, JSON.stringify(answers));
  for (const { error } of answers)
    assert.ok(error === undefined || error.code === "already_running", JSON.stringify(answers));
}

/** Asks until it is answered; resolves with the seq once its run is over. */
async function accepted(sent: Sent, follower: Follower): Promise<number> {
  for (;;) {
    const client = await follower.client();
    await client.until("up to date", () => client.snapshot !== null);
    const { result, error } = await client.ask("submit", paramsOf(sent));
    if (result === undefined) assert.equal(error?.code, "already_running", JSON.stringify(error));
    else await client.until("the run's end", () => endOfLast(follower.entries) > Number(result["seq"]));
    await client.until("a Pod that does nothing", () => client.state !== "running");
    if (result !== undefined) return Number(result["seq"]);
  }
}

const ends = new Set(["run_completed", "run_errored", "run_paused", "turn_rolled_back"]);

function endOfLast(entries: readonly Entry[]): number {
  return entries.findLast(({ kind }) => ends.has(kind))?.seq ?? -1;
}

/** By the log on disk: each name once, with its text, at the place that its client was told. */
function checkOnce(log: readonly Entry[], submissions: number, told: ReadonlyMap<string, number>): void {
  const inputs = log.filter(({ kind }) => kind === "user_input");
  assert.deepEqual(
    inputs.map((entry) => entry["submission"]),
    Array.from({ length: submissions }, (_, at) => `s-${at}`),
  );
  for (const { seq, submission } of inputs.map((entry) => ({
    seq: entry.seq,
    submission: String(entry["submission"]),
  }))) {
    const begun = log.findLast((entry) => entry.seq < seq && entry.kind === "invoke");
    assert.equal(told.get(submission), begun?.seq, `where ${submission} is`);
  }
}
