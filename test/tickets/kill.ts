/** Processes that write tickets until they are killed, and what is there then. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { nodeHost } from "@yoi/host";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { nodeLocks } from "../../packages/host/src/node/file-lock.ts";
import { type TempHome, tempHome } from "../support/temp-home.ts";
import { realStore, rootIn } from "./place.ts";

const writer = fileURLToPath(new URL("./writer.ts", import.meta.url));
const killWithinMs = 250;

interface Said {
  readonly ticket: string;
  readonly event?: string;
  readonly body?: string;
}

class Writer {
  /** What it was told is written, as far as it could say so. */
  readonly said: Said[] = [];
  readonly #process: ChildProcess;
  readonly #begun: Promise<unknown>;
  readonly #over: Promise<unknown>;

  constructor(name: string, shared: string, { workspace, env }: TempHome) {
    // A group of its own, and nothing but its standard output: what is killed is this one process.
    this.#process = spawn(process.execPath, [writer, "loop", workspace, name, shared], {
      env,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const { stdout } = this.#process;
    assert.ok(stdout !== null);
    const lines = createInterface({ input: stdout });
    lines.on("line", (line) => this.#take(line));
    this.#begun = Promise.race([once(lines, "line"), once(this.#process, "exit")]);
    this.#over = Promise.all([once(lines, "close"), once(this.#process, "exit")]);
  }

  /** A line that the kill cut is none. */
  #take(line: string): void {
    if (line.endsWith("}")) this.said.push(JSON.parse(line) as Said);
  }

  async killAfter(delayMs: number): Promise<void> {
    await this.#begun;
    await delay(delayMs);
    assert.equal(this.#process.exitCode, null, "it ended by itself");
    this.#process.kill("SIGKILL");
    await this.#over;
  }
}

const writersMax = 3;

/** Several writers, killed one after the other at random moments, in two lives of which the second goes on with what the first left. */
export async function killCase(seed: number): Promise<void> {
  const random = seededRandom(seed);
  using home = tempHome();
  const { id: shared } = await realStore(home.workspace).create(
    { title: "Everybody's", body: "" },
    { author: "hare", role: "user" },
  );
  const said: Said[] = [];
  for (let life = 0; life < 2; life += 1) {
    const writers = Array.from(
      { length: 1 + random.below(writersMax) },
      (_, n) => new Writer(`writer ${life} ${n}`, shared, home),
    );
    await Promise.all(writers.map((each) => each.killAfter(random.below(killWithinMs))));
    said.push(...writers.flatMap((each) => each.said));
    await survives(home, shared, said);
  }
}

async function survives(home: TempHome, shared: string, said: readonly Said[]): Promise<void> {
  const host = nodeHost();
  // Nobody waits for the lock of a dead process: the first try has it.
  const store = realStore(home.workspace, { ...host, locks: nodeLocks({ waitMaxMs: 0 }) });
  const states = ["planning", "ready", "queued", "inprogress", "done", "closed"] as const;
  const { tickets, problems } = await store.list({ states });
  assert.deepEqual(problems, []);
  for (const { ticket, event, body } of said) {
    const { events } = await store.show(ticket);
    if (event === undefined) continue;
    const found = events.filter(({ id }) => id === event);
    assert.equal(found.length, 1, `the acknowledged event ${event} is in ${ticket} ${found.length} times`);
    if (body !== undefined) assert.equal(found[0]?.body, body);
  }
  // The next writer heals what the killed ones left; then nothing is wrong any more.
  for (const { id } of tickets)
    await store.add(id, { kind: "comment", body: "Next." }, { author: "hare", role: "user" });
  await store.create({ title: "Next", body: "" }, { author: "hare", role: "user" });
  assert.deepEqual((await store.doctor({ fix: false })).problems, []);
  const threads = readdirSync(rootIn(home.workspace)).filter((name) => /^[0-9A-Z]{13}$/.test(name));
  for (const id of threads) {
    const text = readFileSync(join(rootIn(home.workspace), id, "thread.md"), "utf8");
    const [begun, ended] = [text.match(/^<!-- event: /gm)?.length, text.match(/^<!-- end: /gm)?.length];
    assert.equal(begun, ended, `${id} has a torn event`);
  }
  assert.ok(threads.includes(shared));
}
