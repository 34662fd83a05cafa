/** write_summary: the tool with which a compactor hands over what it found. The last one that fits counts. */
import { type JsonObject, type JsonValue, type Tool, type ToolOutput, YoiError } from "@yoi/base";
import { bytesPerToken, estimateTokens } from "@yoi/worker";
import type { Summary } from "./plan/summary.ts";

export const writeSummaryName = "write_summary";
/** How often one that is too long may be written again. */
export const rewritesMax = 1;

/** What came of the calls so far. */
export interface SummaryDesk {
  readonly tool: Tool;
  readonly summary: Summary | null;
  /** Why none will come; null: one came, or may come yet. */
  readonly failure: string | null;
}

const strings = { type: "array", items: { type: "string" } };

/** @param tokensMax of all of its text together. */
export function summaryDesk(tokensMax: number): SummaryDesk {
  let summary: Summary | null = null;
  let failure: string | null = null;
  let tooLong = 0;
  const execute = async (args: JsonObject): Promise<ToolOutput> => {
    const given = readSummary(args);
    const tokens = tokensOf(given);
    if (tokens <= tokensMax) {
      summary = given;
      failure = null;
      return { summary: "the summary is kept" };
    }
    tooLong += 1;
    const measure = `it has about ${tokens} tokens, and at most ${tokensMax} are kept`;
    if (tooLong > rewritesMax) failure = `its summary was too long again: ${measure}`;
    throw new YoiError("limit_exceeded", `The summary is too long: ${measure}. Write it again, shorter.`);
  };
  return {
    tool: { definition, readOnly: true, execute },
    get summary() {
      return summary;
    },
    get failure() {
      return failure;
    },
  };
}

const definition = {
  name: writeSummaryName,
  description: "Hands over your summary and ends your work. Call it once, when you know enough.",
  input_schema: {
    type: "object",
    properties: {
      summary: {
        type: "string",
        description:
          "What was done and found out, what was decided and why, and what was tried and did not work: with names, paths and numbers.",
      },
      constraints: {
        ...strings,
        description:
          "What the user demands or forbids for all further work, beside what is known by number: each a whole sentence of the user's, copied word for word.",
      },
      withdrawn: {
        type: "array",
        items: { type: "integer" },
        description: "Numbers of the known demands that the user took back in so many words.",
      },
      current_work: {
        type: "string",
        description: "What was being done right now, and the next steps.",
      },
      files: { ...strings, description: "Paths of the files that matter for the next steps." },
    },
    required: ["summary", "constraints", "current_work", "files"],
  },
};

/** Text of all fields, at the rate of text of which nobody has counted any. */
export function tokensOf({ text, constraints, currentWork, files }: Summary): number {
  const whole = [text, currentWork, ...constraints, ...files].join("\n");
  return estimateTokens({ bytes: Buffer.byteLength(whole), images: 0 }, bytesPerToken({}, ""));
}

function readSummary(args: JsonObject): Summary {
  const text = textOf(args, "summary");
  if (text.trim() === "")
    throw new YoiError("usage", "The summary is empty: write what the next model needs.");
  return {
    text,
    constraints: textsOf(args, "constraints"),
    withdrawn: numbersOf(args, "withdrawn"),
    currentWork: textOf(args, "current_work"),
    files: textsOf(args, "files"),
  };
}

function textOf(args: JsonObject, name: string): string {
  const given = args[name] ?? "";
  if (typeof given === "string") return given;
  throw new YoiError("usage", `The argument ${name} has to be a string.`);
}

function numbersOf(args: JsonObject, name: string): readonly number[] {
  const given: JsonValue = args[name] ?? [];
  if (Array.isArray(given) && given.every((one) => typeof one === "number" && Number.isSafeInteger(one)))
    return given.filter((one) => typeof one === "number");
  throw new YoiError("usage", `The argument ${name} has to be an array of whole numbers.`);
}

function textsOf(args: JsonObject, name: string): readonly string[] {
  const given: JsonValue = args[name] ?? [];
  if (Array.isArray(given) && given.every((one) => typeof one === "string")) return given;
  throw new YoiError("usage", `The argument ${name} has to be an array of strings.`);
}
