/** Ending a process by its identity: exactly that one, also when it is stopped, and a group only through the process that leads it. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import test from "node:test";
import { nodeHost, type ProcessIdentity } from "@yoi/host";
import { eventually, familyOf } from "../support/processes.ts";

const { processes } = nodeHost();

function identityOf(pid: number): ProcessIdentity {
  const [self] = familyOf(pid);
  if (self === undefined) throw new Error(`no process ${pid}`);
  return { pid, started: Number(self.started), boot: processes.self().boot };
}

/** A shell with a child of its own, whose pid it says. */
class Family implements AsyncDisposable {
  readonly #shell: ChildProcess;
  readonly child: ProcessIdentity;

  private constructor(shell: ChildProcess, child: ProcessIdentity) {
    this.#shell = shell;
    this.child = child;
  }

  static async start(detached: boolean): Promise<Family> {
    const shell = spawn("/bin/sh", ["-c", "sleep 60 & echo $!; wait"], {
      detached,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { value } = await createInterface({ input: shell.stdout })[Symbol.asyncIterator]().next();
    return new Family(shell, identityOf(Number(value)));
  }

  get leader(): ProcessIdentity {
    return identityOf(this.#shell.pid ?? 0);
  }

  get ended(): Promise<unknown> {
    const { exitCode, signalCode } = this.#shell;
    return exitCode === null && signalCode === null ? once(this.#shell, "exit") : Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { ended } = this;
    processes.end(this.child, "SIGKILL");
    this.#shell.kill("SIGKILL");
    await ended;
  }
}

test("a group ends with the process that leads it, also when it is stopped", async () => {
  await using family = await Family.start(true);
  const { leader, child, ended } = family;
  process.kill(leader.pid, "SIGSTOP");
  assert.equal(processes.endGroup(leader, "SIGKILL"), true);
  await ended;
  await eventually("the group is gone", () => !processes.isAlive(child));
  assert.deepEqual(
    [processes.isAlive(leader), processes.endGroup(leader, "SIGKILL"), processes.end(leader, "SIGKILL")],
    [false, false, false],
  );
});

test("nothing is done to another process: one that started at another time, of another boot, or that leads no group", async () => {
  await using family = await Family.start(true);
  const { leader, child } = family;
  const others = [
    { ...leader, started: leader.started + 1 },
    { ...leader, boot: "00000000-0000-0000-0000-000000000000" },
    { ...leader, pid: 0 },
    { ...leader, pid: -leader.pid },
    { ...leader, pid: 2 ** 22 + 1 },
  ];
  assert.deepEqual(
    [...others, child].map((other) => processes.endGroup(other, "SIGKILL")),
    [false, false, false, false, false, false],
  );
  assert.deepEqual(
    others.map((other) => processes.end(other, "SIGKILL")),
    [false, false, false, false, false],
  );
  assert.deepEqual([leader, child].map(processes.isAlive), [true, true]);
  // The control: the same calls with the right identity do end them.
  assert.equal(processes.end(child, "SIGTERM"), true);
  await eventually("it has ended", () => !processes.isAlive(child));
});

test("one process ends without the others of its group", async () => {
  await using family = await Family.start(false);
  const { leader, child } = family;
  assert.equal(processes.endGroup(leader, "SIGKILL"), false, "it is in the group of this test");
  assert.equal(processes.end(leader, "SIGKILL"), true);
  await family.ended;
  assert.equal(processes.isAlive(child), true);
});
