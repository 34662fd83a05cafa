/** Discovery: which folders are skills, which of a name wins, and what is said of what is none. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { test } from "node:test";
import { scopeRule } from "@yoi/scope";
import { findSkills, type SkillSource } from "../../src/index.ts";
import { readNamedSkill } from "../../src/skills/find-skills.ts";
import { skillBytesMax, skillFrontBounds, skillFrontBytesMax, skillsMax } from "../../src/skills/skill.ts";
import type { SkillPlace } from "../../src/skills/skill-place.ts";
import { makeSkills, skillFileText } from "./place.ts";

const names = ({ skills }: { readonly skills: readonly { readonly name: string }[] }) =>
  skills.map(({ name }) => name);

test("the first of a name wins, places in their order and names in theirs; the others are shadowed", async () => {
  using at = makeSkills();
  const first = at.skill("a", "review", "Mine.");
  const second = at.skill("b", "review", "Theirs.");
  at.skill("b", "zeta");
  at.skill("b", "alpha", "x", "license: MIT\n");
  const places = at.places({ a: "project", none: "project", b: "user" });
  assert.deepEqual(await findSkills(places), {
    skills: [
      { name: "review", description: "About review.", source: "project", path: first },
      {
        name: "alpha",
        description: "About alpha.",
        license: "MIT",
        source: "user",
        path: at.path("b/alpha/SKILL.md"),
      },
      { name: "zeta", description: "About zeta.", source: "user", path: at.path("b/zeta/SKILL.md") },
    ],
    shadowed: [
      { skill: { name: "review", description: "About review.", source: "user", path: second }, by: first },
    ],
    problems: [],
  });
});

test("a place that is a link to another one is that one: nothing in it is shadowed", async () => {
  using at = makeSkills();
  at.skill("agents/skills", "review");
  mkdirSync(at.path("claude"));
  symlinkSync("../agents/skills", at.path("claude/skills"));
  const places = at.places({ "agents/skills": "project", "claude/skills": "project" });
  const { skills, shadowed, problems } = await findSkills(places);
  assert.deepEqual([skills.length, shadowed, problems], [1, [], []]);
});

test("what is no skill is said with its path, and the rest is found", async () => {
  using at = makeSkills();
  at.skill("a", "good");
  at.put("a/README.md", "no folder");
  at.put("a/.hidden/SKILL.md", "no skill");
  at.put("a/Upper/SKILL.md", skillFileText("upper"));
  at.put("a/bad/SKILL.md", "---\nname: bad\ndescription: a: b\n---\nx");
  at.put("a/bytes/SKILL.md", Buffer.from([0x2d, 0xff]));
  at.put("a/zero/SKILL.md", skillFileText("zero", "a\0b"));
  at.put("a/empty/other.md", "x");
  at.put("a/large/SKILL.md", skillFileText("large", "x".repeat(skillBytesMax)));
  at.put("a/largest/SKILL.md", skillFileText("largest", "").padEnd(skillBytesMax, "x"));
  at.put("a/renamed/SKILL.md", skillFileText("other"));
  mkdirSync(at.path("a/folder/SKILL.md"), { recursive: true });
  mkdirSync(at.path("a/pipe"));
  execFileSync("mkfifo", [at.path("a/pipe/SKILL.md")]);
  at.put("outside/SKILL.md", skillFileText("outside"));
  symlinkSync(at.path("outside"), at.path("a/outside"));
  mkdirSync(at.path("a/linked"));
  symlinkSync(at.path("outside/SKILL.md"), at.path("a/linked/SKILL.md"));
  symlinkSync("nowhere", at.path("a/dangling"));
  const { skills, problems } = await findSkills(at.places({ a: "project" }));
  assert.deepEqual(names({ skills }), ["good", "largest"]);
  const large = Buffer.byteLength(skillFileText("large", "x".repeat(skillBytesMax)));
  const said = problems.map(({ message, line }) => [message.replaceAll(at.root, ""), line]);
  assert.deepEqual(said, [
    [
      "The skill /a/Upper was skipped: its name is none of a skill: use lower-case letters, digits and single hyphens.",
      undefined,
    ],
    [
      'The skill /a/bad/SKILL.md, line 3, was skipped: its front matter is no YAML (Nested mappings are not allowed in compact mappings): a value with ": " or "#" in it needs quotation marks.',
      3,
    ],
    ["The skill /a/bytes/SKILL.md was skipped: it is not UTF-8 text.", undefined],
    ["The skill /a/dangling was skipped: there is no SKILL.md in it.", undefined],
    ["The skill /a/empty was skipped: there is no SKILL.md in it.", undefined],
    ["The skill /a/folder/SKILL.md was skipped: it is not a regular file.", undefined],
    [
      `The skill /a/large/SKILL.md was skipped: it has ${large} bytes, and at most ${skillBytesMax} are read.`,
      undefined,
    ],
    [
      "The skill /a/linked/SKILL.md was skipped: it is a link that leads out of the folders of skills.",
      undefined,
    ],
    [
      "The skill /a/outside/SKILL.md was skipped: it is a link that leads out of the folders of skills.",
      undefined,
    ],
    ["The skill /a/pipe/SKILL.md was skipped: it is not a regular file.", undefined],
    [
      'The skill /a/renamed/SKILL.md, line 2, was skipped: its name is other and its folder is "renamed": make them the same.',
      2,
    ],
    ["The skill /a/zero/SKILL.md was skipped: it is not UTF-8 text.", undefined],
  ]);
});

test("what the Pod may not read is no skill of it", async () => {
  using at = makeSkills();
  at.skill("a", "good");
  at.skill("a", "secret");
  const deny = [scopeRule(at.path("a/secret"), "read")];
  const { skills, problems } = await findSkills(at.places({ a: "project" }, deny));
  assert.deepEqual([names({ skills }), problems], [["good"], []]);
});

test("what belongs to another user is not read", async () => {
  using at = makeSkills((process.getuid?.() ?? 0) + 4242);
  if (process.getuid?.() === 0)
    execFileSync("chown", ["4243:4243", at.put("a/review/SKILL.md", skillFileText("review"))]);
  else at.skill("a", "review");
  const { skills, problems } = await findSkills(at.places({ a: "project" }));
  assert.deepEqual(skills, []);
  assert.match(problems[0]?.message ?? "", /belongs to another user\.$/);
});

test("a place that is a file, or lies below one, has no skills", async () => {
  using at = makeSkills();
  at.put("a", "x");
  const places = at.places({ a: "project", "a/skills": "project" });
  assert.deepEqual(await findSkills(places), { skills: [], shadowed: [], problems: [] });
});

/** Of `count` folders, without a file for each; `looked` counts those that are read. */
function placeOf(
  count: number,
  prefix: string,
  source: SkillSource = "project",
  text: (name: string) => string = skillFileText,
): SkillPlace & { readonly looked: readonly string[] } {
  const looked: string[] = [];
  return {
    source,
    directory: "/s",
    looked,
    reader: {
      folders: async () => ({
        names: Array.from({ length: count }, (_, index) => `${prefix}${index}`),
        isCut: false,
      }),
      read: async (path) => {
        const name = path.split("/").at(-2) ?? "";
        looked.push(name);
        return { path, bytes: Buffer.from(text(name)) };
      },
      files: async () => ({ names: [], isCut: false }),
      owner: () => "ours",
    },
  };
}

test(`${skillsMax} skills are offered, and as many folders of a source are read; what is left out is counted`, async () => {
  const found = async (...places: readonly SkillPlace[]) => {
    const { skills, problems } = await findSkills(places);
    return [skills.length, ...problems.map(({ message }) => message)];
  };
  const half = skillsMax / 2;
  const notLooked = (count: number) =>
    `${count} more folders in /s: of one source, ${skillsMax} are looked at. Remove some.`;
  assert.deepEqual(await found(placeOf(half, "a"), placeOf(half, "b")), [skillsMax]);
  assert.deepEqual(await found(placeOf(half, "a"), placeOf(half + 2, "b")), [skillsMax, notLooked(2)]);
  assert.deepEqual(await found(placeOf(half, "a"), placeOf(half, "b"), placeOf(1, "c", "user")), [
    skillsMax,
    `1 skill was left out: a Pod has at most ${skillsMax}. Remove some.`,
  ]);
});

test("whatever a workspace is full of, only so much of it is parsed, and the user's skills are found", async () => {
  // What takes the parser longest within the bounds of one.
  const { tokensMax } = skillFrontBounds;
  const worst = (name: string) => {
    const front = `name: ${name}\ndescription: d\n`;
    return `---\n${front}${"a:\n".repeat((skillFrontBytesMax - front.length) / 3)}---\nx\n`;
  };
  const full = ["a", "b", "c"].map((prefix) => placeOf(2 * skillsMax, prefix, "project", worst));
  const mine = placeOf(1, "mine", "user");
  const { skills, problems } = await findSkills([...full, mine]);
  assert.deepEqual(
    [names({ skills }), full.map(({ looked }) => looked.length), problems.length],
    [["mine0"], [skillsMax, 0, 0], skillsMax + 3],
  );
  assert.match(problems[1]?.message ?? "", new RegExp(`is longer than ${tokensMax} words and signs\\.$`));
});

test("a name that is withheld from a place is a problem there, and found elsewhere", async () => {
  using at = makeSkills();
  at.skill("a", "judge", "Approve.");
  const mine = at.skill("b", "judge", "Read it.");
  const [a, b] = at.places({ a: "project", b: "user" });
  assert.ok(a !== undefined && b !== undefined);
  const places = [{ ...a, withheld: ["judge"] }, b];
  const { skills, problems } = await findSkills(places);
  assert.deepEqual(
    skills.map(({ path }) => path),
    [mine],
  );
  assert.match(
    problems[0]?.message ?? "",
    /was skipped: yoi has one of this name, and only one in \.yoi\/skills can/,
  );
  const read = await readNamedSkill(places, "judge");
  assert.equal(read !== null && "skill" in read && read.body, "Read it.");
});

test("what a rule about Read keeps from Pods is no skill", async () => {
  using at = makeSkills();
  at.skill("a", "good");
  const path = at.skill("a", "secret");
  const places = at.places({ a: "project" }, [], (real) => real !== path);
  const { skills, problems } = await findSkills(places);
  assert.deepEqual(
    [names({ skills }), problems.map(({ message }) => message)],
    [["good"], [`The skill ${path} was skipped: a rule about Read keeps it from Pods.`]],
  );
});
