/** What a run was refused, from the record alone: it holds over pauses, crashes and changes of the process. */
import {
  type CallId,
  isJsonObject,
  type Item,
  type JsonObject,
  type Refusal,
  type ToolCall,
  type ToolResult,
} from "@yoi/base";
import { targetOf } from "@yoi/manifest";

/** A call that was refused; listed in the result of a run. */
export interface PermissionDenial {
  readonly call: CallId;
  readonly tool: string;
  /** What the call was about, as the model wrote it. */
  readonly target: string;
  readonly reason: string;
  readonly kind: Refusal;
}

export interface RunDenials {
  /** In log order. */
  readonly denials: readonly PermissionDenial[];
  /** The last calls that the model made hold one that somebody would have had to allow. */
  readonly lastAsked: boolean;
}

/** Of the run that the last user's input began, however often it was resumed; taken down as it goes on, for history may leave behind what it began with. */
export class DenialsOfRun implements RunDenials {
  #denials: PermissionDenial[] = [];
  #lastBatch: string | null = null;
  /** Without a result. */
  readonly #calls = new Map<CallId, ToolCall>();

  get denials(): readonly PermissionDenial[] {
    return this.#denials;
  }
  get lastAsked(): boolean {
    return this.#denials.some(({ kind, call }) => kind === "asked" && requestOf(call) === this.#lastBatch);
  }

  /** Items, in their order. */
  take(item: Item): void {
    switch (item.type) {
      case "user_message":
        this.#denials = [];
        this.#lastBatch = null;
        this.#calls.clear();
        return;
      case "tool_call":
        this.#calls.set(item.call, item);
        this.#lastBatch = requestOf(item.call);
        return;
      case "tool_result":
        this.#answered(item);
        return;
      default:
    }
  }

  #answered({ call, name, summary, refusal }: ToolResult): void {
    const made = this.#calls.get(call);
    this.#calls.delete(call);
    if (refusal === undefined) return;
    const target = targetOf(name, argumentsOf(made)).text;
    this.#denials.push({ call, tool: name, target, reason: summary, kind: refusal });
  }
}

/** A call that was judged has arguments that could be read. */
function argumentsOf(call: ToolCall | undefined): JsonObject {
  const value: unknown = JSON.parse(call?.arguments ?? "{}");
  return isJsonObject(value) ? value : {};
}

/** Calls of one answer carry the seq of its request. */
function requestOf(call: CallId): string {
  return call.slice(0, call.indexOf("."));
}
