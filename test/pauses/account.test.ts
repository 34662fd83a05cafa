/** A provider's limit by the real program: told once, it holds for every Pod of that account and for no other; by hand it is asked again. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { assertVerifies, key, model, resultOf, yoi } from "../bad-input/machine.ts";
import { Hosting } from "../service/hosted.ts";
import { limitFileBytesMax } from "../../packages/cli/src/runtime/limits.ts";
import { apiError, startAnthropicServer } from "../support/anthropic-server.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";

const limited = apiError(429, "rate_limit_error", "monthly limit", { "retry-after": "7200" });
const goOn = "`yoi run --pod b` goes on with it.";

/** A server that refuses until `open` is true, and a fresh machine. */
async function place() {
  const gate = { open: false };
  const server = await startAnthropicServer({
    handler: () => (gate.open ? { blocks: [{ type: "text", text: "done" }] } : limited),
  });
  const home = tempHome();
  const run = (pod: string, more: readonly string[], apiKey = key) =>
    yoi(
      home,
      ["run", ...more, "--pod", pod, "-m", model, "--base-url", server.url, "--output-format", "json"],
      { env: { ANTHROPIC_API_KEY: apiKey } },
    );
  return {
    home,
    server,
    gate,
    run,
    [Symbol.asyncDispose]: async () => {
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

function hintIn({ home }: TempHome): string {
  const directory = join(home, "run", "limits");
  assert.equal(statSync(directory).mode & 0o777, 0o700);
  const names = readdirSync(directory);
  assert.equal(names.length, 1);
  return join(directory, names[0] ?? "");
}

describe("limits", { concurrency: 3 }, () => {
  test("what one Pod was told holds for the others of the account, without a request; another account asks", async () => {
    await using p = await place();
    const first = await p.run("a", ["go"]);
    assert.deepEqual([first.code, p.server.requests.length], [75, 1], first.stderr);
    const hint = readFileSync(hintIn(p.home), "utf8");
    assert.ok(!hint.includes(key), hint);

    const second = await p.run("b", ["go"]);
    const { error_code, resume_after_ms, error } = resultOf(second.stdout);
    assert.deepEqual([second.code, error_code, p.server.requests.length], [75, "provider_limit", 1]);
    const apart = Math.abs((resume_after_ms ?? 0) - (resultOf(first.stdout).resume_after_ms ?? 0));
    assert.ok(apart < 1000, String(apart));
    assert.match(String(error), /Nothing was sent: the limit was told to a request of this account before/);
    assert.ok(String(error).endsWith(goOn), String(error));

    // Control: without knowing of it a Pod asks.
    assert.equal((await p.run("c", ["go"], "another-key")).code, 75);
    assert.equal(p.server.requests.length, 2);

    // By hand it is asked again, and what is answered is true for all.
    p.gate.open = true;
    assert.equal((await p.run("b", [])).code, 0);
    assert.deepEqual([(await p.run("a", [])).code, p.server.requests.length], [0, 4]);
  });

  test("what nobody of yoi wrote there is no limit, and one of the past is taken away by an answer", async () => {
    await using p = await place();
    await p.run("a", ["go"]);
    const hint = hintIn(p.home);
    p.gate.open = true;
    writeFileSync(hint, `{"until":9${"9".repeat(limitFileBytesMax)}}`);
    assert.equal((await p.run("b", ["go"])).code, 0);
    assert.equal(p.server.requests.length, 2);
    writeFileSync(hint, '{"until":1,"message":"long ago"}');
    assert.equal((await p.run("b", ["go"])).code, 0);
    assert.deepEqual(readdirSync(join(p.home.home, "run", "limits")), []);
  });

  test("a hosted Pod killed while it waits goes on when the time has come, and redoes nothing", async () => {
    await using hosting = new Hosting();
    const scenario = (last: object): string =>
      JSON.stringify({
        steps: [{ tool_calls: [{ name: "Write", arguments: { path: "a.txt", content: "a" } }] }, last],
      });
    const waitMs = 2_500;
    const failure = { kind: "rate_limit", message: "Slow.", retry_after_ms: waitMs };
    const pod = await hosting.startPod("p", scenario({ failure }));
    const ran = await hosting.yoi("run", "go", "--pod", "p", "--output-format", "json");
    await pod.kill9();
    const until = resultOf(ran.stdout).resume_after_ms ?? 0;
    assert.equal(ran.code, 75, ran.stderr);
    const { paused } = JSON.parse((await hosting.yoi("pod", "show", "p", "--json")).stdout);
    assert.deepEqual(paused, { reason: "provider_limit", detail: "Slow.", until_ms: until });
    writeFileSync(join(hosting.home.workspace, "p.yaml"), scenario({ text: "Done." }));
    const before = pod.log().length;
    await pod.restore();
    const ended = () => pod.log().find(({ kind }) => kind === "run_completed");
    while (ended() === undefined && Date.now() < until + 20_000) await setTimeout(50);
    const kinds = pod.log().map(({ kind }) => kind);
    assert.deepEqual(
      kinds.slice(before).filter((kind) => kind !== "opened" && kind !== "tools_changed"),
      ["invoke", "llm_request", "assistant_item", "llm_usage", "turn_end", "run_completed"],
    );
    assert.ok(Date.now() >= until);
    assert.equal(kinds.filter((kind) => kind === "tool_started").length, 1);
    await assertVerifies(hosting.home, "p");
  });
});
