/** Roles of Pods that Pods start, and what a model is told of tickets at all: in the real program, hosted. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { plant } from "../bad-input/machine.ts";
import { startAnthropicServer } from "../support/anthropic-server.ts";
import { runYoi } from "../support/yoi-process.ts";
import { type Call, Scene, scenarioOf } from "./scene.ts";

const spawn = (workspace: string, name: string, profile: string): Call => ({
  name: "SpawnPod",
  arguments: { name, profile, task: "Look.", scope: [{ target: workspace, permission: "read" }] },
});

test("a coder starts no orchestrator, also where it may start Pods; nothing is lent and no Pod begins", async () => {
  using scene = new Scene();
  const { home } = scene;
  plant(
    join(home.home, "config", "profiles", "leading.toml"),
    'extends = "builtin:coder"\n[features]\npods = true\n',
  );
  const calls = ["orchestrator", "reviewer", "intake"].map((role) => spawn(home.workspace, role, role));
  plant(join(home.workspace, "s.yaml"), scenarioOf([calls]));
  const started = await scene.yoi("pod", "start", "boss", "-m", "scripted/s.yaml", "--profile", "leading");
  assert.equal(started.code, 0, started.stderr);
  try {
    const sent = await scene.yoi("pod", "send", "boss", "go", "--wait");
    assert.equal(sent.code, 0, sent.stderr);
    const outcomes = scene.outcomes("boss");
    assert.deepEqual(
      outcomes.map(({ is_error, text }) => [
        is_error,
        /boss is "coder" itself and starts only Pods that are "coder"/.test(text),
      ]),
      calls.map(() => [true, true]),
      JSON.stringify(outcomes),
    );
    const { pods } = JSON.parse((await scene.yoi("pod", "list", "--json")).stdout) as {
      pods: { name: string }[];
    };
    assert.deepEqual(
      pods.map(({ name }) => name),
      ["boss"],
    );
  } finally {
    await scene.yoi("pod", "stop", "boss");
  }
});

test("a model has tools for tickets where they are switched on, and nowhere else", async () => {
  using scene = new Scene();
  const { home } = scene;
  const tools: string[][] = [];
  const server = await startAnthropicServer({
    handler: ({ raw }) => {
      const { tools: offered } = JSON.parse(raw.toString()) as { tools: { name: string }[] };
      tools.push(offered.map(({ name }) => name).filter((name) => name.startsWith("Ticket")));
      return { blocks: [{ type: "text", text: "Done." }] };
    },
  });
  try {
    const env = { ...home.env, ANTHROPIC_API_KEY: "test-key-of-nobody-0123456789" };
    for (const flags of [[], ["--profile", "coder"]]) {
      const model = ["-m", "anthropic/claude-sonnet-4-5", "--base-url", server.url];
      const pod = `p${tools.length}`;
      const run = await runYoi(["run", "go", "--pod", pod, ...model, ...flags], { cwd: home.workspace, env });
      assert.equal(run.code, 0, run.stderr);
    }
  } finally {
    await server.close();
  }
  assert.deepEqual(tools, [
    [],
    ["TicketComment", "TicketCreate", "TicketList", "TicketReview", "TicketShow", "TicketTransition"],
  ]);
});
