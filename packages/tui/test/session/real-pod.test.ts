/** A real Pod, its server and real clients on a simulated machine: whoever comes at whatever moment sees what the first one sees then. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { openPodClient, type PodClient } from "@yoi/protocol";
import { effectTool, World } from "../../../../test/support/simulated-pod.ts";
import { type Served, served, token } from "../../../pod/test/serve/support.ts";
import { emptySession } from "../../src/session/empty-session.ts";
import type { PodSession, SessionEvent } from "../../src/session/session.ts";
import { updateSession } from "../../src/session/update-session.ts";
import { assertDense, now, shown } from "./support/shown.ts";

const scenario = JSON.stringify({
  chunk: 3,
  steps: [
    {
      reasoning: "I should look at that first.",
      text: "I look.",
      tool_calls: [
        { name: "Effect", arguments: { what: "one" } },
        { name: "Effect", arguments: { what: "two" } },
      ],
    },
    { text: "It is done, and all of it is well." },
  ],
});

/** A client that folds all that it is told. */
async function attach(
  it: Served,
  told: (session: PodSession, place: string, event: SessionEvent) => void,
): Promise<PodClient> {
  let session = emptySession("sim");
  let n = 0;
  const tell = (event: SessionEvent): void => {
    session = updateSession(session, event, now);
    if (event.type === "live") ({ n } = event);
    if (event.type === "snapshot") ({ n } = event.view);
    const { segment, seq } = session.cursor ?? { segment: "", seq: -1 };
    told(session, `${segment}/${seq}/${n}`, event);
  };
  return openPodClient({
    connect: () => it.place.connect(),
    hello: async () => ({ role: "user", token, stream: true }),
    listener: {
      restarted: (segment) => tell({ type: "restarted", segment }),
      rotated: (rotation) => tell({ type: "rotated", rotation }),
      entry: (entry) => tell({ type: "entry", entry }),
      omitted: (seq, kind) => tell({ type: "omitted", seq, kind }),
      snapshot: (view) => tell({ type: "snapshot", view }),
      live: (live, at) => tell({ type: "live", live, n: at }),
    },
  });
}

test("at every moment of a run with a queue, calls and a notice: the same for all", async () => {
  const host = memoryHost({ seed: 1 });
  await using it = await served({ host, scenario, tools: [effectTool(new World(), host)] });
  const seen = new Map<string, ReturnType<typeof shown>>();
  const came: { readonly place: string; readonly shown: ReturnType<typeof shown> }[] = [];
  const ended = Promise.withResolvers<void>();
  let last = emptySession("sim");
  const first = await attach(it, (session, place, event) => {
    assertDense(session);
    seen.set(place, shown(session));
    last = session;
    if (event.type === "live" && event.live.type === "run_ended") ended.resolve();
  });
  const parts = (text: string) => [{ type: "text" as const, text }];
  const clients: Promise<PodClient>[] = [];
  let isOver = false;
  void ended.promise.then(() => (isOver = true));
  const asked = [
    first.call("submit", { parts: parts("go"), submission: "s" }),
    first.call("notify", { message: "look out", submission: "n" }),
    first.call("queue", { parts: parts("and this too"), submission: "q", when: "boundary" }),
    first.call("set_title", { title: "the title" }),
  ];
  for (let moment = 0; moment < 400 && !isOver; moment += 1) {
    if (clients.length < 60)
      clients.push(
        attach(it, (session, place, event) => {
          if (event.type === "snapshot") came.push({ place, shown: shown(session) });
        }),
      );
    await Promise.resolve();
  }
  await ended.promise;
  await Promise.all(asked);
  for (const client of await Promise.all(clients)) client.close();
  assert.ok(came.length >= 40, `${came.length} came`);
  for (const { place, shown: theirs } of came) assert.deepEqual(theirs, seen.get(place), place);
  const places = new Set(came.map(({ place }) => place));
  assert.ok(places.size >= 5, `${places.size} places`);
  assert.deepEqual(
    last.blocks.map(({ kind }) => kind).filter((kind) => kind !== "note"),
    ["input", "system", "input", "reasoning", "answer", "call", "call", "answer"],
  );
  const { promise: fresh, resolve } = Promise.withResolvers<PodSession>();
  const late = await attach(it, (session, _place, event) =>
    event.type === "snapshot" ? resolve(session) : undefined,
  );
  const { context, spent } = await fresh;
  assert.deepEqual([last.context, last.spent], [context, spent]);
  assert.ok(context !== null && spent !== null);
  late.close();
  first.close();
});
