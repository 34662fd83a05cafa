/** A runtime that is installed on this machine, as a subject: described in a file, so that none is known to this code. */
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Folder, Subject, ToolCall } from "./subject.ts";

interface RivalConfig {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly wire_format: "anthropic";
  readonly tool: ToolCall;
  readonly recorded?: readonly string[];
}

/** Reads such a file; README.md says what stands in it. Throws one sentence for what is wrong. */
export function readRival(path: string): Subject {
  return rival(check(parse(path), path));
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`The rival's file ${path} cannot be read as JSON: ${String(error)}`, { cause: error });
  }
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const areTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

const fields: Readonly<Record<keyof RivalConfig, readonly [is: (value: unknown) => boolean, what: string]>> =
  {
    name: [isText, "a name"],
    command: [(value) => areTexts(value) && value.length > 0, "a list of words, the program first"],
    env: [
      (value) => value === undefined || (isObject(value) && Object.values(value).every(isText)),
      "an object of texts, or absent",
    ],
    wire_format: [(value) => value === "anthropic", '"anthropic"'],
    tool: [
      (value) => isObject(value) && isText(value["name"]) && isObject(value["arguments"]),
      'an object {"name": ..., "arguments": {...}}',
    ],
    recorded: [(value) => value === undefined || areTexts(value), "a list of patterns, or absent"],
  };

function check(value: unknown, path: string): RivalConfig {
  if (!isObject(value)) throw new Error(`The rival's file ${path} holds no object.`);
  for (const [name, [is, what]] of Object.entries(fields))
    if (!is(value[name])) throw new Error(`In the rival's file ${path}, ${name} must be ${what}.`);
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) throw new Error(`In the rival's file ${path}, there is no field ${unknown}.`);
  return value as unknown as RivalConfig;
}

function rival(config: RivalConfig): Subject {
  const filled = (text: string, { root, workspace }: Folder, url: string): string =>
    text.replaceAll("{url}", url).replaceAll("{workspace}", workspace).replaceAll("{home}", root);
  return {
    name: config.name,
    needsBubblewrap: false,
    tool: config.tool,
    command: (url, folder) => {
      const [file = "", ...args] = config.command.map((word) => filled(word, folder, url));
      return { file, args };
    },
    env: (folder, url) => ({
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      HOME: folder.root,
      ...Object.fromEntries(
        Object.entries(config.env ?? {}).map(([name, text]) => [name, filled(text, folder, url)]),
      ),
    }),
    recorded: ({ root }) =>
      (config.recorded ?? [])
        .flatMap((pattern) => globSync(join(root, pattern)))
        .reduce((bytes, file) => bytes + statSync(file).size, 0),
  };
}
