/** docs/skills.md, word by word: its skill, put where it says, is listed, shown, and loaded by the page's own commands in both ways. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { skillsOfferedMax, skillOfferCharsMax } from "../../packages/protocol/src/index.ts";
import { skillDescriptionsBytesMax } from "../../packages/pod/src/prompt/skills-section.ts";
import {
  skillBytesMax,
  skillDescriptionCharsMax,
  skillFrontBounds,
  skillFrontBytesMax,
  skillLinesMax,
  skillsMax,
} from "../../packages/tools/src/skills/skill.ts";
import { type Answer, startAnthropicServer } from "../support/anthropic-server.ts";
import { tempHome } from "../support/temp-home.ts";
import { shell } from "./shell.ts";

const page = readFileSync(new URL("../../docs/skills.md", import.meta.url), "utf8");
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? assert.fail(language);

test("the skill of the page is listed, shown and loaded by its commands: by who types, and by the model", async () => {
  using home = tempHome();
  const place = /^`(\.yoi\/skills\/.*SKILL\.md)`:$/m.exec(page)?.[1] ?? assert.fail("no place");
  const path = join(home.workspace, place);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, block("markdown"));
  const text = /---\n[^]*?\n---\n\n([^]*)\n$/.exec(block("markdown"))?.[1] ?? assert.fail("no text");
  const answers: readonly Answer[] = [
    { blocks: [{ type: "text", text: "Tagged." }] },
    { blocks: [{ type: "tool_call", name: "Skill", arguments: { name: "release" } }] },
    { blocks: [{ type: "text", text: "It is time." }] },
  ];
  const server = await startAnthropicServer({ answers });
  try {
    const out: string[] = [];
    const lines = block("sh").trimEnd().split("\n");
    for (const line of lines) {
      const options = { cwd: home.workspace, providerUrl: server.url };
      const { code, stdout, stderr } = await shell(home, line, options);
      assert.equal(code, 0, `${line}\n${stdout}${stderr}`);
      out.push(stdout);
    }
    const [listed = "", shown = "", typed = "", asked = ""] = out;
    assert.equal(lines.length, 4);
    assert.match(listed, /^release +project +How a release of this project is made\. /m);
    assert.ok(shown.includes(text), shown);
    assert.match(shown, /Read, Bash\(git tag:\*\) \(as it says; nothing enforces it\)/);
    assert.deepEqual([typed, asked], ["Tagged.\n", "It is time.\n"]);
    const escaped = JSON.stringify(text).slice(1, -1);
    const times = server.requests.map(({ raw }) => raw.toString("utf8").split(escaped).length - 1);
    assert.deepEqual(times, [1, 0, 1], "the text is shown once where it was asked for, and not before");
    assert.ok(server.requests[0]?.raw.includes("/release 1.2"), "the line stays as it was typed");
    for (const { raw } of server.requests)
      assert.ok(
        raw.includes("- release: How a release of this project is made."),
        "it is named in the prompt",
      );
  } finally {
    await server.close();
  }
});

test("the limits of the page are those of the code", () => {
  const rows = [...page.slice(page.indexOf("## Limits")).matchAll(/^\| ([^|]+) \| ([^|]*\d[^|]*) \|$/gm)];
  const digits = rows.map(([, what, most = ""]) => [
    what,
    most.replaceAll(",", "").match(/\d+/g)?.map(Number),
  ]);
  assert.deepEqual(digits, [
    ["a `SKILL.md`, or a file that `Skill` shows", [skillBytesMax / 1024]],
    ["skills of a Pod, and folders looked at of one source", [skillsMax]],
    ["a description", [skillDescriptionCharsMax, skillDescriptionsBytesMax / 1024]],
    ["front matter", [skillFrontBytesMax / 1024, skillFrontBounds.tokensMax, skillFrontBounds.nestingMax]],
    ["lines of a text that are loaded without a remark", [skillLinesMax]],
  ]);
  // A client can be told of all of them.
  assert.equal(skillsOfferedMax, skillsMax);
  assert.ok(skillOfferCharsMax < skillDescriptionCharsMax);
});
