/** Skills at a terminal: completed, loaded by whoever types and by the model, listed, gone back over, and in the log as what they are. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { noTmux, Terminals } from "../support/tmux.ts";
import { entriesOf, podArgv, stepsOf, yoi as run } from "./pods.ts";

const skip = noTmux();

test("skills", { skip }, async (t) => {
  const step = stepsOf(t);
  using terminals = new Terminals();
  const { home } = terminals;
  const plant = (name: string, description: string, text: string): void => {
    const folder = join(home.workspace, ".yoi/skills", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "SKILL.md"),
      `---\nname: ${name}\ndescription: ${description}\n---\n\n${text}\n`,
    );
  };
  plant("release", "How a release is made.", "Tag it.\nThen tell everybody.");
  plant("review", "How changes are read here.", "Read them twice.");
  plant("notes", "How notes are kept.", "Keep them short.");
  const argv = podArgv(home, "site", [
    { text: "Tagged it." },
    { tool_calls: [{ name: "Skill", arguments: { name: "notes" } }] },
    { text: "Noted." },
    { text: "Read it twice." },
    { text: "Aired." },
    { text: "Read it once more." },
  ]);
  const yoi = terminals.open(argv, { columns: 100, rows: 30 });
  await yoi.shows(/Ask for something/);
  const loaded = () =>
    entriesOf(home, "site").flatMap((entry) => {
      const { kind, record } = (entry["item"] ?? {}) as { kind?: string; record?: { skill?: string } };
      return entry.kind === "system_item" && kind === "skill" ? [record?.skill] : [];
    });

  await step("the first prompt loads one by its name, which Tab completes", async () => {
    yoi.type("/rel");
    await yoi.shows(/^.*\/release +skill: How a release is made\./m);
    yoi.press("Tab");
    await yoi.shows(/^\/ \/release$/m);
    yoi.type("1.2");
    yoi.press("Enter");
    await yoi.shows(/^> \/release 1\.2$\s+^# skill release loaded \(\d+ lines\)$[^]*Tagged it\.[^]*○ ready/m);
    const inputs = entriesOf(home, "site").filter(({ kind }) => kind === "user_input");
    assert.deepEqual(
      inputs.map((entry) => entry["parts"]),
      [
        [
          { type: "skill_ref", name: "release" },
          { type: "text", text: " 1.2" },
        ],
      ],
    );
    assert.deepEqual(loaded(), ["release"]);
  });

  await step("one that the model asked for stands there as a line too", async () => {
    yoi.type("keep notes");
    yoi.press("Enter");
    await yoi.shows(/^✓ Skill .*$[^]*^# skill notes loaded \(\d+ lines\)$[^]*Noted\.[^]*○ ready/m);
    assert.deepEqual(loaded(), ["release", "notes"]);
  });

  await step("a command goes before a skill of its name, which /skill loads", async () => {
    yoi.type("/skill review src");
    yoi.press("Enter");
    await yoi.shows(/^> \/review src$\s+^# skill review loaded[^]*Read it twice\.[^]*○ ready/m);
    assert.deepEqual(loaded(), ["release", "notes", "review"]);
  });

  await step("one that is not there is said, and what was written stays", async () => {
    yoi.type("/relase 1.3");
    yoi.press("Enter");
    await yoi.shows(/There is no \/relase: did you mean \/release/);
    await yoi.shows(/^\/ \/relase 1\.3$/m);
    yoi.press("C-c");
    await yoi.hides(/^\/ \/relase 1\.3$/m);
  });

  await step("one that is written while the Pod is open is offered and loaded", async () => {
    plant("fresh", "How things are kept fresh.", "Air them.");
    yoi.type("/fre");
    await yoi.shows(/^.*\/fresh +skill: How things are kept fresh\./m);
    yoi.press("Tab", "Enter");
    await yoi.shows(/^# skill fresh loaded[^]*Aired\.[^]*○ ready/m);
    assert.equal(loaded().at(-1), "fresh");
  });

  await step(
    "pages show those that there are, the text of one that was loaded, and the tickets",
    async () => {
      yoi.type("/skills");
      yoi.press("Enter");
      await yoi.shows(
        /Skills[^]*\/release \(project\)\n +How a release is made\.\n.*\.yoi\/skills\/release\/SKILL\.md/,
      );
      yoi.press("q");
      await yoi.hides(/\/release \(project\)/);
      yoi.press("C-o");
      await yoi.shows(/the user asked for the skill fresh[^]*Air them\./);
      yoi.press("q");
      await yoi.hides(/Air them\./);
      yoi.type("/tickets");
      yoi.press("Enter");
      await yoi.shows(/No open tickets in [^]*yoi ticket create --title/);
      yoi.press("q");
      await yoi.hides(/yoi ticket create/);
    },
  );

  await step("what was gone back to is loaded again with what is written now", async () => {
    yoi.press("Escape", "Escape");
    await yoi.shows(/Enter chooses|before/);
    yoi.type("review");
    yoi.press("Enter");
    await yoi.shows(/Enter goes back/);
    yoi.press("Enter");
    await yoi.shows(/^> \[\/review\] src$/m);
    yoi.type(" and test");
    yoi.press("Enter");
    await yoi.shows(/^> \/review src and test$\s+^# skill review loaded[^]*○ ready/m);
  });

  await step("the log and a plain view name them", async () => {
    const log = await run(home, "pod", "log", "site");
    assert.match(log.stdout, /skill from host: \[Skill: release/);
    yoi.press("C-d");
    assert.equal(await yoi.ended(), 0);
    const verified = await run(home, "pod", "verify", "site", "--wire");
    assert.match(verified.stdout, /^site: verified\n/);
  });
});
