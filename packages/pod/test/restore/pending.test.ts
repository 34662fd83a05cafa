/** A Pod that was made and never ran: its name is enough to begin it, with the session and the manifest that it has. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sessionId } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { manifestToJson } from "@yoi/manifest";
import {
  manifestOf,
  openSimulated,
  simulatedPod,
  simulatedStores,
} from "../../../../test/support/simulated-pod.ts";

test("W-55, W-02: a pending pointer begins by name with its session id, and the manifest is kept from then on", async () => {
  const host = memoryHost({ seed: 55 });
  const leases = new Map();
  const { pods } = simulatedStores(host, leases);
  const session = sessionId(host.ids.uuidV7());
  const manifest = manifestOf({ profile: { selector: "user:review", layers: [] } });
  const json = manifestToJson(manifest);
  await pods.create({ name: simulatedPod, pointer: { state: "pending", session }, manifest: json });
  const pod = await openSimulated({ host, leases, scenario: "steps: [{ text: Hi. }]", tools: [], manifest });
  assert.equal(pod.snapshot.session, session);
  await pod.close();
  const record = await pods.read(simulatedPod);
  assert.deepEqual(
    [record?.pointer, record?.manifest],
    [{ state: "active", session, segment: pod.snapshot.segment }, json],
  );
  // An update that says nothing of the manifest keeps it.
  if (record === null) throw new Error("no record");
  assert.deepEqual((await pods.update(simulatedPod, record, { epoch: record.epoch + 1 })).manifest, json);
});
