/** Services among descriptors: who gets what of whom, in which order, and what is said of those who get nothing. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FeatureDescriptor } from "@yoi/feature";
import fc from "fast-check";
import { resolveServices, type ServiceResolution } from "../../../src/feature/services/resolve-services.ts";
import { descriptor, requires, service } from "./descriptors.ts";

function sentences(refused: ServiceResolution["blocked"]) {
  return Object.fromEntries([...refused].map(([id, refusals]) => [id, refusals.map(({ why }) => why)]));
}

/** Whole results, as plain data. */
function plain({ order, blocked, degraded, resolved }: ServiceResolution) {
  return {
    order,
    blocked: sentences(blocked),
    degraded: sentences(degraded),
    resolved: Object.fromEntries(
      [...resolved].map(([id, met]) => [
        id,
        met.map(({ requirement, provider, version }) => `${requirement.id} ${version} of ${provider}`),
      ]),
    ),
  };
}

async function resolved(...descriptors: readonly FeatureDescriptor[]) {
  return plain(await resolveServices(descriptors));
}

const store = descriptor("user:store", { provides: [service("user:notes", { version: "1.4.2" })] });

test("A2-29: a consumer's requirement is resolved before it is installed, and its provider stands before it", async () => {
  const consumer = descriptor("user:a", { requires: [requires("user:notes", { version: "^1.2.0" })] });
  const other = descriptor("user:z");
  assert.deepEqual(await resolved(consumer, other, store), {
    order: ["user:store", "user:a", "user:z"],
    blocked: {},
    degraded: {},
    resolved: { "user:a": ["user:notes 1.4.2 of user:store"], "user:z": [], "user:store": [] },
  });
});

test("what requires nothing of each other keeps the given order", async () => {
  const names = ["user:c", "user:a", "project:x", "builtin:b"];
  assert.deepEqual((await resolved(...names.map((name) => descriptor(name)))).order, names);
});

test("A2-24: a consumer without a required service is not installed, and the sentence names it and the service", async () => {
  const consumer = descriptor("user:a", { requires: [requires("user:absent")] });
  assert.deepEqual(await resolved(consumer, store), {
    order: ["user:store"],
    blocked: {
      "user:a": ["user:a requires the service user:absent: no feature that can be installed provides it."],
    },
    degraded: {},
    resolved: { "user:store": [] },
  });
});

test("A2-25: a consumer without an optional service goes on, and the sentence says without what", async () => {
  const consumer = descriptor("user:a", { requires: [requires("user:absent", { optional: true })] });
  assert.deepEqual(await resolved(consumer), {
    order: ["user:a"],
    blocked: {},
    degraded: {
      "user:a": ["user:a requires the service user:absent: no feature that can be installed provides it."],
    },
    resolved: { "user:a": [] },
  });
});

const mismatches: readonly { readonly ask: Parameters<typeof requires>[1]; readonly why: string | null }[] = [
  { ask: { version: "*" }, why: null },
  { ask: { version: "^1" }, why: null },
  { ask: { version: ">=1.4.2 <2" }, why: null },
  { ask: { version: "1.4.x || 3" }, why: null },
  { ask: { methods: ["get"] }, why: null },
  { ask: { methods: [] }, why: null },
  {
    ask: { version: "^2.0.0" },
    why: 'user:a requires the service user:notes in a version "^2.0.0": user:store provides 1.4.2.',
  },
  {
    ask: { version: ">1.4.2" },
    why: 'user:a requires the service user:notes in a version ">1.4.2": user:store provides 1.4.2.',
  },
  {
    ask: { version: "not a range" },
    why: 'user:a requires the service user:notes in a version "not a range": user:store provides 1.4.2.',
  },
  {
    ask: { methods: ["get", "put", "drop"] },
    why: "user:a requires put, drop of the service user:notes: user:store provides only get.",
  },
];
describe("F-02: a version is met within its range, and any other is as if the service were missing", () => {
  for (const { ask, why } of mismatches) {
    test(`${JSON.stringify(ask)} of 1.4.2 is ${why === null ? "met" : "missing"}`, async () => {
      const consumer = descriptor("user:a", { requires: [requires("user:notes", ask)] });
      const { blocked } = await resolved(store, consumer);
      assert.deepEqual(blocked, why === null ? {} : { "user:a": [why] });
    });
  }
});

test("A2-30, A2-78: two providers of one service are both rejected, each sentence naming both", async () => {
  const rival = descriptor("project:rival", { provides: [service("user:notes")] });
  const consumer = descriptor("user:a", { requires: [requires("user:notes")] });
  const why = "The service user:notes is provided by more than one feature: project:rival, user:store.";
  assert.deepEqual(await resolved(store, consumer, rival), {
    order: [],
    blocked: {
      "user:store": [why],
      "project:rival": [why],
      "user:a": ["user:a requires the service user:notes: no feature that can be installed provides it."],
    },
    degraded: {},
    resolved: {},
  });
  const twice = descriptor("user:store", { provides: [service("user:notes"), service("user:notes")] });
  assert.deepEqual((await resolved(twice)).blocked, {
    "user:store": ["user:store provides the service user:notes more than once."],
  });
});

/** `name` provides a service of its own name and requires those of `others`. */
function node(name: string, others: readonly string[], optional: readonly string[] = []): FeatureDescriptor {
  return descriptor(`user:${name}`, {
    provides: [service(`user:${name}`)],
    requires: [
      ...others.map((other) => requires(`user:${other}`)),
      ...optional.map((other) => requires(`user:${other}`, { optional: true })),
    ],
  });
}

test("A2-26, A2-78, F-01: features that require each other are rejected, each sentence naming every member", async () => {
  const circle = "in a circle of features that require each other (user:a, user:b, user:c).";
  assert.deepEqual(
    await resolved(node("a", ["b"]), node("b", ["c"]), node("c", ["a"]), node("d", ["a"]), node("e", [])),
    {
      order: ["user:e"],
      blocked: {
        "user:a": [`user:a requires the service user:b of user:b, ${circle}`],
        "user:b": [`user:b requires the service user:c of user:c, ${circle}`],
        "user:c": [`user:c requires the service user:a of user:a, ${circle}`],
        "user:d": ["user:d requires the service user:a of user:a, which cannot be installed."],
      },
      degraded: {},
      resolved: { "user:e": [] },
    },
  );
  assert.deepEqual((await resolved(node("a", ["a"]))).blocked, {
    "user:a": ["user:a requires the service user:a of user:a, which is itself."],
  });
});

test("A2-26: a circle that hangs on something optional goes without it", async () => {
  assert.deepEqual(await resolved(node("a", ["b"]), node("b", [], ["a"])), {
    order: ["user:b", "user:a"],
    blocked: {},
    degraded: {
      "user:b": [
        "user:b requires the service user:a of user:a, in a circle of features that require each other (user:a, user:b): it goes without.",
      ],
    },
    resolved: { "user:a": ["user:b 1.0.0 of user:b"], "user:b": [] },
  });
});

test("F-01: what is blocked takes those with it that require it, and those that require them; others go without", async () => {
  assert.deepEqual(
    await resolved(node("a", ["absent"]), node("b", ["a"]), node("c", ["b"]), node("d", [], ["c"])),
    {
      order: ["user:d"],
      blocked: {
        "user:a": ["user:a requires the service user:absent: no feature that can be installed provides it."],
        "user:b": ["user:b requires the service user:a of user:a, which cannot be installed."],
        "user:c": ["user:c requires the service user:b of user:b, which cannot be installed."],
      },
      degraded: { "user:d": ["user:d requires the service user:c of user:c, which cannot be installed."] },
      resolved: { "user:d": [] },
    },
  );
});

test("A2-75, F-01: the reversed order of modules gives the same result", async () => {
  const graph = [
    node("a", ["b"], ["c"]),
    node("b", ["d"]),
    node("c", ["absent"]),
    node("d", []),
    node("e", ["f"]),
    node("f", ["e"]),
  ];
  const [given, reversed] = [await resolved(...graph), await resolved(...graph.toReversed())];
  assert.deepEqual(
    { ...reversed, order: [...reversed.order].toSorted() },
    { ...given, order: [...given.order].toSorted() },
  );
  assert.deepEqual(
    [given.order, reversed.order],
    [
      ["user:d", "user:b", "user:a"],
      ["user:d", "user:b", "user:a"],
    ],
  );
});

interface Wish {
  readonly from: number;
  readonly to: number;
  readonly optional: boolean;
  readonly version: string;
}

const seeded = { seed: 4, numRuns: 300 };
const size = 7;
const graphs = fc.record({
  wishes: fc.uniqueArray(
    fc.record({
      from: fc.nat(size - 1),
      // One that nobody provides, too.
      to: fc.nat(size),
      optional: fc.boolean(),
      version: fc.constantFrom("*", "*", "^1.0.0", "^2.0.0"),
    }),
    { maxLength: 12, selector: ({ from, to }) => `${from} ${to}` },
  ),
  doubled: fc.boolean(),
  shuffled: fc.shuffledSubarray(
    Array.from({ length: size }, (_, index) => index),
    { minLength: size },
  ),
});

function descriptorsOf(wishes: readonly Wish[], doubled: boolean): FeatureDescriptor[] {
  return Array.from({ length: size }, (_, index) =>
    descriptor(`user:f${index}`, {
      provides: [service(`user:s${index}`), ...(doubled && index === 1 ? [service("user:s0")] : [])],
      requires: wishes
        .filter(({ from }) => from === index)
        .map(({ to, optional, version }) => requires(`user:s${to}`, { optional, version })),
    }),
  );
}

test(`A2-75, F-01: any graph, in any order of modules: the same result, and no consumer before its provider (seed ${seeded.seed}, ${seeded.numRuns} runs)`, async () => {
  let blockedRuns = 0;
  let droppedRuns = 0;
  await fc.assert(
    fc.asyncProperty(graphs, async ({ wishes, doubled, shuffled }) => {
      const inOrder = descriptorsOf(wishes, doubled);
      const other = shuffled.flatMap((index) => inOrder[index] ?? []);
      const first = await resolveServices(inOrder);
      const second = await resolveServices(other);
      const sorted = (resolution: ServiceResolution) => {
        const { order, ...rest } = plain(resolution);
        return { ...rest, order: order.toSorted() };
      };
      assert.deepEqual(sorted(second), sorted(first));
      for (const { order, resolved: met } of [first, second]) {
        for (const [at, id] of order.entries()) {
          for (const { provider } of met.get(id) ?? []) {
            const before = order.indexOf(provider);
            assert.ok(before >= 0 && before < at, `${provider} before ${id} in ${order.join(", ")}`);
          }
        }
      }
      for (const each of inOrder) {
        const gets = (first.resolved.get(each.id) ?? []).map(({ requirement }) => requirement.id);
        const isBlocked = first.blocked.has(each.id);
        assert.equal(first.order.includes(each.id), !isBlocked, "a feature is in the order or blocked");
        if (isBlocked) continue;
        const without = each.requires_services.filter(({ id }) => !gets.includes(id));
        assert.deepEqual(
          without.filter(({ required }) => required),
          [],
          "an installed feature has all it requires",
        );
        assert.equal(first.degraded.has(each.id), without.length > 0, "what is missing is said");
      }
      blockedRuns += first.blocked.size > 0 ? 1 : 0;
      droppedRuns += [...first.degraded.values()].flat().some(({ why }) => why.endsWith("it goes without."))
        ? 1
        : 0;
    }),
    seeded,
  );
  assert.ok(
    blockedRuns > 50 && droppedRuns > 20,
    `the graphs show something: ${blockedRuns}, ${droppedRuns}`,
  );
});
