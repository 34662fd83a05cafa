/** The Pods of a feature: what goes in and comes out is checked, bounded and copied, also where the port behind is careless. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ScopeRule, YoiError } from "@yoi/base";
import {
  childInstructionBytesMax,
  childMessageBytesMax,
  featureId,
  lentRulesMax,
  type ManagedPod,
  type ManagementCall,
  peerMessageBytesMax,
  type PodManagement,
  type PodOutput,
  podOutputBytesMax,
  podsListedMax,
  type SpawnRequest,
} from "@yoi/feature";
import { pathBytesMax } from "@yoi/scope";
import { makeHandles } from "../../../src/feature/authorities/make-handles.ts";
import { callCharsMax, selectorBytesMax } from "../../../src/feature/authorities/pods-handle.ts";
import { faultsOf, reach } from "../../boundary/reach.ts";
import { approving } from "../features.ts";

const segment = "019a0000-0000-7000-8000-000000000001";
const rule: ScopeRule = { target: "/w/src", permission: "write", recursive: true };
const request: SpawnRequest = {
  name: "a",
  profile: "project:tester",
  instruction: "Be brief.",
  task: "Test it.",
  scope: [rule],
};

function managedPod(name: string): ManagedPod {
  return {
    name,
    relation: "child",
    metadata: "readable",
    state: "idle",
    session: segment,
    segment,
    socket: "/run/a",
    scope: [rule],
    loan: "open",
    restorable: false,
    reason: "it lives: hunter2",
    approvals: 1,
    children: 2,
  };
}

/** Gives whatever it is told to, with the Pod itself beside it. */
class CarelessPods implements PodManagement {
  readonly asked: unknown[] = [];
  failure: Error | null = null;
  output: PodOutput = {
    texts: ["said hunter2"],
    more: true,
    cursor: { segment, seq: 7, bytes: 9 },
    state: "running",
    approvals: 1,
    damage: null,
  };
  listed: readonly ManagedPod[] = [managedPod("a")];

  readonly #told = async <T>(asked: readonly unknown[], result: T): Promise<T> => {
    this.asked.push(asked);
    if (this.failure !== null) throw this.failure;
    return typeof result === "object" && result !== null ? { ...result, pod: this } : result;
  };

  readonly spawn: PodManagement["spawn"] = (...asked) => this.#told(asked, { name: "a", socket: "/run/a" });
  readonly send: PodManagement["send"] = (...asked) => this.#told(asked, undefined);
  readonly read: PodManagement["read"] = (...asked) => this.#told(asked, this.output);
  readonly stop: PodManagement["stop"] = async (...asked) => {
    await this.#told(asked, undefined);
    return Object.assign(
      { pod: this },
      { writable: [Object.assign({}, rule, { pod: this })], killed: ["b"] },
    );
  };
  readonly list: PodManagement["list"] = async (...asked) => {
    await this.#told(asked, undefined);
    return this.listed;
  };
  readonly restore: PodManagement["restore"] = (...asked) =>
    this.#told(asked, { name: "a", socket: "/run/a", action: "restored" as const });
  readonly sendToPeer: PodManagement["sendToPeer"] = (...asked) => this.#told(asked, undefined);
}

function handleOf(host = new CarelessPods()) {
  const life = { isOver: false };
  const grants = { granted: [{ kind: "pod_management" as const }], denied: [] };
  const { pods } = makeHandles(featureId("builtin:pods"), grants, { ...approving, pods: host }, life);
  assert.ok(pods !== null);
  return { host, life, pods };
}

const call: ManagementCall = { call: "12.0", signal: new AbortController().signal };

/** Every method once, as a feature may ask it. */
const uses: readonly (readonly [
  method: keyof PodManagement,
  use: (pods: PodManagement) => Promise<unknown>,
])[] = [
  ["spawn", (pods) => pods.spawn(request, call)],
  ["send", (pods) => pods.send("a", "go on", call)],
  ["read", (pods) => pods.read("a", { segment, seq: 3, bytes: 5 }, call)],
  ["stop", (pods) => pods.stop("a", call)],
  ["list", (pods) => pods.list(call)],
  ["restore", (pods) => pods.restore("a", call)],
  ["sendToPeer", (pods) => pods.sendToPeer("b", "hello", call)],
];

async function codeOf(asked: Promise<unknown>): Promise<string> {
  const error: unknown = await asked.then(
    () => "done",
    (thrown: unknown) => thrown,
  );
  return error instanceof YoiError ? error.code : String(error);
}

test("A2-60: there is no handle without the grant, and none where the process has no children", () => {
  const id = featureId("builtin:pods");
  const life = { isOver: false };
  const host = { ...approving, pods: new CarelessPods() };
  assert.equal(makeHandles(id, { granted: [], denied: [] }, host, life).pods, null);
  const granted = [{ kind: "pod_management" as const }];
  assert.equal(makeHandles(id, { granted, denied: [] }, { ...host, pods: null }, life).pods, null);
});

test("A2-60: nothing but frozen plain values and bare functions comes out: no Pod, no store, no socket", async () => {
  const { pods, host } = handleOf();
  assert.deepEqual(
    Reflect.ownKeys(pods),
    uses.map(([method]) => method),
  );
  assert.deepEqual(faultsOf(reach(pods, "pods")), []);
  const answers = new Map<string, unknown>();
  for (const [method, use] of uses) answers.set(method, await use(pods));
  for (const [method, answer] of answers) assert.deepEqual(faultsOf(reach(answer, method)), [], method);
  assert.deepEqual(Object.fromEntries(answers), {
    spawn: { name: "a", socket: "/run/a" },
    send: undefined,
    read: { ...host.output, texts: ["said [redacted: pin]"] },
    stop: { writable: [rule], killed: ["b"] },
    list: [{ ...managedPod("a"), reason: "it lives: [redacted: pin]" }],
    restore: { name: "a", socket: "/run/a", action: "restored" },
    sendToPeer: undefined,
  });
  // What the host answered has more in it than what came out: else the walk could not fail.
  assert.notDeepEqual(faultsOf(reach(await host.spawn(request, call), "host")), []);
});

test("every method is dead once the feature's life is over, and the port is not asked", async () => {
  const { pods, host, life } = handleOf();
  life.isOver = true;
  for (const [method, use] of uses) assert.equal(await codeOf(use(pods)), "authority_denied", method);
  assert.deepEqual(host.asked, []);
});

test("a failure is its code and a bounded sentence without secrets, and no object of the host", async () => {
  const { pods, host } = handleOf();
  host.failure = new YoiError("loan_refused", `The key hunter2 ${"x".repeat(2_000)}`, { cause: host });
  for (const [method, use] of uses) {
    const error: unknown = await use(pods).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof YoiError && error !== host.failure, method);
    assert.deepEqual([error.code, error.message.length, error.cause], ["loan_refused", 512, undefined]);
    assert.match(error.message, /^The key \[redacted: pin\] x/);
  }
});

test("what the port is asked is a copy, and its signal one of the host's own that follows the feature's", async () => {
  const { pods, host } = handleOf();
  const abort = new AbortController();
  const given = { ...request, scope: [{ ...rule }], pod: "extra" };
  await pods.spawn(given, { call: "12.0", signal: abort.signal });
  const [[asked, made]] = host.asked as [[SpawnRequest, ManagementCall]];
  assert.deepEqual(asked, request);
  assert.ok(asked !== given && asked.scope !== given.scope && asked.scope[0] !== given.scope[0]);
  assert.deepEqual([Object.keys(made), made.call], [["call", "signal"], "12.0"]);
  assert.ok(made.signal !== abort.signal && !made.signal.aborted);
  abort.abort(new Error("enough"));
  assert.equal(made.signal.aborted, true);
});

const wrong: readonly (readonly [
  what: string,
  use: (pods: PodManagement) => Promise<unknown>,
  code: string,
])[] = [
  ["a name that is none", (pods) => pods.send("../a", "x", call), "pod_name_invalid"],
  ["a name that is no text", (pods) => pods.stop({} as string, call), "feature_invalid"],
  ["a message that is no text", (pods) => pods.send("a", 1 as unknown as string, call), "feature_invalid"],
  ["half a character", (pods) => pods.sendToPeer("a", "\ud800", call), "feature_invalid"],
  ["no request", (pods) => pods.spawn(null as unknown as SpawnRequest, call), "feature_invalid"],
  ["an empty loan", (pods) => pods.spawn({ ...request, scope: [] }, call), "feature_invalid"],
  [
    "a permission that is none",
    (pods) => pods.spawn({ ...request, scope: [{ ...rule, permission: "all" as "read" }] }, call),
    "feature_invalid",
  ],
  [
    "a rule that does not say how deep",
    (pods) => pods.spawn({ ...request, scope: [{ ...rule, recursive: 1 as unknown as boolean }] }, call),
    "feature_invalid",
  ],
  [
    "a profile that is no text",
    (pods) => pods.spawn({ ...request, profile: 1 as unknown as string }, call),
    "feature_invalid",
  ],
  ["a cursor that is none", (pods) => pods.read("a", { segment: "x", seq: 1 }, call), "feature_invalid"],
  [
    "a cursor inside of nothing",
    (pods) => pods.read("a", { segment, seq: 1, bytes: -1 }, call),
    "feature_invalid",
  ],
  ["a cursor before all", (pods) => pods.read("a", { segment, seq: -1 }, call), "feature_invalid"],
  ["no call", (pods) => pods.list(undefined as unknown as ManagementCall), "feature_invalid"],
  ["a call without an id", (pods) => pods.list({ ...call, call: "" }), "feature_invalid"],
  ["a signal that is none", (pods) => pods.list({ ...call, signal: {} as AbortSignal }), "feature_invalid"],
];
for (const [what, use, code] of wrong) {
  test(`the port is not asked with ${what}`, async () => {
    const { pods, host } = handleOf();
    assert.equal(await codeOf(use(pods)), code);
    assert.deepEqual(host.asked, []);
  });
}

const sized = (bytes: number) => "x".repeat(bytes);
const bounds: readonly (readonly [
  what: string,
  max: number,
  use: (pods: PodManagement, count: number) => Promise<unknown>,
])[] = [
  ["bytes of a task", childMessageBytesMax, (pods, n) => pods.spawn({ ...request, task: sized(n) }, call)],
  ["bytes of a message", childMessageBytesMax, (pods, n) => pods.send("a", sized(n), call)],
  [
    "bytes of an instruction",
    childInstructionBytesMax,
    (pods, n) => pods.spawn({ ...request, instruction: sized(n) }, call),
  ],
  ["bytes for a peer", peerMessageBytesMax, (pods, n) => pods.sendToPeer("b", sized(n), call)],
  [
    "rules of a loan",
    lentRulesMax,
    (pods, n) => pods.spawn({ ...request, scope: Array.from({ length: n }, () => rule) }, call),
  ],
  [
    "bytes of a target",
    pathBytesMax,
    (pods, n) => pods.spawn({ ...request, scope: [{ ...rule, target: sized(n) }] }, call),
  ],
  [
    "bytes of a profile's selector",
    selectorBytesMax,
    (pods, n) => pods.spawn({ ...request, profile: sized(n) }, call),
  ],
  ["characters of a call's id", callCharsMax, (pods, n) => pods.list({ ...call, call: sized(n) })],
];
for (const [what, max, use] of bounds) {
  test(`A2-51: ${max} ${what} are taken, and one more is not`, async () => {
    const { pods, host } = handleOf();
    assert.equal(await codeOf(use(pods, max)), "done");
    assert.match(await codeOf(use(pods, max + 1)), /^(limit_exceeded|feature_invalid)$/);
    assert.equal(host.asked.length, 1);
  });
}

test("A2-51: what comes out is bounded, at n and n+1", async () => {
  const { pods, host } = handleOf();
  for (const [over, code] of [
    [0, "done"],
    [1, "limit_exceeded"],
  ] as const) {
    host.output = { ...host.output, texts: [sized(podOutputBytesMax - 2), "é", sized(over)] };
    assert.equal(await codeOf(pods.read("a", null, call)), code);
    host.listed = Array.from({ length: podsListedMax + over }, (_, index) => managedPod(`p${index}`));
    assert.equal(await codeOf(pods.list(call)), code);
  }
});
