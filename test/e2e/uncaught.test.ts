/** A run that is on record is answered for, also when an error that nobody caught ends the process while its Pod closes. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { startAnthropicServer } from "../support/anthropic-server.ts";
import { tempHome } from "../support/temp-home.ts";
import { anthropicFlags, runYoi } from "../support/yoi-process.ts";

const throws = new URL("throws-while-closing.ts", import.meta.url).href;
const main = new URL("../../packages/cli/src/main.ts", import.meta.url).href;
/** The source, never a bundle of it: what is preloaded has to meet the same modules. */
const program = [
  "--input-type=module",
  "-e",
  `await (await import("${main}")).main(process.argv.slice(1));`,
  "--",
];

/** What one start compiled the next ones need not: there is no bundle of it. */
const compiled = mkdtempSync(join(tmpdir(), "yoi-compiled-"));
after(() => rmSync(compiled, { recursive: true, force: true }));

async function run(format: string, env: Readonly<Record<string, string>>) {
  using home = tempHome();
  const server = await startAnthropicServer({
    answers: [{ blocks: [{ type: "text", text: "Forty-two." }] }],
  });
  try {
    return await runYoi(
      [...program, "run", "go", "--output-format", format, ...anthropicFlags("p", server.url, "off")],
      {
        env: { ...home.env, NODE_COMPILE_CACHE: compiled, ANTHROPIC_API_KEY: "sk-ant-of-no-use", ...env },
        cwd: home.workspace,
        command: process.execPath,
      },
    );
  } finally {
    await server.close();
  }
}

for (const format of ["text", "json", "stream-json"]) {
  test(`a run's answer and exit code survive an uncaught error at its close: ${format}`, async () => {
    const control = await run(format, {});
    assert.doesNotMatch(control.stderr, /bug/);
    const { code, stdout, stderr } = await run(format, { NODE_OPTIONS: `--import ${throws}` });
    assert.match(stderr, /yoi has a bug .*a listener of a feature/);
    assert.deepEqual([code, control.code], [0, 0]);
    if (format === "text") {
      assert.equal(stdout, "Forty-two.\n");
      return;
    }
    const results = stdout
      .split("\n")
      .filter((line) => line.includes('"subtype"'))
      .map((line) => JSON.parse(line) as { subtype: string; result: string });
    assert.deepEqual(
      results.map(({ subtype, result }) => ({ subtype, result })),
      [{ subtype: "success", result: "Forty-two." }],
    );
  });
}
