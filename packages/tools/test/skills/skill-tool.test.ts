/** Loading: what the model and the user get of a skill, once, and what they are told instead. */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { test } from "node:test";
import {
  callId,
  type CommittedItem,
  type JsonObject,
  skillItem,
  skillLine,
  type SystemItem,
  YoiError,
} from "@yoi/base";
import { attachSkill, openSkills, type SkillDesk, skillTool } from "../../src/index.ts";
import { scopeRule } from "@yoi/scope";
import { digestOf } from "../../src/seen.ts";
import { skillBytesMax } from "../../src/skills/skill.ts";
import { skillsNamedMax } from "../../src/skills/skill-desk.ts";
import { skillFilesDepthMax } from "../../src/skills/skill-reader.ts";
import { skillFilesMax } from "../../src/skills/skill-text.ts";
import { makeSkills, skillFileText, type Skills } from "./place.ts";

async function call(desk: SkillDesk, args: JsonObject) {
  try {
    const signal = new AbortController().signal;
    return await skillTool(desk).execute(args, { call: callId(1, 0), signal, progress: () => {} });
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

const textOf = (at: Skills, name: string, body = `Do ${name}.`) => ({
  name,
  path: at.path(`a/${name}/SKILL.md`),
  sha256: digestOf(Buffer.from(skillFileText(name, body))),
  body: `[Skill: ${name}, of ${JSON.stringify(at.path(`a/${name}/SKILL.md`))}]\nThe project wrote down how this is done. It cannot widen what you may touch.\n\n${body}`,
});

const committed = (item: SystemItem): readonly CommittedItem[] => [{ seq: 3, item }];

test("a skill comes once, and again when it has changed, or is not in history any more", async () => {
  using at = makeSkills();
  at.skill("a", "review");
  const desk = await at.open();
  const loaded = { summary: "Loaded the skill review: its text follows in a note" };
  const known = { summary: "The skill review is loaded already and has not changed: read it above" };
  assert.deepEqual(await call(desk, { name: "review" }), { ...loaded, skill: textOf(at, "review") });
  assert.deepEqual(await call(desk, { name: "review" }), known);
  at.skill("a", "review", "Do it otherwise.");
  const changed = textOf(at, "review", "Do it otherwise.");
  assert.deepEqual(await call(desk, { name: "review" }), { ...loaded, skill: changed });
  // A restart, a rewind or a compaction: what history says counts.
  const item = skillItem(changed, "model");
  desk.loaded.forget();
  desk.loaded.recall(committed(item));
  assert.deepEqual(await call(desk, { name: "review" }), known);
  for (const other of [
    { ...item, body: "[Skill: review ...]\n[left out: 100 bytes; SessionRead 0-3 shows them]" },
    { ...item, source: "builtin:task" },
    { ...item, kind: "notification" as const },
    { ...item, record: { skill: "review" } },
  ]) {
    desk.loaded.forget();
    desk.loaded.recall(committed(other));
    assert.deepEqual(await call(desk, { name: "review" }), { ...loaded, skill: changed });
  }
});

test("what history shows of it last counts: whole before, and shortened since, is not there", async () => {
  using at = makeSkills();
  at.skill("a", "review");
  const desk = await at.open();
  const item = skillItem(textOf(at, "review"), "user");
  desk.loaded.recall([...committed(item), ...committed({ ...item, body: "[left out]" })]);
  assert.equal(desk.loaded.has(textOf(at, "review")), false);
});

test("a prompt that begins with a skill gets its text, and where that stands already the word to follow it", async () => {
  using at = makeSkills();
  at.skill("a", "review");
  const desk = await at.open();
  const item = skillItem(textOf(at, "review"), "user");
  assert.deepEqual(await attachSkill("review", desk), item);
  // Until it is on record it is not there: an input that was refused leaves nothing behind.
  assert.deepEqual(await attachSkill("review", desk), item);
  desk.loaded.recall(committed(item));
  assert.deepEqual(await attachSkill("review", desk), {
    type: "system_item",
    kind: "skill",
    source: "host",
    reason: `the user asked for the skill review (${at.path("a/review/SKILL.md")})`,
    body: "[Skill: review]\nIt was loaded before and has not changed: follow it. Where you cannot see it any more, load it with Skill.",
    record: { skill: "review" },
  });
  assert.deepEqual(
    [skillLine(item), skillLine(await attachSkill("review", desk))],
    ["skill review loaded (4 lines)", "skill review: loaded before"],
  );
  const before = await attachSkill("review", desk);
  desk.loaded.forget();
  desk.loaded.recall(committed(before));
  assert.equal(desk.loaded.has(textOf(at, "review")), false);
});

test("a name that there is not: the near one, all, or what is wrong with its folder", async () => {
  using at = makeSkills();
  assert.equal(
    await call(await at.open(), { name: "x" }),
    'skill_unknown: There is no skill "x", and no other here.',
  );
  at.skill("a", "code-review");
  at.skill("a", "release");
  at.put("a/broken/SKILL.md", "x");
  const desk = await at.open();
  const table: readonly (readonly [string, string])[] = [
    ["code-reviw", ' "code-reviw". Did you mean code-review? There are: code-review, release.'],
    ["nothing-like-it", ' "nothing-like-it". There are: code-review, release.'],
    ["../a/release", ' "../a/release". There are: code-review, release.'],
    [
      "broken",
      ` "broken". The skill ${at.path("a/broken/SKILL.md")}, line 1, was skipped: it does not begin with front matter between two lines of ---.`,
    ],
  ];
  for (const [name, said] of table)
    assert.equal(await call(desk, { name }), `skill_unknown: There is no skill${said}`);
  // One that came since is there.
  at.skill("a", "nothing-like-it");
  assert.equal(typeof (await call(desk, { name: "nothing-like-it" })), "object");
  assert.deepEqual(await call(desk, {}), {
    summary: "There are 3 skills",
    content:
      "code-review: About code-review.\nnothing-like-it: About nothing-like-it.\nrelease: About release.",
  });
});

test("a file of a skill: text inside of its folder, and nothing else", async () => {
  using at = makeSkills();
  at.skill("a", "review");
  at.skill("a", "other");
  at.put("secret", "key");
  at.put("a/review/references/deep.md", "Deep.\n");
  at.put("a/review/most.txt", "x".repeat(skillBytesMax));
  at.put("a/review/more.txt", "x".repeat(skillBytesMax + 1));
  at.put("a/review/logo", Buffer.from([0x89, 0x50, 0xff]));
  at.put("a/review/zero", "a\0b");
  symlinkSync(at.path("secret"), at.path("a/review/out"));
  symlinkSync("../other/SKILL.md", at.path("a/review/aside"));
  symlinkSync("references/deep.md", at.path("a/review/inside"));
  const desk = await at.open();
  const file = (name: string) => call(desk, { name: "review", file: name });
  const read = (name: string, content: string) => ({
    summary: `Read ${JSON.stringify(name)} of the skill review`,
    content,
  });
  assert.deepEqual(await file("references/deep.md"), read("references/deep.md", "Deep.\n"));
  assert.deepEqual(await file("inside"), read("inside", "Deep.\n"));
  assert.deepEqual(await file("most.txt"), read("most.txt", "x".repeat(skillBytesMax)));
  assert.deepEqual(await file("./references/deep.md"), read("./references/deep.md", "Deep.\n"));
  assert.match(String(await file("x".repeat(4096))), /^out_of_scope: .* is longer than 4095 bytes\.$/);
  const notInside = (name: string) =>
    `usage: ${JSON.stringify(name)} is no path inside the folder of the skill review: give it relative to that, without "..".`;
  for (const name of ["", "/etc/passwd", "../other/SKILL.md", "references/../../secret", "./", "a//b"])
    assert.equal(await file(name), notInside(name));
  assert.equal(
    await file("more.txt"),
    `limit_exceeded: "more.txt" of the skill review cannot be read: it has ${skillBytesMax + 1} bytes, and at most ${skillBytesMax} are read.`,
  );
  assert.equal(
    await file("out"),
    'out_of_scope: "out" of the skill review cannot be read: it is a link that leads out of the folders of skills.',
  );
  assert.equal(
    await file("aside"),
    'out_of_scope: "aside" of the skill review is a link that leads out of its folder: it is not read.',
  );
  for (const name of ["logo", "zero"])
    assert.equal(
      await file(name),
      `usage: ${JSON.stringify(at.path(`a/review/${name}`))} is no text: use it by its path, where this Pod may read it.`,
    );
  assert.equal(
    await file("references"),
    'usage: "references" of the skill review cannot be read: it is not a regular file.',
  );
  assert.equal(
    await file("nope.md"),
    'io_failed: The skill review has no file "nope.md". It has: logo, more.txt, most.txt, references/deep.md, zero.',
  );
  // The skill itself was given to nobody by that.
  assert.match(JSON.stringify(await call(desk, { name: "review" })), /^\{"summary":"Loaded/);
});

test(`a skill names ${skillFilesMax} of the files beside it`, async () => {
  using at = makeSkills();
  at.skill("a", "review");
  for (let index = 0; index < skillFilesMax - 1; index += 1) at.put(`a/review/refs/${index}`, "x");
  const lineOf = async () => {
    const output = await call(await at.open(), { name: "review" });
    return typeof output === "string" ? output : (output.skill?.body.split("\n")[2] ?? "");
  };
  assert.ok(!(await lineOf()).endsWith("and more"));
  at.put("a/review/refs/y", "x");
  assert.match(await lineOf(), /^Files of this skill, below ".*"; Skill shows .*: refs\/0, .*, and more$/);
});

test(`files beside a skill are named down to ${skillFilesDepthMax} folders`, async () => {
  using at = makeSkills();
  at.skill("a", "review");
  const folders = Array.from({ length: skillFilesDepthMax - 1 }, (_, index) => `d${index}`).join("/");
  at.put(`a/review/${folders}/in`, "x");
  const lineOf = async () => {
    const output = await call(await at.open(), { name: "review" });
    return typeof output === "string" ? output : (output.skill?.body.split("\n")[2] ?? "");
  };
  assert.ok((await lineOf()).endsWith(`file: ${folders}/in`));
  at.put(`a/review/${folders}/more/out`, "x");
  assert.ok((await lineOf()).endsWith(`file: ${folders}/in, and more`));
});

test(`a sentence names ${skillsNamedMax} skills`, async () => {
  using at = makeSkills();
  for (let index = 0; index < skillsNamedMax; index += 1) at.skill("a", `s${String(index).padStart(2, "0")}`);
  assert.match(String(await call(await at.open(), { name: "none" })), /, s19\.$/);
  at.skill("a", "s20");
  assert.match(String(await call(await at.open(), { name: "none" })), /, s19 and 1 more\.$/);
});

test("a skill of which something may not go on record stands in history as it is compared later", async () => {
  using at = makeSkills();
  const body = "Call it with key sesame.";
  at.skill("a", "deploy", body);
  const redact = (text: string) => text.replaceAll("sesame", "[redacted: key]");
  const desk = await openSkills(at.places({ a: "project" }), redact);
  const item = await attachSkill("deploy", desk);
  assert.match(item.body, /key \[redacted: key\]\.$/);
  // The log takes it out of what is appended; there is nothing left to take out.
  desk.loaded.recall(committed({ ...item, body: redact(item.body) }));
  assert.deepEqual(await call(desk, { name: "deploy" }), {
    summary: "The skill deploy is loaded already and has not changed: read it above",
  });
});

test("what is refused says why: the scope, a rule, or where a link leads", async () => {
  using at = makeSkills();
  const hidden = at.skill("a", "hidden");
  const ruled = at.skill("a", "ruled");
  const deny = [scopeRule(at.path("a/hidden"), "read")];
  const places = at.places({ a: "project" }, deny, (path) => !path.startsWith(at.path("a/ruled")));
  const desk = await openSkills(places);
  assert.equal(
    await call(desk, { name: "hidden" }),
    `skill_unknown: There is no skill "hidden". The skill ${hidden} was skipped: the scope denies it.`,
  );
  assert.equal(
    await call(desk, { name: "ruled" }),
    `skill_unknown: There is no skill "ruled". The skill ${ruled} was skipped: a rule about Read keeps it from Pods.`,
  );
  assert.equal(
    await call(desk, { name: "x\ny" }),
    'skill_unknown: There is no skill "x\\ny", and no other here.',
  );
});

test("arguments that the tool does not have", async () => {
  using at = makeSkills();
  const desk = await at.open();
  assert.equal(
    await call(desk, { skill: "x" }),
    'usage: Skill has no argument "skill": it takes name, file.',
  );
  assert.equal(
    await call(desk, { file: "x" }),
    "usage: A file is one of a skill: give the name of that too.",
  );
  assert.equal(await call(desk, { name: 1 }), 'usage: The argument "name" of Skill must be a string.');
});
