/** A tool that gives a skill: one batch of its note and the result, in this order, and the model sees it behind all results. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type SkillText, skillItem, type ToolOutput } from "@yoi/base";
import { bench, echo, tool } from "./support/bench-worker.ts";

const skill: SkillText = { name: "review", path: "/w/review/SKILL.md", sha256: "ab", body: "Do it so." };

async function ran(given: unknown) {
  const scenario = JSON.stringify({
    steps: [
      {
        tool_calls: [
          { name: "Skill", arguments: {} },
          { name: "Echo", arguments: { say: "a" } },
        ],
      },
      { text: "end" },
    ],
  });
  const skills = tool("Skill", async () => given as ToolOutput);
  const b = bench({ scenario, tools: [skills, echo()] });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "end" });
  b.history.assertReplays();
  b.history.assertBuilds();
  return b;
}

test("its note and the result are one batch, the note first; a request has it behind the results of the step", async () => {
  const { history, scripted } = await ran({ summary: "loaded", skill });
  assert.deepEqual(
    history.batches.filter((kinds) => kinds.includes("system_item")),
    [["system_item", "tool_result"]],
  );
  const notes = history.items.flatMap(({ item }) => (item.type === "system_item" ? [item] : []));
  assert.deepEqual(notes, [skillItem(skill, "model")]);
  const shown = scripted.requests.at(-1)?.items.map(({ item }) => item.type) ?? [];
  assert.deepEqual(shown.slice(-3), ["tool_result", "tool_result", "system_item"]);
});

test("what is no skill is left out, and the result stands", async () => {
  for (const odd of [null, 1, "x", {}, { ...skill, body: 1 }, { name: "review", body: "x" }]) {
    const { history } = await ran({ summary: "loaded", skill: odd });
    assert.deepEqual(
      history.items.filter(({ item }) => item.type === "system_item"),
      [],
    );
    assert.ok(history.story().includes("result: loaded"));
  }
});
