/** What long sessions are measured with: a model that answers at once and costs next to nothing, and a watch that takes the time spent in any model. */
import { type JsonObject, noUsage } from "@yoi/base";
import { type Model, type ModelEvent, type ModelRequest, sha256, withStream } from "@yoi/model";

/** A step: a call with these arguments. */
export interface StepCall {
  readonly name: string;
  readonly args: JsonObject;
}

export interface QuickOptions {
  readonly contextWindow: number;
  /** Of the request with this number, from 0, and so many tokens; empty: it is the last of its run. */
  readonly calls: (request: number, tokens: number) => readonly StepCall[];
}

const bytesOfToken = 4;
const summaryCall: StepCall = {
  name: "write_summary",
  args: { summary: "The work went on.", constraints: [], current_work: "", files: [] },
};

function isCompactor({ head }: ModelRequest): boolean {
  return head.tools.some(({ name }) => name === summaryCall.name);
}

/** It counts what it is shown by the bytes of the texts, and lowers nothing. A compactor gets its summary at once. */
export function quickModel({ contextWindow, calls }: QuickOptions): Model {
  let asked = 0;
  const sizes = new WeakMap<object, number>();
  const sizeOf = (item: object): number => {
    const known = sizes.get(item);
    if (known !== undefined) return known;
    const size = JSON.stringify(item).length;
    sizes.set(item, size);
    return size;
  };
  const bytesOf = ({ head, items }: ModelRequest): number =>
    head.system.length + items.reduce((sum, { item }) => sum + sizeOf(item), 0);
  const lower: Model["lower"] = async (request) => ({
    sha256: sha256(`${request.items.length} ${request.items.at(-1)?.seq ?? 0}`),
    bytes: bytesOf(request),
    method: "QUICK",
    path: "quick",
    headers: {},
  });
  return {
    provider: "quick",
    id: "quick",
    limits: { contextWindow, outputTokensMax: 8_192 },
    capabilities: { images: false, midSystem: false },
    price: () => null,
    adapter: { name: "quick", version: "1" },
    lowering: 1,
    lower,
    async *stream(request, { beforeSend }): AsyncGenerator<ModelEvent> {
      const wire = await lower(request);
      await beforeSend(wire);
      const tokens = Math.ceil(wire.bytes / bytesOfToken);
      const made = isCompactor(request) ? [summaryCall] : calls(asked++, tokens);
      const text = made.length === 0 ? "Done." : null;
      if (text !== null) {
        yield { type: "block_start", index: 0, block: "text" };
        yield { type: "block_end", index: 0, text };
      }
      for (const [index, { name, args }] of made.entries()) {
        yield { type: "block_start", index, block: "tool_call", name, providerCallId: `quick_${index}` };
        yield { type: "block_end", index, text: JSON.stringify(args) };
      }
      const usage = { ...noUsage, input_tokens: tokens, output_tokens: 16 };
      yield { type: "finish", reason: text === null ? "tool_calls" : "stop", usage };
    },
  };
}

/** Of one request: when it was asked for, and the time spent in model, adapter and socket. */
export interface Asked {
  /** False: it is a compactor's. */
  readonly isStep: boolean;
  readonly atMs: number;
  readonly inModelMs: number;
  /** The same of the processor's time, of this thread: other work of the machine does not show in it. */
  readonly atCpuMs: number;
  readonly inModelCpuMs: number;
}

interface Moment {
  readonly ms: number;
  readonly cpuMs: number;
}

export function now(): Moment {
  const { user, system } = process.threadCpuUsage();
  return { ms: performance.now(), cpuMs: (user + system) / 1000 };
}

/** Takes the times of every request through it. What the before-send port takes is the runtime's own time. */
export function timed(model: Model, told: (asked: Asked) => void): Model {
  return withStream(model, async function* (request, options) {
    const at = now();
    let own: Moment = { ms: 0, cpuMs: 0 };
    let inModel: Moment = { ms: 0, cpuMs: 0 };
    let from = at;
    const beforeSend: typeof options.beforeSend = async (wire) => {
      const began = now();
      await options.beforeSend(wire);
      own = plus(own, since(began));
    };
    try {
      for await (const event of model.stream(request, { ...options, beforeSend })) {
        inModel = plus(inModel, since(from));
        yield event;
        from = now();
      }
      inModel = plus(inModel, since(from));
    } finally {
      const [inModelMs, inModelCpuMs] = [inModel.ms - own.ms, inModel.cpuMs - own.cpuMs];
      told({ isStep: !isCompactor(request), atMs: at.ms, inModelMs, atCpuMs: at.cpuMs, inModelCpuMs });
    }
  });
}

function plus(a: Moment, b: Moment): Moment {
  return { ms: a.ms + b.ms, cpuMs: a.cpuMs + b.cpuMs };
}

export function since(from: Moment): Moment {
  const { ms, cpuMs } = now();
  return { ms: ms - from.ms, cpuMs: cpuMs - from.cpuMs };
}
