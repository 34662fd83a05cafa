/** The hub: what passes between a consumer and a provider, and what never does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, jsonDepthMax, type JsonValue } from "@yoi/base";
import { type AuthorityGrants, featureId, serviceId, type ServiceImplementation } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import {
  serviceCallMsMax,
  serviceCallsMax,
  serviceValueBytesMax,
} from "../../../src/feature/services/call-service.ts";
import { ServiceHub } from "../../../src/feature/services/service-hub.ts";
import { requires, service } from "./descriptors.ts";
import { clientOf, consumer, failure, hubWith, noGrants, provider, redact } from "./one-provider.ts";

test("A2-22: a service is called through the host, by those that ask for it, once it is committed", async () => {
  const host = memoryHost({ seed: 1 });
  const hub = new ServiceHub({ timers: host.timers, redact });
  const staged = hub.stage(provider);
  staged.provide(service("user:notes"), { get: async ({ key }) => ({ found: key ?? null }) });
  assert.equal(hub.provider(serviceId("user:notes")), null);
  assert.equal(hub.client(consumer(), requires("user:notes")), null);
  assert.equal(
    hub.refusal(consumer(), requires("user:notes")),
    "project:reader gets no service user:notes: no installed feature provides it.",
  );
  staged.commit();
  assert.deepEqual(hub.provider(serviceId("user:notes")), { feature: provider, version: "1.0.0" });
  assert.equal(hub.refusal(consumer(), requires("user:notes")), null);
  assert.deepEqual(await clientOf(hub).call("get", { key: "a" }), { found: "a" });
});

test("A2-23, F-17: a consumer holds a frozen client with the methods that it asked for, and nothing of the provider", async () => {
  const secret = { of: "the provider" };
  const implementation = {
    state: secret,
    get: async function (this: unknown) {
      return this === implementation;
    },
    drop: async () => "dropped",
  };
  const { hub } = hubWith(
    implementation as unknown as ServiceImplementation,
    service("user:notes", { methods: ["get", "drop"] }),
  );
  const client = clientOf(hub, ["get"]);
  assert.deepEqual(Reflect.ownKeys(client), ["id", "version", "methods", "call"]);
  assert.equal(Object.getPrototypeOf(client), Object.prototype);
  for (const each of [client, client.methods, client.call]) assert.ok(Object.isFrozen(each));
  assert.deepEqual(client.methods, ["get"]);
  assert.equal(await client.call("get", {}), true, "the method runs on its own object");
  for (const method of ["drop", "state", "constructor", "__proto__", "toString", "then"]) {
    assert.deepEqual(await failure(client.call(method, {})), {
      code: "feature_invalid",
      message: `project:reader did not ask for a method ${JSON.stringify(method)} of user:notes: it may call get.`,
    });
  }
});

test("A2-23: input and output are frozen copies: neither side holds an object of the other", async () => {
  const seen: JsonObject[] = [];
  const own = { list: [{ n: 1 }] };
  const { hub } = hubWith({
    get: async (input) => {
      seen.push(input);
      return own;
    },
  });
  const input = { nested: { n: 1 } };
  const output = await clientOf(hub).call("get", input);
  const [received] = seen;
  assert.deepEqual([received, output], [input, own]);
  assert.ok(received !== input && received?.["nested"] !== input.nested && output !== own);
  assert.throws(() => Object.assign(received?.["nested"] ?? {}, { n: 2 }), TypeError);
  assert.throws(() => Object.assign(output as JsonObject, { more: 1 }), TypeError);
  assert.throws(() => (output as { list: JsonValue[] }).list.push(2), TypeError);
});

test("A2-27, F-17: a service that carries authority needs service_access for exactly it", () => {
  const { hub } = hubWith({ get: async () => 1 }, service("user:notes", { carries: true }));
  const granted = (name: string): AuthorityGrants => ({
    granted: [{ kind: "service_access", service: serviceId(name) }],
    denied: [],
  });
  const table = [
    { grants: noGrants, allowed: false },
    { grants: granted("user:other"), allowed: false },
    {
      grants: { granted: [{ kind: "model_notification" }], denied: [] } satisfies AuthorityGrants,
      allowed: false,
    },
    { grants: granted("user:notes"), allowed: true },
  ];
  for (const { grants, allowed } of table) {
    const asking = consumer("project:reader", grants);
    assert.equal(hub.client(asking, requires("user:notes")) !== null, allowed);
    assert.equal(
      hub.refusal(asking, requires("user:notes")),
      allowed
        ? null
        : "project:reader gets no service user:notes: it acts with authorities of user:store, and project:reader was not granted service_access for it.",
    );
  }
});

test("A2-51, F-10: values of a call are bounded, at n and n+1 bytes", async () => {
  const frame = '{"text":""}'.length;
  const sized = (bytes: number) => ({ text: "x".repeat(bytes - frame) });
  const { hub } = hubWith({
    echo: async (input) => input,
    grow: async () => sized(serviceValueBytesMax + 1),
  });
  const client = clientOf(hub);
  const most = sized(serviceValueBytesMax);
  assert.deepEqual(await client.call("echo", most), most);
  assert.deepEqual(await failure(client.call("echo", sized(serviceValueBytesMax + 1))), {
    code: "limit_exceeded",
    message:
      "The input of project:reader for user:notes echo has 65537 bytes as JSON; the most it can have is 65536.",
  });
  assert.deepEqual(await failure(client.call("grow", {})), {
    code: "limit_exceeded",
    message:
      "The answer of user:store to user:notes grow has 65537 bytes as JSON; the most it can have is 65536.",
  });
});

test("values of a call are bounded in depth, and have to be JSON", async () => {
  const deep = (depth: number): JsonObject => (depth === 0 ? {} : { in: deep(depth - 1) });
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const { hub } = hubWith({ echo: async (input) => input, get: async () => circle as JsonObject });
  const client = clientOf(hub);
  const most = deep(jsonDepthMax - 1);
  assert.deepEqual(await client.call("echo", most), most);
  assert.equal((await failure(client.call("echo", deep(jsonDepthMax)))).code, "limit_exceeded");
  assert.deepEqual(await failure(client.call("get", {})), {
    code: "service_failed",
    message: "The answer of user:store to user:notes get cannot be written as JSON.",
  });
  for (const input of [circle, 1n, undefined, () => 1]) {
    assert.deepEqual(await failure(client.call("echo", input as unknown as JsonObject)), {
      code: "feature_invalid",
      message: "The input of project:reader for user:notes echo cannot be written as JSON.",
    });
  }
  for (const input of [[], "text", null, 1]) {
    assert.deepEqual(await failure(client.call("echo", input as unknown as JsonObject)), {
      code: "feature_invalid",
      message: "The input of project:reader for user:notes echo is no JSON object.",
    });
  }
});

test("64 calls of a service wait for their answers at the same time, and not one more", async () => {
  const slow = Promise.withResolvers<JsonValue>();
  const { hub, pending } = hubWith({ get: () => slow.promise });
  const client = clientOf(hub);
  const most = Array.from({ length: serviceCallsMax }, () => client.call("get", {}));
  const other = hub.client(consumer("project:other"), requires("user:notes"));
  assert.deepEqual(await failure(other?.call("get", {}) ?? Promise.resolve()), {
    code: "limit_exceeded",
    message:
      "user:notes get cannot be called now: 64 calls of user:notes wait for their answers, the most there can be.",
  });
  assert.equal(pending(), serviceCallsMax);
  slow.resolve(1);
  assert.deepEqual(new Set(await Promise.all(most)), new Set([1]));
  assert.equal(await other?.call("get", {}), 1);
  assert.equal(pending(), 0, "no timer is left behind");
});

test("a call has a time limit, and its late answer is dropped", async () => {
  const late = Promise.withResolvers<JsonValue>();
  const { host, hub, pending } = hubWith({ get: () => late.promise });
  let ended = false;
  const call = failure(clientOf(hub).call("get", {})).finally(() => {
    ended = true;
  });
  await host.advance(serviceCallMsMax - 1);
  assert.equal(ended, false);
  await host.advance(1);
  assert.deepEqual(await call, {
    code: "service_failed",
    message: "user:notes get of user:store failed: it gave no answer within 5000 ms.",
  });
  late.reject(new Error("too late"));
  await host.advance(0);
  assert.equal(pending(), 0);
});

test("a provider that is taken back, a consumer that is, and a Pod that closed end every call", async () => {
  const table = [
    {
      end: ({ staged }: ReturnType<typeof hubWith>) => staged.takeBack(),
      why: "its provider user:store is not installed any more.",
    },
    { end: ({ hub }: ReturnType<typeof hubWith>) => hub.close(), why: "the Pod has closed." },
  ];
  for (const { end, why } of table) {
    const all = hubWith({ get: () => new Promise(() => {}) });
    const client = clientOf(all.hub);
    const underWay = failure(client.call("get", {}));
    await all.host.advance(0);
    end(all);
    assert.deepEqual(await underWay, {
      code: "service_failed",
      message: `user:notes get of user:store failed: ${why}`,
    });
    assert.equal(all.pending(), 0);
    assert.deepEqual(await failure(client.call("get", {})), {
      code: "service_failed",
      message: `user:notes get cannot be called: ${why}`,
    });
    assert.equal(all.hub.provider(serviceId("user:notes")), null);
    assert.equal(all.hub.client(consumer(), requires("user:notes")), null);
  }
  const { hub } = hubWith({ get: async () => 1 });
  const asking = { ...consumer(), life: { isOver: false } };
  const client = hub.client(asking, requires("user:notes"));
  asking.life.isOver = true;
  assert.deepEqual(await failure(client?.call("get", {}) ?? Promise.resolve()), {
    code: "service_failed",
    message: "project:reader can call user:notes no more: it is not in force any more.",
  });
});

test("A2-30: a second provider of a service is refused by the hub too, naming both; its staging changes nothing", async () => {
  const { host, hub } = hubWith({ get: async () => "first" });
  const rival = hub.stage(featureId("project:rival"));
  assert.throws(() => rival.provide(service("user:notes"), { get: async () => "second" }), {
    code: "feature_invalid",
    message: "project:rival provides the service user:notes, which user:store provides already.",
  });
  rival.takeBack();
  assert.equal(await clientOf(hub).call("get", {}), "first");
  await host.advance(0);
});

test("a service is provided with each of its methods, and they are read once", async () => {
  const { hub } = hubWith({ get: async () => "first" });
  const staged = hub.stage(featureId("project:more"));
  for (const implementation of [
    {},
    { get: "no function" },
    Object.create({ get: async () => 1 }) as object,
  ]) {
    assert.throws(() => staged.provide(service("user:more"), implementation as ServiceImplementation), {
      code: "feature_invalid",
      message: "project:more provides the service user:more without its method get.",
    });
  }
  assert.throws(() => staged.provide(service("user:more", { methods: ["toString"] }), {}), {
    code: "feature_invalid",
    message: "project:more provides the service user:more without its method toString.",
  });
  const changing = { get: async (): Promise<JsonValue> => "as it was" };
  staged.provide(service("user:more"), changing);
  changing.get = async () => "changed";
  staged.commit();
  const client = hub.client(consumer(), requires("user:more"));
  assert.equal(await client?.call("get", {}), "as it was");
});
