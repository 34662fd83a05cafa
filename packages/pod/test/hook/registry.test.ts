/** The order in which hooks are asked, and when it is fixed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hookPoints } from "@yoi/feature";
import { createHookPoints } from "../../src/hook/points.ts";
import { type HookBand, hookBands, HookRegistry } from "../../src/hook/registry.ts";
import { goesOn, hook, hookBench, lint, oneCall, redact, task } from "./support/hook-bench.ts";

test("A2-13, F-27: hooks are asked by band, host safety first and host accounting last, and in a band as they were added", async () => {
  const asked: string[] = [];
  const added: readonly [HookBand, string][] = [
    ["host_accounting", "a"],
    ["feature", "b"],
    ["host_safety", "c"],
    ["feature", "d"],
    ["host_safety", "e"],
    ["host_accounting", "f"],
    ["feature", "g"],
  ];
  const hooks = hookPoints.flatMap((point) =>
    added.map(([band, name]) =>
      hook(point, (() => (asked.push(`${point} ${name}`), goesOn[point])) as never, {
        band,
        name,
        owner: lint,
      }),
    ),
  );
  const b = hookBench({ hooks, scenario: oneCall });
  await b.points.promptSubmit({ inputText: "go", turnIndex: 0 }, new AbortController().signal);
  await b.run("go");
  b.points.aborted("end");
  await b.points.settled();
  const order = ["c", "e", "b", "d", "g", "a", "f"];
  const request = order.map((name) => `pre_llm_request ${name}`);
  assert.deepEqual(asked, [
    ...order.map((name) => `on_prompt_submit ${name}`),
    ...request,
    ...order.map((name) => `pre_tool_call ${name}`),
    ...order.map((name) => `post_tool_call ${name}`),
    ...request,
    ...order.map((name) => `on_turn_end ${name}`),
    ...order.map((name) => `on_abort ${name}`),
  ]);
});

test("A2-13: there are three coarse bands and no priorities", () => {
  assert.deepEqual(hookBands, ["host_safety", "feature", "host_accounting"]);
  assert.equal(HookRegistry.prototype.add.length, 5, "band, owner, name, point, hook");
});

test("A2-13: registration is over when the points are made: a later hook is refused and never asked", async () => {
  const registry = new HookRegistry();
  registry.add("feature", task, "early", "pre_llm_request", () => goesOn.pre_llm_request);
  const options = { hasWriter: true, drain: async () => [], threshold: () => null, redact };
  createHookPoints({ ...options, registry, timers: { after: () => () => {} }, about: () => {} });
  assert.throws(
    () => registry.add("host_safety", lint, "late", "pre_llm_request", () => goesOn.pre_llm_request),
    {
      code: "feature_invalid",
      message:
        "The hook late (pre_llm_request) of project:lint comes too late: hooks are fixed before the first run. Register it during install.",
    },
  );
  assert.deepEqual(
    registry.at("pre_llm_request").map(({ name }) => name),
    ["early"],
  );
});

test("a hook is asked without `this`, and what becomes of its owner object later changes nothing", async () => {
  const owner = { id: "builtin:task", mayAppend: false };
  const selves: unknown[] = [];
  let handle: unknown = "not asked";
  const b = hookBench({
    hooks: [
      hook(
        "pre_llm_request",
        function (this: unknown, { systemItems }) {
          selves.push(this);
          handle = systemItems;
          return goesOn.pre_llm_request;
        },
        { owner },
      ),
    ],
  });
  owner.mayAppend = true;
  await b.run("go");
  assert.deepEqual(selves, [undefined]);
  assert.equal(handle, null);
});
