/** The service of tickets, as a feature that is none of yoi's would call it: its name, its role, its bounds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, type JsonValue, utf8Length } from "@yoi/base";
import type { FeatureInstallContext, FeatureModule, ServiceImplementation } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { serviceValueBytesMax } from "../../../pod/src/feature/services/call-service.ts";
import { ticketStoreFeature } from "../../src/index.ts";
import { cursorTicketsMax } from "../../src/tickets/news-cursor.ts";
import { toolBodyBytesMax } from "../../src/tickets/ticket-service.ts";
import { person, storeOn } from "./support.ts";

/** What the feature provides, called as the host does. */
async function service(host = memoryHost({ seed: 2 })) {
  const store = storeOn(host);
  const module: FeatureModule = ticketStoreFeature({ store, actor: { author: "hands", role: "coder" } });
  const provided: ServiceImplementation[] = [];
  const context = {
    services: {
      provide: (_id: string, _version: string, methods: ServiceImplementation) => void provided.push(methods),
    },
  };
  await module.install(context as unknown as FeatureInstallContext);
  const [methods] = provided;
  const call = async (method: string, input: JsonObject): Promise<JsonValue> => {
    const answer = await (methods?.[method] ?? assert.fail(method))(input);
    assert.ok(answer !== undefined && utf8Length(JSON.stringify(answer)) <= serviceValueBytesMax);
    return answer;
  };
  return { store, call, methods: methods ?? assert.fail(), descriptor: module.descriptor };
}

const refusedWith = (answer: JsonValue) => Object(Object(answer)["refused"])["code"];
const okOf = (answer: JsonValue): JsonObject => Object(Object(answer)["ok"]);

test("A2-70: the service has these methods, carries authority, and gives nothing but values", async () => {
  const { methods, descriptor } = await service();
  const names = ["create", "add", "transition", "close", "list", "show", "news"];
  assert.deepEqual(Object.keys(methods), names);
  assert.deepEqual(
    descriptor.provides_services.map(({ id, methods: declared, carries_authority }) => [
      id,
      declared,
      carries_authority,
    ]),
    [["builtin:tickets", names, true]],
  );
  assert.ok(!JSON.stringify(descriptor).includes("hands"));
});

test("whoever calls it, what it writes is the Pod's: an author, a role and a field that it does not know are refused", async () => {
  const { store, call } = await service();
  const { id: ticket } = await store.create({ title: "t", body: "b" }, person);
  for (const more of [
    { author: "hare" },
    { role: "user" },
    { actor: { author: "hare", role: "user" } },
    { at: "now" },
  ])
    assert.equal(refusedWith(await call("add", { ticket, kind: "comment", body: "x", ...more })), "usage");
  assert.equal(
    refusedWith(await call("add", { ticket, kind: "comment", body: "x", status: "approve" })),
    "usage",
  );
  const { event } = okOf(await call("add", { ticket, kind: "comment", body: "x" }));
  const { author, role, body } = Object(event);
  assert.deepEqual([author, role, body], ["hands", "coder", undefined]);
  const refusals: readonly (readonly [string, JsonObject, string])[] = [
    ["transition", { ticket, to: "ready" }, "ticket_refused"],
    ["transition", { ticket, to: "closed" }, "usage"],
    ["close", { ticket, resolution: "r" }, "ticket_refused"],
    ["create", { title: "t", body: "x".repeat(toolBodyBytesMax + 1) }, "usage"],
    ["show", { ticket: "/etc/passwd" }, "usage"],
    ["show", { ticket: "0000000000000" }, "ticket_unknown"],
    ["news", { all: true }, "usage"],
    ["news", { cursor: { known: {} }, all: false }, "usage"],
    ["news", { cursor: { known: {}, since_ms: "x" }, all: false }, "usage"],
    ["news", { cursor: null, all: "yes" }, "usage"],
    ["list", { limit: 1e9 }, "usage"],
  ];
  for (const [method, input, code] of refusals)
    assert.equal(refusedWith(await call(method, input)), code, method);
  assert.equal((await store.show(ticket)).events.length, 2);
});

test("whatever tickets hold, an answer has room: bodies, titles, fields, artifacts and control characters at their worst", async () => {
  const { store, call } = await service();
  const worst = "\u0001".repeat(200_000);
  const { id: ticket } = await store.create(
    {
      title: "兎".repeat(4_000),
      body: worst,
      fields: { labels: Array.from({ length: 50 }, () => '\\"'.repeat(30)) },
    },
    person,
  );
  await store.add(ticket, { kind: "comment", body: worst }, person);
  await store.add(ticket, { kind: "comment", body: "😀".repeat(50_000) }, person);
  await store.close(ticket, worst, person);
  for (const after of [{}, { events_after: "start" }]) {
    const shown = okOf(await call("show", { ticket, ...after }));
    assert.equal(Number(shown["earlier"]) + Number(shown["later"]) + Object(shown["events"]).length, 4);
    assert.equal(shown["body_bytes"], 200_000);
  }
  for (let n = 0; n < 40; n += 1) await store.create({ title: "兎".repeat(4_000), body: worst }, person);
  const list = okOf(await call("list", { states: ["planning", "closed"] }));
  assert.equal(Object(list["tickets"]).length + Number(list["left_out"]), 41);
  const known = Object.fromEntries(
    Array.from({ length: cursorTicketsMax }, (_, n) => [
      `00002${n.toString().padStart(8, "0")}`,
      "1.1.000000000000",
    ]),
  );
  const news = okOf(await call("news", { cursor: { known, since_ms: null }, all: true }));
  assert.ok(Object(news["news"]).length > 0);
});

test("an error that is none of the store's own is the host's to tell", async () => {
  const store = storeOn(memoryHost({ seed: 3 }));
  const broken = Object.create(store, { list: { value: () => Promise.reject(new TypeError("a bug")) } });
  const module = ticketStoreFeature({ store: broken, actor: { author: "a", role: "coder" } });
  const provided: ServiceImplementation[] = [];
  const context = {
    services: {
      provide: (_i: string, _v: string, methods: ServiceImplementation) => void provided.push(methods),
    },
  };
  await module.install(context as unknown as FeatureInstallContext);
  await assert.rejects(async () => provided[0]?.["list"]?.({}), TypeError);
});
