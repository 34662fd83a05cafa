/** 64 processes that all want one lock at one moment, and how many get it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { YoiError } from "@yoi/base";
import { Starter } from "./crew.ts";

export const starterCount = 64;
/** From the call to the moment of the start: long enough for every starter to have its order. */
const barrierMs = 150;

export interface RaceResult {
  /** The pids that hold the lock now. */
  readonly winners: readonly number[];
  readonly refusals: readonly Error[];
}

/** Processes of one data directory, started once for several rounds. */
export class Race implements AsyncDisposable {
  readonly dataDir: string;
  readonly #starters: readonly Starter[];

  private constructor(dataDir: string, starters: readonly Starter[]) {
    this.dataDir = dataDir;
    this.#starters = starters;
  }

  static async open(count = starterCount): Promise<Race> {
    const dataDir = mkdtempSync(join(tmpdir(), "yoi-lease-race-"));
    const race = new Race(
      dataDir,
      Array.from({ length: count }, () => new Starter(dataDir)),
    );
    // One answer from each: all of them run now.
    await race.#all((starter) => starter.call({ verb: "owner", name: "nobody" }));
    return race;
  }

  /** Leaves behind the lock of a process that was killed while it held it. */
  async leaveDeadOwner(name: string): Promise<void> {
    const owner = new Starter(this.dataDir);
    await owner.call({ verb: "acquire", name, purpose: "run" });
    await owner.kill();
  }

  /** One round for the lease. `after` runs while the winners hold it; then they let go. */
  async run(name: string, after: (result: RaceResult) => Promise<void>): Promise<void> {
    const atMs = Date.now() + barrierMs;
    const held = new Map<Starter, number>();
    const result = await this.#round(
      async (starter) =>
        void (await starter.call({ verb: "acquire", name, purpose: "run", atMs }, (id) =>
          held.set(starter, id),
        )),
    );
    try {
      await after(result);
    } finally {
      await this.#all((starter) => starter.call({ verb: "release", held: held.get(starter) ?? 0 }));
    }
  }

  /** The same round for a pid file with take-over: the control. */
  runPidFile(path: string): Promise<RaceResult> {
    const atMs = Date.now() + barrierMs;
    let turn = 0;
    return this.#round(async (starter) => {
      turn += 1;
      const breakAtMs = atMs + 2 * barrierMs + turn;
      if ((await starter.call({ verb: "pid-file", path, atMs, breakAtMs })) !== true) {
        throw new YoiError("pod_held", "held");
      }
    });
  }

  async #round(attempt: (starter: Starter) => Promise<void>): Promise<RaceResult> {
    const outcomes = await Promise.allSettled(this.#starters.map(attempt));
    return {
      winners: this.#starters
        .filter((_, index) => outcomes[index]?.status === "fulfilled")
        .map(({ pid }) => pid),
      refusals: outcomes.flatMap((outcome) =>
        outcome.status === "rejected" ? [outcome.reason as Error] : [],
      ),
    };
  }

  #all(run: (starter: Starter) => Promise<unknown>): Promise<unknown> {
    return Promise.all(this.#starters.map(run));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#all((starter) => starter.kill());
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
