/** The lane of commands: a command alone, calls beside each other, and nobody held up by who gave up. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type Tool, type ToolContext } from "@yoi/base";
import { CommandLane } from "../../src/turn/command-lane.ts";

/** Work that says when it begins, and ends when it is told to. */
class Works {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, () => void>();

  readonly of = (name: string) => async (): Promise<string> => {
    this.begun.push(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ends.set(name, resolve);
    await promise;
    return name;
  };

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await settled();
  }
}

const unheard = { waits: () => {}, isAwaited: () => {} };
const settled = () => new Promise((resolve) => setImmediate(resolve));
const going = () => new AbortController().signal;

function toolOf(works: Works, name: string, more: Partial<Tool> = {}): Tool {
  return {
    definition: { name, description: name, input_schema: {} },
    readOnly: false,
    execute: async () => ({ summary: await works.of(name)() }),
    ...more,
  };
}
const contextOf = (signal = going()): ToolContext => ({ call: callId(1, 0), signal, progress: () => {} });

test("calls go on beside each other, a command alone, and whoever came first begins first", async () => {
  const lane = new CommandLane();
  const works = new Works();
  const [write, edit, late] = ["write", "edit", "late"].map((name) => lane.around(toolOf(works, name)));
  void write?.execute({}, contextOf());
  void edit?.execute({}, contextOf());
  void lane.alone(going(), works.of("one"), unheard);
  void lane.alone(going(), works.of("two"), unheard);
  void late?.execute({}, contextOf());
  await settled();
  assert.deepEqual(works.begun, ["write", "edit"]);
  await works.end("write");
  assert.deepEqual(works.begun, ["write", "edit"]);
  await works.end("edit");
  assert.deepEqual(works.begun, ["write", "edit", "one"]);
  await works.end("one");
  assert.deepEqual(works.begun, ["write", "edit", "one", "two"]);
  await works.end("two");
  assert.deepEqual(works.begun, ["write", "edit", "one", "two", "late"]);
});

test("what only reads, and what writes no file, waits for nothing", async () => {
  const lane = new CommandLane();
  const works = new Works();
  void lane.alone(going(), works.of("command"), unheard);
  void lane.around(toolOf(works, "Read", { readOnly: true })).execute({}, contextOf());
  void lane.around(toolOf(works, "SpawnPod", { writesNoFile: true })).execute({}, contextOf());
  await settled();
  assert.deepEqual(works.begun.toSorted(), ["Read", "SpawnPod", "command"]);
});

test("who is stopped while it waits never begins, and holds nobody up", async () => {
  const lane = new CommandLane();
  const works = new Works();
  const stop = new AbortController();
  void lane.around(toolOf(works, "call")).execute({}, contextOf());
  const stopped = lane.alone(stop.signal, works.of("stopped"), unheard);
  const next = lane.around(toolOf(works, "next")).execute({}, contextOf());
  stop.abort();
  await assert.rejects(stopped, { code: "cancelled" });
  await settled();
  assert.deepEqual(works.begun, ["call", "next"]);
  await works.end("next");
  assert.deepEqual(await next, { summary: "next" });
  await assert.rejects(lane.alone(stop.signal, works.of("too late"), unheard), { code: "cancelled" });
  assert.deepEqual(works.begun, ["call", "next"]);
});

test("what a command throws is thrown, and the next one begins", async () => {
  const lane = new CommandLane();
  await assert.rejects(
    lane.alone(
      going(),
      async () => {
        throw new Error("broken");
      },
      unheard,
    ),
    /broken/,
  );
  const throwing = lane.around({
    ...toolOf(new Works(), "throwing"),
    execute: () => {
      throw new Error("at once");
    },
  });
  assert.throws(() => throwing.execute({}, contextOf()), /at once/);
  assert.equal(await lane.alone(going(), async () => "next", unheard), "next");
});

test("who waits for whom is told, each once: a command that waits, and one that a call waits for", async () => {
  const lane = new CommandLane();
  const works = new Works();
  const told: string[] = [];
  const hearing = (name: string) => ({
    waits: () => void told.push(`${name} waits`),
    isAwaited: () => void told.push(`${name} is awaited`),
  });
  const [write, edit, more] = ["write", "edit", "more"].map((name) => lane.around(toolOf(works, name)));
  void write?.execute({}, contextOf());
  void lane.alone(going(), works.of("one"), hearing("one"));
  void lane.alone(going(), works.of("two"), hearing("two"));
  void edit?.execute({}, contextOf());
  void more?.execute({}, contextOf());
  assert.deepEqual(told, ["one waits", "two waits"]);
  await works.end("write");
  assert.deepEqual(told.slice(2), ["one is awaited"]);
  await works.end("one");
  assert.deepEqual(told.slice(3), ["two is awaited"]);
  await works.end("two");
  assert.deepEqual(works.begun, ["write", "one", "two", "edit", "more"]);
  void lane.alone(going(), works.of("free"), hearing("free"));
  assert.equal(told.length, 5);
  assert.equal(told[4], "free waits");
});

test("a call may begin once no command goes on, holds nobody up by that, and is stopped while it waits", async () => {
  const lane = new CommandLane();
  const works = new Works();
  lane.around(toolOf(works, "Write"));
  const begun: string[] = [];
  const begin = (tool: string, signal = going()) =>
    lane.mayBegin(tool, signal).then(
      () => void begun.push(tool),
      () => void begun.push(`${tool} stopped`),
    );
  await begin("Write");
  void lane.alone(going(), works.of("command"), unheard);
  const stop = new AbortController();
  void begin("Write");
  void begin("Write", stop.signal);
  await begin("Read");
  stop.abort();
  await settled();
  assert.deepEqual(begun, ["Write", "Read", "Write stopped"]);
  await works.end("command");
  assert.deepEqual(begun, ["Write", "Read", "Write stopped", "Write"]);
  void lane.alone(going(), works.of("next"), unheard);
  await settled();
  assert.deepEqual(works.begun, ["command", "next"]);
});
