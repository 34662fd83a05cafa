/** The real program with each provider that wants its own data back: the Pod keeps it over a kill, and every byte that was sent can be rebuilt. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { Answer } from "../support/provider-answer.ts";
import { providerRows, startServerOf, type ProviderRow } from "../support/providers.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";

const canary = "canary-0123456789-key";
const signature = "c2lnbmF0dXJl";

const rows: readonly (ProviderRow & { readonly keyVariable: string; readonly keyHeader: string })[] = [
  { ...providerRows.anthropic, keyVariable: "ANTHROPIC_API_KEY", keyHeader: "x-api-key" },
  { ...providerRows.openai, keyVariable: "OPENAI_API_KEY", keyHeader: "authorization" },
  { ...providerRows.google, keyVariable: "GEMINI_API_KEY", keyHeader: "x-goog-api-key" },
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

for (const row of rows) {
  test(`${row.provider}: two calls, kill -9, resume, every request verified offline, and its key nowhere`, async () => {
    using home = tempHome();
    const files = ["a.txt", "b.txt"].map((name) => join(home.workspace, name));
    const answers: readonly Answer[] = [
      {
        blocks: [
          { type: "reasoning", text: "Two files are wanted.", signature },
          ...files.map((file_path) => ({
            type: "tool_call" as const,
            name: "Write",
            arguments: { file_path, content: "once\n" },
          })),
        ],
      },
      {
        blocks: [{ type: "text", text: "half of an answer" }],
        fault: { type: "stall", after: { deltas: 1 } },
      },
      { blocks: [{ type: "text", text: "Written." }] },
    ];
    const server = await startServerOf(row, { answers });
    try {
      const cwd = home.workspace;
      const env = { ...home.env, [row.keyVariable]: canary };
      const start = ["run", "--pod", "p", "-m", `${row.provider}/${row.id}`, "--base-url", server.url];
      const killed = startYoi([...start, "write files"], { env, cwd });
      await Promise.race([server.arrived(2), killed.ended]);
      killed.kill("SIGKILL");
      assert.equal((await killed.ended).signal, "SIGKILL", killed.output().stderr);

      const resumed = await runYoi(["run", "--pod", "p", "--base-url", server.url], { env, cwd });
      assert.deepEqual([resumed.code, resumed.stdout.endsWith("Written.\n")], [0, true], resumed.stderr);
      const verified = await runYoi(["pod", "verify", "p", "--wire", "--json"], { env: home.env, cwd });
      assert.equal(verified.code, 0, verified.stderr);
      const { ok, requests, wire_checked } = JSON.parse(verified.stdout) as Record<string, unknown>;
      assert.deepEqual({ ok, requests, wire_checked }, { ok: true, requests: 3, wire_checked: 3 });

      for (const file of files) assert.equal(readFileSync(file, "utf8"), "once\n");
      assert.equal(server.requests.length, 3);
      for (const { headers, path, raw } of server.requests) {
        assert.ok(String(headers[row.keyHeader]).endsWith(canary));
        assert.ok(!path.includes(canary) && !raw.includes(canary));
      }
      assert.deepEqual(
        server.requests.map(({ raw }) => raw.includes(signature)),
        [false, true, true],
      );
      for (const file of filesBelow(home.root)) assert.ok(!readFileSync(file).includes(canary), file);
    } finally {
      await server.close();
    }
  });
}
