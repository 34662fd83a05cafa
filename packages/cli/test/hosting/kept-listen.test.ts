/** The socket that stays: bound again after whoever took it away, within one look, and never twice. */
import assert from "node:assert/strict";
import test, { describe } from "node:test";
import { memoryHost } from "@yoi/host";
import { keptListen, lookEveryMs } from "../../src/hosting/kept-listen.ts";

/** A made-up place for one socket; what was done there, in order. */
function place() {
  const { timers, advance } = hostOf();
  const done: string[] = [];
  const state = {
    standing: null as string | null,
    next: 1,
    prepareFails: null as string | null,
    isThere: true,
  };
  const listen = keptListen({
    bind: async () => {
      const own = `socket ${state.next}`;
      state.next += 1;
      state.standing = own;
      done.push(`bind ${own}`);
      return {
        close: async () => {
          done.push(`close ${own}`);
          if (state.standing === own) state.standing = null;
        },
      };
    },
    identity: () => state.standing,
    prepare: async () => {
      if (state.prepareFails !== null) throw new Error(state.prepareFails);
    },
    isThere: async () => state.isThere,
    lost: () => void done.push("lost"),
    timers,
    say: (text) => void done.push(`say ${text}`),
  });
  return { state, done, listen: () => listen(() => {}), advance };
}

function hostOf() {
  const host = memoryHost({ seed: 1 });
  return { timers: host.timers, advance: (ms: number) => host.advance(ms) };
}

const again = "say The socket was gone and is there again.";

describe("kept listen", () => {
  test("what stands is left alone, however long", async () => {
    const { done, listen, advance } = place();
    const listener = await listen();
    await advance(20 * lookEveryMs);
    await listener.close();
    assert.deepEqual(done, ["bind socket 1", "close socket 1"]);
  });

  for (const [what, standing] of [
    ["removed", null],
    ["replaced", "somebody else's"],
  ] as const) {
    test(`a socket that was ${what} is bound again at the next look, once`, async () => {
      const { state, done, listen, advance } = place();
      const listener = await listen();
      await advance(lookEveryMs - 1);
      state.standing = standing;
      await advance(1);
      assert.deepEqual(done, ["bind socket 1", "close socket 1", "bind socket 2", again]);
      await advance(10 * lookEveryMs);
      await listener.close();
      assert.deepEqual(done.slice(4), ["close socket 2"]);
    });
  }

  test("a place that cannot be made good is said once, and tried until it can", async () => {
    const { state, done, listen, advance } = place();
    const listener = await listen();
    state.standing = null;
    state.prepareFails = "it is a link";
    await advance(5 * lookEveryMs);
    assert.deepEqual(done, ["bind socket 1", "say Clients cannot connect: it is a link"]);
    state.prepareFails = null;
    await advance(lookEveryMs);
    assert.deepEqual(done.slice(2), ["close socket 1", "bind socket 2", again]);
    await listener.close();
  });

  test("a place that was bad while the socket stood is said to be good again", async () => {
    const { state, done, listen, advance } = place();
    const listener = await listen();
    state.prepareFails = "its mode is 755";
    await advance(2 * lookEveryMs);
    state.prepareFails = null;
    await advance(2 * lookEveryMs);
    await listener.close();
    assert.deepEqual(done, [
      "bind socket 1",
      "say Clients cannot connect: its mode is 755",
      "say Clients can connect again.",
      "close socket 1",
    ]);
  });

  test("what is stored of the Pod is gone: told once, and nothing is made there again", async () => {
    const { state, done, listen, advance } = place();
    const listener = await listen();
    state.isThere = false;
    state.standing = null;
    await advance(5 * lookEveryMs);
    assert.deepEqual(done, ["bind socket 1", "lost"]);
    await listener.close();
    assert.deepEqual(done.slice(2), ["close socket 1"]);
  });

  test("closed, nothing is looked at or bound any more", async () => {
    const { state, done, listen, advance } = place();
    const listener = await listen();
    await listener.close();
    state.standing = null;
    await advance(5 * lookEveryMs);
    assert.deepEqual(done, ["bind socket 1", "close socket 1"]);
  });
});
