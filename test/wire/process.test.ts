/** A model inside a process: what the environment cannot change, and that nothing of a model keeps the process alive. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startAnthropicServer, type Answer } from "../support/anthropic-server.ts";

const program = fileURLToPath(new URL("ask.ts", import.meta.url));
const run = promisify(execFile);
const outlivesMaxMs = 100;
const plain: Answer = { blocks: [{ type: "text", text: "All good here, thank you." }] };

async function ask(url: string, mode = "", env: NodeJS.ProcessEnv = {}) {
  const { stdout } = await run(process.execPath, [program, url, mode], { env });
  const [answer = "", outlivedMs = ""] = stdout.split("\n");
  const { sha256, last } = JSON.parse(answer) as {
    sha256: string;
    last: { type: string; failure?: { kind: string } };
  };
  return { sha256, last, outlivedMs: Number(outlivedMs) };
}

test("no variable of the environment changes where a request goes or what it says", async () => {
  const server = await startAnthropicServer({ answers: [plain, plain] });
  const trap = await startAnthropicServer({ handler: () => plain });
  try {
    const clean = await ask(server.url);
    const env = {
      ANTHROPIC_BASE_URL: trap.url,
      ANTHROPIC_API_KEY: "sk-trap",
      ANTHROPIC_AUTH_TOKEN: "trap",
      ANTHROPIC_MODEL: "trap",
      ANTHROPIC_CUSTOM_HEADERS: "x-trap: 1",
      HTTP_PROXY: trap.url,
      HTTPS_PROXY: trap.url,
      http_proxy: trap.url,
      ALL_PROXY: trap.url,
      NO_PROXY: "",
    };
    const trapped = await ask(server.url, "", env);
    assert.equal(trapped.sha256, clean.sha256);
    assert.equal(trap.requests.length, 0);
    assert.equal(server.requests.length, 2);
    const [before, after] = server.requests.map(({ headers }) => headers);
    assert.deepEqual(after, before);
    assert.equal(after?.["x-api-key"], "sk-given");
    // Control: the SDK that is told nothing walks into the trap.
    await run(process.execPath, [program, server.url, "bare"], { env: { ...env, ANTHROPIC_AUTH_TOKEN: "" } });
    assert.equal(trap.requests[0]?.headers["x-api-key"], "sk-trap");
  } finally {
    await Promise.all([server.close(), trap.close()]);
  }
});

test("the process ends within 100 ms of its last output, after a finish, a failure and an abort", async () => {
  const rows: readonly [Answer, string, string][] = [
    [plain, "", "finish"],
    [{ status: 401 }, "", "failure"],
    [{ ...plain, fault: { type: "end", after: 4 } }, "", "failure"],
    [{ ...plain, fault: { type: "stall", after: 4 } }, "abort", "failure"],
  ];
  const server = await startAnthropicServer({ answers: [...rows.map(([answer]) => answer), plain] });
  try {
    for (const [, mode, expected] of rows) {
      const { last, outlivedMs } = await ask(server.url, mode);
      assert.equal(last.type, expected);
      assert.ok(outlivedMs < outlivesMaxMs, `${outlivedMs} ms after ${JSON.stringify(last)}`);
    }
    // Control: a timer that is left behind is noticed.
    assert.ok((await ask(server.url, "hold")).outlivedMs >= outlivesMaxMs);
  } finally {
    await server.close();
  }
});
