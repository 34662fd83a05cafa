/** Where skills are looked for, in which order; and those that come with yoi. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { directories } from "@yoi/manifest";
import { protectionOf } from "@yoi/scope";
import { findSkills } from "@yoi/tools";
import { builtInProfiles } from "../../src/profiles/built-in-profiles.ts";
import { skillWarnings } from "../../src/skills/pod-skills.ts";
import { skillPlaces } from "../../src/skills/skill-places.ts";

function machine() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-places-")));
  const workspace = join(root, "w");
  const home = join(root, "home");
  const put = (directory: string, name: string) => {
    const path = join(root, directory, name, "SKILL.md");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `---\nname: ${name}\ndescription: Of ${directory}.\n---\nDo it.\n`);
  };
  for (const directory of [workspace, home]) mkdirSync(directory);
  const find = (hasShipped: boolean, at = workspace) => {
    const protection = protectionOf({ workspace: at, home, own: [join(root, "yoi")], spill: null });
    const environment = { home, directories: directories({ YOI_HOME: join(root, "yoi") }) };
    return findSkills(skillPlaces({ workspace: at, protection, environment, hasShipped }));
  };
  return { root, home, put, find, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

test("the workspace's three folders, then the user's three, then yoi's", async () => {
  using m = machine();
  const places = ["w/.yoi", "w/.agents", "w/.claude", "yoi/config", "home/.agents", "home/.claude"];
  for (const [index, place] of places.entries()) {
    m.put(`${place}/skills`, `own-${index}`);
    m.put(`${place}/skills`, "shared");
  }
  // What a Pod can write says nothing of how its own work is judged.
  m.put("w/.agents/skills", "ticket-review");
  m.put("w/.yoi/skills", "ticket-intake");
  const { skills, shadowed, problems } = await m.find(true);
  const from = ({ path, source }: { readonly path: string; readonly source: string }) => [
    source,
    path.replace(`${m.root}/`, "").replace(/^.*\/packages\/cli/, ""),
  ];
  assert.deepEqual(skills.map(from), [
    ["project", "w/.yoi/skills/own-0/SKILL.md"],
    ["project", "w/.yoi/skills/shared/SKILL.md"],
    ["project", "w/.yoi/skills/ticket-intake/SKILL.md"],
    ["project", "w/.agents/skills/own-1/SKILL.md"],
    ["project", "w/.claude/skills/own-2/SKILL.md"],
    ["user", "yoi/config/skills/own-3/SKILL.md"],
    ["user", "home/.agents/skills/own-4/SKILL.md"],
    ["user", "home/.claude/skills/own-5/SKILL.md"],
    ["builtin", "/skills/ticket-implementation/SKILL.md"],
    ["builtin", "/skills/ticket-orchestration/SKILL.md"],
    ["builtin", "/skills/ticket-review/SKILL.md"],
  ]);
  assert.deepEqual(
    [shadowed.length, problems.map(({ message }) => message)],
    [
      6,
      [
        `The skill ${m.root}/w/.agents/skills/ticket-review was skipped: yoi has one of this name, and only one in .yoi/skills can stand before it.`,
      ],
    ],
  );
  // Only what another one's skill stands before is said: five of the user's and yoi's.
  const said = skillWarnings({ skills, shadowed, problems: [] });
  assert.deepEqual(
    said.map((line) => /^The skill (\S+) of the project /.exec(line)?.[1]),
    ["shared", "shared", "shared", "ticket-intake"],
  );
});

test("a home directory that is the workspace: its folders are the user's, and nothing shadows itself", async () => {
  using m = machine();
  m.put("home/.yoi/skills", "a");
  m.put("home/.agents/skills", "b");
  m.put("home/.claude/skills", "c");
  const { skills, shadowed, problems } = await m.find(false, m.home);
  assert.deepEqual(
    skills.map(({ name, source }) => `${source} ${name}`),
    ["project a", "user b", "user c"],
  );
  assert.deepEqual([shadowed, problems], [[], []]);
});

test("the user's folders may be links of their own; the workspace's lead nowhere else", async () => {
  using m = machine();
  m.put("dotfiles", "mine");
  m.put("elsewhere", "single");
  mkdirSync(join(m.home, ".claude"));
  symlinkSync(join(m.root, "dotfiles"), join(m.home, ".claude/skills"));
  symlinkSync(join(m.root, "elsewhere/single"), join(m.root, "dotfiles/single"));
  mkdirSync(join(m.root, "w/.claude"));
  symlinkSync(join(m.root, "dotfiles"), join(m.root, "w/.claude/skills"));
  const { skills, problems } = await m.find(false);
  assert.deepEqual(
    skills.map(({ name, source }) => `${source} ${name}`),
    ["user mine", "user single"],
  );
  assert.deepEqual(
    problems.map(({ message }) => message),
    [
      `The skills in ${join(m.root, "w/.claude/skills")} were not looked at: it is a link that leads out of the folders of skills.`,
    ],
  );
});

test("the skills that come with yoi are whole, short, and those that its profiles name", async () => {
  using m = machine();
  const { skills, problems } = await m.find(true);
  const names = skills.map(({ name }) => name);
  assert.deepEqual(problems, []);
  const named = Object.values(builtInProfiles).flatMap((text) => text.match(/\bticket-[a-z]+/g) ?? []);
  assert.deepEqual([...new Set(named)].toSorted(), names.toSorted());
});

test("at the start of a Pod a few remarks are said, and where the others are", () => {
  const problems = Array.from({ length: 6 }, (_, index) => ({ path: "/x", message: `Remark ${index}.` }));
  const said = (count: number) =>
    skillWarnings({ skills: [], shadowed: [], problems: problems.slice(0, count) });
  assert.deepEqual(said(5), ["Remark 0.", "Remark 1.", "Remark 2.", "Remark 3.", "Remark 4."]);
  assert.deepEqual(said(6).slice(4), ["Remark 4.", "1 more remark about skills: yoi skill list."]);
});
