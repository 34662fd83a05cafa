/** The Pod tools over Pods that are only remembered, and calls as the worker makes them. */
import {
  callId,
  deepFreeze,
  type JsonObject,
  type ScopeRule,
  type Tool,
  type ToolOutput,
  YoiError,
} from "@yoi/base";
import type { ManagedPod, ManagementCall, OutputCursor, PodManagement, ToolRecord } from "@yoi/feature";
import { OutputCursors } from "../../src/pods/output-cursors.ts";
import { podToolDeclarations } from "../../src/pods/pod-declarations.ts";
import { podTools } from "../../src/pods/pod-tools.ts";
import { KnownChildren } from "../../src/pods/known-children.ts";
import { podsState } from "../../src/pods/pods-state.ts";
import type { SpawnProfile } from "../../src/pods/profile-lines.ts";

export const segment = "019a0000-0000-7000-8000-000000000001";
export const writes = (target: string): ScopeRule => ({ target, permission: "write", recursive: true });

export function managedPod(name: string, fields: Partial<ManagedPod> = {}): ManagedPod {
  return {
    name,
    relation: "child",
    metadata: "readable",
    state: "idle",
    session: segment,
    segment,
    socket: `/run/${name}`,
    scope: [],
    loan: "open",
    restorable: false,
    reason: null,
    approvals: 0,
    children: 0,
    ...fields,
  };
}

/** What a child said, one text an answer; a cursor counts them. */
export class RememberedPods implements PodManagement {
  /** Everything that was asked, in order. */
  readonly asked: JsonObject[] = [];
  readonly said = new Map<string, string[]>();
  state: ManagedPod["state"] = "idle";
  /** Texts of one read. */
  textsMax = 2;
  listed: readonly ManagedPod[] = [];
  reclaimed: readonly ScopeRule[] = [];

  readonly spawn: PodManagement["spawn"] = async ({ name, ...request }, { call }) => {
    if (this.said.has(name))
      throw new YoiError("pod_exists", `There is a Pod ${name} already: use another name.`);
    this.#ask({ spawn: name, ...request, scope: request.scope.map((rule) => ({ ...rule })), call });
    this.said.set(name, []);
    return { name, socket: `/run/${name}` };
  };
  readonly send: PodManagement["send"] = async (name, message, { call }) => {
    this.#ask({ send: name, message, call });
  };
  readonly read: PodManagement["read"] = async (name, after, { call }) => {
    const said = this.said.get(name);
    if (said === undefined)
      throw new YoiError("child_unknown", `You have no child ${name}: ListPods shows those that you have.`);
    this.#ask({ read: name, after: after === null ? null : after.seq, call });
    const from = after === null ? 0 : after.seq + 1;
    const texts = said.slice(from, from + this.textsMax);
    const seq = from + texts.length - 1;
    const cursor: OutputCursor | null = seq < 0 ? null : { segment, seq };
    return { texts, more: said.length > seq + 1, cursor, state: this.state, approvals: 0, damage: null };
  };
  readonly stop: PodManagement["stop"] = async (name, { call }) => {
    this.#ask({ stop: name, call });
    return { writable: this.reclaimed, killed: [] };
  };
  readonly list: PodManagement["list"] = async ({ call }) => {
    this.#ask({ list: true, call });
    return this.listed;
  };
  readonly restore: PodManagement["restore"] = async (name, { call }) => {
    this.#ask({ restore: name, call });
    return { name, socket: `/run/${name}`, action: this.state === "stopped" ? "restored" : "already_live" };
  };
  readonly sendToPeer: PodManagement["sendToPeer"] = async (name, message, { call }) => {
    this.#ask({ peer: name, message, call });
  };

  #ask(what: JsonObject): void {
    this.asked.push(what);
  }
}

export class PodCalls {
  readonly pods = new RememberedPods();
  readonly cursors = new OutputCursors();
  readonly children = new KnownChildren();
  readonly state = podsState(this.cursors, this.children);
  readonly tools: readonly Tool[];
  /** What calls left in the log. */
  readonly records: ToolRecord[] = [];

  constructor(profiles: readonly SpawnProfile[] = []) {
    this.tools = podTools(podToolDeclarations(profiles), {
      pods: this.pods,
      cursors: this.cursors,
      children: this.children,
    });
  }

  tool(name: string): Tool {
    const tool = this.tools.find(({ definition }) => definition.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  }

  /** A failure is an error result, as the worker makes one. */
  async call(name: string, args: JsonObject): Promise<ToolOutput> {
    const call = callId(this.records.length, 0);
    const output = await this.#outputOf(name, args, { call, signal: new AbortController().signal });
    const { summary, record } = output;
    this.records.push(
      deepFreeze({
        call,
        tool: name,
        arguments: args,
        isError: output.is_error === true,
        summary,
        ...(record === undefined ? {} : { record }),
      }),
    );
    return output;
  }

  async #outputOf(
    name: string,
    args: JsonObject,
    { call, signal }: ManagementCall & { readonly call: ReturnType<typeof callId> },
  ): Promise<ToolOutput> {
    try {
      return await this.tool(name).execute(deepFreeze(args), { call, signal, progress: () => {} });
    } catch (thrown) {
      if (!(thrown instanceof YoiError)) throw thrown;
      return { summary: thrown.message, is_error: true };
    }
  }
}
