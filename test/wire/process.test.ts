/** A model inside a process: what the environment cannot change, and that nothing of a model keeps the process alive. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Answer } from "../support/provider-answer.ts";
import { providerRows, startServerOf, type ProviderRow } from "../support/providers.ts";

const program = fileURLToPath(new URL("ask.ts", import.meta.url));
const run = promisify(execFile);
const outlivesMaxMs = 100;
const plain: Answer = { blocks: [{ type: "text", text: "All good here, thank you." }] };

async function ask({ provider, id }: ProviderRow, url: string, mode = "", env: NodeJS.ProcessEnv = {}) {
  const { stdout } = await run(process.execPath, [program, provider, id, url, mode], { env });
  const [answer = "", outlivedMs = ""] = stdout.split("\n");
  const { sha256, last } = JSON.parse(answer) as {
    sha256: string;
    last: { type: string; failure?: { kind: string } };
  };
  return { sha256, last, outlivedMs: Number(outlivedMs) };
}

/** Every variable that an SDK, a vendor's own tool or Node would take an address, a key or a header from. */
function traps(url: string): NodeJS.ProcessEnv {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-trap",
    ANTHROPIC_AUTH_TOKEN: "trap",
    ANTHROPIC_MODEL: "trap",
    ANTHROPIC_CUSTOM_HEADERS: "x-trap: 1",
    OPENAI_BASE_URL: url,
    OPENAI_API_BASE: url,
    OPENAI_API_KEY: "sk-trap",
    OPENAI_ORGANIZATION: "trap",
    OPENAI_ORG_ID: "trap",
    OPENAI_PROJECT: "trap",
    OPENAI_PROJECT_ID: "trap",
    GOOGLE_GEMINI_BASE_URL: url,
    GOOGLE_GENERATIVE_AI_API_KEY: "sk-trap",
    GOOGLE_API_KEY: "sk-trap",
    GEMINI_API_KEY: "sk-trap",
    GOOGLE_CLOUD_PROJECT: "trap",
    OPENROUTER_API_KEY: "sk-trap",
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    ALL_PROXY: url,
    NO_PROXY: "",
    NODE_USE_ENV_PROXY: "1",
  };
}

/** What an SDK that is told nothing takes from the environment: the control. Null: nothing. */
const bareTakes: { readonly [row in keyof typeof providerRows]: "address and key" | "key" | null } = {
  anthropic: "address and key",
  openai: "address and key",
  google: "key",
  openAiCompatible: null,
};

for (const name of Object.keys(providerRows) as (keyof typeof providerRows)[]) {
  const row = providerRows[name];
  const takes = bareTakes[name];
  test(`${row.provider}: no variable of the environment changes where a request goes or what it says`, async () => {
    const server = await startServerOf(row, { answers: [plain, plain, plain] });
    const trap = await startServerOf(row, { handler: () => plain });
    try {
      const env = traps(trap.url);
      // The control takes no proxy, so that it meets the server whose address it was given, if it was.
      const bareEnv = { ...env, ANTHROPIC_AUTH_TOKEN: "", NODE_USE_ENV_PROXY: "" };
      const [clean, trapped] = await Promise.all([ask(row, server.url), ask(row, server.url, "", env)]);
      assert.deepEqual([clean.last.type, trapped.last.type], ["finish", "finish"]);
      assert.equal(trapped.sha256, clean.sha256);
      assert.equal(trap.requests.length, 0);
      const [before, after, ...more] = server.requests;
      assert.equal(more.length, 0);
      assert.deepEqual(
        [after?.method, after?.path, after?.headers, after?.raw],
        [before?.method, before?.path, before?.headers, before?.raw],
      );
      assert.ok(JSON.stringify(after?.headers).includes("sk-given"));
      if (takes === null) return;
      await run(process.execPath, [program, row.provider, row.id, server.url, "bare"], { env: bareEnv });
      const walkedInto = takes === "key" ? server.requests[2] : trap.requests[0];
      assert.ok(JSON.stringify(walkedInto?.headers).includes("sk-trap"));
    } finally {
      await Promise.all([server.close(), trap.close()]);
    }
  });
}

test("the process ends within 100 ms of its last output, after a finish, a failure and an abort", async () => {
  const cut: Answer = { ...plain, fault: { type: "end", after: { deltas: 1 } } };
  const stalled: Answer = { ...plain, fault: { type: "stall", after: { deltas: 1 } } };
  const { anthropic, openai, google, openAiCompatible } = providerRows;
  const rows: readonly [ProviderRow, Answer, string, string][] = [
    [anthropic, plain, "", "finish"],
    [anthropic, { status: 401 }, "", "failure"],
    [anthropic, cut, "", "failure"],
    [anthropic, stalled, "abort", "failure"],
    [openai, stalled, "abort", "failure"],
    [google, stalled, "abort", "failure"],
    [openAiCompatible, stalled, "abort", "failure"],
  ];
  for (const [row, answer, mode, expected] of rows) {
    const server = await startServerOf(row, { answers: [answer] });
    try {
      const { last, outlivedMs } = await ask(row, server.url, mode);
      assert.equal(last.type, expected);
      assert.ok(
        outlivedMs < outlivesMaxMs,
        `${row.provider}: ${outlivedMs} ms after ${JSON.stringify(last)}`,
      );
    } finally {
      await server.close();
    }
  }
  // Control: a timer that is left behind is noticed.
  const server = await startServerOf(anthropic, { answers: [plain] });
  try {
    assert.ok((await ask(anthropic, server.url, "hold")).outlivedMs >= outlivesMaxMs);
  } finally {
    await server.close();
  }
});
