/** The file of the registry: what is wrong with it, or taken away at any instant, changes no answer. */
import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { type Scope, YoiError } from "@yoi/base";
import { type FileStat, nodeHost } from "@yoi/host";
import {
  damagedFilesMax,
  type Registry,
  registryBusyMs,
  type RegistryOptions,
} from "../../src/registry/index.ts";
import { write } from "../support.ts";
import { row, World } from "./world.ts";

const area = (path: string): Scope => ({ allow: [write(path)], deny: [] });

function place(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "yoi-registry-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return join(directory, "data", "registry.sqlite");
}

async function begin(world: World, registry: Registry, name: string, scope: Scope): Promise<void> {
  const pod = world.pod(name);
  pod.pid = world.start();
  pod.scope = scope;
  await registry.register(row(name, scope, { pid: pod.pid }));
}

async function answers(world: World, registry: Registry): Promise<unknown> {
  const newcomer = (path: string) =>
    registry.register(row("new", area(path), { pid: world.start() })).then(
      () => "ok",
      (error: unknown) => (error instanceof YoiError ? error.message : error),
    );
  const said = [await newcomer("/a/x"), await newcomer("/c")];
  await registry.release(row("new", area("/c"), { pid: null }).name);
  return [...said, (await registry.list()).map(({ name, scope }) => [name, scope])];
}

test("an older copy in its place, whole, is seen by a Pod that lives and is not in it", async (t) => {
  const path = place(t);
  const world = new World();
  const registry = world.open(path);
  await begin(world, registry, "one", area("/a"));
  copyFileSync(path, `${path}.copy`);
  await begin(world, registry, "two", area("/c"));
  copyFileSync(`${path}.copy`, path);
  assert.match(
    JSON.stringify(await answers(world, registry)),
    /the Pod one \(process.*the Pod two \(process/,
  );
});

test("it is made when something is written, and is ours alone to read", async (t) => {
  const path = place(t);
  const world = new World();
  const registry = world.open(path);
  assert.deepEqual(await registry.list(), []);
  assert.equal(existsSync(path), false);
  await begin(world, registry, "one", area("/a"));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(existsSync(`${path}-wal`) || existsSync(`${path}-shm`), false);
});

test("damaged in any way it is put aside, made again, and says the same as before", async (t) => {
  const path = place(t);
  const world = new World();
  const registry = world.open(path);
  await begin(world, registry, "one", area("/a"));
  await begin(world, registry, "two", area("/b"));
  const expected = await answers(world, registry);
  const inside = (sql: string) => (): void => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };
  // Put aside, or made again in place.
  const faults: readonly [string, () => void, boolean][] = [
    ["removed", () => rmSync(path), false],
    ["cut to nothing", () => truncateSync(path, 0), false],
    ["cut in the header", () => truncateSync(path, 50), true],
    ["cut behind the first page", () => truncateSync(path, 4096), true],
    ["text", () => writeFileSync(path, "no database".repeat(1000)), true],
    ["a later schema", inside("PRAGMA user_version = 2"), true],
    [
      "another program's",
      inside("DROP TABLE allocations; CREATE TABLE other (a); PRAGMA user_version = 0"),
      true,
    ],
    ["no table", inside("DROP TABLE allocations"), true],
    ["a row that is none", inside(`UPDATE allocations SET "allow" = '[1]'`), true],
  ];
  let aside = 0;
  for (const [what, harm, isPutAside] of faults) {
    harm();
    const harmed = existsSync(path) ? readFileSync(path) : null;
    assert.deepEqual(await answers(world, registry), expected, what);
    if (!isPutAside) continue;
    aside += 1;
    assert.deepEqual(readFileSync(`${path}.damaged-${aside}`), harmed, what);
  }
  assert.equal(existsSync(`${path}.damaged-${aside + 1}`), false);
});

test("of damaged files so many are kept, and the last is replaced by the next", async (t) => {
  const path = place(t);
  const world = new World();
  const registry = world.open(path);
  for (let fault = 1; fault <= damagedFilesMax + 1; fault += 1) {
    await begin(world, registry, `p${fault}`, area(`/a${fault}`));
    writeFileSync(path, `fault ${fault}`);
  }
  await begin(world, registry, "last", area("/last"));
  assert.equal(
    readFileSync(`${path}.damaged-${damagedFilesMax - 1}`, "utf8"),
    `fault ${damagedFilesMax - 1}`,
  );
  assert.equal(readFileSync(`${path}.damaged-${damagedFilesMax}`, "utf8"), `fault ${damagedFilesMax + 1}`);
  assert.equal(existsSync(`${path}.damaged-${damagedFilesMax + 1}`), false);
});

test("taken away or replaced in the middle of a transaction, it is done again in the file that is there then", async (t) => {
  const path = place(t);
  const world = new World();
  await begin(world, world.open(path), "one", area("/a"));
  const { files } = nodeHost();
  const blind = {
    ...files,
    stat: async (at: string) => ({ ...(await files.stat(at)), inode: 1 }) as FileStat,
  };
  const cases: readonly [string, () => void, Partial<RegistryOptions>, boolean][] = [
    ["removed", () => rmSync(path), {}, true],
    [
      "replaced",
      () => {
        rmSync(path);
        writeFileSync(path, "");
      },
      {},
      true,
    ],
    // The control: who does not look which file it was.
    ["unseen", () => rmSync(path), { files: blind }, false],
  ];
  for (const [name, take, options, isThere] of cases) {
    let looks = 0;
    world.looked = () => {
      looks += 1;
      if (looks === 1) take();
    };
    // A new Pod: nothing but its row says what it holds.
    await world.open(path, options).register(row(name, area(`/${name}`), { pid: world.start() }));
    world.looked = () => {};
    assert.ok(looks > 0);
    assert.equal(
      (await world.open(path).list()).some((found) => found.name === name),
      isThere,
      name,
    );
  }
});

test("while another process holds the file a verb waits, and a file that is never let go is a refusal that says so", async (t) => {
  const path = place(t);
  const world = new World();
  await begin(world, world.open(path), "one", area("/a"));
  const holder = new DatabaseSync(path);
  holder.exec("BEGIN IMMEDIATE");
  let slept = 0;
  let now = 0;
  const registry = (letGoAfter: number) =>
    world.open(path, {
      clock: { now: () => now, monotonic: () => now },
      timers: {
        after: () => () => {},
        sleep: async () => {
          slept += 1;
          now += 1_000;
          if (slept === letGoAfter) holder.close();
        },
      },
    });
  await assert.rejects(
    begin(world, registry(Infinity), "two", area("/b")),
    (error) =>
      error instanceof YoiError &&
      error.code === "io_failed" &&
      error.message.includes("locked by another process for 15 s"),
  );
  assert.equal(now, registryBusyMs);
  await begin(world, registry(slept + 3), "two", area("/b"));
  assert.deepEqual(
    (await world.open(path).list()).map(({ name }) => name),
    ["one", "two"],
  );
});

test("a release makes no file where there is none any more", async (t) => {
  const path = place(t);
  const world = new World();
  const registry = world.open(path);
  await begin(world, registry, "mine", area("/a"));
  rmSync(path);
  await registry.release(row("mine", area("/a"), { pid: null }).name);
  assert.equal(existsSync(path), false);
});
