/** The seven Pod tools: what the model is told of them, what they ask of the host and what they give. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import {
  childInstructionBytesMax,
  childMessageBytesMax,
  lentRulesMax,
  peerMessageBytesMax,
} from "@yoi/feature";
import { managedPod, PodCalls, writes } from "./support.ts";

const golden: unknown = JSON.parse(readFileSync(new URL("golden/tools.json", import.meta.url), "utf8"));
const profiles = [{ selector: "builtin:reader", description: "Reads, and writes nothing." }];

const scope = [
  { target: "/w/src/a/", permission: "write" },
  { target: "/w", permission: "read", recursive: false },
  { target: "/usr", permission: "read", recursive: null },
];

/** Calls in this order, each on what the ones before it left. */
const calls: readonly (readonly [tool: string, args: JsonObject])[] = [
  ["ListPods", {}],
  ["SpawnPod", { name: "a", task: "Mend src/a.", scope }],
  [
    "SpawnPod",
    {
      name: "b",
      profile: "builtin:reader",
      instruction: "Be brief.",
      task: "Review.",
      scope: scope.slice(1),
    },
  ],
  ["SpawnPod", { name: "c", profile: "inherit", instruction: null, task: "Look.", scope: scope.slice(1) }],
  ["SpawnPod", { name: "a", task: "Again.", scope }],
  ["ReadPodOutput", { name: "a" }],
  ["SendToPod", { name: "a", message: "And the tests." }],
  ["ReadPodOutput", { name: "b" }],
  ["ReadPodOutput", { name: "b" }],
  ["ReadPodOutput", { name: "b" }],
  ["ReadPodOutput", { name: "z" }],
  ["StopPod", { name: "a" }],
  ["RestorePod", { name: "a" }],
  ["SendToPeerPod", { name: "other", message: "src/a is done." }],
];

// The names, the order and the forms are a contract: whoever changes the golden file changes what models and programs rely on.
test("names, order, schemas, descriptions and outputs of the Pod tools are the golden ones, and what they ask of the host", async () => {
  const pods = new PodCalls(profiles);
  pods.pods.listed = [
    managedPod("b", { scope: [writes("/w/src/b")], approvals: 1 }),
    managedPod("other", {
      relation: "peer",
      loan: null,
      metadata: "missing",
      session: null,
      segment: null,
      socket: null,
      state: "unknown",
    }),
    managedPod("gone", { loan: "lost", state: "stopped", restorable: true, scope: [writes("/w/src/a")] }),
    managedPod("me", {
      relation: "self",
      loan: null,
      state: "running",
      children: 1,
      reason: "it is this Pod",
    }),
  ];
  pods.pods.reclaimed = [writes("/w/src/a")];
  const outputs = [];
  for (const [tool, args] of calls) {
    outputs.push({ tool, args, output: await pods.call(tool, args) });
    if (args["name"] === "b" && tool === "SpawnPod")
      pods.pods.said.set("b", ["First.", "Second,\nin two lines.", "Third."]);
    if (tool === "StopPod") pods.pods.state = "stopped";
  }
  const tools = pods.tools.map(({ definition, readOnly }) => ({ ...definition, read_only: readOnly }));
  const made = JSON.parse(JSON.stringify({ tools, outputs, asked: pods.pods.asked })) as unknown;
  assert.deepEqual(made, golden);
});

test("only what looks is read-only, and calls of one answer take place in their order", () => {
  const pods = new PodCalls();
  assert.deepEqual(
    pods.tools.map(({ definition: { name }, readOnly, claim }) => [name, readOnly, claim?.({})]),
    [
      ["SpawnPod", false, { path: "/", mode: "exclusive" }],
      ["SendToPod", false, { path: "/", mode: "exclusive" }],
      ["ReadPodOutput", true, { path: "/", mode: "exclusive" }],
      ["StopPod", false, { path: "/", mode: "exclusive" }],
      ["ListPods", true, { path: "/", mode: "shared" }],
      ["RestorePod", false, { path: "/", mode: "exclusive" }],
      ["SendToPeerPod", false, { path: "/", mode: "exclusive" }],
    ],
  );
});

const spawn = (more: JsonObject): JsonObject => ({ name: "a", task: "t", scope, ...more });
const rule = (more: JsonObject): JsonObject =>
  spawn({ scope: [{ target: "/w", permission: "read", ...more }] });
const nameRule = '1 to 64 ASCII letters, digits, "-", "_" or ".", not starting with a dot or a dash';
const profileRule = "must be the name of a profile, as builtin:reader: a path or a file is none";

const refusals: readonly [tool: string, args: JsonObject, problem: string][] = [
  ["SpawnPod", { task: "t", scope }, '"name" of SpawnPod is missing'],
  ["SpawnPod", spawn({ name: 1 }), '"name" of SpawnPod must be a string'],
  ["SpawnPod", spawn({ name: "" }), `"name" of SpawnPod must be ${nameRule}`],
  ["SpawnPod", spawn({ name: "../a" }), `"name" of SpawnPod must be ${nameRule}`],
  ["SpawnPod", spawn({ name: ".a" }), `"name" of SpawnPod must be ${nameRule}`],
  ["SpawnPod", spawn({ name: "a".repeat(65) }), `"name" of SpawnPod must be ${nameRule}`],
  ["SpawnPod", { name: "a", scope }, '"task" of SpawnPod is missing'],
  ["SpawnPod", spawn({ task: " \n" }), '"task" of SpawnPod is empty: say what the Pod is to do'],
  [
    "SpawnPod",
    spawn({ instruction: "" }),
    '"instruction" of SpawnPod is empty: leave it out where there is none',
  ],
  ["SpawnPod", spawn({ instruction: [] }), '"instruction" of SpawnPod must be a string'],
  ["SpawnPod", { name: "a", task: "t" }, '"scope" of SpawnPod is missing'],
  ["SpawnPod", spawn({ scope: {} }), '"scope" of SpawnPod must be a list of rules'],
  [
    "SpawnPod",
    spawn({ scope: [] }),
    '"scope" of SpawnPod is empty: lend the Pod at least what it is to read',
  ],
  [
    "SpawnPod",
    spawn({ scope: ["/w"] }),
    '"scope[0]" of SpawnPod must be an object with target and permission',
  ],
  [
    "SpawnPod",
    rule({ target: "src" }),
    '"scope[0].target" of SpawnPod must be an absolute path, one that begins with /',
  ],
  [
    "SpawnPod",
    rule({ target: "" }),
    '"scope[0].target" of SpawnPod must be an absolute path, one that begins with /',
  ],
  [
    "SpawnPod",
    rule({ target: null }),
    '"scope[0].target" of SpawnPod must be an absolute path, one that begins with /',
  ],
  ["SpawnPod", rule({ permission: "all" }), '"scope[0].permission" of SpawnPod must be read or write'],
  ["SpawnPod", rule({ recursive: "no" }), '"scope[0].recursive" of SpawnPod must be true or false'],
  [
    "SpawnPod",
    rule({ path: "/w" }),
    '"scope[0]" of SpawnPod has no field "path": it takes target, permission, recursive',
  ],
  ["SpawnPod", spawn({ profile: 1 }), '"profile" of SpawnPod must be a string'],
  ...[
    "./a.toml",
    "/etc/p",
    "path:a",
    "a/b",
    "reader.toml",
    "reader.lua",
    "~a",
    "other:a",
    "Reader",
    "..",
    "",
  ].map((profile): [string, JsonObject, string] => [
    "SpawnPod",
    spawn({ profile }),
    `"profile" of SpawnPod ${profileRule}`,
  ]),
  ["SendToPod", { name: "a" }, '"message" of SendToPod is missing'],
  ["SendToPod", { name: "a", message: "" }, '"message" of SendToPod is empty: say what the Pod is to do'],
  ["SendToPod", { message: "x" }, '"name" of SendToPod is missing'],
  ["ReadPodOutput", {}, '"name" of ReadPodOutput is missing'],
  ["StopPod", { name: null }, '"name" of StopPod must be a string'],
  ["RestorePod", { name: "a/b" }, `"name" of RestorePod must be ${nameRule}`],
  [
    "SendToPeerPod",
    { name: "a", message: " " },
    '"message" of SendToPeerPod is empty: say what the Pod is to know',
  ],
];
for (const [tool, args, problem] of refusals) {
  test(`${tool} ${JSON.stringify(args).slice(0, 70)} is one error that says what to do, and the host is not asked`, async () => {
    const pods = new PodCalls();
    assert.deepEqual(await pods.call(tool, args), { summary: `The argument ${problem}.`, is_error: true });
    assert.deepEqual(pods.pods.asked, []);
  });
}

test("an argument that a tool does not have is refused, and the sentence lists those that it has", async () => {
  const takes: readonly (readonly [tool: string, list: string])[] = [
    ["SpawnPod", "name, profile, instruction, task, scope"],
    ["SendToPod", "name, message"],
    ["ReadPodOutput", "name"],
    ["StopPod", "name"],
    ["ListPods", "nothing"],
    ["RestorePod", "name"],
    ["SendToPeerPod", "name, message"],
  ];
  const pods = new PodCalls();
  for (const [tool, list] of takes) {
    const summary = `${tool} has no argument "force": it takes ${list}.`;
    assert.deepEqual(await pods.call(tool, { force: true }), { summary, is_error: true });
  }
  assert.deepEqual(pods.pods.asked, []);
});

const bounds: readonly (readonly [
  what: string,
  max: number,
  tool: string,
  args: (count: number) => JsonObject,
])[] = [
  ["bytes of a task", childMessageBytesMax, "SpawnPod", (n) => spawn({ task: "x".repeat(n) })],
  [
    "bytes of an instruction",
    childInstructionBytesMax,
    "SpawnPod",
    (n) => spawn({ instruction: "x".repeat(n) }),
  ],
  ["bytes of a message", childMessageBytesMax, "SendToPod", (n) => ({ name: "a", message: "x".repeat(n) })],
  ["bytes for a peer", peerMessageBytesMax, "SendToPeerPod", (n) => ({ name: "a", message: "x".repeat(n) })],
  [
    "rules",
    lentRulesMax,
    "SpawnPod",
    (n) => spawn({ scope: Array.from({ length: n }, () => ({ ...scope[0] })) }),
  ],
];
for (const [what, max, tool, args] of bounds) {
  test(`${max} ${what} are taken by ${tool}, and one more is refused with both numbers`, async () => {
    const pods = new PodCalls();
    assert.equal((await pods.call(tool, args(max))).is_error, undefined);
    const { summary, is_error } = await pods.call(tool, args(max + 1));
    assert.ok(
      is_error === true && summary.includes(String(max)) && summary.includes(String(max + 1)),
      summary,
    );
    assert.equal(pods.pods.asked.length, 1);
  });
}
