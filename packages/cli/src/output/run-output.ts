/** What a run says, in the format that was asked for: the answer, one object, or a stream of events on stdout; progress on stderr. */
import { type Entry, escapeControls } from "@yoi/base";
import { liveOf, type PodEvent } from "@yoi/pod";
import type { Live } from "@yoi/protocol";
import type { Environment } from "../environment.ts";
import { type Failure, writeFailure } from "../failure.ts";
import { describeSpent } from "./cost.ts";
import type { OutputFormat } from "../program/choices.ts";
import { jsonLine } from "./json-line.ts";
import { Progress } from "./progress.ts";
import { errorObject, type KnownRun } from "./error-object.ts";
import { explainFollowed, explainOutcome, type ResultInput, resultObject } from "./result.ts";
import { EventStream } from "./stream/event-stream.ts";
import type { StartEvent } from "./stream/stream-event.ts";

const stdoutLines = {
  write: (line: string): void => void process.stdout.write(line),
  get waitingBytes(): number {
    return process.stdout.writableLength;
  },
  get gone(): boolean {
    return process.stdout.destroyed;
  },
};

export class RunOutput {
  readonly #format: OutputFormat;
  readonly #isTerminal: boolean;
  readonly #stderrIsTerminal: boolean;
  readonly #progress: Progress;
  readonly #stream: EventStream | null;
  /** Seq of the last one on record. */
  #request: number | null = null;

  constructor(format: OutputFormat, environment: Pick<Environment, "stderr" | "stdoutIsTerminal">) {
    this.#format = format;
    this.#isTerminal = environment.stdoutIsTerminal;
    this.#stderrIsTerminal = environment.stderr.isTerminal;
    this.#progress = new Progress({
      ...environment.stderr,
      write: (text) => void process.stderr.write(text),
    });
    this.#stream = format === "stream-json" ? new EventStream(stdoutLines) : null;
  }

  /** Of a Pod in this process: it is told as clients of one in another are. */
  readonly observe = (event: PodEvent): void => {
    const live = liveOf(event, this.#request);
    if (live !== null) this.live(live);
  };

  live(live: Live): void {
    this.#progress.live(live);
    this.#stream?.live(live);
  }

  readonly committed = (entries: readonly Entry[]): void => {
    for (const entry of entries) {
      if (entry.kind === "llm_request") this.#request = entry.seq;
      this.#progress.committed(entry);
    }
    this.#stream?.committed(entries);
  };

  /** A sentence for the user. */
  readonly say = (text: string): void => {
    this.#progress.say(text);
    this.#stream?.put({ type: "warning", level: "warn", source: "host", text });
  };

  /** The Pod is open and the run begins. `isUnsaid`: nobody has been told the Pod's name yet. */
  begin(start: StartEvent, isUnsaid: boolean): void {
    if (isUnsaid) this.#progress.say(`Pod ${start.pod}`);
    this.#stream?.put(start);
  }

  /** Takes the live line away. */
  endProgress(): void {
    this.#progress.end();
  }

  /** The result is an object, not the answer alone. */
  get givesObject(): boolean {
    return this.#format !== "text";
  }

  finish(input: ResultInput): void {
    const { report, snapshot } = input;
    switch (this.#format) {
      case "text":
        if (report.outcome.kind !== "finished") break;
        process.stdout.write(
          `${this.#isTerminal ? escapeControls(report.outcome.text, "newline-tab") : report.outcome.text}\n`,
        );
        break;
      case "json":
        process.stdout.write(jsonLine(resultObject(input)));
        break;
      case "stream-json":
        this.#stream?.end(resultObject(input));
    }
    if (this.#format === "text" && this.#stderrIsTerminal)
      this.#progress.say(`Used ${describeSpent(report)}.`);
    const explanation = explainOutcome(report, snapshot.name);
    const sentences = [explanation ?? [], explainFollowed(report, snapshot.name)].flat();
    for (const sentence of sentences) process.stderr.write(`yoi: ${escapeControls(sentence)}\n`);
  }

  fail(failure: Failure, known: KnownRun): void {
    switch (this.#format) {
      case "text":
        break;
      case "json":
        process.stdout.write(jsonLine(errorObject(failure, known)));
        break;
      case "stream-json":
        this.#stream?.end(errorObject(failure, known));
    }
    writeFailure(failure);
  }
}
