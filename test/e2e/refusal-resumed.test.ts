/** A run that was refused a permission ends with exit 6 also when it was killed and another process resumed it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { type Answer, startAnthropicServer } from "../support/anthropic-server.ts";
import { tempHome } from "../support/temp-home.ts";
import { startYoi } from "../support/yoi-process.ts";

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGKILL", null],
] as const) {
  test(`refused, then ${signal} while the model answers, then resumed: exit 6 and the refusal is listed`, async () => {
    using home = tempHome();
    const target = join(home.workspace, "out.txt");
    const answers: readonly Answer[] = [
      { blocks: [{ type: "tool_call", name: "Write", arguments: { file_path: target, content: "x" } }] },
      { blocks: [{ type: "text", text: "half of an answer" }], fault: { type: "stall", after: 3 } },
      { blocks: [{ type: "text", text: "done without it" }] },
    ];
    const server = await startAnthropicServer({ handler: (_, index) => answers[index] ?? "hang_up" });
    try {
      const flags = ["--pod", "refused", "--permission-mode", "ask", "--output-format", "json"];
      const model = ["--model", "anthropic/claude-sonnet-4-5", "--base-url", server.url];
      const options = { env: { ...home.env, ANTHROPIC_API_KEY: "test" }, cwd: home.workspace };
      const first = startYoi(["run", "go", ...flags, ...model], options);
      const early = first.ended.then((end) => assert.fail(`it ended by itself: ${JSON.stringify(end)}`));
      await Promise.race([server.arrived(2), early]);
      early.catch(() => undefined);
      first.kill(signal);
      assert.equal((await first.ended).code, code);
      const resumed = await startYoi(["run", ...flags, ...model], options).ended;
      assert.equal(resumed.code, 6, resumed.stdout + resumed.stderr);
      const result = JSON.parse(resumed.stdout) as {
        readonly subtype: string;
        readonly permission_denials: readonly {
          readonly tool: string;
          readonly target: string;
          readonly kind: string;
        }[];
      };
      assert.equal(result.subtype, "permission_needed");
      assert.deepEqual(
        result.permission_denials.map(({ tool, target: of, kind }) => [tool, of, kind]),
        [["Write", target, "asked"]],
      );
    } finally {
      await server.close();
    }
  });
}
