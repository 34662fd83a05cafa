/** What clients are told of a Pod beside its history: the room that is left, what was used, and what features show. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown, type JsonObject, noUsage } from "@yoi/base";
import type { PodView } from "@yoi/protocol";
import { taskFeature } from "../../../builtin/src/index.ts";
import { LineClient, served, text } from "./support.ts";

const usage = { input: 1_000, output: 50 };
const scenario = JSON.stringify({
  steps: [
    { tool_calls: [{ name: "TaskCreate", arguments: { subject: "Mend it", description: "" } }], usage },
    { text: "Done.", usage: { ...usage, input: 1_200 } },
    { text: "Again." },
  ],
});

async function inPod() {
  const it = await served({ scenario, features: [taskFeature()] });
  const client = await LineClient.hello(await it.place.connect());
  await client.snapshot();
  const submit = async (name: string) => {
    await client.ask("submit", { parts: text("go"), submission: name });
    await it.host.advance(1_000);
    await client.liveOf("run_ended");
  };
  return { it, client, submit };
}

test("a new Pod has used nothing, and its next request would have some tokens of what its model takes", async () => {
  const { it, client } = await inPod();
  const { context, spent, panels, commands, children, title } = client.view ?? assert.fail();
  assert.ok(context !== undefined && context.tokens > 0 && context.window !== null, JSON.stringify(context));
  const nothing = { usage: noUsage, cost: { nano_usd: 0, unpriced_requests: 0 } };
  assert.deepEqual(spent, { ...nothing, tree: nothing });
  assert.deepEqual([panels, commands, children, title], [undefined, undefined, undefined, undefined]);
  await it.pod.close();
});

test("behind each answer it is told what was used and how large the next request would be, as the fold has it", async () => {
  const { it, client, submit } = await inPod();
  await submit("one");
  const told = client.live.flatMap((live) => (live.type === "spent" ? [live] : []));
  assert.deepEqual(
    told.map(({ spent }) => spent.usage.input_tokens),
    [1_000, 2_200],
  );
  // Each stands right behind the record of what was counted.
  const places = client.lines.flatMap((line, at) =>
    "event" in line && line.event === "live" && line.live.type === "spent" ? [at] : [],
  );
  const isCounted = (at: number) => {
    const before = client.lines.slice(0, at).findLast((line) => "event" in line && line.event === "entry");
    return before !== undefined && "event" in before && before.event === "entry" ? before.entry.kind : null;
  };
  assert.equal(
    places.map(isCounted).every((kind) => kind === "llm_usage" || kind === "turn_end"),
    true,
  );
  const last = told.at(-1) ?? assert.fail();
  assert.ok(last.context.tokens >= 1_250, JSON.stringify(last.context));
  const view = (await client.ask("show")) as PodView;
  assert.deepEqual([view.spent, view.context], [last.spent, last.context]);
  const { usage: used, cost } = it.pod.snapshot;
  assert.deepEqual(view.spent, { usage: used, cost, tree: { usage: used, cost } });
  await it.pod.close();
});

test("a request whose answer arrives still is not one of unknown cost, to its own log alone", async () => {
  const it = await served({
    scenario: JSON.stringify({
      price: { input: 1, output: 1 },
      steps: [{ text: "ab", usage, pace_ms: 100, chunk: 1 }],
    }),
  });
  const client = await LineClient.hello(await it.place.connect());
  await client.snapshot();
  const unpriced = async () => {
    const { in_flight, spent = assert.fail() } = (await client.ask("show")) as PodView;
    const { cost, tree } = spent;
    const log = it.pod.snapshot.cost;
    return [
      in_flight.blocks.length,
      log.unpriced_requests,
      cost.unpriced_requests,
      tree.cost.unpriced_requests,
    ];
  };
  await client.ask("submit", { parts: text("go"), submission: "s" });
  await it.host.advance(150);
  assert.deepEqual(await unpriced(), [1, 1, 0, 0]);
  await it.host.advance(1_000);
  await client.liveOf("run_ended");
  assert.deepEqual(await unpriced(), [0, 0, 0, 0]);
  await it.pod.close();
});

test("the task list is a panel: told behind the result that changed it, in every snapshot, and as it was where history goes back", async () => {
  const { it, client, submit } = await inPod();
  await submit("one");
  const panel = {
    feature: "builtin:task",
    title: "Tasks 0 of 1 done",
    rows: [{ mark: "todo", text: "Mend it" }],
  };
  assert.deepEqual(
    client.live.filter(({ type }) => type === "panel"),
    [{ type: "panel", panel }],
  );
  assert.deepEqual(((await client.ask("show")) as PodView).panels, [panel]);
  const input = client.entries.filter(isKnown).find(({ kind }) => kind === "user_input") ?? assert.fail();
  const rewound = (await client.ask("rewind", { id: `${input.seq}`, side: "before" })) as JsonObject;
  assert.equal(rewound["generation"], 1, JSON.stringify(rewound));
  const empty = { type: "panel", panel: { feature: "builtin:task", title: "", rows: [] } };
  assert.deepEqual(client.live.filter(({ type }) => type === "panel").at(-1), empty);
  assert.equal("panels" in ((await client.ask("show")) as object), false);
  await it.pod.close();
});
