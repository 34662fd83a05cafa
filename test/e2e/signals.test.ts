/** Signals to a run, sent to the pid that the shell started: the runtime ends as asked, the log stays whole, and nothing it started outlives it. */
import assert from "node:assert/strict";
import test from "node:test";
import { type Answer, type AnthropicServer, startAnthropicServer } from "../support/anthropic-server.ts";
import { aliveWithEnv, eventually } from "../support/processes.ts";
import { committedBytes, linesOf } from "../support/stored-log.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";

const pod = "signalled";

function start(home: TempHome, server: AnthropicServer, prompt: readonly string[]) {
  const args = [
    "run",
    ...prompt,
    "--pod",
    pod,
    "--model",
    "anthropic/claude-sonnet-4-5",
    "--base-url",
    server.url,
    "--sandbox",
    "off",
  ];
  return startYoi(args, { env: { ...home.env, ANTHROPIC_API_KEY: "test" }, cwd: home.workspace });
}

const expectedEnds = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGKILL", null],
] as const;

const toolCall: Answer = {
  blocks: [{ type: "tool_call", name: "Bash", arguments: { command: "echo started > started; sleep 60" } }],
};
const stalled: Answer = {
  blocks: [{ type: "text", text: "half of an answer" }],
  fault: { type: "stall", after: 3 },
};
const done: Answer = { blocks: [{ type: "text", text: "all done" }] };

/** Where the run is when the signal comes. */
const moments: readonly (readonly [
  string,
  Answer,
  (home: TempHome, server: AnthropicServer) => Promise<void>,
])[] = [
  ["in a stream", stalled, (_, server) => server.arrived(1)],
  [
    "in a tool",
    toolCall,
    async () => eventually("the tool runs", () => aliveWithEnv(`YOI_CALL=${pod}/`).length > 0, 20_000),
  ],
];

for (const [moment, firstAnswer, reached] of moments) {
  for (const [signal, code] of expectedEnds) {
    test(`${signal} ${moment}: the run ends, nothing is left, and a resumed run finishes`, async () => {
      using home = tempHome();
      const server = await startAnthropicServer({
        handler: (_, index) => (index === 0 ? firstAnswer : done),
      });
      try {
        const yoi = start(home, server, ["go"]);
        const early = yoi.ended.then((end) => assert.fail(`it ended by itself: ${JSON.stringify(end)}`));
        await Promise.race([reached(home, server), early]);
        early.catch(() => undefined);
        yoi.kill(signal);
        const ended = await yoi.ended;
        assert.deepEqual(
          [ended.code, ended.signal],
          code === null ? [null, signal] : [code, null],
          ended.stderr,
        );
        await eventually(
          "no process of the run is left",
          () => aliveWithEnv(`YOI_HOME=${home.home}`).length === 0,
        );
        const noToolIsLeft = () =>
          eventually("no tool of the run is left", () => aliveWithEnv(`YOI_CALL=${pod}/`).length === 0);
        // A runtime killed right between starting a tool and naming it to the watchdog leaves it to the next owner.
        if (signal !== "SIGKILL") await noToolIsLeft();

        const resumed = await start(home, server, signal === "SIGKILL" ? [] : ["go on"]).ended;
        // A resumed run prints the whole answer: also what was on record of it when the kill came.
        assert.match(resumed.stdout, /^(half of an answe)?all done\n$/, resumed.stderr);
        assert.equal(resumed.code, 0, resumed.stderr);
        await noToolIsLeft();
        const verified = await runYoi(["pod", "verify", pod, "--wire"], {
          env: home.env,
          cwd: home.workspace,
        });
        assert.equal(verified.code, 0, verified.stdout + verified.stderr);
      } finally {
        await server.close();
      }
    });
  }
}

for (const signal of ["SIGINT", "SIGKILL"] as const) {
  test(`${signal} when a part of the answer is on record: the resumed run prints the whole answer`, async () => {
    using home = tempHome();
    const rest: Answer = { blocks: [{ type: "text", text: "r, and the other half" }] };
    const server = await startAnthropicServer({ handler: (_, index) => (index === 0 ? stalled : rest) });
    try {
      const yoi = start(home, server, ["go"]);
      await eventually("a part is on record", () =>
        linesOf(committedBytes(home.home)).some(({ kind }) => kind === "assistant_partial"),
      );
      yoi.kill(signal);
      await yoi.ended;
      const resumed = await start(home, server, []).ended;
      assert.deepEqual(
        [resumed.code, resumed.stdout],
        [0, "half of an answer, and the other half\n"],
        resumed.stderr,
      );
    } finally {
      await server.close();
    }
  });
}
