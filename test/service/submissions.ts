/** Submissions, of inputs and of notifications, over connections that break anywhere, repeated until they are answered, on a Pod that is killed in between: each is on record once. */
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
  /** Every second one is a notification, which does not wait for the run before. */
  readonly method: "submit" | "notify";
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
    const sent: Sent = {
      method: at % 2 === 0 ? "submit" : "notify",
      name: `s-${at}`,
      text: `Submission ${at} of seed ${seed}.`,
    };
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

function paramsOf({ method, name, text }: Sent) {
  return method === "notify"
    ? { message: text, submission: name }
    : { parts: [{ type: "text", text }], submission: name };
}

function lineOf(sent: Sent, id = sent.name): string {
  return JSON.stringify({ id, method: sent.method, params: paramsOf(sent) });
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
      await client.ask(sent.method, paramsOf(sent));
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
        await Promise.all([client.ask(sent.method, paramsOf(sent)), other.ask(sent.method, paramsOf(sent))]),
      );
      return;
    }
    case "under a taken name": {
      const seq = await accepted(sent, follower);
      const { error } = await client.ask(sent.method, paramsOf({ ...sent, text: "Something else." }));
      assert.equal(error?.cause, "submission_conflict", `after ${seq}: ${JSON.stringify(error)}`);
      return;
    }
  }
  // What was written arrives, whatever becomes of the connection.
  await new Promise<void>((resolve) => void client.socket.end(resolve));
}

/** One of the two at most began something; both name the same place. */
function checkSame(answers: readonly Answer[]): void {
  const results = answers.flatMap(({ result }) => (result === undefined ? [] : [result]));
  assert.ok(results.filter(({ duplicate }) => duplicate === false).length <= 1, JSON.stringify(answers));
  assert.ok(new Set(results.map(({ seq }) => seq)).size <= 1, JSON.stringify(answers));
  for (const { error } of answers)
    assert.ok(error === undefined || error.code === "already_running", JSON.stringify(answers));
}

/** Asks until it is answered; resolves with the seq, of an input once its run is over. */
async function accepted(sent: Sent, follower: Follower): Promise<number> {
  for (;;) {
    const client = await follower.client();
    await client.until("up to date", () => client.snapshot !== null);
    const { result, error } = await client.ask(sent.method, paramsOf(sent));
    if (sent.method === "notify") {
      assert.ok(result !== undefined, JSON.stringify(error));
      return Number(result["id"]);
    }
    if (result === undefined) assert.equal(error?.code, "already_running", JSON.stringify(error));
    else await client.until("the run's end", () => endOfLast(follower.entries) > Number(result["id"]));
    await client.until("a Pod that does nothing", () => client.state !== "running");
    if (result !== undefined) return Number(result["id"]);
  }
}

const ends = new Set(["run_completed", "run_errored", "run_paused", "turn_rolled_back"]);

function endOfLast(entries: readonly Entry[]): number {
  return entries.findLast(({ kind }) => ends.has(kind))?.seq ?? -1;
}

/** By the log on disk: each name once, with its text, at the place that its client was told. */
function checkOnce(log: readonly Entry[], submissions: number, told: ReadonlyMap<string, number>): void {
  const kept = log.filter(({ kind }) => kind === "user_input" || kind === "inbox_accepted");
  assert.deepEqual(
    kept.map(({ kind, submission }) => [kind, submission]),
    Array.from({ length: submissions }, (_, at) => [
      at % 2 === 0 ? "user_input" : "inbox_accepted",
      `s-${at}`,
    ]),
  );
  for (const { kind, seq, submission } of kept) {
    const name = String(submission);
    const place =
      kind === "inbox_accepted"
        ? seq
        : log.findLast((entry) => entry.seq < seq && entry.kind === "invoke")?.seq;
    assert.equal(told.get(name), place, `where ${name} is`);
  }
}
