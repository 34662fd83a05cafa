/** A place that the user grants to every Pod: without `shared = true` it keeps the second one out, and the refusal says which rule; with it both write. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Hosting } from "../service/hosted.ts";

test("two Pods in two directories and one grant of the user", async () => {
  await using hosting = new Hosting();
  const { home, root, workspace } = hosting.home;
  const [cache, other] = [join(root, "cache"), join(root, "other")];
  for (const directory of [cache, other, join(home, "config")]) mkdirSync(directory, { recursive: true });
  const config = join(home, "config", "config.toml");
  const grant = (shared: string) =>
    writeFileSync(config, `[scope]\n\nallow = [{ target = "${cache}", permission = "write"${shared} }]\n`);
  writeFileSync(join(other, "s.yaml"), JSON.stringify({ steps: [{ text: "Done." }, { text: "Again." }] }));
  const second = (...flags: readonly string[]) =>
    hosting.yoi("run", "go", "--pod", "second", "-C", other, "-m", "scripted/s.yaml", ...flags);
  grant("");
  await hosting.startPod("first", "steps:\n  - text: done\n");
  const refused = await second();
  assert.equal(refused.code, 1);
  assert.ok(
    refused.stderr.includes(
      `What lies outside of the workspace it may write by your rules (scope.allow, ${config}:3): \`shared = true\` in the one for "${cache}" lets several Pods write there, and --write . leaves all of them out.`,
    ),
    refused.stderr,
  );
  assert.equal((await second("--write", ".")).stdout, "Done.\n");
  grant(", shared = true");
  const show = await hosting.yoi("config", "show", "-C", workspace);
  assert.match(show.stdout, /"shared":true/);
  const third = ["--pod", "third", "-C", other, "-m", "scripted/s.yaml"];
  const ran = await hosting.yoi("run", "go", ...third);
  assert.equal(ran.stdout, "Done.\n", ran.stderr);
  // What --write . took away comes back by its name, also where nobody else may write there then.
  grant("");
  assert.equal((await hosting.yoi("pod", "stop", "first")).code, 0);
  assert.equal((await second("--write", ".", "--write", cache)).stdout, "Again.\n");
  const kept = await hosting.yoi("pod", "show", "second");
  assert.match(kept.stdout, /^scope: +\., \/.*\/cache$/m);
});
