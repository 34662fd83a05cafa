/** The store of grants: what is in its files, that nothing that is wrong with one lets anything through, and that a crash leaves the old or the new. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HostCrashed, memoryHost, type MemoryHost, noFaults } from "@yoi/host";
import {
  grantAboutCharsMax,
  grantFileBytesMax,
  grantRuleCharsMax,
  type GrantRecord,
} from "../src/grant-record.ts";
import { createGrantStore, grantsKeptMax, type PathProtection } from "../src/index.ts";
import { pendingGrantMs } from "../src/grants.ts";
import { dataDir, inspectOf } from "./support.ts";

const idOf = (n: number): string => `019aa5c4-7d40-7c1e-9d3b-${String(n).padStart(12, "0")}`;
const grant: GrantRecord = {
  id: idOf(1),
  state: "given",
  rule: "Bash(git push *)",
  workspace: "/w",
  expires: 1_800_000_000_000,
  given: 1_700_000_000_000,
  pod: "review",
  digest: "a".repeat(64),
  tool: "Bash",
  about: '{"command":"git push origin main"}',
};
const directory = "/data/keep/grants";
const path = `${directory}/${grant.id}.json`;

function bench(host: MemoryHost = memoryHost({ seed: 1 })) {
  const protections = new Map<string, PathProtection>();
  const store = createGrantStore({
    ...host,
    dataDir,
    inspect: async (each) => protections.get(each) ?? (await inspectOf(host)(each)),
  });
  return { host, store, protections };
}

test("a grant is one sealed line; what is put again takes its place; what is taken away is gone", async () => {
  const { host, store } = bench();
  assert.deepEqual(await store.list(), { grants: [], problems: [] });
  assert.equal(await store.remove(grant.id), false);
  await store.put({ ...grant, state: "pending" });
  await store.put(grant);
  assert.equal(
    Buffer.from((await host.files.read(path)) ?? []).toString(),
    `{"schema":1,"id":"${grant.id}","state":"given","rule":"Bash(git push *)","workspace":"/w","expires":1800000000000,"given":1700000000000,"pod":"review","digest":"${"a".repeat(64)}","tool":"Bash","about":"{\\"command\\":\\"git push origin main\\"}","sum":"${/"sum":"([0-9a-f]{16})"/.exec(Buffer.from((await host.files.read(path)) ?? []).toString())?.[1] ?? ""}"}\n`,
  );
  const earlier = { ...grant, id: idOf(2), workspace: null, expires: null, given: 5 };
  await store.put(earlier);
  assert.deepEqual(await store.list(), { grants: [earlier, grant], problems: [] });
  assert.deepEqual([await store.remove(grant.id), await store.remove(grant.id)], [true, false]);
  assert.deepEqual((await store.list()).grants, [earlier]);
  for (const id of ["", "../keep", `${grant.id}x`]) assert.equal(await store.remove(id), false);
});

test("every changed bit and every cut is damage: it grants nothing, is said with its path, and keeps no other from counting", async () => {
  const { host, store } = bench();
  const other = { ...grant, id: idOf(2) };
  await store.put(other);
  await store.put(grant);
  const whole = Buffer.from((await host.files.read(path)) ?? []);
  for (let at = 0; at < whole.length; at += 3) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 7));
    for (const bytes of [changed, whole.subarray(0, at)]) {
      await host.files.replace(path, bytes);
      const { grants, problems } = await store.list();
      assert.deepEqual(grants, [other], `byte ${at}`);
      assert.ok(problems.length === 1 && problems[0]?.includes(path), `byte ${at}: ${problems.join()}`);
    }
  }
  // Control: the bytes themselves are a grant.
  await host.files.replace(path, whole);
  assert.deepEqual(await store.list(), { grants: [grant, other], problems: [] });
});

test("what is not the user's alone grants nothing, and nothing is put there", async () => {
  const forOthers: PathProtection = { kind: "file", mode: 0o640, own: true };
  const link: PathProtection = { kind: "link", mode: 0o777, own: true };
  for (const [where, protection, isFile] of [
    [path, forOthers, true],
    [path, { ...forOthers, mode: 0o600, own: false }, true],
    [path, link, true],
    [directory, { kind: "directory", mode: 0o755, own: true }, false],
    ["/data/keep", link, false],
  ] as const) {
    const { store, protections } = bench();
    await store.put(grant);
    // Control: without that it counts.
    assert.equal((await store.list()).grants.length, 1);
    protections.set(where, protection);
    const { grants, problems } = await store.list();
    assert.deepEqual([grants, problems.length], [[], 1], where);
    assert.ok(problems[0]?.includes(where));
    if (!isFile) await assert.rejects(store.put(grant), { code: "permission_denied" });
  }
});

test("limits: 256 grants and no other one; a rule of 4,096 characters and none that is longer", async () => {
  const { store } = bench();
  for (let n = 1; n <= grantsKeptMax; n += 1) await store.put({ ...grant, id: idOf(n) });
  await assert.rejects(store.put({ ...grant, id: idOf(grantsKeptMax + 1) }), { code: "limit_exceeded" });
  // One of them may change, and a place that is free is free.
  await store.put({ ...grant, id: idOf(7), state: "pending" });
  await store.remove(idOf(9));
  await store.put({ ...grant, id: idOf(grantsKeptMax + 1), rule: "x".repeat(grantRuleCharsMax) });
  assert.equal((await store.list()).grants.length, grantsKeptMax);
  await assert.rejects(store.put({ ...grant, rule: "x".repeat(grantRuleCharsMax + 1) }), {
    code: "limit_exceeded",
  });
  for (const wrong of [{ id: "x" }, { rule: "" }, { workspace: "w" }, { expires: -1 }, { given: 0.5 }])
    await assert.rejects(store.put({ ...grant, ...wrong }), { code: "usage" });
});

test("a file as long as the longest grant is read, one byte more is damage; what it was given for is cut at 1,024 characters", async () => {
  const { host, store } = bench();
  const longest = (about: string): GrantRecord => ({ ...grant, about });
  for (const length of [grantAboutCharsMax, grantAboutCharsMax + 1]) {
    await store.put(longest("x".repeat(length)));
    assert.equal((await store.list()).grants[0]?.about.length, grantAboutCharsMax, `${length}`);
  }
  const worst = "\u0001".repeat(grantRuleCharsMax);
  await store.put({ ...grant, rule: worst, workspace: `/${worst}`, about: worst });
  assert.equal((await store.list()).grants[0]?.rule, worst);
  for (const [bytes, what] of [
    [grantFileBytesMax, "end is missing"],
    [grantFileBytesMax + 1, `more than ${grantFileBytesMax} bytes`],
  ] as const) {
    await host.files.replace(path, Buffer.alloc(bytes, "x"));
    assert.match((await store.list()).problems[0] ?? "", new RegExp(what));
  }
});

test("a full store gives up pending grants of yesterday, and no others", async () => {
  const { host, store } = bench();
  const now = host.clock.now();
  const pending = (n: number, given: number): GrantRecord => ({
    ...grant,
    id: idOf(n),
    state: "pending",
    given,
  });
  await store.put(pending(1, now - pendingGrantMs));
  await store.put(pending(2, now - pendingGrantMs - 1));
  for (let n = 3; n <= grantsKeptMax; n += 1) await store.put({ ...grant, id: idOf(n), given: 1 });
  await store.put({ ...grant, id: idOf(300) });
  const ids = (await store.list()).grants.map(({ id }) => id);
  assert.deepEqual([ids.length, ids.includes(idOf(1)), ids.includes(idOf(2))], [grantsKeptMax, true, false]);
  await assert.rejects(store.put({ ...grant, id: idOf(301) }), { code: "limit_exceeded" });
});

test("a file is read again when its stamp is another one, and only then; who may use it is looked at each time", async () => {
  const { host, store, protections } = bench();
  await store.put(grant);
  let reads = 0;
  const { read } = host.files;
  host.files.read = (each) => {
    if (each === path) reads += 1;
    return read.call(host.files, each);
  };
  const protect = (mode: number, stamp: string) =>
    protections.set(path, { kind: "file", mode, own: true, stamp });
  protect(0o600, "1");
  for (let n = 0; n < 3; n += 1) assert.deepEqual((await store.list()).grants, [grant]);
  assert.equal(reads, 1);
  await store.put({ ...grant, state: "pending" });
  protect(0o600, "2");
  assert.deepEqual([(await store.list()).grants[0]?.state, reads], ["pending", 2]);
  protect(0o664, "2");
  const { grants, problems } = await store.list();
  assert.deepEqual(grants, []);
  assert.match(
    problems[0] ?? "",
    /may be used by others \(mode 664\): somebody else may have written it: remove it, and answer again/,
  );
});

test("a list is of this moment: another process that puts or takes one away is seen at once", async () => {
  const host = memoryHost({ seed: 1 });
  const [here, there] = [bench(host).store, bench(host).store];
  await there.put(grant);
  assert.equal((await here.list()).grants.length, 1);
  await there.put({ ...grant, state: "pending" });
  assert.equal((await here.list()).grants[0]?.state, "pending");
  await there.remove(grant.id);
  assert.deepEqual((await here.list()).grants, []);
});

test("a crash at each step of putting one leaves the old one or the new one; a full disk says so", async () => {
  const outcomes = new Set<string>();
  for (let at = 1; ; at += 1) {
    const host = memoryHost({ seed: 1 });
    const { store } = bench(host);
    await store.put({ ...grant, state: "pending" });
    let steps = 0;
    host.disk.plan = () => (++steps === at ? "crash" : "pass");
    const isDone = await store.put(grant).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof HostCrashed, String(error));
        return false;
      },
    );
    host.disk.plan = noFaults;
    const { grants, problems } = await bench(isDone ? host : host.restart()).store.list();
    assert.deepEqual([grants.length, problems], [1, []], `step ${at}`);
    outcomes.add(grants[0]?.state ?? "none");
    if (isDone) break;
  }
  assert.deepEqual([...outcomes].sort(), ["given", "pending"]);
  const { host, store } = bench();
  await store.put({ ...grant, state: "pending" });
  host.disk.plan = () => "ENOSPC";
  await assert.rejects(store.put(grant), { code: "disk_full" });
  host.disk.plan = noFaults;
  await store.put(grant);
});
