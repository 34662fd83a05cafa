/** A damaged Pod sends nothing: its opening is refused with the place of the damage, no model is asked, and no byte on the disk changes. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path/posix";
import { test } from "node:test";
import { type ErrorCode, YoiError } from "@yoi/base";
import { memoryHost, type MemoryHost } from "@yoi/host";
import type { LeaseTable } from "@yoi/pod-store";
import { segmentPath } from "@yoi/session-store";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { dataDir, simulatedPod } from "../support/simulated-pod.ts";
import { driven, live, type Machine, openPod, plainOwner } from "./life.ts";
import { blobSession } from "./io-errors.ts";
import type { Session } from "./session.ts";
import { Witness } from "./witness.ts";

const call = (what: string) => ({ name: "Effect", arguments: { what } });
const dialogue: Session = {
  inputs: ["#0 begin", "#1 go on"],
  scenario: JSON.stringify({
    steps: [
      { reasoning: "Two.", text: "Both at once.", tool_calls: [call("a"), call("b")] },
      { attempts: [{ text: "This one breaks off.", cut_after: 9 }, { text: "Done." }] },
      { text: "Nothing is left." },
      { text: "Nothing is left." },
    ],
  }),
};
const metadata = `${dataDir}/pods/${simulatedPod}/metadata.json`;

interface Stored {
  readonly host: MemoryHost;
  readonly leases: LeaseTable;
  readonly log: Buffer;
  readonly logPath: string;
  readonly metadata: Buffer;
}

/** A Pod whose session is over. `orderly`: its last process closed it, so the metadata knows where the log ends. */
async function storedPod(orderly: boolean, session = dialogue): Promise<Stored> {
  const witness = new Witness();
  const machine: Machine = {
    host: memoryHost({ seed: 2 }),
    leases: new Map(),
    session,
    witness,
    owner: plainOwner,
  };
  const { host, leases } = machine;
  if (orderly) await live(machine);
  else {
    const pod = await driven(host, openPod(machine));
    await driven(host, pod.submit([{ type: "text", text: "#0 begin" }]));
    host.crash("process");
  }
  assert.ok(witness.ledger.ref !== null);
  const logPath = segmentPath(dataDir, witness.ledger.ref);
  const next = host.restart();
  const read = async (path: string) => Buffer.from((await next.files.read(path)) ?? []);
  return { host: next, leases, log: await read(logPath), logPath, metadata: await read(metadata) };
}

const changing = ["create", "write", "truncate", "rename", "remove", "sync", "sync_directory"] as const;

/** Puts the bytes there and opens the Pod. Returns the refusal, having seen that nothing was asked and nothing changed; null: it opened. */
async function refusal(stored: Stored, bytes: { log?: Buffer; metadata?: Buffer }): Promise<YoiError | null> {
  const { host, leases, logPath } = stored;
  const log = bytes.log ?? stored.log;
  const record = bytes.metadata ?? stored.metadata;
  await host.files.replace(logPath, log);
  await host.files.replace(metadata, record);
  const counts = () => changing.map((kind) => host.disk.count(kind));
  const before = counts();
  const witness = new Witness();
  const machine: Machine = { host, leases, session: dialogue, witness, owner: plainOwner };
  try {
    const pod = await driven(host, openPod(machine));
    await driven(host, pod.close());
    return null;
  } catch (error) {
    assert.ok(error instanceof YoiError, String(error));
    assert.equal(witness.sent.length, 0, "the model was asked");
    assert.deepEqual(counts(), before, "something was written");
    assert.deepEqual(Buffer.from((await host.files.read(logPath)) ?? []), log);
    assert.deepEqual(Buffer.from((await host.files.read(metadata)) ?? []), record);
    // It holds nothing: who comes next is told the same, not that the Pod is held.
    await assert.rejects(driven(host, openPod(machine)), { code: error.code, message: error.message });
    return error;
  }
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << bit);
  return copy;
}

function lineStarts(log: Buffer): readonly number[] {
  const starts = [0];
  for (let lf = log.indexOf(0x0a); lf >= 0 && lf < log.length - 1; lf = log.indexOf(0x0a, lf + 1))
    starts.push(lf + 1);
  return starts;
}

function assertDamaged(error: YoiError | null, stored: Stored, line: number | null): void {
  assert.ok(error !== null, "it opened");
  assert.equal(error.code, "log_damaged" satisfies ErrorCode, error.message);
  assert.equal(error.place?.path, stored.logPath);
  assert.ok(error.message.includes(stored.logPath), error.message);
  if (line === null) return;
  const offset = lineStarts(stored.log)[line - 1];
  assert.deepEqual(error.place, { path: stored.logPath, line, offset });
  assert.match(error.message, new RegExp(`line ${line} \\(byte ${offset}\\)`));
}

test("a flipped bit in any line is refused with its file, line and offset", async () => {
  for (const orderly of [true, false]) {
    const stored = await storedPod(orderly);
    const starts = lineStarts(stored.log);
    const random = seededRandom(77);
    for (const [index, start] of starts.entries()) {
      const end = starts[index + 1] ?? stored.log.length - 1;
      // The last LF is not in it: a damaged one is mended, not refused.
      for (const at of [
        start,
        end - 2,
        start + random.below(end - start - 1),
        start + random.below(end - start - 1),
      ]) {
        const error = await refusal(stored, { log: flipped(stored.log, at, random.below(8)) });
        assertDamaged(error, stored, index + 1);
      }
      if (index === starts.length - 1) continue;
      assertDamaged(await refusal(stored, { log: flipped(stored.log, end - 1, 0) }), stored, index + 1);
    }
  }
});

test("a line that is removed, doubled or exchanged with the next is refused where the chain breaks", async () => {
  const stored = await storedPod(true);
  const starts = lineStarts(stored.log);
  const { log } = stored;
  for (const [index, start] of starts.entries()) {
    const end = starts[index + 1] ?? log.length;
    const next = starts[index + 2] ?? log.length;
    const [before, line, after, rest] = [
      log.subarray(0, start),
      log.subarray(start, end),
      log.subarray(end, next),
      log.subarray(next),
    ];
    const isLast = index === starts.length - 1;
    const removed = Buffer.concat([before, after, rest]);
    // Without its last line the log is sound, but for what the metadata knows of it.
    assertDamaged(await refusal(stored, { log: removed }), stored, isLast ? null : index + 1);
    assertDamaged(
      await refusal(stored, { log: Buffer.concat([before, line, line, after, rest]) }),
      { ...stored, log: Buffer.concat([before, line, line, after, rest]) },
      index + 2,
    );
    if (!isLast)
      assertDamaged(
        await refusal(stored, { log: Buffer.concat([before, after, line, rest]) }),
        stored,
        index + 1,
      );
  }
});

test("lines missing at the end are refused when the last close knew of them", async () => {
  const stored = await storedPod(true);
  const { log } = stored;
  const [, ready = 0, ...ends] = lineStarts(log).slice(1);
  assert.ok(ends.length > 20);
  for (const end of ends) {
    assertDamaged(await refusal(stored, { log: log.subarray(0, end) }), stored, null);
    // Cut in the middle of a line: what is left of it is a tail, but the close knew of more.
    assertDamaged(await refusal(stored, { log: log.subarray(0, end + 20) }), stored, null);
  }
  // Without the mark of a finished start there is no segment at all.
  for (const rest of [
    Buffer.alloc(0),
    log.subarray(0, 40),
    log.subarray(0, ready - 1),
    Buffer.alloc(log.length),
  ]) {
    const error = await refusal(stored, { log: rest });
    assert.ok(error?.message.includes(stored.logPath), String(error));
  }
});

test("control: the same cut is a torn tail when no close knew better, and the undamaged Pod opens", async () => {
  const crashed = await storedPod(false);
  const last = lineStarts(crashed.log).at(-1) ?? 0;
  assert.equal(await refusal(crashed, { log: crashed.log.subarray(0, last + 20) }), null);
  assert.equal(await refusal(await storedPod(true), {}), null);
});

test("damaged metadata is refused with its file and offset, and the log is left alone", async () => {
  const stored = await storedPod(true);
  const random = seededRandom(5);
  for (let at = 0; at < stored.metadata.length; at += 1) {
    const error = await refusal(stored, { metadata: flipped(stored.metadata, at, random.below(8)) });
    assert.equal(error?.code, "metadata_damaged" satisfies ErrorCode, `byte ${at}: ${error?.message}`);
    assert.equal(error.place?.path, metadata);
    assert.ok(error.place.offset !== undefined && error.message.includes(metadata), error.message);
  }
  for (const cut of [
    Buffer.alloc(0),
    stored.metadata.subarray(0, 100),
    Buffer.alloc(stored.metadata.length),
  ]) {
    assert.equal((await refusal(stored, { metadata: cut }))?.code, "metadata_damaged" satisfies ErrorCode);
  }
});

test("a sector of zeros in any acknowledged write is refused, never cut as torn: what follows shows that it was synced", async () => {
  // Killed in mid-run: no orderly close left a head to compare with.
  const stored = await storedPod(false);
  const { log } = stored;
  const lastWrite = lineStarts(log).findLast((start) => {
    const [, seq, batch] =
      /^\{"seq":(\d+),"batch":(\d+),/.exec(log.toString("latin1", start, start + 60)) ?? [];
    return seq === batch;
  });
  assert.ok(lastWrite !== undefined);
  let sectors = 0;
  for (let from = 0; from + 512 <= lastWrite; from += 512) {
    const error = await refusal(stored, { log: Buffer.from(log).fill(0, from, from + 512) });
    assertDamaged(error, stored, lineStarts(log).filter((start) => start <= from).length);
    sectors += 1;
  }
  assert.ok(sectors > 5, `${sectors} sectors`);
});

test("a payload that is gone or changed is refused with its file", async () => {
  const stored = await storedPod(true, blobSession);
  const { host } = stored;
  const [, path = ""] = /"blob":\{"sha256":"([0-9a-f]{64})"/.exec(stored.log.toString()) ?? [];
  const blob = join(dirname(stored.logPath), "blobs", path.slice(0, 2), path);
  const bytes = Buffer.from((await host.files.read(blob)) ?? []);
  assert.ok(bytes.length > 1_000_000);
  for (const wrong of [flipped(bytes, 500_000, 3), bytes.subarray(1), null]) {
    if (wrong === null) await host.files.removeFile(blob);
    else await host.files.replace(blob, wrong);
    const error = await refusal(stored, {});
    assert.deepEqual([error?.code, error?.place], ["blob_damaged" satisfies ErrorCode, { path: blob }]);
  }
  await host.files.replace(blob, bytes);
  assert.equal(await refusal(stored, {}), null);
});
