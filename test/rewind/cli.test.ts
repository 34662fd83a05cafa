/** `yoi pod rewind` and `fork` by the real program: of a Pod that no process has, of a hosted one, and of one whose log is damaged. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Hosting } from "../service/hosted.ts";
import { findLog } from "../support/stored-log.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi, type YoiResult } from "../support/yoi-process.ts";

const write = (path: string) => ({
  tool_calls: [{ name: "Write", arguments: { file_path: path, content: "x\n" } }],
});
const scenarioIn = (directory: string): string =>
  JSON.stringify({
    steps: [
      write(join(directory, "a.txt")),
      { text: "Wrote a." },
      write(join(directory, "b.txt")),
      { text: "Wrote b." },
      { text: "More." },
    ],
  });

test("of a Pod that no process has: listed, taken back, undone, forked, and all of it verifies", async () => {
  using home = tempHome();
  const { workspace: cwd, env } = home;
  writeFileSync(join(cwd, "s.yaml"), scenarioIn(cwd));
  const yoi = async (...args: readonly string[]): Promise<YoiResult> => runYoi(args, { cwd, env });
  const done = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await yoi(...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  await done("run", "write a", "--pod", "p", "-m", "scripted/s.yaml", "--sandbox", "off");
  await done("run", "write b", "--pod", "p", "--sandbox", "off");
  const listed = JSON.parse(await done("pod", "rewind", "p", "--json")) as {
    readonly targets: readonly { readonly id: string; readonly kind: string; readonly preview: string }[];
  };
  const input = listed.targets.find(({ kind }) => kind === "input");
  assert.equal(input?.preview, "write b");
  assert.match(
    await done("pod", "rewind", "p"),
    new RegExp(`^--before ${input?.id} +2 .* 1 call +> write b$`, "m"),
  );

  const back = await yoi("pod", "rewind", "p", "--before", input?.id ?? "");
  assert.equal(back.code, 0, back.stderr);
  assert.match(
    back.stdout,
    /2 turns long\. What was done since stands: 1 call or command .*; changes to 1 file\..*\n {2}\/.*\/b\.txt \(changed, can be put back\)\n/,
  );
  assert.equal(back.stderr, "The input that is left behind:\nwrite b\n");
  const left = /--to (\S+)` undoes this/.exec(back.stdout)?.[1] ?? "";
  assert.match(await done("pod", "show", "p"), /^state: +idle$/m);

  await done("pod", "fork", "p", "q");
  await done("run", "--pod", "q", "another way", "--sandbox", "off");
  await done("pod", "rewind", "p", "--to", left);
  assert.equal(await done("run", "--pod", "p", "more", "--sandbox", "off"), "More.\n");
  await done("pod", "verify", "p", "--wire");
  const rows = [
    [["pod", "rewind", "p", "--to", "99-1"], 1, /There is no entry 99-1/],
    [["pod", "rewind", "p", "--to", "1", "--before", "2"], 2, /cannot be used with option/],
  ] as const;
  for (const [args, code, message] of rows) {
    const refused = await yoi(...args);
    assert.match(refused.stderr, message);
    assert.equal(refused.code, code, args.join(" "));
  }

  // What is good of a damaged log goes on in another Pod.
  const path = findLog(home.home, "q") ?? "";
  const lines = readFileSync(path, "utf8").split("\n");
  lines[lines.length - 4] = "damaged";
  writeFileSync(path, lines.join("\n"));
  const damaged = await yoi("pod", "rewind", "q", "--to", "1");
  assert.match(damaged.stderr, /yoi pod fork q/);
  const saved = await yoi("pod", "fork", "q", "saved");
  assert.deepEqual([saved.code, /is damaged at line/.test(saved.stderr)], [0, true]);
  await done("pod", "verify", "saved");
});

test("of a hosted Pod: its clients are told, and a fork of it is made while it works", async () => {
  await using hosting = new Hosting();
  const pod = await hosting.startPod("p", scenarioIn(hosting.home.workspace));
  const yoi = (...args: readonly string[]): Promise<YoiResult> =>
    runYoi(args, { cwd: hosting.home.workspace, env: hosting.home.env });
  assert.equal((await yoi("pod", "send", "p", "write a", "--wait")).code, 0);
  const client = await pod.client({ stream: true });
  const listed = JSON.parse((await yoi("pod", "rewind", "p", "--json")).stdout) as {
    readonly targets: readonly { readonly id: string; readonly kind: string }[];
  };
  const id = listed.targets.find(({ kind }) => kind === "input")?.id ?? "";
  const forked = await yoi("pod", "fork", "p", "q");
  assert.equal(forked.code, 0, forked.stderr);
  assert.match(forked.stdout, /p is live and holds what it may write/);
  const back = await yoi("pod", "rewind", "p", "--before", id);
  assert.equal(back.code, 0, back.stderr);
  await client.until("its history goes on elsewhere", () => client.rotations.length === 1);
  assert.deepEqual([client.rotations[0]?.["why"], client.rotations[0]?.["generation"]], ["forked", 1]);
  client.drop();
  assert.equal((await yoi("pod", "send", "p", "write a again", "--wait")).code, 0);
  await pod.stop();
  for (const name of ["p", "q"]) assert.equal((await yoi("pod", "verify", name)).code, 0);
});
