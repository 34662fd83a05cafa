/** What a Pod holds in the registry beyond what it took when it opened: told before anything can be written there, and given back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, type Scope, type ScopeRule } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { LiveScope } from "@yoi/scope";
import { simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { allocate } from "../../src/spawn/allocate.ts";

const write = (target: string): ScopeRule => ({ target, permission: "write", recursive: true });
const scopeOf = (...targets: readonly string[]): Scope => ({ allow: targets.map(write), deny: [] });

test("what a Pod holds more is no other's until it is given back, and who has it is named; its row keeps the place of its log", async () => {
  const host = memoryHost({ seed: 1 });
  const { registry } = simulatedStores(host, new Map());
  const open = (name: string, ...targets: readonly string[]) =>
    allocate(
      { name: podName(name), socket: null, registry, ports: host },
      new LiveScope(scopeOf(...targets)),
      null,
    );
  const a = await open("a", "/a");
  const b = await open("b", "/b");
  await a.moved({ segment: "s", epoch: 3 });
  const wider = scopeOf("/a", "/data");
  await a.check(wider);
  await a.hold(wider);
  const taken = { code: "scope_conflict", message: /could write "\/data.*" *, and the Pod a / };
  await assert.rejects(b.check(scopeOf("/b", "/data/x")), taken);
  await assert.rejects(b.hold(scopeOf("/b", "/data/x")), taken);
  await assert.rejects(open("c", "/data"), taken);
  const rows = async () =>
    (await registry.list()).map(({ name, scope, segment, epoch }) => [name, scope, segment, epoch]);
  assert.deepEqual(await rows(), [
    ["a", wider, "s", 3],
    ["b", scopeOf("/b"), null, null],
  ]);
  await a.moved({ segment: "t", epoch: 3 });
  assert.deepEqual((await rows())[0], ["a", wider, "t", 3]);
  await a.hold(scopeOf("/a"));
  await b.hold(scopeOf("/b", "/data/x"));
  await a.release();
  await b.release();
});
