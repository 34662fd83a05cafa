/** The lease on a machine: the suite over two real processes, how it ends with them, and what would lose it. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { podName, YoiError } from "@yoi/base";
import { nodeHost, type Files } from "@yoi/host";
import { acquireBoundMs, createSqliteLease } from "@yoi/pod-store";
import { leaseConformance } from "@yoi/pod-store/conformance";
import { Starter, type StoreCall } from "./crew.ts";

const name = podName("atlas");

/** A data directory and processes over it, all gone when the block ends. */
class Machine implements AsyncDisposable {
  readonly dataDir = mkdtempSync(join(tmpdir(), "yoi-lease-"));
  readonly locks = join(this.dataDir, "locks");
  readonly #starters: Starter[] = [];

  start(): Starter {
    const starter = new Starter(this.dataDir);
    this.#starters.push(starter);
    return starter;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#starters.map((starter) => starter.kill()));
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

leaseConformance("SQLite lease", async () => {
  const machine = new Machine();
  const [first, second] = [machine.start(), machine.start()];
  return {
    first: first.lease,
    second: second.lease,
    firstPid: first.pid,
    endFirst: () => first.kill(),
    [Symbol.asyncDispose]: () => machine[Symbol.asyncDispose](),
  };
});

async function refused(starter: Starter): Promise<YoiError> {
  const outcome = await starter.lease.acquire(name, "second").then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof YoiError && outcome.code === "pod_held", "the lease was lost");
  return outcome;
}

test("the locks directory is private and holds the lock and the hint, nothing else", async () => {
  await using machine = new Machine();
  const [owner, other] = [machine.start(), machine.start()];
  const held = await owner.lease.acquire(name, "run");
  await refused(other);
  assert.deepEqual(readdirSync(machine.locks).sort(), ["atlas.owner", "atlas.sqlite"]);
  assert.equal(statSync(machine.locks).mode & 0o777, 0o700);
  const { ino } = statSync(join(machine.locks, "atlas.sqlite"));
  await held.release();
  assert.deepEqual(readdirSync(machine.locks), ["atlas.sqlite"]);
  await other.lease.acquire(name, "run");
  assert.equal(statSync(join(machine.locks, "atlas.sqlite")).ino, ino);
});

test("a stopped owner keeps its lease; killed while stopped it loses it at once", async () => {
  await using machine = new Machine();
  const [owner, other] = [machine.start(), machine.start()];
  await owner.lease.acquire(name, "run");
  owner.signal("SIGSTOP");
  assert.ok((await refused(other)).message.includes(String(owner.pid)));
  owner.signal("SIGCONT");
  await refused(other);
  owner.signal("SIGSTOP");
  await owner.kill();
  await other.lease.acquire(name, "restore");
});

test("control: reading the lock file inside the owner loses the lease", async () => {
  await using machine = new Machine();
  const [owner, other] = [machine.start(), machine.start()];
  await owner.lease.acquire(name, "run");
  await owner.call({ verb: "read", path: join(machine.locks, "atlas.sqlite") });
  await other.lease.acquire(name, "second");
});

test("a hint that was lost is written again by whoever holds the lock, and by nobody else", async () => {
  await using machine = new Machine();
  const [owner, other] = [machine.start(), machine.start()];
  await owner.lease.acquire(name, "run");
  rmSync(join(machine.locks, "atlas.owner"));
  await other.lease.renewHint(name);
  assert.equal(await other.lease.owner(name), null);
  await owner.lease.renewHint(name);
  assert.equal((await other.lease.owner(name))?.owner.pid, owner.pid);
  await refused(other);
});

test("no verb of the lease or the Pod store loses the lease", async () => {
  await using machine = new Machine();
  const [owner, other] = [machine.start(), machine.start()];
  await owner.lease.acquire(name, "run");
  const storeCalls: readonly StoreCall[] = ["create", "read", "list", "find", "update", "remove", "read"];
  const verbs: readonly (readonly [what: string, run: () => Promise<unknown>])[] = [
    ["owner", () => owner.lease.owner(name)],
    ["acquire again", () => assert.rejects(owner.lease.acquire(name, "again"), { code: "pod_held" })],
    [
      "acquire and release another",
      async () => (await owner.lease.acquire(podName("borea"), "run")).release(),
    ],
    ...storeCalls.map((call) => [`store ${call}`, () => owner.call({ verb: "store", call, name })] as const),
  ];
  for (const [what, run] of verbs) {
    await run();
    await assert.doesNotReject(refused(other), `after ${what}`);
  }
});

test("a disk without room for the hint: refused as full, nobody is named, and the lock is free", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "yoi-lease-"));
  try {
    const host = nodeHost();
    const full = async (): Promise<never> => {
      throw new YoiError("disk_full", "no room for the hint");
    };
    const files: Files = {
      ...host.files,
      createAppend: async (path) => {
        const file = await host.files.createAppend(path);
        return path.endsWith(".owner") ? { ...file, bytes: 0, append: full } : file;
      },
    };
    const lease = createSqliteLease({ ...host, files, dataDir });
    await assert.rejects(lease.acquire(name, "run"), { code: "disk_full" });
    assert.deepEqual(readdirSync(join(dataDir, "locks")), ["atlas.sqlite"]);
    // An older version left the empty hint there.
    writeFileSync(join(dataDir, "locks", "atlas.owner"), "");
    assert.equal(await lease.owner(name), null);
    const next = createSqliteLease({ ...host, dataDir });
    const held = await next.acquire(name, "run");
    assert.equal((await lease.owner(name))?.alive, true);
    await held.release();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** Files whose lock file is exchanged behind the lease's back, as one that restores a backup would do it, just before the given look. */
function exchanging(dataDir: string, beforeLook: number): Files {
  const { files } = nodeHost();
  const path = `${dataDir}/locks/atlas.sqlite`;
  let looks = 0;
  return {
    ...files,
    async stat(asked) {
      if (asked === path) {
        looks += 1;
        if (looks === beforeLook) {
          renameSync(path, `${path}.old`);
          writeFileSync(path, "");
        }
      }
      return files.stat(asked);
    },
  };
}

test("a lock on a file that the path no longer names is not taken for the lock", async () => {
  await using machine = new Machine();
  const host = nodeHost();
  await (await createSqliteLease({ ...host, dataDir: machine.dataDir }).acquire(name, "run")).release();
  // The first look is before the lock, the second after it.
  const files = exchanging(machine.dataDir, 2);
  const held = await createSqliteLease({ ...host, files, dataDir: machine.dataDir }).acquire(name, "run");
  assert.ok(existsSync(join(machine.locks, "atlas.sqlite.old")));
  // Another process sees only the new file: it is refused by the lock itself, not by the hint.
  rmSync(join(machine.locks, "atlas.owner"));
  await refused(machine.start());
  await held.release();
});

test("a lock without a hint is waited for up to the bound, then refused", async () => {
  await using machine = new Machine();
  const owner = machine.start();
  await owner.lease.acquire(name, "run");
  rmSync(join(machine.locks, "atlas.owner"));
  const host = nodeHost();
  let waited = 0;
  const clock = { now: host.clock.now, monotonic: () => waited };
  const timers = {
    ...host.timers,
    sleep: async (delayMs: number): Promise<void> => void (waited += delayMs),
  };
  const lease = createSqliteLease({ ...host, clock, timers, dataDir: machine.dataDir });
  await assert.rejects(lease.acquire(name, "run"), /^YoiError: .*did not say who it is: try again/);
  assert.ok(waited >= acquireBoundMs && waited < acquireBoundMs + 100, `${waited} ms`);
  await owner.kill();
  await (await lease.acquire(name, "run")).release();
});

test("a broken hint is nobody's: it neither refuses nor stops an acquire", async () => {
  await using machine = new Machine();
  const [first, second] = [machine.start(), machine.start()];
  await (await first.lease.acquire(name, "run")).release();
  for (const hint of [
    "",
    "{",
    "null",
    "[]",
    '{"pid":1}',
    `{"pid":"${process.pid}"}`,
    "\u0000",
    " ".repeat(10_000),
  ]) {
    writeFileSync(join(machine.locks, "atlas.owner"), hint);
    assert.equal(await second.lease.owner(name), null);
    await (await second.lease.acquire(name, "run")).release();
  }
});

test("a lock file that SQLite cannot lock is one clear error, and the name is not blocked by it", async () => {
  await using machine = new Machine();
  const starter = machine.start();
  await (await starter.lease.acquire(name, "run")).release();
  const path = join(machine.locks, "atlas.sqlite");
  writeFileSync(path, "not a lock file ".repeat(100));
  await assert.rejects(starter.lease.acquire(name, "run"), (error) => {
    assert.ok(error instanceof YoiError && error.code === "io_failed");
    assert.ok(error.message.includes(path) && error.message.includes("empty file"), error.message);
    return true;
  });
  writeFileSync(path, "");
  await starter.lease.acquire(name, "run");
});
