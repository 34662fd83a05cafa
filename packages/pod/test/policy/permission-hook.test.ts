/** Permission as the first hook: what it refuses no feature lets through, and what it allows goes on to them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolResult } from "@yoi/base";
import { toolContribution } from "@yoi/feature";
import type { PermissionRule } from "@yoi/manifest";
import { bench, tool } from "../../../worker/test/support/bench-worker.ts";
import { createHookPoints } from "../../src/hook/points.ts";
import { HookRegistry } from "../../src/hook/registry.ts";
import { PermissionGate } from "../../src/policy/permission-gate.ts";
import { permissionHook } from "../../src/policy/permission-hook.ts";
import { declared, descriptorOf, install, moduleOf, toolOf } from "../feature/features.ts";
import { ask, deny, userFile } from "./rules.ts";

const scenario = `
steps:
  - tool_calls:
      - { name: Bash, arguments: { command: "cd x; git push" } }
      - { name: Bash, arguments: { command: "git status" } }
      - { name: Deploy, arguments: { text: now } }
      - { name: Bash, arguments: { command: "npm publish" } }
      - { name: Note, arguments: { text: a } }
  - text: end
`;
const rules: readonly PermissionRule[] = [
  deny("git push*"),
  ask("npm publish*"),
  { tool: "deploy", pattern: "*", action: "deny", origin: userFile },
];

interface Seen {
  readonly ran: readonly string[];
  /** What the hook of the feature was asked about. */
  readonly asked: readonly string[];
  readonly results: readonly (readonly [name: string, isError: boolean, refusal: ToolResult["refusal"]])[];
  readonly reasons: readonly string[];
}

/** The batch above with a feature that has the tools Deploy and Note, and a hook that lets everything through. */
async function seen(given: readonly PermissionRule[], { isFirst = true } = {}): Promise<Seen> {
  const ran: string[] = [];
  const asked: string[] = [];
  const hooks = new HookRegistry();
  const gate = new PermissionGate({
    permissions: { mode: "allow-in-scope", rules: given },
    workspace: "/w",
    locate: (path) => path,
  });
  const addPermission = () =>
    hooks.add(
      isFirst ? "host_safety" : "host_accounting",
      { id: "host", mayAppend: false },
      "permission",
      "pre_tool_call",
      permissionHook(gate),
    );
  const ops = moduleOf(
    descriptorOf("project:ops", {
      tools: [declared("Deploy"), declared("Note")],
      hooks: [{ name: "approve", point: "pre_tool_call" }],
    }),
    ({ tools, hooks: registrar }) => {
      for (const name of ["Deploy", "Note"]) {
        const own = toolOf(declared(name), {
          execute: async () => {
            ran.push(name);
            return { summary: "done" };
          },
        });
        tools.register(toolContribution(own));
      }
      registrar.preToolCall("approve", (context) => {
        asked.push(`${context.toolName} ${JSON.stringify(context.arguments)}`);
        return { action: "continue" };
      });
    },
  );
  // The feature comes first, and is asked after all the same.
  const { installed } = await install([ops], { hooks });
  addPermission();
  const bash = tool("Bash", async (args) => {
    ran.push(String(args["command"]));
    return { summary: "done" };
  });
  const points = createHookPoints({
    registry: hooks,
    hasWriter: true,
    drain: async () => [],
    threshold: () => null,
    timers: { after: () => () => {} },
    about: () => {},
    redact: (text) => text,
  });
  const b = bench({ scenario, tools: [bash, ...installed.tools], points });
  const outcome = await b.run("go");
  assert.equal(outcome.kind, "finished");
  const results = b.history.items.flatMap(({ item }) => (item.type === "tool_result" ? [item] : []));
  return {
    ran: ran.toSorted(),
    asked,
    results: results
      .toSorted((one, other) => (one.call < other.call ? -1 : 1))
      .map(({ name, is_error, refusal }) => [name, is_error, refusal] as const),
    reasons: results.filter(({ refusal }) => refusal !== undefined).map(({ summary }) => summary),
  };
}

const everything = ["Deploy", "Note", "cd x; git push", "git status", "npm publish"];

test("A0-12, A0-13, A2-12: the permission hook comes before those of features, whoever was there first; what it refuses they are not asked about, and the batch goes on", async () => {
  const { ran, asked, results, reasons } = await seen(rules);
  assert.deepEqual(ran, ["Note", "git status"]);
  assert.deepEqual(asked, ['Bash {"command":"git status"}', 'Note {"text":"a"}']);
  assert.deepEqual(results, [
    ["Bash", true, "denied"],
    ["Bash", false, undefined],
    ["Deploy", true, "denied"],
    ["Bash", true, "asked"],
    ["Note", false, undefined],
  ]);
  assert.deepEqual(reasons, [
    `Refused by the rule deny Bash(git push*) of ${userFile}: the command holds git push. Nothing was done.`,
    `Refused by the rule deny deploy(*) of ${userFile}. Nothing was done.`,
    `Permission needed: the rule ask Bash(npm publish*) of ${userFile} wants a person to allow this, and nobody can be asked now. Nothing was done.`,
  ]);
});

test("A2-12: the order is what keeps a feature from being asked: behind it the permission hook refuses too, but late", async () => {
  const { ran, asked } = await seen(rules, { isFirst: false });
  assert.deepEqual(ran, ["Note", "git status"]);
  assert.equal(asked.length, 5);
});

test("A2-10, A2-60: a feature's tool and its approving hook do not get past a deny; without the rule the tool runs", async () => {
  const refused = await seen(rules);
  assert.ok(!refused.ran.includes("Deploy"));
  const free = await seen([]);
  assert.deepEqual(free.ran, everything);
  assert.deepEqual(
    free.results.map(([, isError]) => isError),
    [false, false, false, false, false],
  );
});
