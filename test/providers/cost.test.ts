/** What a run cost, wherever it is said: at its end on a terminal, in its result, in `pod show` and `pod log`. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { providerRows, startServerOf } from "../support/providers.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";

const terminal = fileURLToPath(new URL("../support/fake-terminal.ts", import.meta.url));
const usage = { input: 1000, output: 100, cache_read: 600 };
const scenario = (rest: object) =>
  JSON.stringify({ ...rest, steps: [{ text: "one", usage }, { text: "two", usage }, { text: "three" }] });
/** 400 tokens at 2, 600 at 0.2 and 100 at 10 dollars per million. */
const usd = 0.00192;

test("a run says its own cost, the Pod all of it, and an unknown price is never 0", async () => {
  using home = tempHome();
  const file = join(home.workspace, "priced.yaml");
  const yoi = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runYoi(args, { cwd: home.workspace, env: { ...home.env, ...env } });
  const run = ["run", "--pod", "p", "-m", "scripted/priced.yaml", "--sandbox", "off"];
  writeFileSync(file, scenario({ price: { input: 2, output: 10, cache_read: 0.2 } }));

  const first = await yoi([...run, "go"], { NODE_OPTIONS: `--import=${terminal}` });
  assert.equal(first.stdout, "one\n");
  assert.match(first.stderr, /Used 1000 in \(600 cached\), 100 out, \$0\.0019\.\n$/);
  const second = JSON.parse((await yoi([...run, "--output-format", "json", "go on"])).stdout);
  assert.deepEqual(
    [second.result, second.total_cost_usd, second.cost],
    ["two", usd, { known_usd: usd, unpriced_requests: 0 }],
  );
  assert.match(
    (await yoi(["pod", "show", "p"])).stdout,
    /^usage: +2000 in \(1200 cached\), 200 out, \$0\.0038$/m,
  );
  assert.equal(
    (await yoi(["pod", "log", "p"])).stdout.match(/ llm_usage +1000 in, 100 out, \$0\.0019, stop$/gm)?.length,
    2,
  );

  writeFileSync(file, scenario({}));
  const third = JSON.parse((await yoi([...run, "--output-format", "json", "and on"])).stdout);
  assert.deepEqual([third.total_cost_usd, third.cost], [null, { known_usd: 0, unpriced_requests: 1 }]);
  const shown = JSON.parse((await yoi(["pod", "show", "p", "--json"])).stdout);
  assert.deepEqual([shown.total_cost_usd, shown.cost], [null, { known_usd: 2 * usd, unpriced_requests: 1 }]);
  assert.match(
    (await yoi(["pod", "show", "p"])).stdout,
    /^usage: .*, \$0\.0038 and 1 request of unknown cost$/m,
  );
});

/** A Pod `p` on a scenario that each run may replace. */
function scriptedPod() {
  const home = tempHome();
  const options = { cwd: home.workspace, env: home.env };
  const run = ["run", "--pod", "p", "-m", "scripted/s.yaml", "--sandbox", "off"];
  const json = [...run, "--output-format", "json"];
  const price = { input: 2, output: 10, cache_read: 0.2 };
  return {
    home,
    options,
    run,
    write: (steps: readonly object[], head: object = { price }) =>
      writeFileSync(join(home.workspace, "s.yaml"), JSON.stringify({ ...head, steps })),
    result: async (...args: readonly string[]) =>
      JSON.parse((await runYoi([...json, ...args], options)).stdout),
    shown: async () => JSON.parse((await runYoi(["pod", "show", "p", "--json"], options)).stdout),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

const costOf = ({ total_cost_usd, cost }: { total_cost_usd: number | null; cost: object }) => ({
  total_cost_usd,
  ...cost,
});
const known = (known_usd: number) => ({ total_cost_usd: known_usd, known_usd, unpriced_requests: 0 });
const partly = (known_usd: number) => ({ total_cost_usd: null, known_usd, unpriced_requests: 1 });

test("a retried attempt is paid for, the log still verifies; what is refused costs nothing, whatever the price", async () => {
  using pod = scriptedPod();
  pod.write([
    {
      retries: [
        { failure: { kind: "stream_broken" }, usage },
        { failure: { kind: "overloaded", status: 529 } },
      ],
      text: "ok",
      usage,
    },
    { failure: { kind: "auth", status: 401 } },
  ]);
  const paid = await pod.result("go");
  assert.deepEqual([paid.result, costOf(paid), paid.usage.input_tokens], ["ok", known(2 * usd), 2000]);
  const refused = await pod.result("more");
  assert.deepEqual([refused.error_code, costOf(refused)], ["auth", known(0)]);
  pod.write([{ text: "ok" }, { failure: { kind: "auth", status: 401 } }], {});
  assert.deepEqual(costOf(await pod.result("more")), known(0));
  assert.deepEqual(costOf(await pod.shown()), known(2 * usd));
  const verified = await runYoi(["pod", "verify", "p", "--json"], pod.options);
  assert.deepEqual([verified.code, JSON.parse(verified.stdout).requests], [0, 3]);
});

test("a request that its time limit ends, or whose process is killed, is one of unknown cost, in the log for ever", async () => {
  using pod = scriptedPod();
  pod.write([{ text: "late", delay_ms: 60_000 }]);
  const timed = await pod.result("--timeout", "1", "go");
  assert.deepEqual([timed.error_code, costOf(timed)], ["limit_time", partly(0)]);
  const killed = startYoi([...pod.run, "--output-format", "stream-json"], pod.options);
  await killed.waitFor(/"type":"request"/);
  killed.killGroup("SIGKILL");
  await killed.ended;
  const twice = { total_cost_usd: null, known_usd: 0, unpriced_requests: 2 };
  assert.deepEqual(costOf(await pod.shown()), twice);
  pod.write([{ text: "at last", usage }]);
  const resumed = await pod.result();
  assert.deepEqual([resumed.result, costOf(resumed)], ["at last", known(usd)]);
  assert.deepEqual(costOf(await pod.shown()), { ...twice, known_usd: usd });
});

test("a run that cannot write its log any more says what itself had cost, and so does the live line before", async () => {
  using pod = scriptedPod();
  const damage = "for log in $YOI_HOME/sessions/*/*.jsonl; do echo '{' >> $log; done";
  const bash = { name: "Bash", arguments: { command: damage.replace("$YOI_HOME", pod.home.home) } };
  pod.write([
    { text: "one", usage },
    {
      attempts: [
        { text: "half a", cut_after: 3, usage },
        { tool_calls: [bash], usage },
      ],
    },
  ]);
  await pod.result("go");
  const live = { ...pod.options, env: { ...pod.home.env, NODE_OPTIONS: `--import=${terminal}` } };
  const failed = await runYoi([...pod.run, "--output-format", "json", "go on"], live);
  assert.notEqual(failed.code, 0);
  const result = JSON.parse(failed.stdout);
  assert.deepEqual(
    [result.subtype, costOf(result), result.usage.input_tokens],
    ["error", known(2 * usd), 2000],
  );
  assert.match(failed.stderr, /\(1000 in, 100 out, \$0\.0019\)/);
  assert.match(failed.stderr, /\(1000 in, 200 out, \$0\.0038\)/);
});

test("a request to a provider that never answers is one of unknown cost; one that reaches nobody is free", async () => {
  using home = tempHome();
  const server = await startServerOf(providerRows.openai, { answers: ["silence"] });
  const options = { cwd: home.workspace, env: { ...home.env, OPENAI_API_KEY: "sk-x" } };
  const ask = async (pod: string): Promise<unknown> => {
    const model = ["-m", "openai/gpt-6-sol", "--base-url", `${server.url}/v1`, "--timeout", "1"];
    const { stdout } = await runYoi(
      ["run", "--pod", pod, ...model, "--output-format", "json", "go"],
      options,
    );
    return costOf(JSON.parse(stdout));
  };
  try {
    assert.deepEqual(await ask("silent"), partly(0));
  } finally {
    await server.close();
  }
  assert.deepEqual(await ask("nobody"), known(0));
});
