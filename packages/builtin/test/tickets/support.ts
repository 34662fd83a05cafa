/** The ticket features over the real store, installed by the real host of features on a simulated machine; what they notify is only remembered. */
import assert from "node:assert/strict";
import {
  callId,
  deepFreeze,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolOutput,
  YoiError,
} from "@yoi/base";
import type { FeatureId, FeatureModule, ToldUpTo, ToolRecord } from "@yoi/feature";
import { type MemoryHost, memoryHost } from "@yoi/host";
import {
  type Actor,
  createTicketStore,
  type PodRole,
  type TicketState,
  type TicketStore,
} from "@yoi/tickets";
import { Alerts } from "../../../pod/src/alert/alerts.ts";
import { installFeatures } from "../../../pod/src/feature/install-features.ts";
import { HookRegistry } from "../../../pod/src/hook/registry.ts";
import { noFeatureHost } from "../../../../test/support/simulated-pod.ts";
import { ticketsFeature, ticketStoreFeature } from "../../src/index.ts";

export const person: Actor = { author: "hare", role: "user" };
export const root = "/w/.yoi/tickets";

export function storeOn({ files, locks, clock }: MemoryHost): TicketStore {
  const kindAt = async (path: string) => (await files.stat(path))?.kind ?? null;
  return createTicketStore({ files, locks, clock, kindAt, root });
}

export function waitOn({ timers }: Pick<MemoryHost, "timers">) {
  return (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal.aborted) return resolve();
      const cancel = timers.after(ms, resolve);
      signal.addEventListener("abort", () => (cancel(), resolve()), { once: true });
    });
}

export function ticketModules(
  host: MemoryHost,
  actor: { readonly author: string; readonly role: PodRole; readonly mayClose?: boolean },
  store: TicketStore = storeOn(host),
): readonly FeatureModule[] {
  return [ticketStoreFeature({ store, actor }), ticketsFeature({ role: actor.role, wait: waitOn(host) })];
}

export interface Told {
  readonly message: string;
  readonly told: ToldUpTo | null;
}

/** What is told, and how far: outlives the features. */
export class Remembered {
  readonly told: Told[] = [];
  position: JsonValue | null = null;
  /** What the next ones are refused with. */
  readonly refusals: YoiError[] = [];

  readonly notifier = {
    notify: async (_feature: FeatureId, message: string, told: ToldUpTo | null) => {
      const refusal = this.refusals.shift();
      if (refusal !== undefined) throw refusal;
      this.told.push({ message, told });
      if (told !== null) this.position = told.position;
      return { duplicate: false };
    },
    position: () => this.position,
    keepPosition: async (_feature: FeatureId, position: JsonValue) => {
      const refusal = this.refusals.shift();
      if (refusal !== undefined) throw refusal;
      this.position = position;
    },
  };
}

export interface RigOptions {
  readonly role?: PodRole;
  readonly pod?: string;
  readonly host?: MemoryHost;
  readonly remembered?: Remembered;
  readonly mayClose?: boolean;
  readonly store?: TicketStore;
}

export async function rig(options: RigOptions = {}) {
  const { role = "intake", pod = "pod-a", host = memoryHost({ seed: 1 }), mayClose = false } = options;
  const remembered = options.remembered ?? new Remembered();
  const store = options.store ?? storeOn(host);
  const modules = ticketModules(host, { author: pod, role, mayClose }, store);
  const features = await installFeatures({
    modules,
    existingTools: [],
    hooks: new HookRegistry(),
    host: noFeatureHost,
    alerts: new Alerts({ clock: host.clock, told: () => {} }),
    notifier: remembered.notifier,
    pods: null,
    clock: host.clock,
    timers: host.timers,
  });
  for (const { status, diagnostics } of features.reports)
    assert.deepEqual([status, diagnostics], ["installed", []]);
  const records: ToolRecord[] = [];
  const state = modules[1]?.state ?? assert.fail();
  let calls = 0;
  const toolNamed = (name: string): Tool =>
    features.tools.find(({ definition }) => definition.name === name) ?? assert.fail(name);
  return {
    host,
    store,
    remembered,
    features,
    state,
    records,
    /** As the worker does: an error is a result. */
    call: async (name: string, args: JsonObject): Promise<ToolOutput> => {
      const signal = new AbortController().signal;
      const call = callId((calls += 1), 0);
      try {
        const output = await toolNamed(name).execute(deepFreeze(structuredClone(args)), {
          call,
          signal,
          progress: () => {},
        });
        const { summary, content, record } = output;
        records.push({
          call,
          tool: name,
          arguments: args,
          isError: false,
          summary,
          ...(content === undefined ? {} : { content }),
          ...(record === undefined ? {} : { record }),
        });
        return output;
      } catch (error) {
        if (!(error instanceof YoiError)) throw error;
        return { summary: `${error.code}: ${error.message}`, is_error: true };
      }
    },
    /** A ticket in a state, where a person brought it. */
    ticketIn: async (to: TicketState, title = "A ticket"): Promise<string> => {
      const { id } = await store.create({ title, body: "What is to be done." }, person);
      const way = ["ready", "queued", "inprogress", "done"] as const;
      if (to === "closed") await store.close(id, "It is over.", person);
      else if (to !== "planning")
        for (const state of way.slice(0, way.indexOf(to) + 1))
          await store.transition(id, { to: state }, person);
      return id;
    },
    /** Lets the background task look, and tell. */
    look: (ms = 5_000) => host.advance(ms),
    stop: async () => {
      const stopping = features.stop();
      await host.advance(1);
      await stopping;
      features.end();
    },
  };
}

export const messages = ({ told }: Remembered): readonly string[] => told.map(({ message }) => message);
