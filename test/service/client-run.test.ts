/** `yoi run` of a Pod that another process hosts, `pod send`, `cancel`, `pause`, `resume`: output and exit codes of a run in this process. */
import assert from "node:assert/strict";
import test from "node:test";
import { aliveWithEnv } from "../support/processes.ts";
import { Hosting } from "./hosted.ts";

type Json = Readonly<Record<string, unknown>>;

const jsonLines = (text: string): readonly Json[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Json);

test("a run of a hosted Pod goes over its socket: the same answer, lines, result and exit codes", async () => {
  await using hosting = new Hosting();
  const steps = ["First.", "Second.", "Third."].map((text) => `  - text: ${text}\n`).join("");
  const pod = await hosting.startPod("p", `steps:\n${steps}`);
  const following = hosting.begin("pod", "log", "p", "-f", "--json");
  const text = await hosting.yoi("run", "--pod", "p", "one");
  assert.deepEqual([text.code, text.stdout, text.stderr], [0, "First.\n", ""]);

  const stream = await hosting.yoi("run", "--pod", "p", "--output-format", "stream-json", "two");
  const lines = jsonLines(stream.stdout);
  assert.deepEqual(
    lines.filter(({ type }) => type !== "delta" && type !== "block_start").map(({ type }) => type),
    ["start", "run_start", "input", "turn", "request", "message", "usage", "turn_end", "run_end", "result"],
  );
  assert.ok(lines.some(({ type, text: said }) => type === "delta" && said === "Second."));
  const invoke = pod.log().findLast(({ kind }) => kind === "invoke");
  assert.equal(lines.find(({ type }) => type === "run_start")?.["seq"], invoke?.seq);
  const { duration_ms: _, ...result } = lines.at(-1) ?? {};
  const { session_id: session, segment_id: segment } = lines[0] ?? {};
  assert.deepEqual(result, {
    type: "result",
    schema_version: 1,
    subtype: "success",
    is_error: false,
    result: "Second.",
    error: null,
    error_code: null,
    pod: "p",
    session_id: session,
    segment_id: segment,
    num_turns: 1,
    followed_runs: 0,
    usage: result["usage"],
    total_cost_usd: null,
    cost: { known_usd: 0, unpriced_requests: 1 },
    tree: result["tree"],
    permission_denials: [],
  });

  const answered = await hosting.yoi("pod", "send", "p", "three", "--wait", "--json");
  assert.deepEqual([answered.code, jsonLines(answered.stdout)[0]?.["result"]], [0, "Third."]);
  for (const [args, expected] of [
    [["-C", "/tmp", "x"], /-C .* cannot be given now/],
    [[], /nothing to go on with/],
  ] as const) {
    const refused = await hosting.yoi("run", "--pod", "p", ...args);
    assert.deepEqual([refused.code, refused.stdout], [2, ""], args.join(" "));
    assert.match(refused.stderr, expected);
  }

  await pod.stop();
  const log = await following.ended;
  assert.deepEqual([log.code, log.stderr], [0, "yoi: The Pod p was shut down.\n"]);
  assert.deepEqual(jsonLines(log.stdout), pod.log());
  const ended = await hosting.yoi("pod", "log", "p", "-f", "--json");
  assert.deepEqual([ended.code, ended.stdout], [0, log.stdout]);
  assert.match(ended.stderr, /nothing is followed/);
});

test("what stops the run stops it where it runs; a Pod that dies is said, with how to restore it", async () => {
  await using hosting = new Hosting();
  const pod = await hosting.startPod(
    "p",
    `steps:\n  - text: ${"Word ".repeat(300)}\n    pace_ms: 30\n    chunk: 4\n`,
  );
  const run = hosting.begin("run", "--pod", "p", "--output-format", "stream-json", "one");
  await run.waitFor(/"delta"/);
  const busy = await hosting.yoi("pod", "send", "p", "two");
  assert.deepEqual([busy.code, busy.stdout], [1, ""]);
  assert.match(busy.stderr, /The Pod p is running: wait .*`yoi pod cancel p`/);
  run.kill("SIGINT");
  const paused = await run.ended;
  assert.equal(paused.code, 130, paused.stderr);
  assert.deepEqual(jsonLines(paused.stdout).at(-1)?.["subtype"], "interrupted");
  assert.deepEqual(pod.log().at(-1)?.["reason"], "user");
  assert.equal(aliveWithEnv(`YOI_HOME=${hosting.home.home}`).length, 1, "the Pod goes on");

  // Paused is not running; what is told meanwhile waits for the next run.
  const idle = await hosting.yoi("pod", "cancel", "p");
  assert.deepEqual([idle.code, idle.stderr], [1, "yoi: Nothing runs in the Pod p: nothing was done.\n"]);
  const told = await hosting.yoi("pod", "send", "p", "--notify", "news", "--submission", "n", "--json");
  const twice = await hosting.yoi("pod", "send", "p", "--notify", "news", "--submission", "n", "--json");
  assert.deepEqual([told.code, twice.code], [0, 0]);
  const [first, second] = [jsonLines(told.stdout)[0], jsonLines(twice.stdout)[0]];
  assert.deepEqual([first?.["duplicate"], second], [false, { ...first, duplicate: true }]);
  const other = await hosting.yoi("pod", "send", "p", "--notify", "else", "--submission", "n");
  assert.deepEqual([other.code, other.stdout], [2, ""], other.stderr);

  const resumed = hosting.begin("run", "-r", "p", "--output-format", "stream-json");
  await resumed.waitFor(/"delta"/);
  await pod.kill9();
  const lost = await resumed.ended;
  const [start] = jsonLines(lost.stdout);
  const result = jsonLines(lost.stdout).at(-1);
  assert.deepEqual(
    [lost.code, result?.["is_error"], result?.["session_id"]],
    [1, true, start?.["session_id"]],
  );
  assert.match(
    lost.stderr,
    /The run is on record as entry \d+ and its end was not seen: .*The Pod p is not hosted.*`yoi pod restore p --resume`/,
  );
});
