/** The seven Pod tools, over the handle that the host made: each checks what the model sent, asks once, and says what came of it. */
import type { Claim, JsonObject, Tool, ToolContext, ToolOutput } from "@yoi/base";
import type { PodManagement } from "@yoi/feature";
import type { KnownChildren } from "./known-children.ts";
import { type OutputCursors, markJson } from "./output-cursors.ts";
import { PodArguments } from "./pod-arguments.ts";
import type { PodToolDeclaration, PodToolName } from "./pod-declarations.ts";
import { podListing, readSummary, stopped } from "./pod-text.ts";

interface PodToolParts {
  readonly pods: PodManagement;
  readonly cursors: OutputCursors;
  readonly children: KnownChildren;
}

export function podTools(declarations: readonly PodToolDeclaration[], parts: PodToolParts): readonly Tool[] {
  return declarations.map(({ name, description, input_schema, read_only }) => ({
    definition: { name, description, input_schema },
    readOnly: read_only,
    claim: () => claimOf(name),
    execute: async (args: JsonObject, { call, signal }: ToolContext) => {
      const output = await runs[name](new PodArguments(name, input_schema, args), parts, { call, signal });
      parts.children.heard(name, args);
      return output;
    },
  }));
}

/**
 * Of everything: what may be written anywhere changes with a loan, and a message or a read goes on from the one before. So calls of one answer take
 * place in their order, among each other and beside files and commands.
 */
function claimOf(name: PodToolName): Claim {
  return { path: "/", mode: name === "ListPods" ? "shared" : "exclusive" };
}

type Run = (
  args: PodArguments,
  parts: PodToolParts,
  call: Pick<ToolContext, "call" | "signal">,
) => Promise<ToolOutput>;

const runs: Readonly<Record<PodToolName, Run>> = {
  SpawnPod: async (args, { pods, cursors }, call) => {
    const request = args.spawn();
    const { name, socket } = await pods.spawn(request, call);
    // Another Pod may have had the name.
    const mark = { name, cursor: null };
    cursors.keep(mark);
    return {
      summary: `Pod ${name} was started and has its task; its socket is ${socket}. You are told when its turn ends.`,
      record: markJson(mark),
    };
  },
  SendToPod: async (args, { pods }, call) => {
    const name = args.name();
    await pods.send(name, args.message(), call);
    return { summary: `Pod ${name} has the message. You are told when its turn ends.` };
  },
  ReadPodOutput: async (args, { pods, cursors }, call) => {
    const name = args.name();
    const output = await pods.read(name, cursors.of(name), call);
    const mark = { name, cursor: output.cursor };
    cursors.keep(mark);
    return {
      summary: readSummary(name, output),
      ...(output.texts.length === 0 ? {} : { content: output.texts.join("\n\n") }),
      record: markJson(mark),
    };
  },
  StopPod: async (args, { pods }, call) => {
    const name = args.name();
    return stopped(name, await pods.stop(name, call));
  },
  ListPods: async (_, { pods }, call) => ({ ...podListing(await pods.list(call)) }),
  RestorePod: async (args, { pods }, call) => {
    const { name, socket, action } = await pods.restore(args.name(), call);
    return {
      summary:
        action === "restored"
          ? `Pod ${name} was started again. SendToPod tells it what to do.`
          : `Pod ${name} was running already.`,
      content: JSON.stringify({ action, pod_name: name, socket_path: socket }, null, 2),
    };
  },
  SendToPeerPod: async (args, { pods }, call) => {
    const name = args.name();
    await pods.sendToPeer(name, args.peerMessage(), call);
    return { summary: `Pod ${name} was told.` };
  },
};
