/** The metadata of each released format is read for ever: the same record, and written on as one of today. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { podName, type JsonObject } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { createPodStore } from "../src/index.ts";
import { decodeRecord, encodeRecord } from "../src/record-codec.ts";
import { sealed } from "./sealed.ts";

const golden = (schema: number): Uint8Array =>
  readFileSync(new URL(`golden/metadata-${schema}.json`, import.meta.url));
const old = podName("old");

const since = {
  pointer: {
    state: "active",
    session: "01a2013a-da8a-718a-bdb4-76eca7989afe",
    segment: "01a2013a-da8a-718b-a96c-44818fc26a08",
  },
  epoch: 1,
  closedHead: { segment: "01a2013a-da8a-718b-a96c-44818fc26a08", seq: 7, sum: "83c67e0289fe03d6" },
  revision: 3,
  createdMs: 1_795_316_963_987,
  updatedMs: 1_795_316_966_741,
};
const noKin = { parent: null, children: [], reclaimed: [], peers: [] };

test("schema 1: a Pod without kin", () => {
  const { manifest, ...rest } = decodeRecord(golden(1), old, "metadata-1.json").record;
  assert.deepEqual(rest, { name: "old", ...since, ...noKin });
  assert.equal(manifest["workspace"], "/tmp/site");
});

test("schema 1 is opened, and written on as schema 2 with every field that it had", async () => {
  const { files, clock } = memoryHost({ seed: 1 });
  const store = createPodStore({ files, clock, dataDir: "/data" });
  await files.makeDirectory("/data/pods/old");
  await files.replace("/data/pods/old/metadata.json", golden(1));
  const updated = await store.update(old, { epoch: 1, revision: 3 }, { epoch: 2 });
  assert.deepEqual(await store.read(old), updated);
  const before = JSON.parse(Buffer.from(golden(1)).toString()) as JsonObject;
  const after = JSON.parse(
    Buffer.from((await files.read("/data/pods/old/metadata.json")) ?? []).toString(),
  ) as JsonObject;
  const { checksum: _, updated_ms, ...rest } = after;
  const { checksum: __, updated_ms: ___, ...kept } = before;
  assert.deepEqual(rest, { ...kept, ...noKin, schema: 2, revision: 4, epoch: 2 });
  assert.equal(updated_ms, updated.updatedMs);
});

test("schema 2: parent, children, reclaimed children and peers; the same bytes again", () => {
  const { record, fields } = decodeRecord(golden(2), podName("kin"), "metadata-2.json");
  const allow = (n: number) => [
    { target: `/w/src/é${n}`, permission: "write", recursive: true },
    { target: "/usr", permission: "read", recursive: true },
  ];
  const deny = [{ target: "/w/src/.git", permission: "write", recursive: false }];
  const loan = (n: number) => ({
    id: `0198c0de-0000-7000-8000-00000000100${n}`,
    scope: { allow: allow(n), deny },
  });
  const child = (n: number) => ({
    name: `child${n}`,
    session: `0198c0de-0000-7000-8000-00000000200${n}`,
    loan: loan(n),
  });
  const digest = (n: number) => `${"0".repeat(63)}${n}`;
  assert.deepEqual(record, {
    name: "kin",
    ...since,
    manifest: { schema: 1, workspace: "/w" },
    parent: {
      pod: "grandma",
      session: "0198c0de-0000-7000-8000-000000003000",
      depth: 2,
      token: "t0ken",
    },
    children: [
      {
        ...child(1),
        state: "starting",
        tokenDigest: digest(1),
        socket: null,
        callback: "/run/s/parent",
        sinceMs: 1_700_000_000_001,
      },
      {
        ...child(2),
        state: "live",
        tokenDigest: digest(2),
        socket: "/run/s/2",
        callback: "/run/s/parent",
        sinceMs: 1_700_000_000_002,
      },
    ],
    reclaimed: [
      { ...child(3), reason: "stopped", atMs: 1_700_000_001_003 },
      { ...child(4), reason: "lost", atMs: 1_700_000_001_004 },
    ],
    peers: [
      { name: "friend", session: "0198c0de-0000-7000-8000-000000004001" },
      { name: "site", session: "0198c0de-0000-7000-8000-000000004002" },
    ],
  });
  assert.equal(Buffer.from(encodeRecord(record, fields)).toString(), Buffer.from(golden(2)).toString());
});

test("a file of schema 2 without its kin is damaged: children are never taken to be none", () => {
  const { checksum: _, ...fields } = JSON.parse(Buffer.from(golden(2)).toString()) as JsonObject;
  for (const key of ["parent", "children", "reclaimed", "peers"]) {
    const { [key]: __, ...less } = fields;
    assert.throws(() => decodeRecord(sealed(less), podName("kin"), "m"), {
      code: "metadata_damaged",
      message: new RegExp(`\\(its field ${key} is missing or of the wrong type\\)`),
    });
  }
});
