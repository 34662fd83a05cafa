/** What is the Pod store's and what is not: where its files are, who may read them, and what its documents say of it. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { podName, segmentId, sessionId, type PodName } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import * as sessionStore from "../../session-store/src/index.ts";
import * as podStore from "../src/index.ts";
import { child, nameOf, parent } from "./kin.ts";
import { fullPod } from "./kin-conformance.ts";

const packages = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(packages, path), "utf8");
const name = podName("atlas");
const session = sessionId("0198c0de-0000-7000-8000-000000000001");
const segment = segmentId("0198c0de-0000-7000-8000-000000000002");
const draft = { name, pointer: { state: "pending", session }, manifest: { schema: 1 } } as const;

/** Every source file of a package, or of all. */
function sources(of = ""): readonly { readonly path: string; readonly text: string }[] {
  const found = readdirSync(join(packages, of), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(packages, join(entry.parentPath, entry.name)))
    .filter((path) => /^[^/]+\/src\//.test(path))
    .map((path) => ({ path, text: read(path) }));
  assert.ok(found.length > 5, `${of}: only ${found.length} files were looked at`);
  return found;
}

function simulated() {
  const { files, clock } = memoryHost({ seed: 1 });
  return { files, clock, store: podStore.createPodStore({ files, clock, dataDir: "/data" }) };
}

test("A3-01: metadata types, the store and its files are a package of their own, which needs nothing but nouns and files", () => {
  const { dependencies } = JSON.parse(read("pod-store/package.json")) as { dependencies: object };
  assert.deepEqual(Object.keys(dependencies), ["@yoi/base", "@yoi/host"]);
  assert.equal(typeof podStore.createPodStore, "function");
  const owners = sources().filter(({ text }) => /interface PodRecord\b|interface PodStore\b/.test(text));
  assert.deepEqual(
    owners.map(({ path }) => path),
    ["pod-store/src/store.ts"],
  );
});

test("A3-02: the session store exports no Pod metadata, knows no path of it, and says that it is for logs", () => {
  assert.deepEqual(
    Object.keys(sessionStore).filter((exported) => /pod|metadata/i.test(exported)),
    [],
  );
  const knowing = sources("session-store").filter(({ text }) => /metadata\.json|["'`/]pods\b/.test(text));
  assert.deepEqual(knowing, []);
  assert.match(read("session-store/README.md"), /The only writer of session logs/);
  assert.match(
    read("session-store/src/index.ts"),
    /^\/\*\* The only writer of session logs and blobs\. \*\//,
  );
});

test("A3-03: a Pod's metadata is <data>/pods/<name>/metadata.json, and nothing else is written", async () => {
  const { files, store } = simulated();
  assert.equal(store.pathOf(name), "/data/pods/atlas/metadata.json");
  await store.create(draft);
  assert.deepEqual(
    [await files.list("/data"), await files.list("/data/pods"), await files.list("/data/pods/atlas")],
    [["pods"], ["atlas"], ["metadata.json"]],
  );
});

test("A3-04: what lies under sessions/pods is neither read nor written, and never stands in for metadata", async () => {
  const { files, store } = simulated();
  const other = simulated();
  await other.store.create(draft);
  const good = (await other.files.read("/data/pods/atlas/metadata.json")) ?? Buffer.alloc(0);
  const decoy = "/data/sessions/pods/atlas/metadata.json";
  await files.makeDirectory("/data/sessions/pods/atlas");
  await files.replace(decoy, good);
  const before = await files.stat(decoy);
  assert.deepEqual([await store.read(name), await store.list()], [null, []]);
  assert.equal(await store.findIgnoringCase(podName("ATLAS")), null);
  await assert.rejects(store.update(name, { epoch: 0, revision: 1 }, { epoch: 1 }), { code: "pod_unknown" });
  const created = await store.create({ ...draft, manifest: { another: true } });
  await store.update(name, created, { epoch: 5 });
  assert.deepEqual(await files.stat(decoy), before);
  assert.deepEqual(Buffer.from((await files.read(decoy)) ?? []), Buffer.from(good));
  assert.equal((await store.read(name))?.epoch, 5);
  await store.remove(name);
  assert.deepEqual(await files.stat(decoy), before);
});

test("A3-05, A3-34: a log is <data>/sessions/<session>/<segment>.jsonl with its trace beside it, and metadata is not below that", () => {
  const ref = { session, segment };
  const below = `/data/sessions/${session}`;
  assert.equal(sessionStore.segmentPath("/data", ref), `${below}/${segment}.jsonl`);
  assert.equal(sessionStore.tracePath("/data", ref), `${below}/${segment}.trace.jsonl`);
  assert.equal(sessionStore.sessionDirectory("/data", session), below);
  assert.equal(simulated().store.pathOf(name).startsWith("/data/sessions"), false);
});

test("A3-06: the two stores are two handles, each with its own root", async () => {
  const { files, clock } = memoryHost({ seed: 1 });
  const pods = podStore.createPodStore({ files, clock, dataDir: "/here" });
  const sessions = sessionStore.createSessionStore({ files, clock, dataDir: "/there" });
  await pods.create(draft);
  const start = {
    schema: 1,
    session_id: session,
    segment_id: segment,
    config: { model: "scripted/a" },
    prompt: "You are atlas.",
    documents: [],
    turn_count: 0,
    states: {},
  };
  const { writer } = await sessions.create(start, { metadataEpoch: 0, version: "0" });
  await writer.close();
  assert.deepEqual([await files.list("/here"), await files.list("/there")], [["pods"], ["sessions"]]);
  assert.deepEqual(await files.list("/there/sessions"), [session]);
});

test("A3-07, A3-08, A3-09: an update of the pointer keeps children and manifest, one of a child keeps pointer and manifest", async () => {
  const { store } = simulated();
  const before = await fullPod(store);
  const pending = { state: "pending", session } as const;
  const pointed = await store.update(before.name, before, { pointer: pending });
  const { revision, updatedMs } = pointed;
  assert.deepEqual(pointed, { ...before, pointer: pending, revision, updatedMs });
  const lent = await store.putChild(before.name, pointed, child(8));
  assert.deepEqual(
    [lent.pointer, lent.manifest, lent.reclaimed, lent.peers, lent.parent, lent.closedHead],
    [pending, before.manifest, before.reclaimed, before.peers, before.parent, before.closedHead],
  );
  assert.deepEqual(lent.children, [...before.children, child(8)]);
  const back = await store.reclaimChild(before.name, lent, nameOf(8), { reason: "lost", atMs: 1 });
  assert.deepEqual([back.pointer, back.manifest, back.children], [pending, before.manifest, before.children]);
});

test("A3-10: a name that is no Pod name never becomes part of a path, whoever vouches for it", async () => {
  const { files, store } = simulated();
  const names = [
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "-x",
    ".x",
    "a b",
    "a\0b",
    "é",
    "x".repeat(65),
  ] as PodName[];
  for (const bad of names) {
    const invalid = { code: "pod_name_invalid" };
    const expected = { epoch: 0, revision: 1 };
    assert.throws(() => podName(bad), invalid, bad);
    await assert.rejects(store.read(bad), invalid, bad);
    await assert.rejects(store.create({ ...draft, name: bad }), invalid, bad);
    await assert.rejects(store.update(bad, expected, {}), invalid, bad);
    await assert.rejects(store.remove(bad), invalid, bad);
  }
  assert.deepEqual(await files.list("/"), []);
  assert.equal(podName("x".repeat(64)).length, 64);
});

test("A3-11: the pointer is the name's: pending before there is a log, then a segment, and another one later", async () => {
  const { store } = simulated();
  const created = await store.create(draft);
  assert.deepEqual(created.pointer, { state: "pending", session });
  const next = segmentId("0198c0de-0000-7000-8000-000000000003");
  let record = created;
  for (const pointer of [
    { state: "active", session, segment },
    { state: "active", session, segment: next },
  ] as const) {
    record = await store.update(name, record, { pointer });
    assert.deepEqual((await store.read(name))?.pointer, pointer);
  }
});

test("A3-16: what was lent, and what came back and why, is in the lender's metadata", async () => {
  const { store } = simulated();
  await fullPod(store);
  const { name: lender } = await fullPodOf(store);
  const found = await store.read(lender);
  const { name: back, loan, session: its } = child(3);
  assert.deepEqual(
    [found?.children.map((one) => one.loan), found?.reclaimed, found?.parent],
    [[child(1).loan, child(2).loan], [{ name: back, loan, session: its, reason: "lost", atMs: 77 }], parent],
  );
});

async function fullPodOf(store: podStore.PodStore): Promise<podStore.PodRecord> {
  const [listing] = await store.list();
  assert.ok(listing !== undefined && "record" in listing);
  return listing.record;
}

/** As one line, so that where a sentence is broken does not matter. */
const flat = (text: string): string => text.replace(/\s*\n \*\s*|\s+/g, " ");
const header = flat(read("pod-store/src/index.ts").split("*/")[0] ?? "");

test("A3-24: sockets and callbacks in metadata are said to be hints, where they are declared and at the door", () => {
  assert.match(header, /`socket` and `callback` of a child, .* are last-known hints/);
  assert.match(header, /no record is dropped for either/);
  const declared = flat(read("pod-store/src/store.ts"));
  assert.match(
    declared,
    /reached last: a hint, and no sign of life\. Null: nowhere yet\. \*\/ readonly socket:/,
  );
  assert.match(declared, /told to reach this Pod: a hint\. Null: nowhere\. \*\/ readonly callback:/);
});

test("A3-31: the door says why metadata points at session ids and is apart from the logs", () => {
  assert.match(header, /Metadata says what a Pod's name refers to now; the session log says what happened/);
  assert.match(header, /because a name outlives what it refers to/);
  assert.match(header, /So metadata points at session ids, never repeats what a log says/);
});

test("A3-32: the door says which authority is whose: snapshot, children, loans", () => {
  for (const sentence of [
    "The manifest snapshot is, for a restore by name",
    "A replay of a segment goes by the `segment_start` of the log",
    "`children` is, for which loans are open",
    "the registry of allocations mirrors it, and can be deleted and made again from it",
    "`reclaimed` is the history of loans that came back",
  ])
    assert.ok(header.includes(sentence), sentence);
});

test("A3-29: nobody but the Pod store names a metadata file; a bundle names a copy inside of itself", () => {
  // Whole, or put together: "pods" as a path's step and "metadata" as a file's stem.
  const names =
    /metadata\.json|["'`]metadata["'`] *\+|(?:^|[^.\w])join\([^()]*["'`]pods["'`/]|\/pods\/\$\{|\}\/pods\b/m;
  for (const evasion of [
    'join(dataDir, "pods", name)',
    "`${dataDir}/pods`",
    'const file = "metadata" + ".json"',
  ])
    assert.match(evasion, names);
  const naming = sources().filter(({ text }) => names.test(text));
  assert.deepEqual(
    naming.map(({ path }) => path).filter((path) => !path.startsWith("pod-store/")),
    ["cli/src/bundle/bundle-format.ts"],
  );
});

test("A3-30: ids are shared as types, and the Pod store replays nothing", () => {
  const imported = sources("pod-store").flatMap(({ text }) =>
    [...text.matchAll(/from "([^".][^"]*)"/g)].map((match) => match[1] ?? ""),
  );
  const own = imported.filter((from) => from.startsWith("@yoi/"));
  assert.deepEqual([...new Set(own)].toSorted(), ["@yoi/base", "@yoi/host"]);
  for (const { path, text } of sources("pod-store"))
    assert.doesNotMatch(text, /\breplay\(|\bLogEntry\b|\bSessionState\b|\.jsonl/, path);
});

test("A3-40: metadata is files, no database, and reads no other layout", () => {
  const using = sources("pod-store").filter(({ text }) => text.includes("node:sqlite"));
  assert.deepEqual(
    using.map(({ path }) => path),
    ["pod-store/src/sqlite-lease.ts"],
  );
});

test("A3-42: the package's page names what metadata holds now", () => {
  const page = flat(read("pod-store/README.md"));
  for (const word of ["parent", "children", "reclaimed", "peers", "`Expected {epoch, revision}`", "schema 2"])
    assert.ok(page.includes(word), word);
});

test("A3-23: no file lists the children of a Pod beside its metadata", () => {
  const naming = sources().filter(({ text }) => /spawned_pods|spawnedPods/.test(text));
  assert.deepEqual(naming, []);
});
