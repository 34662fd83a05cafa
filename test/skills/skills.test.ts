/** Skills from the workspace to the request, with the real program: named in the prompt, loaded by the model and by the user, once, and provable from the log. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import {
  attachedItems,
  call,
  command,
  configure,
  done,
  logLines,
  play,
  pod,
  results,
} from "../attachments/place.ts";
import { type TempHome, tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";

const rule = "Say which line breaks it, and BANANA.";

function plant(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function plantSkill(directory: string, name: string, body = rule): void {
  const text = `---\nname: ${name}\ndescription: How ${name} is done.\n---\n${body}\n`;
  plant(join(directory, name, "SKILL.md"), text);
}

function promptOf(home: TempHome): string {
  return String(logLines(home).find(({ kind }) => kind === "segment_start")?.["prompt"]);
}

async function verified(home: TempHome): Promise<void> {
  const report = JSON.parse((await command(home, "pod", "verify", pod, "--wire", "--json")).stdout);
  assert.deepEqual(report.problems, []);
  assert.equal(report.wire_checked, report.requests);
}

test("a skill of the workspace, loaded by the model: one note behind the results, and no second one", async () => {
  using home = tempHome();
  plantSkill(join(home.workspace, ".agents/skills"), "review-me");
  plant(join(home.workspace, ".agents/skills/review-me/refs/deep.md"), "Deep.\n");
  const { stderr } = await done(
    play(
      home,
      [
        {
          tool_calls: [
            { name: "Skill", arguments: { name: "review-me" } },
            { name: "Skill", arguments: { name: "review-me", file: "refs/deep.md" } },
          ],
        },
        { expect: { last_input: ["[Skill: review-me, of ", rule] }, ...call("Skill", { name: "review-me" }) },
        { text: "Done." },
      ],
      "review it",
    ),
  );
  assert.equal(stderr, "");
  assert.match(promptOf(home), /^- review-me: How review-me is done\.$/m);
  assert.deepEqual(
    results(home)
      .map(({ summary, content }) => [summary, content])
      .toSorted(),
    [
      ["Loaded the skill review-me: its text follows in a note", undefined],
      ['Read "refs/deep.md" of the skill review-me', "Deep.\n"],
      ["The skill review-me is loaded already and has not changed: read it above", undefined],
    ],
  );
  const [item, ...more] = attachedItems(home);
  assert.deepEqual([item?.kind, item?.source, more], ["skill", "host", []]);
  await verified(home);
});

test("a prompt that begins with a skill: its text stands behind the input, and a restart knows that it does", async () => {
  using home = tempHome();
  plantSkill(join(home.workspace, ".yoi/skills"), "review-me");
  const prompt = "/review-me src";
  const steps = [
    { expect: { items: 2, last_input: [rule] }, text: "First." },
    call("Skill", { name: "review-me" }),
    { text: "Second." },
    { expect: { last_input: ["It was loaded before and has not changed"] }, text: "Third." },
  ];
  await done(play(home, steps, prompt));
  await done(play(home, steps, "again"));
  assert.deepEqual(
    results(home).map(({ summary }) => summary),
    ["The skill review-me is loaded already and has not changed: read it above"],
  );
  await done(play(home, steps, "/review-me test"));
  const inputs = logLines(home).filter(({ kind }) => kind === "user_input");
  assert.deepEqual(
    inputs.map(({ parts, attachments }) => [parts, attachments]),
    [
      [
        [
          { type: "skill_ref", name: "review-me" },
          { type: "text", text: " src" },
        ],
        1,
      ],
      [[{ type: "text", text: "again" }], undefined],
      [
        [
          { type: "skill_ref", name: "review-me" },
          { type: "text", text: " test" },
        ],
        1,
      ],
    ],
  );
  assert.equal(attachedItems(home).filter(({ body }) => body.includes(rule)).length, 1);
  await verified(home);
});

test("a name that is no skill stays as it was typed, and is said; a path is text", async () => {
  using home = tempHome();
  plantSkill(join(home.workspace, ".claude/skills"), "review-me");
  const steps = [
    { expect: { items: 1 }, text: "One." },
    { expect: { items: 3 }, text: "Two." },
  ];
  const typo = await done(play(home, steps, "/reviw-me src"));
  assert.equal(
    typo.stderr,
    '/reviw-me stays as it was typed: There is no skill "reviw-me". Did you mean review-me? There are: review-me.\n',
  );
  assert.equal((await done(play(home, steps, "/usr/bin is full"))).stderr, "");
  const log = (await command(home, "pod", "log", pod)).stdout;
  assert.match(log, /user_input +\/reviw-me src$/m);
  assert.match(log, /user_input +\/usr\/bin is full$/m);
});

test("the workspace's skill stands before the user's, which is said; a broken one is skipped, which is said", async () => {
  using home = tempHome();
  plantSkill(join(home.workspace, ".agents/skills"), "review-me");
  plantSkill(join(home.home, "config/skills"), "review-me", "Mine.");
  plantSkill(join(home.root, "user/.claude/skills"), "other");
  plant(join(home.workspace, ".agents/skills/broken/SKILL.md"), "# Broken\n");
  const { stderr } = await done(play(home, [{ text: "Hello." }], "hi"));
  const theirs = join(home.workspace, ".agents/skills/review-me/SKILL.md");
  const mine = join(home.home, "config/skills/review-me/SKILL.md");
  const broken = `The skill ${join(home.workspace, ".agents/skills/broken/SKILL.md")}, line 1, was skipped: it does not begin with front matter between two lines of ---.`;
  assert.equal(stderr, `${broken}\nThe skill review-me of the project (${theirs}) stands before ${mine}.\n`);
  const listed = await command(home, "skill", "list");
  assert.match(
    listed.stdout,
    /^SKILL +SOURCE +DESCRIPTION\nreview-me +project +How .*\nother +user +How .*\nticket-/,
  );
  assert.equal(
    listed.stderr,
    `yoi: ${broken}\nyoi: The skill ${mine} is not used: ${theirs} has its name and comes first.\n`,
  );
  const { skills, shadowed, problems } = JSON.parse((await command(home, "skill", "list", "--json")).stdout);
  const offered = skills.flatMap((one: { offered: boolean; name: string }) =>
    one.offered ? [one.name] : [],
  );
  assert.deepEqual(
    [offered, shadowed, problems],
    [
      ["review-me", "other"],
      [
        {
          name: "review-me",
          description: "How review-me is done.",
          source: "user",
          path: mine,
          by: theirs,
        },
      ],
      [{ path: join(home.workspace, ".agents/skills/broken/SKILL.md"), line: 1, message: broken }],
    ],
  );
  assert.match((await command(home, "skill", "show", "other")).stdout, new RegExp(`\n\n${rule}\n$`));
  const unknown = await runYoi(["skill", "show", "nope"], { cwd: home.workspace, env: home.env });
  assert.deepEqual([unknown.code, unknown.stdout], [1, ""]);
  assert.match(unknown.stderr, /^yoi: There is no skill "nope"\. There are: review-me, other, ticket-/);
});

test("switched off there are none: no tool, nothing in the prompt, and /name says why", async () => {
  using home = tempHome();
  plantSkill(join(home.workspace, ".agents/skills"), "review-me");
  configure(home, "[skills]\nenabled = false\n");
  const { stderr } = await done(play(home, [{ expect: { items: 1 }, text: "Hello." }], "/review-me src"));
  assert.equal(
    stderr,
    "/review-me stays as it was typed: Skills are switched off ([skills] enabled = false).\n",
  );
  assert.doesNotMatch(promptOf(home), /review-me/);
  const tools = logLines(home).find(({ kind }) => kind === "tools_changed")?.["tools"];
  assert.doesNotMatch(JSON.stringify(tools), /"Skill"/);
});

test("what a rule keeps from Read, no skill shows: a file of one, or one itself", async () => {
  using home = tempHome();
  plantSkill(join(home.workspace, ".agents/skills"), "release");
  plantSkill(join(home.workspace, ".agents/skills"), "secret", "CANARY");
  plant(join(home.workspace, ".agents/skills/release/keys.md"), "CANARY\n");
  const rule = (pattern: string) =>
    `[[permissions.rule]]\ntool = "Read"\npattern = "${home.workspace}/${pattern}"\naction = "deny"\n`;
  configure(home, rule(".agents/skills/secret/*") + rule("*/keys.md"));
  const steps = [
    {
      tool_calls: [
        { name: "Skill", arguments: { name: "release", file: "keys.md" } },
        { name: "Skill", arguments: { name: "secret" } },
        { name: "Skill", arguments: { name: "release" } },
      ],
    },
    { text: "No." },
  ];
  const { stderr } = await done(play(home, steps, "/secret go"));
  const secret = `The skill ${join(home.workspace, ".agents/skills/secret/SKILL.md")} was skipped: a rule about Read keeps it from Pods.`;
  assert.equal(stderr, `${secret}\n/secret stays as it was typed: There is no skill "secret". ${secret}\n`);
  assert.deepEqual(
    results(home).map(({ is_error, summary }) => [is_error, summary.includes("a rule about Read")]),
    [
      [true, true],
      [true, true],
      [false, false],
    ],
  );
  assert.doesNotMatch(JSON.stringify(logLines(home)), /CANARY/);
  assert.doesNotMatch(promptOf(home), /How secret is done/);
});

test("one that is written while a Pod is open that had none is loaded there, and no Pod writes in .yoi/skills", async () => {
  using home = tempHome();
  const text = `---\nname: fresh\ndescription: How it is done.\n---\n${rule}\n`;
  const write = (directory: string) =>
    call("Write", { file_path: join(home.workspace, directory, "fresh/SKILL.md"), content: text });
  const steps = [
    write(".yoi/skills"),
    write(".agents/skills"),
    call("Skill", { name: "fresh" }),
    { expect: { last_input: [rule] }, text: "Loaded." },
  ];
  await done(play(home, steps, "go"));
  assert.deepEqual(
    results(home).map(({ is_error }) => is_error),
    [true, false, false],
  );
  assert.match(results(home)[0]?.summary ?? "", /read-only/);
});

test("a rule that forbids a skill keeps it from the model and from /name", async () => {
  using home = tempHome();
  plantSkill(join(home.workspace, ".agents/skills"), "deploy");
  configure(home, '[[permissions.rule]]\ntool = "Skill"\npattern = "deploy"\naction = "deny"\n');
  const steps = [{ expect: { items: 1 }, ...call("Skill", { name: "deploy" }) }, { text: "No." }];
  const { stderr } = await done(play(home, steps, "/deploy now"));
  assert.match(stderr, /^\/deploy was not loaded: the rule deny Skill\(deploy\) of .* forbids it\.\n/);
  assert.deepEqual([results(home).map(({ is_error }) => is_error), attachedItems(home)], [[true], []]);
});
