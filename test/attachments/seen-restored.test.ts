/** The read-before-edit guard over a restart: what the model was shown is known to the next process, and nothing more. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type Answer, startAnthropicServer } from "../support/anthropic-server.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { startYoi } from "../support/yoi-process.ts";
import { call, configure, done, play, results } from "./place.ts";

const tool = (name: string, args: object): Answer => ({
  blocks: [{ type: "tool_call", name, arguments: args }],
});

/** Reads the file, is killed while the model answers, and is resumed, where the model edits it. Returns the result of the edit. */
async function editAfterKill(home: TempHome, file_path: string, between: () => void): Promise<string> {
  const answers: readonly Answer[] = [
    tool("Read", { file_path }),
    { blocks: [{ type: "text", text: "half of an answer" }], fault: { type: "stall", after: 3 } },
    tool("Edit", { file_path, old_string: "two", new_string: "2" }),
    { blocks: [{ type: "text", text: "done" }] },
  ];
  const server = await startAnthropicServer({ handler: (_, index) => answers[index] ?? "hang_up" });
  try {
    const flags = ["--pod", "p", "-m", "anthropic/claude-sonnet-4-5", "--base-url", server.url];
    const options = { env: { ...home.env, ANTHROPIC_API_KEY: "test" }, cwd: home.workspace };
    const first = startYoi(["run", "go", ...flags], options);
    const early = first.ended.then((end) => assert.fail(`it ended by itself: ${JSON.stringify(end)}`));
    await Promise.race([server.arrived(2), early]);
    early.catch(() => undefined);
    first.kill("SIGKILL");
    assert.equal((await first.ended).signal, "SIGKILL");
    between();
    await done(startYoi(["run", ...flags], options).ended);
  } finally {
    await server.close();
  }
  const [read, edit, ...more] = results(home);
  assert.deepEqual([read?.name, edit?.name, more], ["Read", "Edit", []]);
  return `${edit?.is_error === true ? "error: " : ""}${edit?.summary}`;
}

test("a process killed after Read: the next one edits the file without reading it again", async () => {
  using home = tempHome();
  const path = join(home.workspace, "a.txt");
  writeFileSync(path, "one\ntwo\n");
  assert.equal(await editAfterKill(home, path, () => {}), `Edited "${path}" (1 replacement)`);
  assert.equal(readFileSync(path, "utf8"), "one\n2\n");
});

test("a file that was changed meanwhile is not edited", async () => {
  using home = tempHome();
  const path = join(home.workspace, "a.txt");
  writeFileSync(path, "one\ntwo\n");
  const said = await editAfterKill(home, path, () => writeFileSync(path, "two\ntwo and a half\n"));
  assert.equal(said, `error: "${path}" was changed since it was read: read it again.`);
  assert.equal(readFileSync(path, "utf8"), "two\ntwo and a half\n");
});

test("a whole attached file is known, at once and in a later process; a denied or failed Read makes nothing known", async () => {
  using home = tempHome();
  const at = (name: string) => join(home.workspace, name);
  const names = ["attached.txt", "denied.txt", "failed.txt"] as const;
  for (const name of names) writeFileSync(at(name), "one\ntwo\n");
  configure(home, '[[permissions.rule]]\ntool = "Read"\npattern = "*/denied.txt"\naction = "deny"\n');
  const edit = (name: string, old_string: string, new_string: string) =>
    call("Edit", { file_path: at(name), old_string, new_string });
  const steps = [
    edit("attached.txt", "one", "1"),
    call("Read", { file_path: at("denied.txt") }),
    call("Read", { file_path: at("failed.txt"), offset: 3 }),
    { text: "So far." },
    edit("attached.txt", "two", "2"),
    edit("denied.txt", "one", "1"),
    edit("failed.txt", "one", "1"),
    { text: "The end." },
  ];
  const { stderr } = await done(play(home, steps, "change @attached.txt, not @denied.txt"));
  assert.match(
    stderr,
    /^@denied\.txt was not attached: the rule deny Read\(\*\/denied\.txt\) of .* forbids reading it\.$/m,
  );
  await done(play(home, steps, "go on"));
  const [first, denied, failed, second, ...refused] = results(home);
  for (const edited of [first, second])
    assert.deepEqual(
      [edited?.is_error, edited?.summary],
      [false, `Edited "${at("attached.txt")}" (1 replacement)`],
    );
  assert.deepEqual([denied?.refusal, denied?.record], ["denied", undefined]);
  assert.deepEqual([failed?.is_error, failed?.record], [true, undefined]);
  assert.deepEqual(
    refused.map(({ is_error, summary }) => [is_error, summary]),
    ["denied.txt", "failed.txt"].map((name) => [
      true,
      `"${at(name)}" was not read: read it before you edit it.`,
    ]),
  );
  assert.deepEqual(
    names.map((name) => readFileSync(at(name), "utf8")),
    ["1\n2\n", "one\ntwo\n", "one\ntwo\n"],
  );
});
