/** What bad input must leave alone, and how its sentence must look: the checks that every test of this folder shares. */
import assert from "node:assert/strict";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { TempHome } from "../support/temp-home.ts";
import { runYoi, type YoiOptions, type YoiResult } from "../support/yoi-process.ts";

export const model = "anthropic/claude-sonnet-4-5";
export const key = "sk-test-0123456789";

export interface Failing {
  readonly args: readonly string[];
  /** Exit code. */
  readonly code: number;
  /** `error_code` in JSON. */
  readonly errorCode: string;
  /** The whole sentence, without `yoi: `; a text must be it, a pattern must match it. */
  readonly says: string | RegExp;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /** Lines on stderr before the sentence. */
  readonly before?: readonly (string | RegExp)[];
  readonly command?: string;
}

/** What a machine without bubblewrap says at every run; other tests look at that. */
const noSandbox = /^Shell commands need the sandbox bubblewrap.*\n/m;
export const withoutSandboxLine = (stderr: string): string => stderr.replace(noSandbox, "");

export async function yoi(
  home: TempHome,
  args: readonly string[],
  options: Partial<Omit<YoiOptions, "env">> & { env?: Failing["env"] } = {},
): Promise<YoiResult> {
  const ran = await runYoi(args, {
    cwd: home.workspace,
    ...options,
    env: environmentOf(home, options.env),
  });
  return { ...ran, stderr: withoutSandboxLine(ran.stderr) };
}

/** The home's environment with changes; undefined takes a variable away. */
export function environmentOf(home: TempHome, changes: Failing["env"] = {}): Record<string, string> {
  const all: Record<string, string | undefined> = { ...home.env, ...changes };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

export function plant(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every path below `root` with its content; lock files by name only, since they are made before anything is known of a Pod. */
export function treeOf(root: string): ReadonlyMap<string, string> {
  const tree = new Map<string, string>();
  const walk = (path: string): void => {
    const name = relative(root, path);
    const stat = lstatSync(path);
    if (stat.isDirectory()) for (const child of readdirSync(path)) walk(join(path, child));
    else if (stat.isFile()) tree.set(name, isOfOpening(name) ? "" : readFileSync(path, "latin1"));
    else tree.set(name, "special");
  };
  walk(root);
  return tree;
}

/** What every opening Pod writes, whatever becomes of it: its lock, and its row in the registry while it is open. */
export function isOfOpening(path: string): boolean {
  return path.startsWith("locks/") || path === "registry.sqlite";
}

/** Fails when anything else was added, changed or removed than what every opening Pod writes. */
export function assertUntouched(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): void {
  const outside = (tree: ReadonlyMap<string, string>) =>
    [...tree].filter(([path]) => !isOfOpening(path)).toSorted();
  assert.deepEqual(outside(after), outside(before));
  for (const path of after.keys())
    if (path.startsWith("locks/")) assert.match(path, /^locks\/[^/]+\.(sqlite|owner)$/);
}

/** A sentence for a person: one line, a capital, an end, no stack, no control character, nothing that a program forgot. */
export function assertSentence(sentence: string): void {
  assert.match(sentence, /^[A-Z0-9"/-].*[.?]$/s, sentence);
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(
    sentence,
    /[\u0000-\u001f\u007f]|\bundefined\b|\[object|\bNaN\b|node:internal|\bat \S+:\d+:\d+/,
  );
  assert.ok(!sentence.includes(key), "the key is in the sentence");
}

const resultKeys = [
  "type",
  "schema_version",
  "subtype",
  "is_error",
  "result",
  "error",
  "error_code",
  "pod",
  "session_id",
  "segment_id",
  "num_turns",
  "followed_runs",
  "duration_ms",
  "usage",
  "total_cost_usd",
  "cost",
  "tree",
  "permission_denials",
];

export interface ResultObject {
  readonly subtype: string;
  readonly is_error: boolean;
  readonly result: string | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly pod: string | null;
  readonly session_id: string | null;
  readonly segment_id: string | null;
  readonly num_turns: number;
  readonly duration_ms: number;
  readonly permission_denials: readonly { readonly tool: string; readonly kind: string }[];
  readonly resume_after_ms?: number;
}

/** The one object on stdout, with every field of the contract and no other (`resume_after_ms` apart). */
export function resultOf(stdout: string): ResultObject {
  assert.match(stdout, /^\{.*\}\n$/, "stdout is not one line of JSON");
  const object = JSON.parse(stdout) as ResultObject & { resume_after_ms?: number };
  assert.deepEqual(
    Object.keys(object).filter((name) => name !== "resume_after_ms"),
    resultKeys,
  );
  return object;
}

function assertLine(actual: string, expected: string | RegExp): void {
  if (typeof expected === "string") assert.equal(actual, expected);
  else assert.match(actual, expected);
}

/** One sentence on stderr after the lines expected before it; returned without `yoi: `. */
export function sentenceOf(stderr: string, before: Failing["before"] = []): string {
  const lines = withoutSandboxLine(stderr).trimEnd().split("\n");
  const last = lines.pop() ?? "";
  assert.equal(lines.length, before.length, stderr);
  for (const [index, line] of lines.entries()) assertLine(line, before[index] ?? "");
  assert.match(last, /^yoi: /, stderr);
  const sentence = last.slice("yoi: ".length);
  assertSentence(sentence);
  return sentence;
}

/**
 * Runs the command twice, for a person and for a script: the same exit code and sentence, nothing on stdout but the one object, and the
 * data directory as before. Returns what the script got.
 */
export async function assertFails(home: TempHome, failing: Failing): Promise<ResultObject> {
  const { args, code, errorCode, says, before } = failing;
  const [command = "", ...rest] = args;
  const untouched = treeOf(home.home);
  const text = await yoi(home, args, failing);
  assert.deepEqual([text.code, text.stdout], [code, ""], text.stderr);
  const sentence = sentenceOf(text.stderr, before);
  assertLine(sentence, says);
  assertUntouched(untouched, treeOf(home.home));

  const json = await yoi(home, [command, "--output-format", "json", ...rest], failing);
  assert.equal(json.code, code, json.stderr);
  sentenceOf(json.stderr, before);
  const result = resultOf(json.stdout);
  assertLine(result.error ?? "", says);
  assert.deepEqual([result.is_error, result.error_code, result.result], [true, errorCode, null]);
  assertUntouched(untouched, treeOf(home.home));
  return result;
}

export async function assertVerifies(home: TempHome, pod: string): Promise<void> {
  const verified = await yoi(home, ["pod", "verify", pod, "--wire"]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  for (const path of treeOf(home.home).keys()) assert.doesNotMatch(path, /\.tmp$/);
}
