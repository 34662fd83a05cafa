/** A model that calls tools for ever, in a process that is killed again and again: what its log says that it used in the end. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { committedBytes, type LogLine, linesOf } from "../support/stored-log.ts";
import { type TempHome, tempHome } from "../support/temp-home.ts";
import { runYoi, startYoi, type YoiResult } from "../support/yoi-process.ts";

/** Of each request. */
export const inputTokens = 100;
export const outputTokens = 10;
const step = `  - { usage: { input: ${inputTokens}, output: ${outputTokens} }, tool_calls: [{ name: Glob, arguments: { pattern: "*" } }] }\n`;
/** More than any test of this asks for. */
const stepsMax = 400;

export class Endless implements Disposable {
  readonly #home: TempHome = tempHome();
  #isBegun = false;

  /** @param config of the user. */
  constructor(config = "") {
    const { home, workspace } = this.#home;
    const settings = join(home, "config");
    mkdirSync(settings, { mode: 0o700 });
    writeFileSync(join(settings, "config.toml"), config);
    writeFileSync(join(workspace, "loop.yaml"), `steps:\n${step.repeat(stepsMax)}`);
  }

  /** Killed when it has answered so many times more. */
  async killed(flags: readonly string[], answers: number): Promise<void> {
    const yoi = this.#start(flags);
    await yoi.waitFor(new RegExp(`(?:"type":"turn_end"[^]*){${answers}}`));
    yoi.kill("SIGKILL");
    assert.equal((await yoi.ended).signal, "SIGKILL");
  }

  /** Not killed. */
  ended(flags: readonly string[]): Promise<YoiResult> {
    return this.#start(flags).ended;
  }

  /** `yoi usage --verify`, as JSON. */
  usage(): Promise<YoiResult> {
    const { workspace: cwd, env } = this.#home;
    return runYoi(["usage", "endless", "--verify", "--json"], { cwd, env });
  }

  get log(): readonly LogLine[] {
    return linesOf(committedBytes(this.#home.home));
  }

  [Symbol.dispose](): void {
    this.#home[Symbol.dispose]();
  }

  #start(flags: readonly string[]) {
    const { workspace: cwd, env } = this.#home;
    const begin = this.#isBegun ? [] : ["-m", "scripted/loop.yaml", "go"];
    this.#isBegun = true;
    const args = ["run", "--pod", "endless", "--output-format", "stream-json", ...flags, ...begin];
    return startYoi(args, { cwd, env });
  }
}

export function countOf(log: readonly LogLine[], kind: string): number {
  return log.filter((line) => line.kind === kind).length;
}
