/** The terminal over Pods that are served in memory: the real loop, real Pods and clients, and virtual time. */
import assert from "node:assert/strict";
import { messageOf, YoiError } from "@yoi/base";
import type { memoryHost } from "@yoi/host";
import { openPodClient, RequestRefused, submitOnce } from "@yoi/protocol";
import { effectTool, manifestOf, World } from "../../../../../test/support/simulated-pod.ts";
import { type Served, served, type ServedOptions, token } from "../../../../pod/test/serve/support.ts";
import { ruleOf } from "../../../../pod/test/approval/asking.ts";
import type { PodLink, PodRow, UiHost } from "../../../src/host.ts";
import type { UiOpen } from "../../../src/app/open.ts";
import type { lookOf } from "../../../src/app/look.ts";
import { runTerminalUi } from "../../../src/app/run.ts";
import { defaultTerminalSettings, type TerminalSettings } from "../../../src/settings.ts";
import { fakeTerminal, type FakeTerminal } from "./fake-terminal.ts";

export type Sim = ReturnType<typeof memoryHost>;

/** A Pod that asks before its effects. */
export async function servedPod(
  host: Sim,
  scenario: object,
  options: Partial<ServedOptions> = {},
): Promise<Served> {
  return await served({
    host,
    scenario: JSON.stringify(scenario),
    tools: [effectTool(new World(), host)],
    manifest: manifestOf({ permissions: { mode: "allow-in-scope", rules: [ruleOf("ask")] } }),
    canAsk: true,
    ...options,
  });
}

export interface RigOptions {
  readonly pods: Readonly<Record<string, Served>>;
  readonly open: UiOpen;
  readonly size?: readonly [number, number];
  readonly settings?: Partial<TerminalSettings>;
  readonly look?: typeof lookOf;
  readonly host?: Partial<UiHost>;
}

export interface Rig {
  readonly terminal: FakeTerminal;
  readonly ended: ReturnType<typeof runTerminalUi>;
  readonly kept: string[];
  /** Everything on the screen, as one text. */
  readonly screen: () => string;
  /** Lets time pass until it is so. */
  readonly until: (isSo: () => boolean, what: string) => Promise<void>;
  readonly shows: (text: string) => Promise<void>;
  readonly hides: (text: string) => Promise<void>;
}

const turnsMax = 400;

export function rig(sim: Sim, options: RigOptions): Rig {
  const terminal = fakeTerminal(...(options.size ?? [80, 24]));
  const kept: string[] = [];
  const host = uiHost(sim, options.pods, kept);
  const screen = () => terminal.seen.screen().join("\n");
  const until = async (isSo: () => boolean, what: string) => {
    for (let turn = 0; !isSo(); turn += 1) {
      assert.ok(turn < turnsMax, `${what} does not come:\n${screen()}`);
      await sim.advance(10);
    }
  };
  const ended = runTerminalUi({
    host: { ...host, ...options.host },
    settings: { ...defaultTerminalSettings, ...options.settings },
    open: options.open,
    io: { terminal: () => terminal, ...(options.look === undefined ? {} : { lookOf: options.look }) },
  });
  return {
    terminal,
    ended,
    kept,
    screen,
    until,
    shows: (text) => until(() => screen().includes(text), JSON.stringify(text)),
    hides: (text) => until(() => !screen().includes(text), `the end of ${JSON.stringify(text)}`),
  };
}

export const toOpen = (name: string): UiOpen => ({ kind: "pod", name, restores: false, prompt: null });

/** A key, and time for what follows from it. */
export async function press({ terminal, until }: Rig, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    terminal.key(key);
    let turns = 0;
    await until(() => (turns += 1) > 2, "time");
  }
}

function uiHost(sim: Sim, pods: RigOptions["pods"], kept: string[]): UiHost {
  let ids = 0;
  const missing = (name: string) => async (): Promise<never> => {
    throw new YoiError("usage", `${name} is not there in this test.`);
  };
  return {
    workspace: "/w",
    version: "0.0.0",
    newId: () => `id-${(ids += 1)}`,
    now: () => sim.clock.now(),
    timers: sim.timers,
    pods: {
      list: async () => Object.entries(pods).map(([name, pod]) => rowOf(name, pod, sim.clock.now())),
      tree: async () => [],
      attach: (name, listener) => linkTo(name, pods[name], listener),
      before: async () => [],
      start: missing("start"),
      restore: missing("restore"),
      stop: missing("stop"),
      fork: missing("fork"),
      export: missing("export"),
      send: missing("send"),
      setTitle: missing("setTitle"),
    },
    history: { load: async () => [], add: async (text) => void kept.push(text) },
    grants: { list: async () => [], revoke: async () => false },
    firstRun: {
      needed: async () => null,
      providers: async () => [],
      keepKey: missing("keepKey"),
      test: missing("test"),
      keepModel: missing("keepModel"),
    },
    skills: async () => [],
    page: async (name) => ({ title: name, text: `the page ${name}` }),
    edit: async (text) => `${text} from the editor`,
    suspend: async () => {},
  };
}

async function linkTo(
  name: string,
  pod: Served | undefined,
  listener: Parameters<UiHost["pods"]["attach"]>[1],
): Promise<PodLink> {
  if (pod === undefined) throw new YoiError("pod_unknown", `There is no Pod ${name}.`);
  const client = await openPodClient({
    connect: () => pod.place.connect(),
    hello: async () => ({ role: "user", token, stream: true }),
    listener,
  });
  const plain = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof RequestRefused && error.error.code === "already_running")
        throw new YoiError("already_running", error.message);
      throw error;
    }
  };
  return {
    name,
    call: (method, params) => plain(client.call(method, params)),
    submit: (method, params) => plain(submitOnce(client, method, params)),
    close: () => client.close(),
    closed: client.closed.then((error) => (error === null ? null : messageOf(error))),
  };
}

function rowOf(name: string, { pod }: Served, usedMs: number): PodRow {
  const { state } = pod.snapshot;
  const approvals = pod.approvals.length;
  return {
    name,
    title: null,
    standing: approvals > 0 ? "waiting" : state,
    detail: "",
    approvals,
    workspace: "/w",
    model: null,
    parent: null,
    usedMs,
    lastLine: "",
    bytes: null,
  };
}
