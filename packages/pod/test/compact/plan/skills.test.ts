/** A skill over a compaction: with the input that asked for it, and known as loaded only where its whole text goes on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type Item, skillItem } from "@yoi/base";
import { createLoadedSkills } from "../../../../tools/src/skills/loaded-skills.ts";
import { cutPlaces } from "../../../src/compact/plan/history-parts.ts";
import { called, carriedOn, committed, inputOf, note, planned, said, user } from "./histories.ts";

const skill = {
  name: "review",
  path: "/w/review/SKILL.md",
  sha256: "ab",
  body: `[Skill: review]\n${"Look at every line.\n".repeat(200)}`,
};
const loaded = skillItem(skill, "model");

function isKnown(items: ReturnType<typeof committed>): boolean {
  const known = createLoadedSkills();
  known.recall(items);
  return known.has(skill);
}

test("no input is parted from the skill that it begins with, and no call from the one that it loaded", () => {
  const call = callId(9, 0);
  const items = committed([
    user("/review src"),
    skillItem(skill, "user"),
    note("[File: a]", { kind: "file_attachment" }),
    said("Yes."),
    { type: "tool_call", call, name: "Skill", arguments: '{"name":"review"}' },
    loaded,
    { type: "tool_result", call, name: "Skill", summary: "Loaded", is_error: false },
    said("Done."),
  ]);
  assert.deepEqual(cutPlaces(items), [0, 3, 7, 8]);
});

test("what is left out of history, or cut, can be loaded again; what goes on whole is known", () => {
  const work: readonly Item[] = Array.from({ length: 12 }, (_, index) => [
    ...called(index + 10, "x".repeat(6_000)),
    said(`step ${index}`),
  ]).flat();
  const first = committed([
    user("go"),
    ...called(1, "a"),
    loaded,
    said("ok"),
    ...work,
    user("now"),
    said("ok"),
  ]);
  assert.ok(isKnown(first));
  const cut = carriedOn(planned(inputOf(first)));
  assert.ok(cut.length < first.length);
  assert.equal(isKnown(cut), false);
  const last = committed([user("go"), ...work, user("/review"), loaded, said("ok")]);
  const kept = carriedOn(planned(inputOf(last)));
  assert.ok(kept.some(({ item }) => item === loaded));
  assert.ok(isKnown(kept));
});
