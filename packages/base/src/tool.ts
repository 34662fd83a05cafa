/** Tool: what the model may call. The contract between the worker's one tool table and whoever contributes a tool. */
import type { CallId } from "./ids.ts";
import type { Image } from "./item.ts";
import type { JsonObject } from "./json.ts";
import type { SkillText } from "./skill-item.ts";

/** A name that every provider accepts. */
export const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** What the model is told of a tool; stored whole in `tools_changed`. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input_schema: JsonObject;
}

export interface ToolContext {
  /** The idempotency key: unique in the segment, stable over restarts. */
  readonly call: CallId;
  /** Aborted on cancel: end what was started, then settle. */
  readonly signal: AbortSignal;
  /** Live output for observers; not a record. */
  readonly progress: (text: string) => void;
}

export interface ToolOutput {
  readonly summary: string;
  readonly content?: string;
  readonly images?: readonly Image[];
  readonly is_error?: boolean;
  /** Committed with the result, never shown to the model: what the tool wants back after a restart. Small. */
  readonly record?: JsonObject;
  /** A skill that was asked for: committed as a system item before the result. Taken only of the host's own tools. */
  readonly skill?: SkillText;
  /** What the user should know at once, a sentence each: told as warnings when the result is committed, which has to say it too. */
  readonly alerts?: readonly string[];
}

/** What a call uses while it runs. Two claims conflict when one path is the other or above it and either is exclusive. */
export interface Claim {
  /** Absolute and real: a file, or a directory with everything below it; "/" is everything. */
  readonly path: string;
  /** Shared: others that claim it shared may run beside. */
  readonly mode: "shared" | "exclusive";
}

export interface Tool {
  readonly definition: ToolDefinition;
  /** No effect outside the process: passes in permission mode `ask`. */
  readonly readOnly: boolean;
  /** For a tool that is not readOnly: its calls write no file, so a lend does not wait for them. Said by the host of its own tools, never by who contributes one. */
  readonly writesNoFile?: true;
  /** Calls of one answer whose claims conflict run one after the other, in call order. Absent or null: runs in parallel with any. */
  claim?(args: JsonObject): Claim | null;
  /**
   * Runs one call. `args` is frozen and is what the gates saw. An operational failure is thrown as a YoiError or returned
   * with `is_error`; either becomes an error result. Nothing durable about the call is written here: the worker commits.
   */
  execute(args: JsonObject, context: ToolContext): Promise<ToolOutput>;
}
