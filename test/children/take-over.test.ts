/** L3: a Pod whose owner does not answer any more. Starters are refused and told; a take-over ends exactly that owner and goes on with the next epoch. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { podName, segmentId, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createPodStore, createSqliteLease } from "@yoi/pod-store";
import { createSessionStore } from "@yoi/session-store";
import { Starter } from "../lease/crew.ts";
import { Hosting } from "../service/hosted.ts";
import { aliveIn, eventually } from "../support/processes.ts";
import type { YoiProcess, YoiResult } from "../support/yoi-process.ts";

const scenario = "steps:\n  - text: done\n";
/** Its command holds a run for as long as a test lasts. */
const longRun = `steps:
  - text: "It takes a while."
    tool_calls:
      - name: Bash
        arguments: { command: "echo begun > begun && sleep 100" }
  - text: done
`;
const name = podName("p");
const killed =
  /which held the Pod p, did not end within 5 s and was killed: nothing that was acknowledged is lost\./;

function storesOf(dataDir: string) {
  const host = nodeHost();
  return {
    lease: createSqliteLease({ dataDir, ...host }),
    pods: createPodStore({ dataDir, ...host }),
    sessions: createSessionStore({ dataDir, ...host }),
  };
}

const withCode = (code: string) => (error: unknown) => error instanceof YoiError && error.code === code;

function epochs(hosting: Hosting): readonly number[] {
  const { pointer } = JSON.parse(
    readFileSync(join(hosting.home.home, "pods", name, "metadata.json"), "utf8"),
  ) as { pointer: { session: string; segment: string } };
  const log = join(hosting.home.home, "sessions", pointer.session, `${pointer.segment}.jsonl`);
  return readFileSync(log, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { kind: string; epoch?: number })
    .flatMap(({ kind, epoch }) => (kind === "opened" && epoch !== undefined ? [epoch] : []));
}

/** Hosts it in the foreground until the test ends. */
async function takenOver(hosting: Hosting): Promise<YoiProcess> {
  const taking = hosting.begin("pod", "restore", name, "--take-over", "--foreground");
  try {
    await taking.waitFor(/^yoi-pod-ready\t/m);
  } catch (error) {
    taking.killGroup("SIGKILL");
    throw new Error(`it was not taken over: ${JSON.stringify(taking.output())}`, { cause: error });
  }
  return taking;
}

async function stopped(process: YoiProcess): Promise<YoiResult> {
  process.kill("SIGTERM");
  return process.ended;
}

describe("a Pod is taken over", { concurrency: true }, () => {
  test("L3: its host is stopped: 8 starters are refused and told who holds it; it is killed, and what it still holds of the Pod is refused", async () => {
    await using hosting = new Hosting();
    const owner = await hosting.startPod(name, scenario);
    process.kill(owner.pid, "SIGSTOP");
    const { lease, pods, sessions } = storesOf(hosting.home.home);
    const record = await pods.read(name);
    assert.ok(record?.pointer.state === "active");
    const { session, segment } = record.pointer;
    // As the stopped process has one.
    const { writer } = await sessions.open(
      { session, segment: segmentId(segment) },
      { metadataEpoch: record.epoch, version: "0" },
    );
    const refusals = Array.from({ length: 8 }, (_, at) =>
      hosting.yoi("pod", at % 2 === 0 ? "start" : "restore", name),
    );
    // The control: a signal that can be left unheard gives nobody the lease.
    process.kill(owner.pid, "SIGTERM");
    await assert.rejects(lease.acquire(name, "run"), withCode("pod_held"));
    const refused = await Promise.all(refusals);
    const next = await takenOver(hosting);
    try {
      for (const { code, stdout, stderr } of refused) {
        assert.deepEqual([code, stdout], [1, ""], stderr);
        assert.match(
          stderr,
          new RegExp(
            `^yoi: The Pod p is hosted by process ${owner.pid} .*It does not answer: \`yoi pod restore p --take-over\` ends that process`,
            "m",
          ),
        );
      }
      assert.match(next.output().stderr, killed);
      assert.equal((await owner.ended).signal, "SIGKILL");
      assert.deepEqual(epochs(hosting).slice(-2), [writer.epoch, writer.epoch + 1]);
      await assert.rejects(
        writer.append([{ kind: "user_input", parts: [{ type: "text", text: "late" }] }]),
        withCode("log_fenced"),
      );
      await assert.rejects(pods.update(name, record, {}), withCode("metadata_conflict"));
    } finally {
      await stopped(next);
    }
  });

  test("L3: `yoi run` holds it and is stopped: the sentence names the way out, the run is killed with its command and can be gone on with", async () => {
    await using hosting = new Hosting();
    writeFileSync(join(hosting.home.workspace, "s.yaml"), longRun);
    const run = hosting.begin("run", "go", "--pod", name, "-m", "scripted/s.yaml", "--sandbox", "off");
    await eventually("its command runs", () => existsSync(join(hosting.home.workspace, "begun")), 20_000);
    run.kill("SIGSTOP");
    const before = epochs(hosting);
    const refused = await hosting.yoi("run", "--pod", name);
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(
      refused.stderr,
      new RegExp(`held by process ${run.pid} .*\`yoi pod restore p --take-over\``),
    );
    const next = await takenOver(hosting);
    try {
      assert.match(next.output().stderr, killed);
      assert.equal((await run.ended).signal, "SIGKILL");
      assert.deepEqual(epochs(hosting), [...before, Number(before.at(-1)) + 1]);
      await next.waitFor(/p is up: pid \d+, paused/);
    } finally {
      await stopped(next);
    }
    assert.deepEqual(aliveIn(hosting.home.workspace), [], "nothing of the run is left");
  });

  test("an owner that is well ends in order when it is asked, hosted or not, and a Pod that nobody holds is just started", async () => {
    await using hosting = new Hosting();
    const owner = await hosting.startPod(name, longRun);
    const next = await takenOver(hosting);
    const inOrder = new RegExp(
      `^yoi: The process ${owner.pid}, which held the Pod p, ended in order\\.$`,
      "m",
    );
    try {
      assert.match(next.output().stderr, inOrder);
      assert.equal((await owner.ended).code, 0, "asked over its socket");
    } finally {
      await stopped(next);
    }
    const run = hosting.begin("run", "go", "--pod", name, "--sandbox", "off");
    await eventually("its command runs", () => existsSync(join(hosting.home.workspace, "begun")), 20_000);
    const third = await takenOver(hosting);
    try {
      assert.match(third.output().stderr, /which held the Pod p, ended in order\./);
      assert.equal((await run.ended).code, 143, "told by SIGTERM");
    } finally {
      await stopped(third);
    }
    const fourth = await takenOver(hosting);
    await stopped(fourth);
    assert.doesNotMatch(fourth.output().stderr, /which held/);
  });

  test("a run that holds it is not hosted, which stop and attach say, before anything was ever hosted too; killed by another, it is not said to have ended in order", async () => {
    await using hosting = new Hosting();
    writeFileSync(join(hosting.home.workspace, "s.yaml"), longRun);
    const run = hosting.begin("run", "go", "--pod", name, "-m", "scripted/s.yaml", "--sandbox", "off");
    await eventually("its command runs", () => existsSync(join(hosting.home.workspace, "begun")), 20_000);
    for (const command of ["stop", "cancel"]) {
      const { code, stderr } = await hosting.yoi("pod", command, name);
      assert.ok(code !== 0);
      assert.match(stderr, new RegExp(`The Pod p is held by process ${run.pid} .*for run\\)`));
    }
    run.kill("SIGSTOP");
    const taking = hosting.begin("pod", "restore", name, "--take-over", "--foreground");
    await taking.waitFor(/Waiting for the process/);
    run.kill("SIGKILL");
    await taking.waitFor(/^yoi-pod-ready\t/m);
    await stopped(taking);
    assert.match(
      taking.output().stderr,
      /which held the Pod p, was killed, by somebody else than this command\./,
    );
  });

  test("a process that holds the lease to end the Pod, its parent as it may be, is not taken over from", async () => {
    await using hosting = new Hosting();
    const { home, workspace } = hosting.home;
    writeFileSync(join(workspace, "s.yaml"), scenario);
    const parent = new Starter(home);
    try {
      const held = await parent.lease.acquire(name, "stop");
      const start = ["pod", "start", name, "-m", "scripted/s.yaml", "--sandbox", "off", "--take-over"];
      const { code, stderr } = await hosting.yoi(...start);
      assert.equal(code, 1);
      assert.match(
        stderr,
        new RegExp(
          `^yoi: The Pod p is held by process ${parent.pid} .*for stop\\), which begins, ends or removes it`,
          "m",
        ),
      );
      // It lives: it answers.
      await held.release();
    } finally {
      await parent.kill();
    }
  });

  test("a living process that the lease names, but which does not hold its lock, is left alone", async () => {
    await using hosting = new Hosting();
    const { home, workspace } = hosting.home;
    writeFileSync(join(workspace, "s.yaml"), scenario);
    const { processes } = nodeHost();
    const bystander = spawn("sleep", ["100"], { stdio: "ignore" });
    const identity = processes.identify(bystander.pid ?? 0);
    assert.ok(identity !== null);
    const held = await storesOf(home).lease.acquire(name, "run");
    try {
      const hint = join(home, "locks", `${name}.owner`);
      const named = JSON.parse(readFileSync(hint, "utf8")) as object;
      writeFileSync(hint, JSON.stringify({ ...named, ...identity }));
      const start = ["pod", "start", name, "-m", "scripted/s.yaml", "--sandbox", "off"];
      const { code, stderr } = await hosting.yoi(...start, "--take-over");
      assert.equal(code, 1);
      assert.match(
        stderr,
        new RegExp(`The process ${identity.pid} .* does not hold its lock: it is left alone`),
      );
      assert.equal(processes.isAlive(identity), true);
    } finally {
      const gone = once(bystander, "exit");
      bystander.kill("SIGKILL");
      await gone;
      await held.release();
    }
  });
});
