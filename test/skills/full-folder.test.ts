/** A folder of skills that is full of other things: on a real disk, that many files take longer than a unit test may. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { findSkills, listedEntriesMax } from "../../packages/tools/src/index.ts";
import { readNamedSkill } from "../../packages/tools/src/skills/find-skills.ts";
import { makeSkills } from "../../packages/tools/test/skills/place.ts";

test("a folder with more entries than are looked at says so, and a skill in it is found by its name", async () => {
  using at = makeSkills();
  at.skill("a", "zz");
  for (let index = 0; index < listedEntriesMax - 1; index += 1) writeFileSync(at.path(`a/f${index}`), "");
  const places = at.places({ a: "project" });
  assert.deepEqual((await findSkills(places)).problems, []);
  writeFileSync(at.path("a/g"), "");
  const { problems } = await findSkills(places);
  assert.deepEqual(
    problems.map(({ message }) => message),
    [`${at.path("a")} holds more than the ${listedEntriesMax} entries that are looked at: remove some.`],
  );
  const read = await readNamedSkill(places, "zz");
  assert.equal(read !== null && "skill" in read && read.skill.name, "zz");
});
