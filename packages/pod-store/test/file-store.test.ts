/** The Pod store over the real file system and over the simulated one; what is in its files. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { podName, sessionId, YoiError, type JsonObject } from "@yoi/base";
import { crashAt, failNth, memoryHost, nodeHost, noFaults, type Files } from "@yoi/host";
import { createPodStore, type Expected, type PodRecord, type PodStore } from "../src/index.ts";
import { kinConformance, podStoreConformance, type PodStoreParts } from "./conformance.ts";
import { child, peerOf } from "./kin.ts";
import { sealed } from "./sealed.ts";

async function inFiles(): Promise<PodStoreParts> {
  const dataDir = mkdtempSync(join(tmpdir(), "yoi-pod-store-"));
  const { files, clock } = nodeHost();
  return {
    store: createPodStore({ files, clock, dataDir }),
    other: createPodStore({ files, clock, dataDir }),
    now: clock.now,
    overwrite: (pod, bytes) => files.replace(`${dataDir}/pods/${pod}/metadata.json`, bytes),
    [Symbol.asyncDispose]: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

async function inMemory(): Promise<PodStoreParts> {
  const { files, clock } = memoryHost({ seed: 1 });
  return {
    store: createPodStore({ files, clock, dataDir: "/data" }),
    other: createPodStore({ files, clock, dataDir: "/data" }),
    now: clock.now,
    overwrite: (pod, bytes) => files.replace(`/data/pods/${pod}/metadata.json`, bytes),
    [Symbol.asyncDispose]: async () => {},
  };
}

for (const suite of [podStoreConformance, kinConformance]) {
  suite("Pod store in files", inFiles);
  suite("Pod store in memory", inMemory);
}

const session = sessionId("0198c0de-0000-7000-8000-000000000001");
const name = podName("atlas");
const path = "/data/pods/atlas/metadata.json";
const draft = { name, pointer: { state: "pending", session }, manifest: { schema: 1 } } as const;

test("the file is one readable JSON document, and nothing else is left beside it", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "yoi-pod-store-"));
  try {
    const { files } = nodeHost();
    const clock = { now: () => 1_700_000_000_000, monotonic: () => 0 };
    await createPodStore({ files, clock, dataDir }).create(draft);
    assert.deepEqual(readdirSync(dataDir, { recursive: true }).sort(), [
      "pods",
      "pods/atlas",
      "pods/atlas/metadata.json",
    ]);
    assert.equal(
      readFileSync(join(dataDir, "pods/atlas/metadata.json"), "utf8"),
      `{
  "schema": 2,
  "name": "atlas",
  "revision": 1,
  "pointer": {
    "session": "0198c0de-0000-7000-8000-000000000001",
    "segment": null
  },
  "epoch": 0,
  "closed_head": null,
  "manifest": {
    "schema": 1
  },
  "parent": null,
  "children": [],
  "reclaimed": [],
  "peers": [],
  "created_ms": 1700000000000,
  "updated_ms": 1700000000000,
  "checksum": "422c86a7be2d7df76660cc2c10ed767a019f9862b711027ebbc4aa798d3e300c"
}
`,
    );
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("a stray file and a directory that a crash left are no Pods; a record in the wrong place is damage", async () => {
  const { files, clock } = memoryHost({ seed: 1 });
  const store = createPodStore({ files, clock, dataDir: "/data" });
  await store.create(draft);
  await files.makeDirectory("/data/pods/half");
  await files.replace("/data/pods/notes.txt", Buffer.from("x"));
  await files.makeDirectory("/data/pods/copy");
  await files.replace("/data/pods/copy/metadata.json", (await files.read(path)) ?? Buffer.alloc(0));
  await files.makeDirectory("/data/pods/not a name");
  await files.replace("/data/pods/not a name/metadata.json", Buffer.from("{}"));
  assert.deepEqual(
    (await store.list()).map((found) => [found.name, "error" in found]),
    [
      ["atlas", false],
      ["copy", true],
      ["not a name", true],
    ],
  );
  await assert.rejects(store.read(podName("copy")), /names another Pod/);
  await store.create({ ...draft, name: podName("half") });
});

const lent = child(1);
/** Every verb that writes, one after the other, and what is there behind each: its record in short, or nothing. */
const verbs: readonly (readonly [
  name: string,
  run: (store: PodStore, expected: Expected) => Promise<Expected | void>,
  state: string,
])[] = [
  ["create", (store) => store.create(draft), "1 0"],
  ["update", (store, at) => store.update(name, at, { epoch: 5 }), "2 5"],
  ["putChild", (store, at) => store.putChild(name, at, lent), "3 5 child1 open"],
  [
    "reclaimChild",
    (store, at) => store.reclaimChild(name, at, lent.name, { reason: "lost", atMs: 1 }),
    "4 5 child1 lost",
  ],
  [
    "setPeer",
    (store, at) => store.setPeer(name, at, peerOf("borea").name, peerOf("borea").session),
    "5 5 child1 lost borea",
  ],
  ["remove", (store) => store.remove(name), "none"],
];

function inShort(record: PodRecord | null): string {
  if (record === null) return "none";
  const { revision, epoch, children, reclaimed, peers } = record;
  const open = children.map((one) => `${one.name} open`);
  return [
    revision,
    epoch,
    ...open,
    ...reclaimed.map((one) => `${one.name} ${one.reason}`),
    ...peers.map((one) => one.name),
  ].join(" ");
}

/** Crashes each of the verbs at each of its disk operations in turn; what is wrong after each restart. */
async function violationsOfCrashes(
  throughFiles: (files: Files) => Files,
): Promise<{ points: number; violations: string[] }> {
  const violations: string[] = [];
  for (let operation = 1; ; operation += 1) {
    const host = memoryHost({ seed: operation });
    const first = createPodStore({ files: throughFiles(host.files), clock: host.clock, dataDir: "/data" });
    host.disk.plan = crashAt(operation);
    let done = 0;
    try {
      let expected: Expected = { epoch: 0, revision: 0 };
      for (const [, run] of verbs) {
        expected = (await run(first, expected)) ?? expected;
        done += 1;
      }
    } catch (error) {
      if (!host.crashed) throw error;
    }
    host.disk.plan = noFaults;
    const after = host.restart();
    const found = await createPodStore({ files: after.files, clock: after.clock, dataDir: "/data" })
      .read(name)
      .then(inShort, (error: unknown) => String(error));
    const allowed = [verbs[done - 1]?.[2] ?? "none", verbs[done]?.[2] ?? "none"];
    if (!allowed.includes(found))
      violations.push(
        `crash at operation ${operation}, behind ${done} verbs: ${found}, not ${allowed.join(" or ")}`,
      );
    if (done === verbs.length) return { points: operation - 1, violations };
  }
}

test("A3-41: every crash in every verb that writes leaves the old record or the new one", async () => {
  const { points, violations } = await violationsOfCrashes((files) => files);
  assert.deepEqual(violations, []);
  assert.ok(points > 30, `only ${points} crash points were tried`);
});

test("control: a store that writes in place is caught by the same crashes", async () => {
  const inPlace = (files: Files): Files => ({
    ...files,
    async replace(to, data) {
      const file =
        (await files.stat(to)) === null ? await files.createAppend(to) : await files.openAppend(to);
      await file.truncate(0);
      await file.append(data);
      await file.sync();
      await file.close();
      await files.syncDirectory(to.slice(0, to.lastIndexOf("/")));
    },
  });
  assert.notDeepEqual((await violationsOfCrashes(inPlace)).violations, []);
});

test("W-53: a record is replaced whole, for its user alone, and an update that comes late or from an old owner loses nothing", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "yoi-pod-store-"));
  try {
    const { files: real, clock } = nodeHost();
    const steps: string[] = [];
    const files: Files = {
      ...real,
      replace: async (to, bytes) => {
        steps.push(`replace ${to.slice(dataDir.length)}`);
        await real.replace(to, bytes);
      },
      createAppend: () => assert.fail("metadata is never written in place"),
      openAppend: () => assert.fail("metadata is never written in place"),
    };
    const [one, two] = [1, 2].map(() => createPodStore({ files, clock, dataDir }));
    assert.ok(one !== undefined && two !== undefined);
    const made = await one.create({ ...draft, epoch: 1 });
    const lentBack = await one.putChild(name, made, lent);
    const file = join(dataDir, "pods/atlas/metadata.json");
    const modes = [file, join(dataDir, "pods/atlas"), join(dataDir, "pods")].map(
      (at) => statSync(at).mode & 0o777,
    );
    assert.deepEqual(modes, [0o600, 0o700, 0o700]);
    // Of two that read the same record, the second is refused, and what the first wrote is all there.
    await assert.rejects(two.update(name, made, { epoch: 2 }), { code: "metadata_conflict" });
    await assert.rejects(two.update(name, { ...lentBack, epoch: 0 }, { epoch: 2 }), {
      code: "metadata_conflict",
    });
    assert.deepEqual(await two.read(name), lentBack);
    assert.deepEqual(steps, Array(2).fill("replace /pods/atlas/metadata.json"));
    assert.deepEqual(readdirSync(join(dataDir, "pods/atlas")), ["metadata.json"]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("a counter that cannot be counted on is damage to whoever would change the record, and no number that is not whole", async () => {
  const { files, clock } = memoryHost({ seed: 1 });
  const store = createPodStore({ files, clock, dataDir: "/data" });
  await store.create(draft);
  const { checksum: _, ...fields } = JSON.parse(
    Buffer.from((await files.read(path)) ?? []).toString(),
  ) as JsonObject;
  const max = Number.MAX_SAFE_INTEGER;
  for (const field of ["epoch", "revision"] as const) {
    const record = async (value: number): Promise<PodRecord | null> => {
      await files.replace(path, sealed({ ...fields, [field]: value }));
      return store.read(name);
    };
    const last = await record(max - 1);
    assert.ok(last !== null);
    assert.equal(
      (await store.update(name, last, { manifest: {} }))[field],
      field === "epoch" ? max - 1 : max,
    );
    const end = await record(max);
    assert.ok(end !== null && end[field] === max);
    await assert.rejects(store.update(name, end, { manifest: {} }), {
      code: "metadata_damaged",
      message: new RegExp(`\\(its field ${field} is greater than ${max - 1}\\)`),
    });
    assert.deepEqual(await store.read(name), end);
    await assert.rejects(record(max + 1), { code: "metadata_damaged" });
  }
});

test("fields of others are kept over updates, at the top and inside", async () => {
  const { files, clock } = memoryHost({ seed: 1 });
  const store = createPodStore({ files, clock, dataDir: "/data" });
  await store.create(draft);
  const stored = JSON.parse(Buffer.from((await files.read(path)) ?? []).toString()) as JsonObject;
  const foreign = JSON.parse(
    '{"future": {"a": [1, {"b": null}]}, "__proto__": {"polluted": true}}',
  ) as JsonObject;
  const { checksum: _, ...fields } = stored;
  await files.replace(
    path,
    sealed({ ...foreign, ...fields, pointer: { ...(fields["pointer"] as JsonObject), hint: "h" } }),
  );
  await store.update(name, { epoch: 0, revision: 1 }, { epoch: 2 });
  await store.update(name, { epoch: 2, revision: 2 }, { epoch: 3 });
  const after = JSON.parse(Buffer.from((await files.read(path)) ?? []).toString()) as JsonObject;
  assert.deepEqual(after["future"], { a: [1, { b: null }] });
  assert.deepEqual(Object.getOwnPropertyDescriptor(after, "__proto__")?.value, { polluted: true });
  assert.deepEqual(after["pointer"], { session, segment: null, hint: "h" });
  assert.equal((await store.read(name))?.epoch, 3);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

test("the names of others are folded, not looked at: a look-up costs the same beside 40 Pods", async () => {
  const { files, clock } = memoryHost({ seed: 1 });
  let stats = 0;
  const counted: Files = {
    ...files,
    stat: (at) => {
      stats += 1;
      return files.stat(at);
    },
  };
  const store = createPodStore({ files: counted, clock, dataDir: "/data" });
  const costs: number[] = [];
  for (let index = 0; index < 40; index += 1) {
    stats = 0;
    await store.create({ ...draft, name: podName(`pod${index}`) });
    assert.equal(await store.findIgnoringCase(podName("other")), null);
    assert.equal(await store.findIgnoringCase(podName(`POD${index}`)), `pod${index}`);
    costs.push(stats);
  }
  assert.deepEqual(new Set(costs), new Set([3]));
});

test("what a killed owner left half-written goes with the next write of that Pod, and of no other", async () => {
  const { files, clock } = memoryHost({ seed: 1 });
  const store = createPodStore({ files, clock, dataDir: "/data" });
  const other = podName("borea");
  const leave = (pod: string, file: string) => files.replace(`/data/pods/${pod}/${file}`, Buffer.from("{"));
  const left = ".metadata.json.0f3c6d1e-6a9b-4c1d-8f57-0a1b2c3d4e5f.tmp";
  const names = async () => [await files.list("/data/pods/atlas"), await files.list("/data/pods/borea")];
  await files.makeDirectory("/data/pods/atlas");
  await leave("atlas", left);
  await store.create(draft);
  await store.create({ ...draft, name: other });
  assert.deepEqual(await names(), [["metadata.json"], ["metadata.json"]]);
  for (const pod of ["atlas", "borea"]) await leave(pod, left);
  await leave("atlas", "notes.tmp");
  await store.update(name, { epoch: 0, revision: 1 }, { epoch: 1 });
  assert.deepEqual(await names(), [
    ["metadata.json", "notes.tmp"],
    [left, "metadata.json"],
  ]);
});

test("a failed write says what failed and leaves the record as it was", async () => {
  const host = memoryHost({ seed: 3 });
  const { files, clock } = host;
  const store = createPodStore({ files, clock, dataDir: "/data" });
  const created = await store.create(draft);
  host.disk.plan = failNth("write", host.disk.count("write") + 1, "ENOSPC");
  await assert.rejects(
    store.update(name, { epoch: 0, revision: 1 }, { epoch: 1 }),
    (error) => error instanceof YoiError && error.code === "disk_full",
  );
  host.disk.plan = noFaults;
  assert.deepEqual(await store.read(name), created);
});
