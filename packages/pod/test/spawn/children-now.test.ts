/** ChildrenNow: what children do, as they say themselves: asked in time, once for all who want it, and told when it changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { ChildRecord, Lease } from "@yoi/pod-store";
import type { ChildNow } from "@yoi/protocol";
import { ChildrenNow } from "../../src/spawn/children-now.ts";
import { type LiveState, probesMs } from "../../src/spawn/live-state.ts";

const [a, b, c] = [podName("a"), podName("b"), podName("c")];

function open_() {
  const host = memoryHost({ seed: 1 });
  const alive = new Set<string>([a, b]);
  const says = new Map<string, LiveState | "nothing" | "error">([
    [a, { state: "running", approvals: 2 }],
    [b, { state: "idle", approvals: 0 }],
  ]);
  const asked: string[] = [];
  const told: (readonly ChildNow[])[] = [];
  const open = { names: [a, b, c] };
  const now = new ChildrenNow({
    lease: {
      owner: async (name) =>
        ({
          alive: alive.has(name),
          owner: { purpose: "host", runtime: "/run" },
        }) as unknown as Awaited<ReturnType<Lease["owner"]>>,
    },
    timers: host.timers,
    probe: async (name) => {
      asked.push(name);
      const said = says.get(name);
      if (said === "error") throw new Error("lost");
      return said === "nothing" || said === undefined ? new Promise(() => {}) : said;
    },
    record: () => ({ children: open.names.map((name) => ({ name }) as unknown as ChildRecord) }),
    shown: (list) => told.push(list),
  });
  return { host, alive, says, asked, told, open, now };
}

test("each is what it says of itself; whom nobody hosts is stopped, whoever does not answer in time unknown", async () => {
  const { host, alive, says, told, now, open } = open_();
  assert.deepEqual(
    now.list.map(({ state }) => state),
    ["unknown", "unknown", "unknown"],
  );
  await now.look();
  const first = [
    { name: "a", state: "running", approvals: 2 },
    { name: "b", state: "idle", approvals: 0 },
    { name: "c", state: "stopped", approvals: 0 },
  ];
  assert.deepEqual(now.list, first);
  assert.deepEqual(told, [first]);
  await now.look();
  assert.equal(told.length, 1);
  says.set("a", "nothing");
  says.set("b", "error");
  alive.add("c");
  says.set("c", { state: "paused", approvals: 0 });
  const looking = now.look();
  await host.advance(probesMs);
  await looking;
  assert.deepEqual(
    now.list.map(({ state, approvals }) => [state, approvals]),
    [
      ["unknown", 0],
      ["unknown", 0],
      ["paused", 0],
    ],
  );
  open.names = [];
  await now.look();
  assert.deepEqual(told.at(-1), []);
});

test("several who want to know are one look, and one more for those who came too late", async () => {
  const { asked, now } = open_();
  await Promise.all([now.look(), now.look(), now.look()]);
  assert.deepEqual(asked, ["a", "b", "a", "b"]);
});

test("behind its end nobody is told", async () => {
  const { told, now } = open_();
  const looking = now.look();
  await now.close();
  await looking;
  await now.look();
  assert.deepEqual(told, []);
});
