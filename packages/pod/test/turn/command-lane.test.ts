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
  void lane.alone(going(), works.of("one"));
  void lane.alone(going(), works.of("two"));
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
  void lane.alone(going(), works.of("command"));
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
  const stopped = lane.alone(stop.signal, works.of("stopped"));
  const next = lane.around(toolOf(works, "next")).execute({}, contextOf());
  stop.abort();
  await assert.rejects(stopped, { code: "cancelled" });
  await settled();
  assert.deepEqual(works.begun, ["call", "next"]);
  await works.end("next");
  assert.deepEqual(await next, { summary: "next" });
  await assert.rejects(lane.alone(stop.signal, works.of("too late")), { code: "cancelled" });
  assert.deepEqual(works.begun, ["call", "next"]);
});

test("what a command throws is thrown, and the next one begins", async () => {
  const lane = new CommandLane();
  await assert.rejects(
    lane.alone(going(), async () => {
      throw new Error("broken");
    }),
    /broken/,
  );
  const throwing = lane.around({
    ...toolOf(new Works(), "throwing"),
    execute: () => {
      throw new Error("at once");
    },
  });
  assert.throws(() => throwing.execute({}, contextOf()), /at once/);
  assert.equal(await lane.alone(going(), async () => "next"), "next");
});
