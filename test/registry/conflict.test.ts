/** Two Pods that could write one path: the second is refused, and each way out that the refusal names leads out. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../support/processes.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";

const model = ["-m", "scripted/s.yaml"];

function machine() {
  const home = tempHome();
  for (const directory of ["src", "docs"]) mkdirSync(join(home.workspace, directory));
  const write = (path: string) => ({
    id: "w",
    name: "Write",
    arguments: { file_path: join(home.workspace, path), content: "x" },
  });
  writeFileSync(
    join(home.workspace, "s.yaml"),
    JSON.stringify({ steps: [{ text: "Done." }, { text: "Again." }] }),
  );
  writeFileSync(
    join(home.workspace, "long.yaml"),
    JSON.stringify({ pace_ms: 20, chunk: 1, steps: [{ text: "x".repeat(4_000) }] }),
  );
  writeFileSync(
    join(home.workspace, "writes.yaml"),
    JSON.stringify({
      steps: [{ tool_calls: [write("docs/in"), { ...write("src/out"), id: "v" }] }, { text: "Tried." }],
    }),
  );
  const options = { cwd: home.workspace, env: home.env };
  const yoi = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runYoi(args, options);
    return { code, stdout, stderr };
  };
  return { home, yoi, options };
}

const elsewhere = ", or with --write DIR for a part of the workspace where nobody else writes";

test("a hosted Pod owns its workspace: run and start are refused with exit 1, and every way out works", async () => {
  const { home, yoi } = machine();
  using _ = home;
  const started = await yoi("pod", "start", "owner", "--write", "src", ...model);
  assert.equal(started.code, 0, started.stderr);
  try {
    for (const args of [
      ["run", "go", "--pod", "second", ...model],
      ["run", "go", "--pod", "second", "--write", "src", "--write", "docs", ...model],
      ["pod", "start", "second", ...model],
    ]) {
      const refused = await yoi(...args);
      assert.equal(refused.code, 1, refused.stderr);
      assert.equal(existsSync(join(home.home, "locks", "second.sqlite")), false, "not even a lock is left");
      assert.match(
        refused.stderr,
        new RegExp(
          `^yoi: This Pod could write "${home.workspace}/src", and the Pod owner \\(process \\d+\\) works there: give owner the work \\(\`yoi run --pod owner PROMPT\`, \`yoi attach owner\`\\), end it \\(\`yoi pod stop owner\`\\), or start this one with --read-only${elsewhere}\\.\\n$`,
          "m",
        ),
      );
    }
    assert.match((await yoi("pod", "show", "second")).stderr, /There is no Pod named second/);
    assert.equal((await yoi("run", "--pod", "owner", "go")).stdout, "Done.\n");
    assert.equal((await yoi("run", "go", "--pod", "reader", "--read-only", ...model)).stdout, "Done.\n");
    assert.equal(
      (await yoi("run", "go", "--pod", "beside", "--write", "docs", "-m", "scripted/writes.yaml")).stdout,
      "Tried.\n",
    );
    assert.deepEqual(
      [existsSync(join(home.workspace, "docs/in")), existsSync(join(home.workspace, "src/out"))],
      [true, false],
    );
    // Kept: it is not in the way the next time either.
    assert.equal((await yoi("run", "again", "--pod", "reader")).stdout, "Again.\n");
    assert.match((await yoi("pod", "show", "reader")).stdout, /^writes: +nothing \(--read-only\)$/m);
    assert.match(
      (await yoi("pod", "show", "beside")).stdout,
      new RegExp(`^writes: +only ${home.workspace}/docs$`, "m"),
    );
  } finally {
    assert.equal((await yoi("pod", "stop", "owner")).code, 0);
  }
  assert.equal((await yoi("run", "go", "--pod", "second", ...model)).stdout, "Done.\n");
});

test("a run owns its workspace until it ends: the next is refused, and told to wait or to end it", async () => {
  const { home, yoi, options } = machine();
  using _ = home;
  const owner = startYoi(["run", "go", "--pod", "owner", "-m", "scripted/long.yaml"], options);
  try {
    await eventually(
      "it is at work",
      () => existsSync(join(home.home, "pods", "owner", "metadata.json")),
      20_000,
    );
    const refused = await yoi("run", "go", "--pod", "second", ...model);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      new RegExp(
        `^yoi: This Pod could write "${home.workspace}", and the Pod owner \\(process ${owner.pid}\\) works there: wait until its run ends and then give owner the work \\(\`yoi run --pod owner PROMPT\`\\), end it \\(\`kill ${owner.pid}\`\\), or start this one with --read-only\\.\\n$`,
        "m",
      ),
    );
    process.kill(owner.pid, "SIGTERM");
    await owner.ended;
    assert.equal((await yoi("run", "go", "--pod", "second", ...model)).stdout, "Done.\n");
  } finally {
    owner.kill("SIGKILL");
    await owner.ended;
  }
});

test("--write and --read-only: what cannot be meant is usage, exit 2, and makes nothing", async () => {
  const { home, yoi } = machine();
  using _ = home;
  const table: readonly [readonly string[], RegExp][] = [
    [["--write", "nowhere"], /--write names "nowhere", which cannot be found in the workspace/],
    [["--write", "s.yaml"], /--write names "s\.yaml", which is not a directory/],
    [["--write", "/tmp"], /--write names "\/tmp", which lies outside of the workspace/],
    [
      ["--write", ".."],
      /--write names "\/[^"]+", which lies outside of the workspace .*, and no rule of yours lets/,
    ],
    [["--write", "src", "--read-only"], /'--read-only' cannot be used with option '--write <dir>'/],
  ];
  for (const [flags, says] of table) {
    const refused = await yoi("run", "go", "--pod", "p", ...flags, ...model);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, says);
  }
  const refused = await yoi("pod", "start", "p", "--write", "nowhere", ...model);
  assert.deepEqual([refused.code, /--write names "nowhere"/.test(refused.stderr)], [2, true]);
  assert.equal(existsSync(join(home.home, "pods", "p")), false);
});
