/** Bash and Read together, with the real runner: long output, a failure, live output, and a workspace that had no `.yoi`. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { test } from "node:test";
import { callId, type JsonObject, podName } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createScopedFiles, createSeen, createTools } from "@yoi/tools";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { harness } from "./harness.ts";

const modes = [
  { mode: "on", skip: noBubblewrap() },
  { mode: "off", skip: false },
] as const;

for (const { mode, skip } of modes) {
  test(`sandbox ${mode}: Bash and what Read shows of it`, { skip }, async () => {
    const { place, runner, close } = await harness({ mode });
    const host = nodeHost();
    const files = createScopedFiles({ scope: () => place.scope, protection: place.protection });
    const spillDirectory = `${place.data}/spill/p`;
    const tools = createTools({
      seen: createSeen(),
      seesImages: () => false,
      mayShow: () => true,
      files,
      runner,
      scope: () => place.scope,
      network: false,
      pod: podName("p"),
      workspace: place.workspace,
      spillDirectory,
      hostFiles: host.files,
      timers: host.timers,
    });
    const reports: string[] = [];
    const call = async (name: string, args: JsonObject) => {
      const tool = tools.find(({ definition }) => definition.name === name);
      return await tool?.execute(args, {
        call: callId(2, 1),
        signal: new AbortController().signal,
        progress: (text) => reports.push(text),
      });
    };
    try {
      rmSync(`${place.workspace}/.yoi`, { recursive: true });
      assert.deepEqual(await call("Bash", { command: "echo one; echo two >&2; exit 4" }), {
        summary: "$ echo one; echo two >&2; exit 4 (exit 4)",
        content: "one\ntwo",
      });
      if (mode === "on")
        assert.deepEqual(readdirSync(`${place.workspace}/.yoi`), [], "its place is held, and nothing else");
      assert.equal(existsSync(`${place.workspace}/.git/hooks/pre-commit`), false);

      const long = await call("Bash", { command: "seq 1 200" });
      assert.equal(long?.summary, "$ seq 1 200");
      assert.match(
        long?.content ?? "",
        /^\[200 lines, 692 bytes in all; the last 80 lines follow; all of it: .*\/spill\/p\/2\.1\.log\]\n121\n/,
      );
      const read = await call("Read", { file_path: `${spillDirectory}/2.1.log`, offset: 3, limit: 1 });
      assert.equal(read?.content, "     3\t3");
      assert.equal((await call("Bash", { command: `tail -n 1 ${spillDirectory}/2.1.log` }))?.content, "200");

      reports.length = 0;
      await call("Bash", { command: "echo early; sleep 0.5; echo late" });
      assert.deepEqual(reports, ["early\n", "late\n"]);
      const late = await call("Bash", { command: "echo kept; sleep 30", timeout_s: 1 });
      assert.deepEqual(late, {
        summary: "$ echo kept; sleep 30 (timed out after 1 s; everything it started was ended)",
        content: "kept",
      });
    } finally {
      await close();
    }
  });
}
