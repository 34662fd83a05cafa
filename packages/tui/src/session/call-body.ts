/** Bodies of what begins: a call, a command, a block that arrives. */
import type { BlockEventKind } from "@yoi/protocol";
import type { BlockBody } from "./block.ts";

export type CallBody = Extract<BlockBody, { readonly kind: "call" }>;

export function callBody(call: string, tool: string, args: string): CallBody {
  return {
    kind: "call",
    call,
    tool,
    arguments: args,
    progress: "waiting",
    output: "",
    summary: null,
    content: null,
    diff: null,
    images: 0,
  };
}

export function arrivingBody(
  id: string,
  block: BlockEventKind,
  name: string | null,
  text: string,
): BlockBody {
  switch (block) {
    case "text":
      return { kind: "answer", text, progress: "arriving" };
    case "reasoning":
      return { kind: "reasoning", text, progress: "arriving" };
    case "tool_call":
      return { ...callBody(id, name ?? "", text), progress: "writing" };
  }
}

export function commandBody(command: string): BlockBody {
  return { kind: "command", command, progress: "running", output: "" };
}
