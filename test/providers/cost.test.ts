/** What a run cost, wherever it is said: at its end on a terminal, in its result, in `pod show` and `pod log`. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";

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
