/** Flags that a start cannot take: of a child whose loan came back, and of a take-over, which ends nobody for them. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Hosting } from "../service/hosted.ts";
import { eventually } from "../support/processes.ts";

const noted = '  - text: "Noted."\n'.repeat(6);

test("a child whose loan came back takes no flag: each is refused, named, and nothing is started; -c never means it", async () => {
  await using hosting = new Hosting();
  const { workspace, home } = hosting.home;
  mkdirSync(join(workspace, "src/a"), { recursive: true });
  mkdirSync(join(home, "config/profiles"), { recursive: true });
  writeFileSync(join(workspace, "child.yaml"), `steps:\n${noted}`);
  writeFileSync(
    join(home, "config/profiles/child.toml"),
    'description = "A child"\n\n[model]\nref = "scripted/child.yaml"\n',
  );
  const scope = [
    { target: join(workspace, "src/a"), permission: "write" },
    { target: workspace, permission: "read" },
  ];
  const spawn = { name: "alpha", profile: "user:child", task: "Look.", scope };
  const call = `    tool_calls:\n      - name: SpawnPod\n        arguments: ${JSON.stringify(spawn)}\n`;
  const lead = await hosting.startPod("lead", `steps:\n  - text: "I lend."\n${call}${noted}`);
  assert.equal((await hosting.yoi("pod", "send", "lead", "go")).code, 0);
  const log = () => JSON.stringify(lead.log());
  await eventually("it was told of the child's run", () => log().includes("alpha finished its run"), 20_000);
  const last = await hosting.yoi("run", "-c", "and now");
  assert.deepEqual([last.code, last.stdout], [0, "Noted.\n"], last.stderr);
  assert.match(log(), /and now/);

  const live = await hosting.yoi("pod", "restore", "alpha", "--take-over", "--read-only");
  assert.deepEqual([live.code, live.stdout], [2, ""]);
  assert.match(
    live.stderr,
    /^yoi: The Pod alpha is started by its parent lead, .*: leave out --read-only, or/,
  );
  assert.match((await hosting.yoi("pod", "list")).stdout, /^alpha +hosted/m);

  assert.equal((await hosting.yoi("pod", "stop", "alpha")).code, 0);
  await eventually("its loan came back", () => log().includes("and its loan came back"), 20_000);
  const table: readonly (readonly [readonly string[], string])[] = [
    [["restore", "alpha", "--read-only"], "--read-only"],
    [["restore", "alpha", "--write", "src", "--sandbox", "off"], "--sandbox, --write"],
    [["start", "alpha", "--permission-mode", "ask", "--max-turns", "1"], "--permission-mode, --max-turns"],
    [["start", "alpha", "-m", "scripted/child.yaml", "-C", workspace], "--model, --cd"],
  ];
  for (const [args, named] of table) {
    const { code, stdout, stderr } = await hosting.yoi("pod", ...args);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.equal(
      // On a machine that is busy it says that it waits.
      stderr.split("\n").at(-2),
      `yoi: The Pod alpha is started by its parent lead, which lends to it and takes no flags: leave out ${named}, or have lead begin a child that may do less.`,
    );
  }
  const foreground = await hosting.yoi("pod", "restore", "alpha", "--foreground");
  assert.equal(foreground.code, 1);
  assert.match(foreground.stderr, /in a process of its own: leave out --foreground\.$/m);
  assert.match((await hosting.yoi("pod", "list")).stdout, /^alpha +stopped/m);
  // As the sentence says.
  assert.equal((await hosting.yoi("pod", "restore", "alpha")).code, 0);

  // Its parent is gone without taking the loan back, so it is started without it; what it may write is said all the same.
  process.kill(lead.pid, "SIGKILL");
  assert.equal((await hosting.yoi("pod", "stop", "alpha")).code, 0);
  for (const flags of [["--read-only"], ["--write", "src"]] as const) {
    for (const command of [
      ["pod", "restore", "alpha"],
      ["run", "go", "--pod", "alpha"],
    ]) {
      const { code, stderr } = await hosting.yoi(...command, ...flags);
      assert.equal(code, 2, stderr);
      assert.ok(stderr.includes(`takes no flags: leave out ${flags[0]}, or have lead begin`), stderr);
    }
  }
  assert.equal((await hosting.yoi("pod", "restore", "alpha")).code, 0);
  assert.match((await hosting.yoi("pod", "show", "alpha")).stdout, /^scope: +src\/a$/m);
});

describe("a take-over that could not start the Pod", () => {
  test("leaves its owner alone, whatever is wrong with the flags; each says what", async () => {
    await using hosting = new Hosting();
    const { workspace, root } = hosting.home;
    mkdirSync(join(root, "other"));
    mkdirSync(join(workspace, "src"));
    const owner = await hosting.startPod("p", `steps:\n${noted}`, ["--write", "src"]);
    mkdirSync(join(workspace, "docs"));
    const beside = await hosting.startPod("q", `steps:\n${noted}`, ["--write", "docs"]);
    const table: readonly (readonly [readonly string[], RegExp])[] = [
      [["--write", "nothere"], /--write names "nothere"/],
      [["--write", "docs"], /the Pod q \(process \d+\) works there/],
      [["-C", join(root, "other")], /works in .*, not in /],
      [["-m", "nope/x"], /nope/],
      [["-m", "anthropic/claude-sonnet-4-5"], /ANTHROPIC_API_KEY/],
      [["--profile", "nosuch"], /started with no profile/],
    ];
    for (const [flags, says] of table) {
      const { code, stdout, stderr } = await hosting.yoi("pod", "start", "p", "--take-over", ...flags);
      assert.ok(code !== 0, `${flags.join(" ")}: ${stderr}`);
      assert.equal(stdout, "");
      assert.match(stderr, says);
      assert.doesNotMatch(stderr, /which held the Pod/);
    }
    assert.equal(
      (await hosting.yoi("pod", "show", "p", "--json")).stdout.includes(`"owner_pid":${owner.pid}`),
      true,
    );
    assert.ok(beside.pid > 0);
    const taken = await hosting.yoi("pod", "start", "p", "--take-over", "--write", "src");
    assert.equal(taken.code, 0, taken.stderr);
    assert.match(taken.stderr, /which held the Pod p, ended in order\./);
  });
});
