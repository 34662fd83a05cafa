/** The skills that the terminal shows and offers, of a machine with some. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { skillOfferCharsMax } from "@yoi/protocol";
import { resolveConfiguration } from "../../src/compose/configuration.ts";
import { offeredSkills, skillsPage } from "../../src/ui/skills-page.ts";
import { machine } from "../profiles/machine.ts";

function plant(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function skill(name: string, description: string): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\nDo it well.\n`;
}

async function pageOf(m: ReturnType<typeof machine>): Promise<readonly string[]> {
  const { manifest } = await resolveConfiguration(m.environment, m.workspace, {});
  const { text } = await skillsPage(manifest, m.environment);
  return text.split("\n");
}

test("the skill of docs/skills.md is one, and the page of skills says where it is", async () => {
  using m = machine();
  const document = readFileSync(new URL("../../../../docs/skills.md", import.meta.url), "utf8");
  const path = join(m.workspace, ".yoi/skills/release/SKILL.md");
  plant(path, /```markdown\n([^]*?)```/.exec(document)?.[1] ?? "");
  const description =
    "How a release of this project is made. Use it when a version is to be tagged or published.";
  assert.deepEqual(await pageOf(m), ["/release (project)", `  ${description}`, `  ${path}`, ""]);
  assert.deepEqual(await offeredSkills(m.environment, m.workspace, undefined), [
    { name: "release", description },
  ]);
});

test("what is wrong with one is said, and of two of a name which stands behind", async () => {
  using m = machine();
  const own = join(m.environment.directories.config, "skills/release/SKILL.md");
  const project = join(m.workspace, ".claude/skills/release/SKILL.md");
  const broken = join(m.workspace, ".yoi/skills/broken/SKILL.md");
  const wide = join(m.workspace, ".agents/skills/wide/SKILL.md");
  plant(project, skill("release", "The project's"));
  plant(own, skill("release", "Mine"));
  plant(broken, "no front matter");
  plant(wide, skill("wide", "x".repeat(skillOfferCharsMax + 1)));
  assert.deepEqual(await pageOf(m), [
    "/wide (project)",
    `  ${"x".repeat(skillOfferCharsMax + 1)}`,
    `  ${wide}`,
    "",
    "/release (project)",
    "  The project's",
    `  ${project}`,
    "",
    `The skill ${own} is not used: ${project} has its name and comes first.`,
    "",
    `The skill ${broken}, line 1, was skipped: it does not begin with front matter between two lines of ---.`,
    "",
  ]);
  assert.deepEqual(await offeredSkills(m.environment, m.workspace, undefined), [
    { name: "release", description: "The project's" },
    { name: "wide", description: "x".repeat(skillOfferCharsMax) },
  ]);
});

test("nothing of a skill can pass for a line of the page, or disturb the terminal", async () => {
  using m = machine();
  const path = join(m.workspace, ".yoi/skills/a/SKILL.md");
  plant(path, `---\nname: a\ndescription: "One\\n/forged (user)\\u001B[2J"\n---\nText.\n`);
  assert.deepEqual(await pageOf(m), ["/a (project)", "  One /forged (user)\\u001b[2J", `  ${path}`, ""]);
});

test("a link out of the workspace is none, where there is none it is said how one is made, and they can be switched off", async () => {
  using m = machine();
  const elsewhere = join(m.environment.directories.config, "kept/SKILL.md");
  plant(elsewhere, skill("kept", "Not of the project"));
  mkdirSync(join(m.workspace, ".yoi/skills"), { recursive: true });
  symlinkSync(dirname(elsewhere), join(m.workspace, ".yoi/skills/kept"));
  assert.deepEqual(await offeredSkills(m.environment, m.workspace, undefined), []);
  const [first = "", , second = ""] = await pageOf(m);
  assert.match(first, /^There are no skills here\. One is a folder in .*\/w\/\.yoi\/skills with a SKILL\.md/);
  assert.match(second, /^The skill .*\/w\/\.yoi\/skills\/kept.* was skipped: /);
  m.config("[skills]\nenabled = false\n");
  plant(join(m.workspace, ".yoi/skills/a/SKILL.md"), skill("a", "A"));
  assert.deepEqual(await pageOf(m), ["Skills are switched off: [skills] enabled is false.", ""]);
  assert.deepEqual(await offeredSkills(m.environment, m.workspace, undefined), []);
});

test("a configuration that cannot be read offers none, and a profile counts as for the Pod that it begins", async () => {
  using m = machine();
  plant(join(m.workspace, ".yoi/skills/a/SKILL.md"), skill("a", "A"));
  m.user("without", "[skills]\nenabled = false\n");
  assert.deepEqual(await offeredSkills(m.environment, m.workspace, "without"), []);
  assert.deepEqual(await offeredSkills(m.environment, m.workspace, "default"), [
    { name: "a", description: "A" },
  ]);
  m.config("nonsense");
  assert.deepEqual(await offeredSkills(m.environment, m.workspace, undefined), []);
});
