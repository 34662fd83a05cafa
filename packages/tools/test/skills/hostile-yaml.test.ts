/** YAML of strangers: no front matter of a SKILL.md keeps a Pod from starting, or says anything on standard error. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { whyYamlBeyond } from "@yoi/base";
import { Lexer, parseDocument } from "yaml";
import { parseSkill } from "../../src/skills/parse-skill.ts";
import { skillFrontBounds, skillFrontBytesMax } from "../../src/skills/skill.ts";

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

test("it is counted what stands in each other, and not what stands on one line", () => {
  const depthOf = (yaml: string): number => {
    let depth = 0;
    while (whyYamlBeyond(new Lexer().lex(yaml), { nestingMax: depth, tokensMax: Infinity }) !== null)
      depth += 1;
    return depth;
  };
  const rows: readonly (readonly [string, number])[] = [
    ["", 0],
    ["a: 1\nb: 2\n", 1],
    [JSON.stringify({ a: 1, b: 2, c: { d: [1, { e: 2 }] } }), 4],
    ["a: {b: 1, c: 2, d: 3}", 2],
    ["a:\n  {\n              b: 1,\n              c: 2 }\n", 2],
    ["a: |\n                  deep\n", 1],
    // Open brackets end where the next line stands further left; what follows is counted anew.
    ["a: [\n- - - - -\n", 5],
    ["]]]] [[", 2],
    ["- ? - a", 3],
    ["a:\n  b:\n    c: 1", 3],
  ];
  assert.deepEqual(
    rows.map(([yaml]) => [yaml, depthOf(yaml)]),
    rows,
  );
});

test("control: the parser alone takes many times as long for twice as much, of a few hundred already", () => {
  const options = { prettyErrors: false, logLevel: "error" } as const;
  const alone = (count: number) =>
    took(() => parseDocument("{".repeat(count), options).toJS({ maxAliasCount: 0 }));
  // The least of some: others use this machine too.
  const fewMs = Math.min(...Array.from({ length: 5 }, () => alone(100)));
  const twiceMs = alone(200);
  assert.ok(twiceMs > 4 * fewMs, `${twiceMs} ms for 200 open maps, ${fewMs} ms for 100`);
});

test("lists and maps in each other have a most", () => {
  const open = (count: number) => whole(`metadata: ${"[".repeat(count)}${"]".repeat(count)}`);
  // The line's own colon counts.
  const { nestingMax } = skillFrontBounds;
  assert.equal(open(nestingMax - 1).ok, true);
  assert.deepEqual(open(nestingMax), {
    ok: false,
    fault: { line: 1, what: `its front matter is nested deeper than ${nestingMax} lists and maps` },
  });
});

test("words and signs have a most, however few bytes they are", () => {
  const { tokensMax } = skillFrontBounds;
  const listed = (commas: number) => `name: a\ndescription: b\nmetadata: {a: [b${",b".repeat(commas)}]}\n`;
  const count = (commas: number) => [...new Lexer().lex(listed(commas))].length;
  const per = count(1) - count(0);
  const most = Math.floor((tokensMax - count(0)) / per);
  assert.ok(count(most) <= tokensMax && count(most + 1) > tokensMax);
  const parsed = (commas: number) => parseSkill(`---\n${listed(commas)}---\nc`, "a");
  assert.equal(parsed(most).ok, true);
  assert.deepEqual(parsed(most + 1), {
    ok: false,
    fault: { line: 1, what: `its front matter is longer than ${tokensMax} words and signs` },
  });
});
