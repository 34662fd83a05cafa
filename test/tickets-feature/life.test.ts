/** Tickets in a whole Pod: what others do with them reaches the model once, whatever becomes of its session. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { Model, ModelRequest } from "@yoi/model";
import { inboxMax } from "@yoi/pod";
import { person, ticketModules } from "../../packages/builtin/test/tickets/support.ts";
import { ticketManifest, TicketMachine, toldIn } from "./ticket-pod.ts";

async function machine(seed: number) {
  const made = new TicketMachine(memoryHost({ seed }));
  const { id } = await made.driven(
    made.tickets.create({ title: "Followed", body: "What is to be done." }, person),
  );
  return { made, id };
}

test("A2-70: what a person writes into a ticket begins a run of an idle orchestrator, and stands in the request that the model gets", async () => {
  const { made, id } = await machine(1);
  const requests: ModelRequest[] = [];
  const wrapModel = (model: Model): Model => ({
    ...model,
    stream: (request, options) => {
      requests.push(request);
      return model.stream(request, options);
    },
  });
  const pod = await made.open({ wrapModel });
  await made.look();
  assert.equal(requests.length, 0);
  await made.driven(made.comment(id, "body-1"));
  await made.look();
  const shown = requests
    .at(-1)
    ?.items.flatMap(({ item }) => (item.type === "system_item" ? [item.body] : []));
  assert.equal(shown?.length, 1);
  assert.match(
    shown?.[0] ?? "",
    new RegExp(`^Ticket ${id}: Followed\n[0-9A-Z]{13} comment by hare \\(user\\) at \\S+\n  body-1$`, "m"),
  );
  assert.deepEqual(
    pod.features.flatMap(({ tools }) => tools),
    ["TicketCreate", "TicketComment", "TicketReview", "TicketTransition", "TicketList", "TicketShow"],
  );
  await made.close(pod);
});

test("A2-70: a tool call of the model is an event in the Pod's name and role, is no news to it, and follows over a restart", async () => {
  const { made, id } = await machine(2);
  const calls = (args: JsonObject) => ({ tool_calls: [{ name: "TicketComment", arguments: args }] });
  const scenario = JSON.stringify({
    steps: [calls({ ticket: id, kind: "plan", body: "First this." }), { text: "Done." }, { text: "Heard." }],
  });
  const features = () => ticketModules(made.host, { author: "desk", role: "intake" });
  const pod = await made.open({ scenario, features: features(), beginsOwnRuns: false });
  const { outcome } = await made.driven(pod.submit([{ type: "text", text: "Plan it." }]));
  assert.equal(outcome.kind, "finished");
  await made.look();
  assert.equal(pod.snapshot.waiting, 0);
  await made.close(pod);
  await made.driven(made.comment(id, "body-1"));
  const next = await made.open({ scenario, features: features(), beginsOwnRuns: false });
  await made.look();
  assert.equal(next.snapshot.waiting, 1);
  await made.close(next);
  const last = (await made.tickets.show(id)).events.find(({ kind }) => kind === "plan");
  assert.deepEqual([last?.author, last?.role, last?.body], ["desk", "intake", "First this."]);
  assert.deepEqual(toldIn(await made.log(), "inbox_accepted"), ["body-1"]);
});

test("news are told once over restarts and over history that goes back: what was told behind the place waits again", async () => {
  const { made, id } = await machine(3);
  const first = await made.open({ beginsOwnRuns: false });
  await made.look();
  await made.driven(made.comment(id, "body-1"));
  await made.look();
  await made.driven(first.submit([{ type: "text", text: "One." }]));
  const place = first.snapshot.lastSeq;
  await made.driven(made.comment(id, "body-2"));
  await made.look();
  await made.driven(first.submit([{ type: "text", text: "Two." }]));
  assert.deepEqual(toldIn(await made.log(), "system_item"), ["body-1", "body-2"]);
  await made.driven(first.rewind({ id: String(place), side: "behind" }));
  await made.look();
  assert.equal(first.snapshot.waiting, 1);
  await made.close(first);
  await made.driven(made.comment(id, "body-3"));
  const second = await made.open({ beginsOwnRuns: false });
  await made.look();
  await made.driven(second.submit([{ type: "text", text: "Three." }]));
  assert.deepEqual(toldIn(await made.log(), "system_item"), ["body-2", "body-3"]);
  await made.close(second);
});

test("news are told once over a compaction and a restart behind it: what was told is known, what waits comes along", async () => {
  const { made, id } = await machine(7);
  const first = await made.open({ beginsOwnRuns: false });
  await made.look();
  await made.driven(made.comment(id, "body-1"));
  await made.look();
  await made.driven(first.submit([{ type: "text", text: "One. ".repeat(4_000) }]));
  await made.driven(made.comment(id, "body-2"));
  await made.look();
  await made.driven(first.compact());
  await made.look();
  assert.equal(first.snapshot.waiting, 1);
  await made.driven(made.comment(id, "body-3"));
  await made.look();
  assert.deepEqual(toldIn(await made.log(), "inbox_accepted"), ["body-3"]);
  await made.close(first);
  await made.driven(made.comment(id, "body-4"));
  const second = await made.open({ beginsOwnRuns: false });
  await made.look();
  await made.driven(second.submit([{ type: "text", text: "Two." }]));
  assert.deepEqual(toldIn(await made.log(), "system_item"), ["body-2", "body-3", "body-4"]);
  await made.close(second);
});

test("where nobody reads, the inbox fills and nothing is skipped: all of it is told once there is room", async () => {
  const { made, id } = await machine(4);
  const pod = await made.open({ beginsOwnRuns: false });
  await made.look();
  for (let n = 0; n < inboxMax; n += 1)
    await made.driven(pod.notify({ source: "user", message: `note ${n}` }));
  for (let n = 0; n < 3; n += 1) {
    await made.driven(made.comment(id, `body-${n}`));
    await made.look();
  }
  assert.deepEqual([pod.snapshot.waiting, toldIn(await made.log(), "inbox_accepted")], [inboxMax, []]);
  await made.driven(pod.submit([{ type: "text", text: "Read." }]));
  await made.look(20_000);
  assert.deepEqual(toldIn(await made.log(), "inbox_accepted"), ["body-0", "body-1", "body-2"]);
  assert.deepEqual(
    pod.features.flatMap(({ diagnostics }) => diagnostics),
    [],
  );
  await made.close(pod);
});

test("more changes in a minute than there can be notifications: each is told, in order", async () => {
  const { made, id } = await machine(5);
  const pod = await made.open({ beginsOwnRuns: false });
  await made.look();
  const count = 36;
  const bodies = Array.from({ length: count }, (_, n) => `body-${n}`);
  for (const body of bodies) {
    await made.driven(made.comment(id, body));
    await made.look(1_100);
  }
  await made.look(90_000);
  assert.deepEqual(toldIn(await made.log(), "inbox_accepted"), bodies);
  await made.close(pod);
});

test("closing ends the task within its time, also while it waits; where tickets are switched off there is nothing of it", async () => {
  const { made } = await machine(6);
  const pod = await made.open();
  await made.look(1_500);
  const closing = pod.close();
  await made.host.advance(1);
  await closing;
  assert.deepEqual(
    pod.features.flatMap(({ diagnostics }) => diagnostics),
    [],
  );
  const off = await made.open({
    manifest: {
      ...ticketManifest,
      features: { ...ticketManifest.features, tickets: { enabled: false, origin: "a test" } },
    },
  });
  assert.deepEqual(
    off.features.map(({ status, tools }) => [status, tools]),
    [
      ["skipped", []],
      ["skipped", []],
    ],
  );
  await made.close(off);
});
