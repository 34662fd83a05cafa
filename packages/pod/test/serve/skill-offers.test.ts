/** What clients are told of the skills that a Pod can load. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { skillOfferCharsMax, skillsOfferedMax } from "@yoi/protocol";
import { skillOffers } from "../../src/serve/skill-offers.ts";

test("skills are offered by name, with nothing of them but that and what they are for", () => {
  const skills = [
    { name: "release", description: "How a release is made.", path: "/w/.yoi/skills/release" },
    { name: "a", description: "" },
  ];
  assert.deepEqual(skillOffers(skills), [
    { name: "a", description: "" },
    { name: "release", description: "How a release is made." },
  ]);
});

test("a description is cut at its limit, and never in the middle of a character", () => {
  const said = (description: string) => skillOffers([{ name: "a", description }])[0]?.description;
  const most = "x".repeat(skillOfferCharsMax);
  assert.equal(said(most), most);
  assert.equal(said(`${most}y`), most);
  const wide = `${"x".repeat(skillOfferCharsMax - 1)}🙂`;
  assert.equal(said(wide), "x".repeat(skillOfferCharsMax - 1));
  assert.equal(said(wide.slice(1)), wide.slice(1));
});

test("of more skills than a view names, the last ones are left out", () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      name: `s${String(at).padStart(4, "0")}`,
      description: "",
    }));
  assert.deepEqual(skillOffers(many(skillsOfferedMax)), many(skillsOfferedMax));
  assert.deepEqual(skillOffers(many(skillsOfferedMax + 1).toReversed()), many(skillsOfferedMax));
});
