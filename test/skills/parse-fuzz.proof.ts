/** Any text as a SKILL.md: it is a skill within the limits, or a sentence, at once, and nothing is thrown. */
import assert from "node:assert/strict";
import { isSkillName } from "@yoi/base";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { parseSkill } from "../../packages/tools/src/skills/parse-skill.ts";
import { skillDescriptionCharsMax } from "../../packages/tools/src/skills/skill.ts";
import type { Proof } from "../support/proof.ts";

const sound =
  "---\nname: review\ndescription: How it is done.\nallowed-tools: Read, Bash(git:*)\nmetadata: {a: [b]}\n---\n# Do\n\nit.\n";
const pieces = [
  "---",
  "\n",
  "\r\n",
  "name: review",
  "description: ",
  "  ",
  "\t",
  ": ",
  "#",
  "- ",
  "[",
  "]",
  "{",
  "}",
  "&a ",
  "*a",
  "<<: ",
  "!!js/function ",
  "!!binary ",
  "|\n",
  ">-\n",
  "'",
  '"',
  "\\",
  "\u0000",
  "\u2028",
  "\u202e",
  "\ud800",
  "日本",
  "🙂",
  "__proto__: ",
  "constructor: ",
  "%YAML 1.1\n",
  "...\n",
  "? ",
  "@",
  "`",
  "0x10",
  ".nan",
  "~",
  "yes",
];

/** A sound text with pieces put in, cut out and doubled, or pieces alone. */
function textOf(index: number): string {
  const random = seededRandom(index);
  let text = index % 3 === 0 ? "---\n" : sound;
  for (let edits = 1 + random.below(24); edits > 0; edits -= 1) {
    const at = random.below(text.length + 1);
    const piece = (pieces[random.below(pieces.length)] ?? "").repeat(random.below(20) === 0 ? 500 : 1);
    const cut = random.below(3) === 0 ? random.below(12) : 0;
    text = text.slice(0, at) + piece + text.slice(at + cut);
  }
  return text;
}

export const parseFuzz: Proof = {
  name: "any text is a skill within the limits or a sentence about what is wrong with it",
  cases: { test: 1_500, prove: 300_000 },
  async check(index) {
    const text = textOf(index);
    const parsed = parseSkill(text, "review");
    if (!parsed.ok) {
      const { line, what } = parsed.fault;
      assert.ok(line === null || (line >= 1 && line <= text.split("\n").length), `line ${line}`);
      assert.ok(what.length > 0 && !/[\r\n]/.test(what), what);
      return;
    }
    const { head, body } = parsed;
    assert.ok(isSkillName(head.name) && head.name === "review");
    assert.ok(head.description !== "" && [...head.description].length <= skillDescriptionCharsMax);
    assert.ok(body !== "" && text.includes(body));
    // As it goes on the wire and to `--json`.
    assert.deepEqual(JSON.parse(JSON.stringify(head)), head);
    assert.equal(Object.getPrototypeOf(head.metadata ?? {}), Object.prototype);
  },
};
