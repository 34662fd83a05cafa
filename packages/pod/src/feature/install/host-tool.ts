/** The tool of a feature as the worker gets it: an object of the host, around what the feature made once and was checked. */
import { isAbsolute, normalize } from "node:path";
import {
  type Claim,
  cutUtf8,
  type JsonObject,
  type Tool,
  type ToolContext,
  type ToolOutput,
  utf8Length,
  YoiError,
} from "@yoi/base";
import type { ToolDeclaration } from "@yoi/feature";
import { atOnce } from "../at-once.ts";
import { guardedSignal } from "../guarded-signal.ts";

/** UTF-8 bytes of one text of live output. */
export const progressTextBytesMax = 16 * 1024;
/** UTF-8 bytes of live output of one call; what comes after is left out. */
export const progressCallBytesMax = 1024 * 1024;

/** The functions of a tool, bound to it. */
export interface ToolParts {
  readonly execute: Tool["execute"];
  readonly claim: ((args: JsonObject) => unknown) | null;
}

/** `declaration` is frozen. `failed` hears what goes wrong in the tool beside its result. */
export function hostTool(
  declaration: ToolDeclaration,
  { execute, claim }: ToolParts,
  failed: (problem: string, thrown: unknown) => void,
): Tool {
  const { name, description, input_schema, read_only } = declaration;
  return Object.freeze({
    definition: Object.freeze({ name, description, input_schema }),
    readOnly: read_only,
    ...(claim === null
      ? {}
      : { claim: (args: JsonObject) => checkedClaim(name, atOnce("claim", claim(args))) }),
    execute: async (args: JsonObject, context: ToolContext): Promise<ToolOutput> => {
      const abort = new AbortController();
      const follow = () => abort.abort(context.signal.reason);
      if (context.signal.aborted) follow();
      context.signal.addEventListener("abort", follow, { once: true });
      try {
        const signal = guardedSignal(abort.signal, (thrown) =>
          failed(`The tool ${name} failed when it was told to stop`, thrown),
        );
        return bareOutput(await execute(args, narrow(context, signal)));
      } finally {
        context.signal.removeEventListener("abort", follow);
      }
    },
  });
}

/** Without what only tools of the host may give. Whatever it is, the worker checks the rest. */
function bareOutput(given: unknown): ToolOutput {
  const { summary, content, images, is_error, record, alerts }: ToolOutput = Object(given);
  return {
    summary,
    ...(content === undefined ? {} : { content }),
    ...(images === undefined ? {} : { images }),
    ...(is_error === undefined ? {} : { is_error }),
    ...(record === undefined ? {} : { record }),
    ...(alerts === undefined ? {} : { alerts }),
  };
}

/** `tool`, refused for as long as there is a reason: it would act on a state that is not the session's. */
export function unlessRefused(tool: Tool, refusal: () => string | null): Tool {
  return Object.freeze({
    ...tool,
    execute: async (args: JsonObject, context: ToolContext): Promise<ToolOutput> => {
      const summary = refusal();
      return summary === null ? tool.execute(args, context) : { summary, is_error: true };
    },
  });
}

/** `signal` is one of its own: who holds a signal can dispatch events on it. */
function narrow({ call, progress }: ToolContext, signal: AbortSignal): ToolContext {
  let left = progressCallBytesMax;
  return Object.freeze({
    call,
    signal,
    progress: Object.freeze((text: unknown) => {
      if (typeof text !== "string" || left <= 0) return;
      const shown = cutUtf8(text, Math.min(left, progressTextBytesMax));
      left -= utf8Length(shown);
      if (shown !== "") progress(shown);
    }),
  });
}

function checkedClaim(name: string, given: unknown): Claim | null {
  if (given === null || given === undefined) return null;
  const { path, mode } = Object(given) as { [key: string]: unknown };
  const isPath = typeof path === "string" && isAbsolute(path) && normalize(path) === path;
  if (isPath && (mode === "shared" || mode === "exclusive")) return Object.freeze({ path, mode });
  throw new YoiError(
    "feature_invalid",
    `${name} does not say what it will use: a claim is an absolute path in normal form, and shared or exclusive. Nothing was done.`,
  );
}
