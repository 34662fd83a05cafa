/** A run of the real program against the scripted model, and what its log then holds. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SystemItem, ToolResult } from "@yoi/base";
import { committedBytes, linesOf, type LogLine } from "../support/stored-log.ts";
import type { TempHome } from "../support/temp-home.ts";
import { runYoi, type YoiResult } from "../support/yoi-process.ts";

export const pod = "p";

/** Plays `steps` as the scenario of the Pod; what they expect of a request is checked by the model. */
export function play(
  home: TempHome,
  steps: readonly object[],
  ...args: readonly string[]
): Promise<YoiResult> {
  writeFileSync(join(home.root, "s.yaml"), JSON.stringify({ steps }));
  const model = ["-m", `scripted/${join(home.root, "s.yaml")}`];
  return runYoi(["run", "--pod", pod, ...model, ...args], { cwd: home.workspace, env: home.env });
}

/** Writes the user's configuration. */
export function configure(home: TempHome, toml: string): void {
  mkdirSync(join(home.home, "config"), { recursive: true });
  writeFileSync(join(home.home, "config/config.toml"), toml);
}

export async function done(result: Promise<YoiResult>): Promise<YoiResult> {
  const ended = await result;
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  return ended;
}

export function command(home: TempHome, ...args: readonly string[]): Promise<YoiResult> {
  return done(runYoi(args, { cwd: home.workspace, env: home.env }));
}

export function logLines(home: TempHome): readonly LogLine[] {
  return linesOf(committedBytes(home.home));
}

export function attachedItems(home: TempHome): readonly SystemItem[] {
  return logLines(home)
    .filter(({ kind }) => kind === "system_item")
    .map(({ item }) => item as SystemItem);
}

export function results(home: TempHome): readonly ToolResult[] {
  return logLines(home)
    .filter(({ kind }) => kind === "tool_result")
    .map(({ item }) => item as ToolResult);
}

export const call = (name: string, args: object) => ({ tool_calls: [{ name, arguments: args }] });
