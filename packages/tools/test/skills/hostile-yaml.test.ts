/** YAML of strangers: no front matter of a SKILL.md keeps a Pod from starting, or says anything on standard error. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { yamlNestingMax } from "@yoi/base";
import { parseDocument } from "yaml";
import { parseSkill } from "../../src/skills/parse-skill.ts";
import { skillFrontBytesMax } from "../../src/skills/skill.ts";

const units = [
  "{",
  "[",
  "{a: ",
  "[? ",
  "{? ",
  "- ",
  "? ",
  "- ? ",
  "- {",
  "a: {",
  "!! ",
  "&a ",
  "*a ",
  "? \n",
  "a:\n",
];
const whole = (yaml: string) => parseSkill(`---\nname: a\ndescription: b\n${yaml}\n---\nc`, "a");
/** Ten times what the slowest takes on a busy machine. */
const longestMs = 1000;

const took = (work: () => unknown): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

test("whatever is open in a front matter, it is refused at once", () => {
  const long = units.map((unit) => unit.repeat(skillFrontBytesMax).slice(0, skillFrontBytesMax - 100));
  // Valid: the parser would not give up on it.
  for (const yaml of [`k: ${"{".repeat(320)}${"}".repeat(320)}`, ...long]) {
    const ms = took(() => assert.equal(whole(yaml).ok, false, yaml.slice(0, 20)));
    assert.ok(ms < longestMs, `${JSON.stringify(yaml.slice(0, 20))} took ${ms} ms`);
  }
});

test("control: the parser alone takes many times as long for twice as much, of a few hundred already", () => {
  const options = { prettyErrors: false, logLevel: "error" } as const;
  const alone = (count: number) =>
    took(() => parseDocument("{".repeat(count), options).toJS({ maxAliasCount: 0 }));
  alone(100);
  const fewMs = alone(100);
  const twiceMs = alone(200);
  assert.ok(twiceMs > 4 * fewMs, `${twiceMs} ms for 200 open maps, ${fewMs} ms for 100`);
});

test("lists and maps in each other have a most", () => {
  const open = (count: number) => whole(`metadata: ${"{".repeat(count)}${"}".repeat(count)}`);
  // The line's own colon counts.
  assert.equal(open(yamlNestingMax - 1).ok, true);
  assert.deepEqual(open(yamlNestingMax), {
    ok: false,
    fault: { line: 1, what: `its front matter is nested deeper than ${yamlNestingMax} lists and maps` },
  });
});
