/** A registry that is deleted between any two verbs answers as one that never was. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { podName, type PodName, type Scope, YoiError } from "@yoi/base";
import fc from "fast-check";
import type { Registry, RegistryOptions } from "@yoi/scope/registry";
import { write } from "../../packages/scope/test/support.ts";
import { childRow, row, World } from "../../packages/scope/test/registry/world.ts";
import type { Proof } from "../support/proof.ts";

const pods = ["a", "b", "c", "d"].map((name) => podName(name));
const areas: readonly Scope[] = ["/w", "/w/x", "/w/x/y", "/w/z", "/v"].map((target) => ({
  allow: [write(target)],
  deny: [],
}));

const anyStep = fc.record({
  verb: fc.constantFrom("open", "open", "close", "kill", "lend", "lend", "adopt", "reclaim"),
  pod: fc.constantFrom(...pods),
  child: fc.constantFrom(...pods),
  area: fc.constantFrom(...areas),
  deletes: fc.boolean(),
  keepsCopy: fc.boolean(),
});
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

/** What Pods do by the rules: the world changes as metadata and leases would. */
async function take(
  { verb, pod: name, child, area }: Step,
  world: World,
  registry: Registry,
  seq: number,
): Promise<void> {
  const pod = world.pod(name);
  const lenders = [...world.pods.values()].filter(({ loans }) => loans.has(name));
  switch (verb) {
    case "open": {
      if (world.holds(name) || lenders.length > 0) return;
      const pid = world.start();
      await registry.register(row(name, area, { pid }));
      pod.pid = pid;
      pod.scope = area;
      return;
    }
    case "adopt": {
      const [lender] = lenders;
      const loan = lender?.loans.get(name);
      if (world.holds(name) || lender === undefined || loan === undefined) return;
      const pid = world.start();
      await registry.adopt(lender.name, childRow(name, pid), loan);
      pod.pid = pid;
      pod.scope = loan.scope;
      return;
    }
    case "kill":
      if (pod.pid !== null) world.living.delete(pod.pid);
      return;
    case "close":
      if (!world.holds(name)) return;
      await registry.release(name);
      world.living.delete(pod.pid ?? 0);
      return;
    case "lend": {
      if (!world.holds(name) || child === name || world.holds(child) || world.pod(child).loans.size > 0)
        return;
      if ([...world.pods.values()].some(({ loans }) => loans.has(child))) return;
      const loan = { id: `loan${seq}`, scope: area };
      await registry.delegate(name, childRow(child, pod.pid), loan);
      pod.loans.set(child, loan);
      return;
    }
    case "reclaim": {
      const loan = pod.loans.get(child);
      if (loan === undefined || !world.holds(name) || world.holds(child) || anyBelow(world, child)) return;
      await registry.reclaim(name, child, loan.id);
      pod.loans.delete(child);
    }
  }
}

function anyBelow(world: World, name: PodName): boolean {
  return world.pod(name).loans.size > 0;
}

async function said(world: World, registry: Registry, step: Step, seq: number): Promise<unknown> {
  const outcome = await take(step, world, registry, seq).then(
    () => "ok",
    (error: unknown) => (error instanceof YoiError ? error.message : assert.fail(String(error))),
  );
  const rows = await registry.list();
  return [outcome, rows.map(({ name, scope, delegatedFrom, loan }) => [name, scope, delegatedFrom, loan])];
}

/** No path has two writers that did not lend it to each other. */
function checkWriters(world: World): void {
  const live = [...world.pods.values()].filter(({ name }) => world.holds(name));
  for (const one of live)
    for (const other of live) {
      if (one === other || isAbove(world, one.name, other.name) || isAbove(world, other.name, one.name))
        continue;
      const [a, b] = [one.scope.allow[0]?.target ?? "", other.scope.allow[0]?.target ?? ""];
      assert.ok(
        !`${a}/`.startsWith(`${b}/`) && !`${b}/`.startsWith(`${a}/`),
        `${one.name} and ${other.name} both write ${a}, ${b}`,
      );
    }
}

function isAbove(world: World, upper: PodName, lower: PodName): boolean {
  return [...world.pod(upper).loans.keys()].some((child) => child === lower || isAbove(world, child, lower));
}

export const lostRegistry: Proof = {
  name: "A3-23: a registry that is deleted between any two verbs gives the same answers",
  cases: { test: 12, prove: 2_000 },
  check: (index) => lostCase(index),
};

export async function lostCase(seed: number, more: Partial<RegistryOptions> = {}): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "yoi-lost-"));
  try {
    const steps = fc.sample(fc.array(anyStep, { minLength: 6, maxLength: 20 }), { seed, numRuns: 1 }).flat();
    const [steady, shaken] = [new World(), new World()];
    const path = join(directory, "registry.sqlite");
    const [kept, lost] = [steady.open(":memory:"), shaken.open(path, more)];
    for (const [seq, step] of steps.entries()) {
      if (step.deletes) rmSync(path, { force: true });
      assert.deepEqual(await said(shaken, lost, step, seq), await said(steady, kept, step, seq));
      checkWriters(shaken);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export const olderRegistry: Proof = {
  name: "A3-23: a registry that is replaced by an older, whole copy between any two verbs gives no path two writers",
  cases: { test: 12, prove: 2_000 },
  check: (index) => olderCase(index),
};

export async function olderCase(seed: number, more: Partial<RegistryOptions> = {}): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "yoi-older-"));
  try {
    const steps = fc.sample(fc.array(anyStep, { minLength: 6, maxLength: 20 }), { seed, numRuns: 1 }).flat();
    const world = new World();
    const path = join(directory, "registry.sqlite");
    const registry = world.open(path, more);
    for (const [seq, step] of steps.entries()) {
      if (step.keepsCopy && existsSync(path)) copyFileSync(path, `${path}.copy`);
      else if (existsSync(`${path}.copy`)) copyFileSync(`${path}.copy`, path);
      await said(world, registry, step, seq);
      checkWriters(world);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}
