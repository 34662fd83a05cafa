/** A hub with one provider, and a consumer of it. */
import assert from "node:assert/strict";
import { YoiError } from "@yoi/base";
import {
  type AuthorityGrants,
  featureId,
  type ServiceClient,
  type ServiceDeclaration,
  type ServiceImplementation,
} from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { ServiceHub } from "../../../src/feature/services/service-hub.ts";
import { countedTimers } from "./counted-timers.ts";
import { requires, service } from "./descriptors.ts";

export const provider = featureId("user:store");
export const noGrants: AuthorityGrants = { granted: [], denied: [] };
export const redact = (text: string) => text.replaceAll("hunter2", "[redacted: pin]");

export function hubWith(
  implementation: ServiceImplementation,
  declaration: ServiceDeclaration = service("user:notes", { methods: Object.keys(implementation) }),
) {
  const host = memoryHost({ seed: 1 });
  const { timers, pending } = countedTimers(host.timers);
  const hub = new ServiceHub({ timers, redact });
  const staged = hub.stage(provider);
  staged.provide(declaration, implementation);
  staged.commit();
  return { host, hub, staged, pending };
}

export function consumer(name = "project:reader", grants = noGrants) {
  return { id: featureId(name), grants, life: { isOver: false } };
}

export function clientOf(hub: ServiceHub, methods?: readonly string[]): ServiceClient {
  const client = hub.client(consumer(), requires("user:notes", methods === undefined ? {} : { methods }));
  assert.ok(client !== null);
  return client;
}

/** The failure of a call, as data. */
export async function failure(call: Promise<unknown>) {
  const error: unknown = await call.then(
    (value) => assert.fail(`it answered ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof YoiError);
  return { code: error.code, message: error.message };
}
