/** What the files of the command tree share: how an action is wrapped, values of flags, and the flags of every command that opens a Pod. */
import { InvalidArgumentError, Option } from "commander";
import { permissionModes } from "./choices.ts";

/** What a command's action comes to: the exit code. */
export type Action = Promise<number>;
export type Handler = (...args: never[]) => Action;
/** Makes a handler what commander takes: its exit code is the program's. */
export type Act = (handler: Handler) => (...args: unknown[]) => Promise<void>;

export interface JsonFlag {
  readonly json?: boolean;
}

export function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

function tokens(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
}

/** Whole billionths of a dollar at the least. */
function dollars(text: string): number {
  if (!/^\d{1,7}(\.\d{1,9})?$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError("It must be an amount of US dollars above 0, such as 2.50.");
  return Number(text);
}

export function maxTokensOption(): Option {
  const meaning =
    "end the run when the Pod and its children have used this many tokens in their whole life; it keeps that until it is given anew";
  return new Option("--max-tokens <n>", meaning).argParser(tokens);
}

export function maxCostOption(): Option {
  const meaning = "the same for what they cost, in US dollars; the price of the model must be known";
  return new Option("--max-cost <usd>", meaning).argParser(dollars);
}

export function permissionModeOption(): Option {
  return new Option("--permission-mode <mode>", "what happens to calls that no rule names").choices(
    permissionModes,
  );
}

export function sandboxOption(): Option {
  const meaning = "off: shell commands run without a sandbox, with all your rights";
  return new Option("--sandbox <state>", meaning).choices(["on", "off"]);
}

export function profileOption(): Option {
  return new Option(
    "--profile <profile>",
    "of a new Pod: the profile that it is started with and keeps, as `yoi profile list` has it",
  );
}

export function readOnlyOption(): Option {
  return new Option("--read-only", "the Pod writes no file; it keeps that until --write is given").conflicts(
    "write",
  );
}

export function writeOption(): Option {
  const meaning =
    "the Pod writes only below this directory of what it could, and below each other one that is given; it keeps that until it is given anew (--write .: all of the workspace; what your rules grant elsewhere is given by its own --write)";
  return new Option("--write <dir>", meaning).argParser((dir, dirs: readonly string[] = []) => [
    ...dirs,
    dir,
  ]);
}
