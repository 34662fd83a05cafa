/** A workspace that is the home directory: shells work in it, and what runs at the next login or is on PATH stays as it was. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";

const script = `
pwd
echo changed > notes.txt
echo made > project/made
for path in .bashrc .profile .config/autostart bin/git tools/bin/git new.txt; do
  { echo bad > $path; } 2> /dev/null && echo "wrote $path"
done
mv tools moved 2> /dev/null && echo "moved tools"
cat .ssh/id 2> /dev/null
cat .bashrc
`;

test("the home directory as workspace", { skip: noBubblewrap() }, async () => {
  using home = tempHome();
  const user = join(home.root, "user");
  for (const folder of ["project", "bin", "tools/bin", ".config", ".ssh"])
    mkdirSync(join(user, folder), { recursive: true });
  writeFileSync(join(user, ".bashrc"), "# mine\n");
  writeFileSync(join(user, ".ssh", "id"), "secret\n");
  writeFileSync(join(user, "notes.txt"), "old\n");
  const steps = [{ tool_calls: [{ name: "Bash", arguments: { command: script } }] }, { text: "Done." }];
  const scenario = join(home.root, "s.yaml");
  writeFileSync(scenario, JSON.stringify({ steps }));
  const env = { ...home.env, PATH: `${user}/bin:${user}/tools/bin:${home.env["PATH"]}` };
  const ran = await runYoi(["run", "go", "--pod", "p", "-m", `scripted/${scenario}`], { cwd: user, env });
  assert.deepEqual([ran.code, ran.stdout], [0, "Done.\n"], ran.stderr);
  const log = await runYoi(["pod", "log", "p", "--json"], { cwd: user, env });
  const result = log.stdout
    .split("\n")
    .filter((line) => line.includes('"kind":"tool_result"'))
    .map((line) => (JSON.parse(line) as { item: { content: string; is_error: boolean } }).item);
  assert.deepEqual(
    result.map(({ content, is_error }) => [content, is_error]),
    [[`${user}\n# mine`, false]],
  );
  const read = (path: string) => readFileSync(join(user, path), "utf8");
  assert.deepEqual(
    [read("notes.txt"), read("project/made"), read(".bashrc")],
    ["changed\n", "made\n", "# mine\n"],
  );
  const names = [".bashrc", ".config", ".ssh", "bin", "notes.txt", "project", "tools"];
  assert.deepEqual(readdirSync(user).toSorted(), names);
  for (const folder of ["bin", "tools/bin", ".config"]) assert.deepEqual(readdirSync(join(user, folder)), []);
});
