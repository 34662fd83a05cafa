/** What is wrong with stored things: a Pod that is held, a damaged log, a full disk, a data directory that may not be written. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { startAnthropicServer } from "../support/anthropic-server.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { rechain } from "../support/rechain.ts";
import { startYoi, yoiCommand } from "../support/yoi-process.ts";
import {
  assertFails,
  assertSentence,
  assertUntouched,
  assertVerifies,
  environmentOf,
  isOfOpening,
  key,
  model,
  plant,
  resultOf,
  sentenceOf,
  treeOf,
  yoi,
} from "./machine.ts";

const pod = "p";
const scripted = ["--pod", pod, "-m", "scripted/s.yaml"];
const twoAnswers = "steps:\n  - text: One.\n  - text: Two.\n";

/** A machine with a Pod that has run once. */
async function withPod(home: TempHome): Promise<{ readonly log: string }> {
  plant(join(home.workspace, "s.yaml"), twoAnswers);
  const ran = await yoi(home, ["run", "first", ...scripted]);
  assert.deepEqual([ran.code, ran.stdout], [0, "One.\n"], ran.stderr);
  const log = [...treeOf(home.home).keys()].find((path) => path.endsWith(".jsonl"));
  return { log: join(home.home, log ?? "no log") };
}

test("a Pod that another process holds is named with its pid; looking at it works; nothing of it changes", async () => {
  using home = tempHome();
  const server = await startAnthropicServer({ handler: () => "silence" });
  const env = environmentOf(home, { ANTHROPIC_API_KEY: key });
  const holder = startYoi(["run", "go", "--pod", pod, "-m", model, "--base-url", server.url], {
    env,
    cwd: home.workspace,
  });
  try {
    await server.arrived(1);
    const says = new RegExp(
      `^The Pod p is held by process ${holder.pid} \\(since .*, for run\\): wait until it ends, end it with \`kill ${holder.pid}\`, take the Pod over with \`yoi pod restore p --take-over\`, or use another Pod name\\.$`,
    );
    await assertFails(home, {
      args: ["run", "x", "--pod", pod, "-m", model],
      env,
      code: 1,
      errorCode: "pod_held",
      says,
    });
    await assertFails(home, { args: ["run", "--pod", pod], env, code: 1, errorCode: "pod_held", says });
    const before = treeOf(home.home);
    const removal = await yoi(home, ["pod", "rm", pod, "--json"]);
    assert.equal(removal.code, 1);
    assert.equal((JSON.parse(removal.stdout) as { error_code: string }).error_code, "pod_held");
    const shown = await yoi(home, ["pod", "show", pod, "--json"]);
    assert.equal((JSON.parse(shown.stdout) as { owner_pid: number }).owner_pid, holder.pid);
    assert.equal((await yoi(home, ["pod", "log", pod])).code, 0);
    assert.equal((await yoi(home, ["pod", "verify", pod])).code, 0);
    assertUntouched(before, treeOf(home.home));
  } finally {
    holder.kill("SIGTERM");
    await holder.ended;
    await server.close();
  }
  assert.equal((await holder.ended).code, 143);
  await assertVerifies(home, pod);
});

describe("a log", () => {
  test("damaged in the middle is refused with file, line and byte, and shown as far as it is good", async () => {
    using home = tempHome();
    const { log } = await withPod(home);
    const bytes = readFileSync(log);
    const lineStart = bytes.indexOf("\n", bytes.indexOf("\n") + 1) + 1;
    bytes[lineStart + 12] = (bytes[lineStart + 12] ?? 0) ^ 1;
    writeFileSync(log, bytes);
    await assertFails(home, {
      args: ["run", "more", ...scripted],
      code: 1,
      errorCode: "log_damaged",
      says: new RegExp(
        `^The session log ${log} is damaged at line 3 \\(byte ${lineStart}\\): .* \`yoi pod log p\` shows what is good of it, and \`yoi pod fork p NEW\` goes on from there in another Pod\\.$`,
      ),
    });
    const before = treeOf(home.home);
    const shown = await yoi(home, ["pod", "log", pod]);
    assert.equal(shown.code, 1);
    assert.equal(shown.stdout.trimEnd().split("\n").length, 2);
    assert.match(sentenceOf(shown.stderr), new RegExp(`^${log} is damaged at line 3, byte ${lineStart} `));
    const verified = await yoi(home, ["pod", "verify", pod]);
    assert.equal(verified.code, 1);
    assertSentence(verified.stderr.trimEnd().replace(/^yoi: /, ""));
    const state = JSON.parse((await yoi(home, ["pod", "show", pod, "--json"])).stdout) as JsonObject;
    assert.equal(state["state"], "damaged");
    assertUntouched(before, treeOf(home.home));
  });

  test("with whole lines missing at its end is refused, and verify says which", async () => {
    using home = tempHome();
    const { log } = await withPod(home);
    const bytes = readFileSync(log);
    const lines = bytes.toString().trimEnd().split("\n").length;
    truncateSync(log, bytes.lastIndexOf("\n", bytes.length - 2) + 1);
    const before = treeOf(home.home);
    const verified = await yoi(home, ["pod", "verify", pod]);
    assert.equal(verified.code, 1);
    assert.equal(
      sentenceOf(verified.stderr),
      `${log} ends at entry ${lines - 2}, but the last orderly close left it at ${lines - 1}: whole lines are missing at the end.`,
    );
    assertUntouched(before, treeOf(home.home));
    await assertFails(home, {
      args: ["run", "more", ...scripted],
      code: 1,
      errorCode: "log_damaged",
      says: new RegExp(`^The session log ${log} is not whole, lines are missing at its end: `),
    });
  });

  test("that is gone", async () => {
    using home = tempHome();
    const { log } = await withPod(home);
    rmSync(log);
    await assertFails(home, {
      args: ["run", "more", ...scripted],
      code: 1,
      errorCode: "io_failed",
      says: new RegExp(`^There is no session log at ${log}: `),
    });
  });

  test("of a later format", async () => {
    using home = tempHome();
    const { log } = await withPod(home);
    const newer = rechain(readFileSync(log), (line) => {
      if (line.kind === "segment_start") line["schema"] = 9;
    });
    writeFileSync(log, newer);
    await assertFails(home, {
      args: ["run", "more", ...scripted],
      code: 3,
      errorCode: "schema_newer",
      says: `The session log ${log} has format 9, and this yoi reads formats up to 2: update yoi.`,
    });
  });
});

/** A small disk (options of tmpfs), or the reason why there is none. */
function smallDisk(path: string, options: string): ({ readonly at: string } & Disposable) | string {
  if (process.getuid?.() !== 0) return "skipped: only root can mount a small disk";
  execFileSync("mkdir", ["-p", path]);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `mode=0700,${options}`, "yoi-test", path]);
  if (mounted.status !== 0) return `skipped: no small disk here (${mounted.stderr.toString().trim()})`;
  return { at: path, [Symbol.dispose]: () => void execFileSync("umount", ["-l", path]) };
}

describe("a full disk", () => {
  const full = (verb: string) =>
    new RegExp(`^Cannot ${verb} .*: the disk is full \\(ENOSPC\\); free some space and try again\\.$`);

  test("at the start: said, and nothing half-made is left", async (t) => {
    using home = tempHome();
    using disk = smallDiskOf(join(home.root, "disk"), "size=64k");
    if (typeof disk.at !== "string") return t.skip(disk.reason);
    plant(join(home.workspace, "s.yaml"), twoAnswers);
    const filler = join(disk.at, "filler");
    fill(filler);
    const onDisk = { ...home, home: disk.at };
    const ran = await yoi(home, ["run", "x", ...scripted, "--output-format", "json"], {
      env: { YOI_HOME: disk.at },
    });
    assert.equal(ran.code, 1, ran.stderr);
    assert.equal(resultOf(ran.stdout).error_code, "disk_full");
    assert.match(sentenceOf(ran.stderr), full("(create|write|replace|sync).*"));
    const left = [...treeOf(onDisk.home).keys()].filter((path) => path !== "filler" && !isOfOpening(path));
    assert.deepEqual(left, []);
    rmSync(filler);
    const again = await yoi(home, ["run", "x", ...scripted], { env: { YOI_HOME: disk.at } });
    assert.deepEqual([again.code, again.stdout], [0, "One.\n"], again.stderr);
  });

  test("in the middle of a run: said, the log is whole, and the run goes on once there is room", async (t) => {
    using home = tempHome();
    using disk = smallDiskOf(join(home.root, "disk"), "size=512k");
    if (typeof disk.at !== "string") return t.skip(disk.reason);
    const env = { YOI_HOME: disk.at };
    const filler = join(disk.at, "filler");
    // The model fills the disk between two steps, by a shell that may write there: the sandbox is off.
    plant(
      join(home.workspace, "s.yaml"),
      `steps:
  - tool_calls: [{ name: Bash, arguments: { command: "dd if=/dev/zero of=${filler} bs=1k 2>/dev/null; true" } }]
  - text: There was room again. ${"x".repeat(64 * 1024)}
`,
    );
    const ran = await yoi(home, ["run", "x", ...scripted, "--sandbox", "off", "--output-format", "json"], {
      env,
    });
    assert.equal(ran.code, 1, ran.stdout + ran.stderr);
    const result = resultOf(ran.stdout);
    assert.equal(result.error_code, "disk_full");
    assert.notEqual(result.session_id, null);
    assert.match(
      ran.stderr.trimEnd().split("\n").at(-1) ?? "",
      /^yoi: Cannot .* the disk is full \(ENOSPC\); free some space/,
    );
    rmSync(filler);
    // What it came to before it failed counts.
    const { stdout: log } = await yoi(home, ["pod", "log", pod], { env });
    assert.equal(result.num_turns, log.match(/ turn_end /g)?.length);
    assert.ok(result.duration_ms > 0);
    const verified = await yoi(home, ["pod", "verify", pod, "--wire"], { env });
    assert.equal(verified.code, 0, verified.stderr);
    const resumed = await yoi(home, ["run", ...scripted, "--sandbox", "off"], { env });
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stdout, /^There was room again\. x+\n$/);
    assert.equal((await yoi(home, ["pod", "verify", pod, "--wire"], { env })).code, 0);
  });
});

test("a disk that is full only when the Pod closes does not take the answer away", async (t) => {
  using home = tempHome();
  using disk = smallDiskOf(join(home.root, "disk"), "nr_inodes=64");
  if (typeof disk.at !== "string") return t.skip(disk.reason);
  const env = { YOI_HOME: disk.at };
  // Without inodes the log can grow, and no new metadata file can be made.
  plant(
    join(home.workspace, "s.yaml"),
    `steps:
  - tool_calls: [{ name: Bash, arguments: { command: "mkdir ${join(disk.at, "filler")}; i=0; while : 2>/dev/null > ${join(disk.at, "filler")}/$i; do i=$((i+1)); done; true" } }]
  - text: Short.
`,
  );
  const ran = await yoi(home, ["run", "x", ...scripted, "--sandbox", "off"], { env });
  assert.deepEqual([ran.code, ran.stdout], [0, "Short.\n"], ran.stderr);
  assert.match(
    ran.stderr,
    /^The Pod could not be closed in order, which the next run makes good: Cannot .*ENOSPC/m,
  );
  rmSync(join(disk.at, "filler"), { recursive: true });
  assert.equal((await yoi(home, ["pod", "verify", pod, "--wire"], { env })).code, 0);
});

function smallDiskOf(path: string, options: string) {
  const disk = smallDisk(path, options);
  return typeof disk === "string"
    ? { at: null, reason: disk, [Symbol.dispose]: () => {} }
    : { ...disk, reason: "" };
}

/** Writes until the disk takes nothing more. */
function fill(path: string): void {
  spawnSync("dd", ["if=/dev/zero", `of=${path}`, "bs=1k"]);
}

describe("a data directory that may not be written", () => {
  /** Runs as a user without rights where this test has too many. */
  const asNobody = ["--reuid=65534", "--regid=65534", "--clear-groups", yoiCommand];
  const unprivileged = process.getuid?.() !== 0;

  test("is said with the path, and nothing is made", async (t) => {
    using home = tempHome();
    plant(join(home.workspace, "s.yaml"), twoAnswers);
    const as = (args: readonly string[]) =>
      unprivileged ? { args, command: yoiCommand } : { args: [...asNobody, ...args], command: "setpriv" };
    if (!unprivileged) {
      chmodSync(home.root, 0o755);
      chmodSync(home.workspace, 0o755);
      chmodSync(join(home.workspace, "s.yaml"), 0o644);
      const probe = as(["--version"]);
      if (spawnSync(probe.command, probe.args).status !== 0)
        return t.skip("skipped: another user cannot run yoi here");
      chownSync(home.home, 65534, 65534);
    }
    chmodSync(home.home, 0o500);
    try {
      const { args, command } = as(["run", "x", ...scripted, "--output-format", "json"]);
      const ran = await yoi(home, args, { command });
      assert.equal(ran.code, 1, ran.stderr);
      assert.equal(resultOf(ran.stdout).error_code, "permission_denied");
      assert.match(
        sentenceOf(ran.stderr),
        new RegExp(
          `^Cannot .* ${home.home}/.*: permission is denied \\(EACCES\\); give this user access to it, or choose another directory\\.$`,
        ),
      );
      assert.deepEqual(readdirSync(home.home), []);
    } finally {
      chmodSync(home.home, 0o700);
    }
  });

  test("neither may a file below it", async (t) => {
    if (!unprivileged) return t.skip("skipped: root may write everything");
    using home = tempHome();
    const { log } = await withPod(home);
    chmodSync(log, 0o400);
    await assertFails(home, {
      args: ["run", "more", ...scripted],
      code: 1,
      errorCode: "permission_denied",
      says: new RegExp(`^Cannot open ${log}: permission is denied`),
    });
  });
});

for (const umask of ["000", "077"]) {
  test(`umask ${umask}: files are 0600 and directories 0700`, async () => {
    using home = tempHome();
    plant(join(home.workspace, "s.yaml"), `context_window: 100000\n${twoAnswers}`);
    plant(join(home.home, "config", "config.toml"), "[session]\nrecord_event_trace = true\n");
    rmSync(join(home.home, "config"), { recursive: true });
    const ran = await yoi(home, ["-c", `umask ${umask}; exec "$0" "$@"`, yoiCommand, "run", ...scripted], {
      command: "/bin/sh",
      input: "x".repeat(2 * 1024 * 1024),
    });
    assert.equal(ran.code, 0, ran.stderr);
    const kinds = new Set<string>();
    for (const path of readdirSync(home.home, { recursive: true, encoding: "utf8" })) {
      const stat = statSync(join(home.home, path));
      kinds.add(path.split("/")[0] ?? "");
      assert.equal((stat.mode & 0o777).toString(8), stat.isDirectory() ? "700" : "600", path);
    }
    assert.deepEqual([...kinds].sort(), ["locks", "pods", "registry.sqlite", "sessions"]);
  });
}
