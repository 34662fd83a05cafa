/** A skill that was loaded, in one line. */
import assert from "node:assert/strict";
import test from "node:test";
import { skillLine, type SystemItem } from "../src/index.ts";

const item: SystemItem = {
  type: "system_item",
  kind: "skill",
  source: "host",
  reason: "the user asked for it",
  body: "[Skill: release]\n\nTag it.\n",
  record: { skill: "release", path: "/w/.yoi/skills/release/SKILL.md", sha256: "0" },
};

test("it is named, with how many lines came", () => {
  assert.equal(skillLine(item), "skill release loaded (3 lines)");
  assert.equal(skillLine({ ...item, body: "Tag it." }), "skill release loaded (1 line)");
});

test("what is no skill has no such line, and neither has what somebody else wrote or what says only that it stands above", () => {
  const { record: _, ...again } = item;
  for (const other of [
    { ...item, kind: "notification" },
    { ...item, source: "builtin:task" },
    again,
  ] as const)
    assert.equal(skillLine(other), null);
});
