/** Hostile modules: whatever one of them does, the others are installed, and its report says what it did. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Tool } from "@yoi/base";
import { type FeatureModule, toolContribution } from "@yoi/feature";
import { descriptorCharsMax } from "../../../src/feature/descriptor-limits.ts";
import { skippedMax } from "../../../src/feature/install/feature-record.ts";
import {
  type Context,
  declared,
  descriptorOf,
  holes,
  install,
  type Install,
  moduleOf,
  thrownBy,
  toolOf,
} from "../features.ts";

const good = descriptorOf("project:good", { tools: [declared("Good")] });
const goodModule = moduleOf(good, ({ tools }) => tools.register(toolContribution(toolOf(declared("Good")))));
const bad = descriptorOf("project:bad", { tools: [declared("Bad")] });

/** Beside a good one, before and after it. */
async function besideGood(hostile: FeatureModule) {
  const seen = [];
  for (const modules of [
    [goodModule, hostile],
    [hostile, goodModule],
  ]) {
    const { installed } = await install(modules);
    const [own, other] = modules[0] === hostile ? installed.reports : installed.reports.toReversed();
    assert.equal(other?.status, "installed");
    assert.deepEqual(
      installed.tools.map(({ definition }) => definition.name),
      ["Good"],
    );
    assert.ok(own !== undefined);
    seen.push(own);
  }
  const [report, again] = seen;
  assert.ok(report !== undefined);
  // The module's place stands in the name of one whose descriptor tells none.
  const unplaced = (value: unknown) => JSON.stringify(value).replaceAll(/(module |not-valid:)\d/g, "$1n");
  assert.equal(unplaced(again), unplaced(report));
  return report;
}

const thrower = new Proxy(new Error("hidden"), {
  get() {
    throw new Error("a trap");
  },
  getPrototypeOf() {
    throw new Error("a trap");
  },
});
/** What looks like a promise to whoever awaits it. */
function thenable(then: () => void): Promise<void> {
  const traps = { get: (_: object, key: string | symbol) => (key === "then" ? then : undefined) };
  return new Proxy({}, traps) as Promise<void>;
}
const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
};
const cycle: { input_schema?: unknown } = {};
cycle.input_schema = cycle;

test("descriptors that are none: each is one sentence in a report, and the others are installed", async () => {
  const table: readonly [string, unknown][] = [
    [
      "throws",
      () => {
        throw new Error("no descriptor for you");
      },
    ],
    [
      "throws what throws",
      () => {
        throw thrower;
      },
    ],
    ["undefined", () => undefined],
    ["a function", () => () => {}],
    [
      "__proto__ keys",
      () => JSON.parse(JSON.stringify(bad).replace('"tools"', '"__proto__":{"id":"builtin:x"},"tools"')),
    ],
    ["a cycle", () => ({ ...bad, tools: [cycle] })],
    ["1e5 levels", () => ({ ...bad, tools: deep(100_000) })],
    ["a huge text", () => ({ ...bad, description: "x".repeat(descriptorCharsMax + 1) })],
    ["a BigInt", () => ({ ...bad, state: { domain: "a", version: 1n } })],
    ["a function inside", () => ({ ...bad, hooks: [{ name: () => "a", point: "on_abort" }] })],
    ["a list that never ends", () => ({ ...bad, tools: holes(2 ** 32 - 1) })],
    ["no module", null],
  ];
  for (const [what, give] of table) {
    const hostile =
      typeof give === "function"
        ? ({
            get descriptor() {
              return give();
            },
            install: () => assert.fail("it is tried"),
          } as FeatureModule)
        : (null as unknown as FeatureModule);
    const report = await besideGood(hostile);
    assert.deepEqual(
      [what, report.status, report.digest, report.diagnostics.length],
      [what, "failed", null, 1],
    );
    assert.match(report.diagnostics[0]?.message ?? "", /^The descriptor of module \d is not valid: ./);
    assert.ok((report.diagnostics[0]?.message.length ?? 0) <= 512);
  }
});

test("F-28: a descriptor is read once: what it says the next time is never heard", async () => {
  let reads = 0;
  const { installed } = await install([
    {
      get descriptor() {
        reads += 1;
        return reads === 1 ? good : descriptorOf("builtin:task", { tools: [declared("Bash")] });
      },
      install: goodModule.install,
    },
  ]);
  assert.equal(reads, 1);
  assert.deepEqual(
    installed.reports.map(({ feature, tools }) => [feature, tools]),
    [["project:good", ["Good"]]],
  );
});

test("a descriptor that changes under the host's eyes is what was read of it", async () => {
  const live = structuredClone(good) as unknown as { id: string; tools: { name: string }[] };
  const { installed } = await install([
    {
      descriptor: live as never,
      install: (context) => {
        live.id = "builtin:task";
        live.tools.push({ name: "Bash" });
        goodModule.install(context);
        thrownBy(() => context.tools.register(toolContribution(toolOf(declared("Bash")))));
      },
    },
  ]);
  assert.deepEqual(
    installed.reports.map(({ feature, status, skipped }) => [
      feature,
      status,
      skipped.map(({ name }) => name),
    ]),
    [["project:good", "failed", ["Bash"]]],
  );
});

test("factories and tools that are none: the feature fails with one sentence", async () => {
  const create =
    (make: () => unknown): Install =>
    ({ tools }) =>
      tools.register({ name: "Bad", create: make as () => Tool });
  const tool = toolOf(declared("Bad"));
  const table: readonly [Install, RegExp][] = [
    [
      create(() => {
        throw new Error("no tool");
      }),
      /could not be made: no tool$/,
    ],
    [
      create(() => {
        throw thrower;
      }),
      /could not be made: an unprintable value was thrown$/,
    ],
    [create(() => undefined), /could not be made: definition is of type undefined/],
    [create(() => 7), /could not be made: definition is of type undefined/],
    [create(() => ({ ...tool, definition: null })), /could not be made: it has no definition$/],
    [create(() => ({ ...tool, execute: "run" })), /could not be made: it has no execute\(\)$/],
    [create(() => ({ ...tool, claim: 1 })), /could not be made: its claim is no function$/],
    [
      create(() => ({ ...tool, definition: { ...tool.definition, input_schema: cycle } })),
      /is nested deeper than 48 levels, or holds itself/,
    ],
    [
      create(() => ({ ...tool, definition: { ...tool.definition, input_schema: deep(100_000) } })),
      /is nested deeper than 48 levels/,
    ],
    [
      create(() => ({ ...tool, definition: { ...tool.definition, description: 1n } })),
      /definition\.description is of type bigint/,
    ],
    [create(async () => tool), /could not be made: `create` gave a promise/],
    [({ tools }) => tools.register({ name: 7, create: () => tool } as never), /is not registered as one/],
    [
      ({ tools }) =>
        tools.register({ name: "Bad", create: () => tool, requires: [{ kind: "contribute_tool" }] } as never),
      /does not say what it needs/,
    ],
    [
      ({ tools }) => tools.register({ name: "Bad", create: () => tool, requires: 7 } as never),
      /does not say what it needs/,
    ],
    [
      ({ tools }) =>
        tools.register(
          new Proxy(
            {},
            {
              get: () => {
                throw thrower;
              },
            },
          ) as never,
        ),
      /is not registered as one/,
    ],
  ];
  for (const [run, message] of table) {
    const report = await besideGood(moduleOf(bad, run));
    assert.deepEqual([report.status, report.tools, report.diagnostics.length], ["failed", [], 1]);
    assert.match(report.diagnostics[0]?.message ?? "", message);
  }
});

test("installations that throw anything: the feature fails, and the host has a sentence", async () => {
  const table: readonly [Install, string][] = [
    [
      () => {
        throw new Error("the pin is hunter2");
      },
      "the pin is [redacted: pin]",
    ],
    [
      () => {
        throw thrower;
      },
      "an unprintable value was thrown",
    ],
    [
      () => {
        throw null;
      },
      "null",
    ],
    [
      () => {
        throw "\u001b[2Jtext";
      },
      "\\u001b[2Jtext",
    ],
    [
      () =>
        thenable(() => {
          throw new Error("a thenable");
        }),
      "a thenable",
    ],
    [async () => Promise.reject(Object.create(null)), "{}"],
  ];
  for (const [run, message] of table) {
    const report = await besideGood(moduleOf(bad, run));
    assert.deepEqual(
      [report.status, report.diagnostics],
      ["failed", [{ severity: "error", message: `project:bad could not be installed: ${message}` }]],
    );
  }
  const none = await besideGood({ descriptor: bad } as FeatureModule);
  assert.equal(none.status, "failed");
});

test("a module that registers a million things has a bounded report, and cannot crowd out what the host says", async () => {
  const report = await besideGood(
    moduleOf(bad, (context: Context) => {
      for (let each = 0; each < 2_000; each += 1) {
        context.diagnostics.error(`noise ${each}`);
        thrownBy(() => context.hooks.onAbort(`x${each}`.repeat(1_000), () => ({ action: "observed" })));
      }
    }),
  );
  assert.equal(report.skipped.length, skippedMax);
  assert.ok(report.skipped.every(({ name, reason }) => name.length <= 512 && reason.length <= 512));
  assert.match(report.diagnostics.at(-1)?.message ?? "", /^project:bad could not be installed: The hook /);
  assert.ok(JSON.stringify(report).length < 1_000_000);
});

test("a module that tries to change what it is handed changes nothing", async () => {
  const changed: string[] = [];
  await install([
    moduleOf(good, (context) => {
      const targets: [string, object][] = [];
      for (const [name, value] of Object.entries(context)) {
        if (typeof value !== "object") continue;
        targets.push([name, value]);
        for (const [inner, each] of Object.entries(value)) {
          if (typeof each === "function") targets.push([`${name}.${inner}`, each]);
        }
      }
      for (const [name, target] of [["context", context] as const, ...targets]) {
        if (Reflect.set(target, "added", 1) || Reflect.defineProperty(target, "more", { value: 1 }))
          changed.push(name);
        if (Object.keys(target).some((key) => Reflect.deleteProperty(target, key))) changed.push(name);
        if (Reflect.setPrototypeOf(target, { evil: 1 })) changed.push(name);
      }
      assert.ok(targets.length > 15);
      goodModule.install(context);
    }),
  ]);
  assert.deepEqual(changed, []);
});
