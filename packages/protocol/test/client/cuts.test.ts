/** Cuts: wherever connections break and whatever a faulty Pod leaves out or says twice, the listener is told the log's own sequence. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  encodeLine,
  LineReader,
  openPodClient,
  type Connection,
  type PodView,
  type StreamEvent,
} from "../../src/index.ts";
import { frameBytesMax } from "../../src/limits.ts";
import { readPodLine } from "../../src/read-pod-line.ts";
import { seededRandom } from "../../../host/src/memory/seeded-random.ts";
import {
  alertEvent,
  atOnce,
  entryEvent,
  liveEvent,
  scriptedPod,
  segment,
  snapshotEvent,
  stay,
  userHello,
  welcome,
} from "./scripted-pod.ts";
import { told } from "./told.ts";

const entriesMax = 12;
const everyEntry = Array.from({ length: entriesMax }, (_, seq) => seq);

/** All that is said behind a hello: records, the snapshot at `at`, then records and live events in turn. */
function streamLines(from: number, at: number, epoch: number): readonly Uint8Array[] {
  const alerts = [alertEvent(1).live].flatMap((live) => (live.type === "alert" ? [{ ...live, n: 1 }] : []));
  const view: Partial<PodView> = { seq: at - 1, n: at, epoch, alerts };
  const records = (first: number, end: number) =>
    Array.from({ length: Math.max(0, end - first) }, (_, index) => entryEvent(first + index));
  const events: readonly StreamEvent[] = [
    ...records(from, at),
    snapshotEvent(view),
    ...records(at, entriesMax).flatMap((each, index) => [liveEvent(at + 1 + index), each]),
  ];
  return [welcome({ from, epoch }), ...events.map(encodeLine)];
}

test(`cuts at each line, and in the middle of each, of a stream of ${entriesMax} entries: every entry once`, async () => {
  const bytes = Buffer.concat(streamLines(0, entriesMax / 2, 1));
  let cuts = 0;
  for (let cut = 0; cut < bytes.length; cut += cutStep(bytes, cut)) {
    const heard = told();
    const pod = scriptedPod(async (served, index) => {
      if (index === 0) return served.say(bytes.subarray(0, cut));
      const from = (served.hello.after?.seq ?? -1) + 1;
      await served.say(...streamLines(from, Math.max(from, entriesMax / 2), 1));
      await stay(served);
    });
    const client = await openPodClient({
      connect: pod.connect,
      hello: userHello,
      listener: heard.listener,
      again: atOnce(),
    });
    await heard.until(`entry ${entriesMax - 1}`);
    client.close();
    await client.closed;
    assert.deepEqual(heard.entries, everyEntry, `cut behind byte ${cut}`);
    cuts += 1;
  }
  assert.ok(cuts > 80, `${cuts} cuts`);
});

/** Around the ends of lines every byte, and some in between. */
function cutStep(bytes: Uint8Array, cut: number): number {
  const end = bytes.indexOf(0x0a, cut);
  const untilEnd = end - cut;
  return untilEnd <= 1 || bytes[cut - 1] === 0x0a ? 1 : Math.max(1, Math.floor(untilEnd / 2));
}

/** A Pod whose connections break, whose process dies, and which now and then leaves a line out or says it twice. */
function unreliablePod(seed: number) {
  const random = seededRandom(seed);
  let epoch = 1;
  return scriptedPod(async (served) => {
    if (random.below(4) === 0) epoch += 1;
    const after = served.hello.after;
    const from = after?.segment === segment ? after.seq + 1 : 0;
    const at = Math.max(1, from + random.below(entriesMax - from + 1));
    const lines = [...streamLines(from, at, epoch)];
    const faulty = random.below(3) === 0;
    if (faulty) {
      const index = 1 + random.below(lines.length - 1);
      const line = lines[index];
      if (line !== undefined) lines.splice(index, 1, ...(random.below(2) === 0 ? [] : [line, line]));
    }
    const bytes = Buffer.concat(lines);
    const cut = random.below(3) === 0 ? bytes.length : random.below(bytes.length);
    for (let at = 0; at < cut;) {
      const end = Math.min(cut, at + 1 + random.below(200));
      await served.say(bytes.subarray(at, end));
      at = end;
    }
    // What is missing at the very end shows only once the connection ends.
    if (cut === bytes.length && !faulty) await stay(served);
  });
}

async function entriesOfClient(seed: number): Promise<readonly number[]> {
  const heard = told();
  const pod = unreliablePod(seed);
  const client = await openPodClient({
    connect: pod.connect,
    hello: userHello,
    listener: heard.listener,
    again: atOnce(),
  });
  await heard.until(`entry ${entriesMax - 1}`);
  client.close();
  await client.closed;
  return heard.entries;
}

/** The control: it connects again behind the last entry too, and believes what it is sent. */
async function entriesWithoutCheck(seed: number): Promise<readonly number[]> {
  const pod = unreliablePod(seed);
  const entries: number[] = [];
  while (entries.at(-1) !== entriesMax - 1) {
    const connection = await pod.connect();
    const seq = entries.at(-1);
    const after = seq === undefined ? {} : { after: { segment, seq } };
    const params = { protocol: 1, ...(await userHello()), ...after };
    await connection.write(encodeLine({ id: "hello", method: "hello", params }));
    await readEntries(connection, entries);
  }
  return entries;
}

async function readEntries(connection: Connection, entries: number[]): Promise<void> {
  const reader = new LineReader(frameBytesMax);
  for await (const piece of connection.incoming) {
    for (const line of reader.take(piece)) {
      const said = readPodLine(line);
      if ("event" in said && said.event === "entry") entries.push(said.entry.seq);
      if (entries.at(-1) === entriesMax - 1) return connection.destroy();
    }
  }
}

const seeds = 150;

test(`${seeds} unreliable Pods (seeds 0 to ${seeds - 1}): every entry once, in order, over all connections`, async () => {
  for (let seed = 0; seed < seeds; seed += 1) {
    assert.deepEqual(await entriesOfClient(seed), everyEntry, `seed ${seed}`);
  }
});

test("control: a client that does not check its place is told another sequence by some of these Pods", async () => {
  let wrong = 0;
  for (let seed = 0; seed < seeds; seed += 1) {
    const entries = await entriesWithoutCheck(seed);
    if (entries.length !== entriesMax || entries.some((seq, index) => seq !== index)) wrong += 1;
  }
  assert.ok(wrong > 10, `${wrong} of ${seeds}`);
});
