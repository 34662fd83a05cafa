/** Pods on the terminals of a test: the program as a person starts it, what its scripted model says, and the log that comes of it. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { findLog, linesOf } from "../support/stored-log.ts";
import type { TempHome } from "../support/temp-home.ts";
import type { Window } from "../support/tmux.ts";
import { startYoi, yoiCommand, type YoiResult } from "../support/yoi-process.ts";

/** One answer of the model, as a scenario writes it. */
export interface Answer {
  readonly text?: string;
  readonly tool_calls?: readonly { readonly name: string; readonly arguments: object }[];
  readonly delay_ms?: number;
  readonly pace_ms?: number;
  readonly chunk?: number;
  readonly attempts?: readonly Answer[];
}

export const bash = (command: string): Answer => ({
  tool_calls: [{ name: "Bash", arguments: { command } }],
});

/** Nothing that a test sends fills it. */
const contextTokens = 4_000_000;

/** The command that opens a new Pod with that model. */
export function podArgv(home: TempHome, name: string, steps: readonly Answer[]): readonly string[] {
  const file = `${name}.yaml`;
  writeFileSync(join(home.workspace, file), JSON.stringify({ context_window: contextTokens, steps }));
  return [yoiCommand, "--pod", name, "-m", `scripted/${file}`, "--sandbox", "off"];
}

/** Another command of the program, to its end. */
export function yoi(home: TempHome, ...args: readonly string[]): Promise<YoiResult> {
  return startYoi(args, { env: home.env, cwd: home.workspace }).ended;
}

export type Entry = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Every whole entry of the Pod's log. */
export function entriesOf(home: TempHome, name: string): readonly Entry[] {
  const path = findLog(home.home, name);
  if (path === null) throw new Error(`there is no log of ${name}`);
  const bytes = readFileSync(path);
  return linesOf(bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)) as unknown as readonly Entry[];
}

/** What an input says. A large one is in a file beside the log. */
function textOf(home: TempHome, entry: Entry | undefined): string {
  let parts = entry?.["parts"];
  if (isDetached(parts)) {
    const [file = ""] = globSync(join(home.home, "**", `*${parts.blob.sha256}*`));
    parts = JSON.parse(readFileSync(file, "utf8")) as unknown;
  }
  return (parts as readonly { readonly text?: string }[]).map(({ text = "" }) => text).join("");
}

function isDetached(parts: unknown): parts is { readonly blob: { readonly sha256: string } } {
  return typeof parts === "object" && parts !== null && "blob" in parts;
}

/** What was said to the Pod, in order. */
export function inputsOf(home: TempHome, name: string): readonly string[] {
  return entriesOf(home, name)
    .filter(({ kind }) => kind === "user_input")
    .map((entry) => textOf(home, entry));
}

/** What is pressed right after a call appears does not answer it: it is pressed again when it does. */
export async function answer(window: Window, ...keys: readonly string[]): Promise<void> {
  const asks = /A number or Enter answers/;
  await window.shows(asks);
  window.press(...keys);
  await window.hides(asks);
  if (!/Look at it first/.test(window.screen())) return;
  await window.shows(asks);
  window.press(...keys);
}

/** Tests inside a test, each of which begins where the one before ended: what follows one that failed is left out. */
export function stepsOf(t: TestContext): (name: string, work: () => Promise<void>) => Promise<void> {
  return async (name, work) => {
    let isDone = false;
    await t.test(name, async () => {
      await work();
      isDone = true;
    });
    if (!isDone) throw new Error(`what follows begins where "${name}" ends`);
  };
}
