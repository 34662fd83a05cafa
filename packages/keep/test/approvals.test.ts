/** The store of approvals in files: what is in them, and that nothing that is wrong with them is an approval. */
import assert from "node:assert/strict";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type ErrorCode, YoiError } from "@yoi/base";
import { crashAt, failNth, HostCrashed, memoryHost, nodeHost, noFaults } from "@yoi/host";
import { approvalFileBytesMax } from "../src/approval-record.ts";
import { leftoverAgeMs } from "../src/leftovers.ts";
import { type ApprovalStore, createApprovalStore, type PathProtection } from "../src/index.ts";
import { approvalStoreConformance } from "./conformance/index.ts";
import { dataDir, inspectOf } from "./support.ts";

approvalStoreConformance("approvals in files", async () => {
  const directory = mkdtempSync(join(tmpdir(), "yoi-keep-"));
  const { files, clock } = nodeHost();
  const open = () =>
    createApprovalStore({ files, clock, dataDir: directory, inspect: async (path) => protectionOf(path) });
  return {
    store: open(),
    other: open(),
    now: clock.now,
    [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true, force: true }),
  };
});

approvalStoreConformance("approvals on a simulated disk", async () => {
  const host = memoryHost({ seed: 1 });
  const open = () => createApprovalStore({ ...host, dataDir, inspect: inspectOf(host) });
  return { store: open(), other: open(), now: host.clock.now, [Symbol.asyncDispose]: async () => {} };
});

function protectionOf(path: string): PathProtection | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  const kind = stat.isDirectory() ? "directory" : stat.isFile() ? "file" : "link";
  return { kind, mode: stat.mode & 0o777, own: true };
}

const feature = "project:lint";
const decision = { feature, digest: "a".repeat(64), granted: [{ kind: "pod_management" }], subject: "lint" };
const approvalsDir = "/data/keep/approvals";
const path = `${approvalsDir}/project%3alint.json`;

function bench() {
  const host = memoryHost({ seed: 1 });
  const protections = new Map<string, PathProtection>();
  const store = createApprovalStore({
    ...host,
    dataDir,
    inspect: async (each) => protections.get(each) ?? (await inspectOf(host)(each)),
  });
  return { host, store, protections };
}

function refused(code: ErrorCode, ...words: string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof YoiError, String(error));
    assert.equal(error.code, code);
    for (const word of words) assert.ok(error.message.includes(word), `${error.message} / ${word}`);
    return true;
  };
}

test("F-05: the file of an approval names its digest, and is the user's alone", async () => {
  const directory = mkdtempSync(join(tmpdir(), "yoi-keep-"));
  try {
    const clock = { now: () => 1_700_000_000_000, monotonic: () => 0 };
    const inspect = async (each: string) => protectionOf(each);
    const store = createApprovalStore({ files: nodeHost().files, clock, dataDir: directory, inspect });
    await store.approve(decision);
    assert.deepEqual(readdirSync(directory, { recursive: true }).sort(), [
      "keep",
      "keep/approvals",
      "keep/approvals/project%3alint.json",
    ]);
    const file = join(directory, "keep/approvals/project%3alint.json");
    assert.equal(
      readFileSync(file, "utf8"),
      `{"schema":1,"feature":"project:lint","digest":"${"a".repeat(64)}","decided_at":"2023-11-14T22:13:20.000Z","granted":[{"kind":"pod_management"}],"subject":"lint","sum":"83e6b76aecaca874"}\n`,
    );
    assert.equal(lstatSync(file).mode & 0o777, 0o600);
    assert.equal(lstatSync(join(directory, "keep/approvals")).mode & 0o777, 0o700);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

describe("F-03: what cannot be read is no approval", () => {
  test("every changed bit and every cut is damage, said with the path and what to do", async () => {
    const { host, store } = bench();
    await store.approve(decision);
    const whole = Buffer.from((await host.files.read(path)) ?? []);
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 7));
      await host.files.replace(path, changed);
      await assert.rejects(
        store.get(feature),
        refused("keep_damaged", path, "yoi feature approve"),
        `byte ${at}`,
      );
      await host.files.replace(path, whole.subarray(0, at));
      await assert.rejects(store.get(feature), refused("keep_damaged", path), `cut at ${at}`);
    }
    await assert.rejects(store.list(), refused("keep_damaged", path));
    await host.files.replace(path, Buffer.concat([whole, Buffer.from("x")]));
    await assert.rejects(store.get(feature), refused("keep_damaged"));
    // Control: the bytes themselves are an approval.
    await host.files.replace(path, whole);
    assert.equal((await store.get(feature))?.digest, decision.digest);
  });

  test("the approval of another feature is none of this one", async () => {
    const { host, store } = bench();
    await store.approve({ ...decision, feature: "user:other" });
    const bytes = await host.files.read(`${approvalsDir}/user%3aother.json`);
    await host.files.replace(path, bytes ?? Buffer.alloc(0));
    await assert.rejects(store.get(feature), refused("keep_damaged", "another feature"));
  });

  test("a larger file is not read, one of a later yoi is refused, and both can be decided about anew or taken away", async () => {
    const { host, store } = bench();
    await store.approve(decision);
    const text = Buffer.from((await host.files.read(path)) ?? []).toString();
    await host.files.replace(path, Buffer.alloc(approvalFileBytesMax, "x"));
    await assert.rejects(store.get(feature), refused("keep_damaged", "end is missing"));
    await host.files.replace(path, Buffer.alloc(approvalFileBytesMax + 1, "x"));
    await assert.rejects(store.get(feature), refused("keep_damaged", `${approvalFileBytesMax} bytes`));
    await store.approve(decision);
    assert.equal((await store.get(feature))?.subject, "lint");
    const { sealJson } = await import("../src/sealed-json.ts");
    const { sum: _, ...fields } = JSON.parse(text) as Record<string, string>;
    await host.files.replace(path, Buffer.from(`${sealJson({ ...fields, schema: 2 })}\n`));
    await assert.rejects(store.get(feature), refused("schema_newer", path, "update yoi"));
    await host.files.replace(path, Buffer.from(`${sealJson({ ...fields, schema: 1, granted: ["x"] })}\n`));
    await assert.rejects(store.get(feature), refused("keep_damaged", "of another kind"));
    assert.equal(await store.revoke(feature), true);
    assert.equal(await store.get(feature), null);
  });

  const traps: readonly (readonly [string, PathProtection, string])[] = [
    ["another user's", { kind: "file", mode: 0o600, own: false }, "belongs to another user"],
    ["a file that others can write", { kind: "file", mode: 0o622, own: true }, "chmod 600"],
    ["a file that others can read", { kind: "file", mode: 0o644, own: true }, "chmod 600"],
    ["a link", { kind: "link", mode: 0o777, own: true }, "symbolic link"],
    ["a directory", { kind: "directory", mode: 0o700, own: true }, "is not a file"],
  ];
  test(`${traps.length} files that are not the user's alone are no approval, and can be decided about anew or taken away`, async () => {
    for (const [what, protection, word] of traps) {
      const { store, protections } = bench();
      await store.approve(decision);
      protections.set(path, protection);
      for (const attempt of [store.get(feature), store.list()])
        await assert.rejects(attempt, refused("permission_denied", path, word), what);
      assert.equal(await store.revoke(feature), true, what);
      protections.set(path, protection);
      await store.approve(decision);
      protections.delete(path);
      assert.equal((await store.get(feature))?.digest, decision.digest, what);
    }
  });

  test("neither is anything below a directory that others can get at", async () => {
    for (const directory of ["/data/keep", approvalsDir]) {
      const { store, protections } = bench();
      await store.approve(decision);
      protections.set(directory, { kind: "directory", mode: 0o770, own: true });
      for (const attempt of [
        store.get(feature),
        store.list(),
        store.approve(decision),
        store.revoke(feature),
      ])
        await assert.rejects(attempt, refused("permission_denied", directory, "chmod 700"));
    }
  });

  test("a disk that fails is an error", async () => {
    const { host, store } = bench();
    await store.approve(decision);
    host.disk.plan = failNth("read", host.disk.count("read") + 1, "EIO");
    await assert.rejects(store.get(feature), refused("io_failed"));
    host.disk.plan = noFaults;
    assert.equal((await store.get(feature))?.digest, decision.digest);
  });
});

test("A2-42: a crash at any operation leaves the earlier decision or the later one, and what was acknowledged stays", async () => {
  const later = { ...decision, digest: "b".repeat(64) };
  const changes = {
    approve: [later.digest, (store) => store.approve(later)],
    revoke: [null, (store) => store.revoke(feature)],
  } as const satisfies Record<string, readonly [string | null, (store: ApprovalStore) => Promise<unknown>]>;
  for (const [what, [after, change]] of Object.entries(changes)) {
    const seen = new Set<string | null>();
    for (let seed = 0; seed < 200; seed += 1) {
      const host = memoryHost({ seed });
      const store = createApprovalStore({ ...host, dataDir, inspect: inspectOf(host) });
      await store.approve(decision);
      host.disk.plan = crashAt(host.disk.operations + 1 + (seed % 10));
      const acknowledged = await change(store).then(
        () => true,
        (error: unknown) => {
          assert.ok(error instanceof HostCrashed, String(error));
          return false;
        },
      );
      const next = host.restart();
      const found = await createApprovalStore({ ...next, dataDir, inspect: inspectOf(next) }).get(feature);
      const digest = found?.digest ?? null;
      seen.add(digest);
      const allowed: readonly (string | null)[] = acknowledged ? [after] : [decision.digest, after];
      assert.ok(allowed.includes(digest), `${what}, seed ${seed}: ${digest}`);
    }
    // Control: crashes fell before and behind the change.
    assert.deepEqual(seen, new Set([decision.digest, after]), what);
  }
});

test("what a killed writer left goes after an hour, and other files of the directory are left alone", async () => {
  const { host, store } = bench();
  await store.approve(decision);
  const left = `${approvalsDir}/.project%3alint.json.1.tmp`;
  await host.files.replace(left, Buffer.from("half"));
  await host.files.replace(`${approvalsDir}/notes.txt`, Buffer.from("mine"));
  await host.advance(leftoverAgeMs);
  await store.approve(decision);
  assert.notEqual(await host.files.stat(left), null);
  await host.advance(1);
  await store.approve(decision);
  assert.equal(await host.files.stat(left), null);
  assert.notEqual(await host.files.stat(`${approvalsDir}/notes.txt`), null);
  assert.equal((await store.list()).length, 1);
});
