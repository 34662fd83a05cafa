/** `yoi pod rewind --files` by the real program: of a Pod that no process has, and of a hosted one. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Hosting } from "../service/hosted.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi, type YoiResult } from "../support/yoi-process.ts";

const call = (name: string, args: Readonly<Record<string, string>>) => ({
  tool_calls: [{ name, arguments: args }],
});
const scenarioIn = (directory: string): string => {
  const file_path = join(directory, "a.txt");
  return JSON.stringify({
    steps: [
      { text: "Hello." },
      call("Read", { file_path }),
      call("Edit", { file_path, old_string: "one", new_string: "two" }),
      call("Bash", { command: "echo three > a.txt; echo new > b.txt; rm c.txt" }),
      call("Write", { file_path: join(directory, "d.txt"), content: "d\n" }),
      { text: "Done." },
      { text: "More." },
    ],
  });
};
const before = { "a.txt": "one\n", "b.txt": null, "c.txt": "see\n", "d.txt": null };
const after = { "a.txt": "three\n", "b.txt": "new\n", "c.txt": null, "d.txt": "d\n" };

function texts(directory: string): Record<string, string | null> {
  return Object.fromEntries(
    Object.keys(before).map((name) => {
      const path = join(directory, name);
      return [name, existsSync(path) ? readFileSync(path, "utf8") : null];
    }),
  );
}

function plant(directory: string): void {
  writeFileSync(join(directory, "a.txt"), "one\n");
  writeFileSync(join(directory, "c.txt"), "see\n");
}

test("of a Pod that no process has: listed, put back, forward again, and the user's change is kept", async () => {
  using home = tempHome();
  const { workspace: cwd, env } = home;
  plant(cwd);
  writeFileSync(join(cwd, "s.yaml"), scenarioIn(cwd));
  const yoi = async (...args: readonly string[]): Promise<YoiResult> => {
    const result = await runYoi(args, { cwd, env });
    assert.equal(result.code, 0, result.stderr);
    return result;
  };
  await yoi("run", "hello", "--pod", "p", "-m", "scripted/s.yaml", "--sandbox", "off");
  await yoi("run", "work", "--pod", "p", "--sandbox", "off");
  assert.deepEqual(texts(cwd), after);
  const { targets } = JSON.parse((await yoi("pod", "rewind", "p", "--json")).stdout) as {
    readonly targets: readonly { readonly id: string; readonly kind: string }[];
  };
  const id = targets.find(({ kind }) => kind === "input")?.id ?? "";

  // Without --files nothing of them changes, and the command says what could be.
  const listed = await yoi("pod", "rewind", "p", "--before", id);
  assert.deepEqual(texts(cwd), after);
  assert.match(listed.stdout, /changes to 4 files/);
  assert.match(listed.stdout, /\/a\.txt \(changed, can be put back\)\n/);
  assert.match(listed.stdout, new RegExp(`yoi pod rewind p --before ${id} --files`));
  const left = /--to (\S+)` undoes this/.exec(listed.stdout)?.[1] ?? "";

  writeFileSync(join(cwd, "d.txt"), "mine\n");
  const back = JSON.parse((await yoi("pod", "rewind", "p", "--before", id, "--files", "--json")).stdout) as {
    readonly files: readonly { readonly path: string; readonly outcome: string }[];
    readonly files_lost: number;
  };
  assert.deepEqual(
    Object.fromEntries(back.files.map(({ path, outcome }) => [path.slice(cwd.length + 1), outcome])),
    { "a.txt": "restored", "b.txt": "removed", "c.txt": "restored", "d.txt": "changed_since" },
  );
  assert.deepEqual(texts(cwd), { ...before, "d.txt": "mine\n" });
  assert.match(
    (await yoi("pod", "log", "p", "--json")).stdout,
    /These files are as they were at this point: .*a\.txt/,
  );

  const forward = await yoi("pod", "rewind", "p", "--to", left, "--files");
  assert.match(forward.stdout, /\/a\.txt \(restored\)/);
  assert.deepEqual(texts(cwd), { ...after, "d.txt": "mine\n" });
  await yoi("pod", "verify", "p");
  const refused = await runYoi(["pod", "rewind", "p", "--files"], { cwd, env });
  assert.deepEqual([refused.code, /name it with --to or --before/.test(refused.stderr)], [2, true]);
});

test("of a hosted Pod, over its socket", async () => {
  await using hosting = new Hosting();
  const { workspace: cwd, env } = hosting.home;
  plant(cwd);
  const pod = await hosting.startPod("p", scenarioIn(cwd));
  const yoi = (...args: readonly string[]): Promise<YoiResult> => runYoi(args, { cwd, env });
  assert.equal((await yoi("pod", "send", "p", "hello", "--wait")).code, 0);
  assert.equal((await yoi("pod", "send", "p", "work", "--wait")).code, 0);
  const worked = texts(cwd);
  assert.notDeepEqual(worked, before);
  const { targets } = JSON.parse((await yoi("pod", "rewind", "p", "--json")).stdout) as {
    readonly targets: readonly { readonly id: string; readonly kind: string }[];
  };
  const id = targets.find(({ kind }) => kind === "input")?.id ?? "";
  const back = await yoi("pod", "rewind", "p", "--before", id, "--files");
  assert.equal(back.code, 0, back.stderr);
  assert.match(back.stdout, /\/a\.txt \(restored\)/);
  assert.deepEqual(texts(cwd), before);
  await pod.stop();
});
