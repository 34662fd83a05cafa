/** Packing: what `verify` says of the bundle is what it says of the Pod, whole or damaged, with every file that it needs and no other. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoryHost } from "@yoi/host";
import { readActive, verifyPod, type VerifyReport } from "@yoi/pod";
import { createPodStore } from "@yoi/pod-store";
import { createSessionStore } from "@yoi/session-store";
import {
  dataDir,
  openSimulated,
  simulatedPod,
  simulatedStores,
} from "../../../../test/support/simulated-pod.ts";
import { bundleFiles } from "../../src/bundle/bundle-files.ts";
import { bundleBytesMax } from "../../src/bundle/bundle-format.ts";
import { packBundle, type PackStores } from "../../src/bundle/pack-bundle.ts";
import { unpackBundle } from "../../src/bundle/unpack-bundle.ts";

const root = "/elsewhere/p.tar";
const options = {
  wireRequestsMax: 0,
  openModel: () => Promise.reject(new Error("no body is asked for")),
};

/** A Pod with two runs behind it, whose first answer lies in a blob. */
async function machine() {
  const host = memoryHost({ seed: 3 });
  const leases = new Map();
  const scenario = JSON.stringify({
    chunk: 65_536,
    context_window: 1_000_000,
    steps: [{ text: "x".repeat(1_200_000) }, { text: "Done." }],
  });
  for (const text of ["one", "two"]) {
    const pod = await openSimulated({ host, leases, scenario, tools: [] });
    assert.equal((await pod.submit([{ type: "text", text }])).outcome.kind, "finished");
    await pod.close();
  }
  const stores = { ...simulatedStores(host, leases), host, dataDir };
  const { view } = await readActive(stores, simulatedPod);
  return { host, stores, log: view.path };
}

type Machine = Awaited<ReturnType<typeof machine>>;

async function verifyElsewhere(bytes: Uint8Array): Promise<VerifyReport> {
  const { manifest, files: held } = await unpackBundle(bytes, root);
  const clock = memoryHost({ seed: 4 }).clock;
  const files = bundleFiles(root, held);
  const stores = {
    sessions: createSessionStore({ files, clock, dataDir: root }),
    pods: createPodStore({ files, clock, dataDir: root }),
    lease: { owner: async () => null },
  };
  return verifyPod(stores, manifest.pod, options);
}

function placeless(report: VerifyReport): unknown {
  return JSON.parse(JSON.stringify(report).replaceAll(root, "").replaceAll(dataDir, ""));
}

async function change({ host, log }: Machine, edit: (text: string) => string): Promise<void> {
  const text = Buffer.from((await host.files.read(log)) ?? assert.fail("no log")).toString();
  const edited = edit(text);
  assert.notEqual(edited, text, "control: nothing was changed");
  await host.files.replace(log, Buffer.from(edited));
}

async function blobsOf({ host, log }: Machine): Promise<readonly string[]> {
  const blobs = log.replace(/[^/]*$/, "blobs");
  const paths: string[] = [];
  for (const shard of await host.files.list(blobs))
    for (const blob of await host.files.list(`${blobs}/${shard}`)) paths.push(`${blobs}/${shard}/${blob}`);
  return paths;
}

const states: readonly (readonly [string, readonly string[], (m: Machine) => Promise<void>])[] = [
  ["as it is", [], async () => {}],
  ["with an unfinished write at its end", [], (m) => change(m, (text) => `${text}{"seq":99,"ba`)],
  [
    "changed in the middle",
    ["damage"],
    (m) => change(m, (text) => text.replace('"text":"two"', '"text":"2wo"')),
  ],
  [
    "without its last line",
    ["missing_lines"],
    (m) => change(m, (text) => text.slice(0, text.trimEnd().lastIndexOf("\n") + 1)),
  ],
  [
    "with a blob that changed",
    ["damage"],
    async (m) => {
      for (const path of await blobsOf(m)) await m.host.files.replace(path, Buffer.from('"other"'));
    },
  ],
  [
    "without its blob",
    ["damage"],
    async (m) => {
      for (const path of await blobsOf(m)) await m.host.files.removeFile(path);
    },
  ],
];

describe("a Pod's log", () => {
  for (const [state, problems, make] of states)
    test(`${state}: verify says the same of it and of its bundle`, async () => {
      const m = await machine();
      await make(m);
      const atHome = await verifyPod(m.stores, simulatedPod, options);
      assert.deepEqual(
        atHome.problems.map(({ kind }) => kind),
        problems,
      );
      const { bytes } = await packBundle(m.stores, simulatedPod);
      assert.deepEqual(placeless(await verifyElsewhere(bytes)), placeless(atHome));
    });
});

test("a bundle holds the metadata, the segments and the blobs they name, and nothing else that lies there", async () => {
  const m = await machine();
  const session = m.log.replace(/\/[^/]*$/, "");
  const trace = m.log.replace(/\.jsonl$/, ".trace.jsonl");
  const stray = "cd".repeat(32);
  await m.host.files.makeDirectory(`${session}/blobs/cd`);
  for (const path of [trace, `${session}/.x.0.tmp`, `${session}/blobs/cd/${stray}`])
    await m.host.files.replace(path, Buffer.from("{}\n"));
  const packed = await packBundle(m.stores, simulatedPod);
  const [blob = ""] = (await blobsOf(m)).filter((path) => !path.endsWith(stray));
  assert.deepEqual(
    packed.manifest.files.map(({ path }) => `${dataDir}/${path}`).toSorted(),
    [m.stores.pods.pathOf(simulatedPod), m.log, blob].toSorted(),
  );
  assert.deepEqual([packed.segments, packed.blobs], [1, 1]);
});

test("without its log there is nothing to pack", async () => {
  const m = await machine();
  await m.host.files.removeFile(m.log);
  await assert.rejects(packBundle(m.stores, simulatedPod), { code: "io_failed", message: /does not exist/ });
  await assert.rejects(packBundle(m.stores, "nobody"), { code: "pod_unknown" });
});

test("what is too large for a bundle is refused before any log of it is read", async () => {
  const m = await machine();
  const { files } = m.host;
  const large = m.log.replace(/[^/]*$/, "01a20058-1c5e-71cf-b6c7-865b937da299.jsonl");
  await files.replace(large, Buffer.from("{}\n"));
  const read: string[] = [];
  const sized = (bytes: number): PackStores => ({
    ...m.stores,
    host: {
      clock: m.host.clock,
      files: {
        ...files,
        list: (path) => files.list(path),
        read: (path) => (read.push(path), files.read(path)),
        stat: async (path) => {
          const found = await files.stat(path);
          return found === null || path !== large ? found : { ...found, bytes };
        },
      },
    },
  });
  const others = (await files.stat(m.log))?.bytes ?? assert.fail("no log");
  await assert.rejects(packBundle(sized(bundleBytesMax - others + 1), simulatedPod), {
    code: "limit_exceeded",
    message:
      /^What is kept of .* has more bytes than the 536870912 of a bundle: copy the directory \/.*, while no process holds the Pod\.$/,
  });
  assert.deepEqual(read, [m.stores.pods.pathOf(simulatedPod)]);
});
