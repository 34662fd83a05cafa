/** The read-before-edit guard of the real file tools over 20 compactions and restarts. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { protectionOf, scopeRule } from "@yoi/scope";
import { createScopedFiles, createSeen, createTools, recallSeen } from "@yoi/tools";
import { podName, type ToolResult } from "@yoi/base";
import type { MadeAnswer } from "./answering-model.ts";
import { blobTool, openCompacting, storedTimeline, textInput } from "./bench.ts";

const compactions = 20;

/** The file tools of one process, which knows nothing of what another one was shown. */
function toolsOf(workspace: string, host: ReturnType<typeof memoryHost>) {
  const seen = createSeen();
  const scope = { allow: [scopeRule(workspace, "write")], deny: [] };
  const own = join(workspace, ".own");
  const files = createScopedFiles({
    scope: () => scope,
    protection: protectionOf({ workspace, home: own, own: [own], spill: own }),
  });
  const unused = () => assert.fail("no command is run here");
  const tools = createTools({
    files,
    seen,
    seesImages: () => false,
    mayShow: () => true,
    runner: {
      status: { mode: "off" },
      run: unused,
      runProgram: unused,
      endStrays: async () => 0,
      close: async () => {},
    },
    scope: () => scope,
    pod: podName("sim"),
    workspace,
    network: false,
    spillDirectory: own,
    hostFiles: host.files,
    timers: host.timers,
  });
  return { seen, tools: tools.filter(({ definition: { name } }) => name === "Read" || name === "Edit") };
}

test("files that were read are edited 20 compactions later without another Read; one that was changed meanwhile is refused", async () => {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "yoi-compacted-files-")));
  try {
    const at = (name: string) => join(workspace, name);
    for (const name of ["kept.txt", "changed.txt", "unread.txt"]) writeFileSync(at(name), "one\ntwo\n");
    const host = memoryHost({ seed: 61 });
    const leases = new Map();
    const results: ToolResult[] = [];
    const edit = (name: string) => ({
      name: "Edit",
      args: { file_path: at(name), old_string: "two", new_string: "2" },
    });
    const answerTo = (text: string): MadeAnswer => {
      if (text.includes("read"))
        return {
          calls: ["kept.txt", "changed.txt"].map((name) => ({ name: "Read", args: { file_path: at(name) } })),
        };
      if (text.includes("edit")) return { calls: ["kept.txt", "changed.txt", "unread.txt"].map(edit) };
      return { calls: [{ name: "Blob", args: { bytes: 14_000 } }] };
    };
    const open = () => {
      const { seen, tools } = toolsOf(workspace, host);
      return openCompacting({
        host,
        leases,
        contextWindow: 60_000,
        tools: [...tools, blobTool],
        recall: (items, extent) => {
          if (extent === "whole") seen.forget();
          recallSeen(seen, items);
        },
        readFiles: () => seen.list(),
        answer: ({ items }) => {
          const last = items.at(-1)?.item;
          return last?.type === "user_message" ? answerTo(JSON.stringify(last.parts)) : { text: "done" };
        },
        committed: (entries) => {
          for (const entry of entries) if (entry.kind === "tool_result") results.push(entry.item);
        },
      });
    };
    let pod = await open();
    await pod.submit(textInput("read them"));
    for (let round = 0; round < compactions; round += 1) {
      for (const step of [1, 2, 3]) await pod.submit(textInput(`look ${round} ${step}`));
      await pod.compact();
      if (round % 7 !== 5) continue;
      await pod.close();
      pod = await open();
    }
    assert.equal((await storedTimeline(host)).length, compactions + 1);
    writeFileSync(at("changed.txt"), "two and a half\n");
    results.length = 0;
    await pod.submit(textInput("edit them"));
    await pod.close();
    assert.deepEqual(
      results.map(({ is_error, summary }) => `${is_error ? "error: " : ""}${summary}`).toSorted(),
      [
        `Edited "${at("kept.txt")}" (1 replacement)`,
        `error: "${at("changed.txt")}" was changed since it was read: read it again.`,
        `error: "${at("unread.txt")}" was not read: read it before you edit it.`,
      ],
    );
    assert.equal(readFileSync(at("kept.txt"), "utf8"), "one\n2\n");
    assert.equal(readFileSync(at("changed.txt"), "utf8"), "two and a half\n");
  } finally {
    rmSync(workspace, { recursive: true });
  }
});
