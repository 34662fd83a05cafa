/** The metadata of each released format is read for ever: the same record, and the same bytes again. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { podName } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { createPodStore } from "../src/index.ts";
import { decodeRecord, encodeRecord } from "../src/record-codec.ts";

const bytes = readFileSync(new URL("golden/metadata-1.json", import.meta.url));
const name = podName("old");

test("schema 1", async () => {
  const { record, fields } = decodeRecord(bytes, name, "metadata-1.json");
  const { manifest, ...rest } = record;
  assert.deepEqual(rest, {
    name: "old",
    pointer: {
      state: "active",
      session: "01a2013a-da8a-718a-bdb4-76eca7989afe",
      segment: "01a2013a-da8a-718b-a96c-44818fc26a08",
    },
    epoch: 1,
    closedHead: { segment: "01a2013a-da8a-718b-a96c-44818fc26a08", seq: 7, sum: "83c67e0289fe03d6" },
    parent: null,
    children: [],
    reclaimed: [],
    peers: [],
    revision: 3,
    createdMs: 1_795_316_963_987,
    updatedMs: 1_795_316_966_741,
  });
  assert.equal(manifest["workspace"], "/tmp/site");
  assert.deepEqual(decodeRecord(encodeRecord(record, fields), name, "").record, record);
});

test("schema 1 is opened, and written on, as if it were of today", async () => {
  const { files, clock } = memoryHost({ seed: 1 });
  await files.makeDirectory("/data/pods/old");
  await files.replace("/data/pods/old/metadata.json", bytes);
  const store = createPodStore({ files, clock, dataDir: "/data" });
  const updated = await store.update(name, { epoch: 1, revision: 3 }, { epoch: 2 });
  const { manifest } = decodeRecord(bytes, name, "metadata-1.json").record;
  assert.deepEqual([updated.epoch, updated.revision, updated.manifest], [2, 4, manifest]);
  assert.deepEqual(await store.read(name), updated);
});
