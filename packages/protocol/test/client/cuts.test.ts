/** Cuts: wherever connections break and whatever a faulty Pod leaves out or says twice, the listener is told the log's own sequence. */
import assert from "node:assert/strict";
import test from "node:test";
import { encodeLine, frameBytesMax, LineReader, openPodClient, type Connection } from "../../src/index.ts";
import { readPodLine } from "../../src/read-pod-line.ts";
import { proofTest } from "../../../../test/support/proof.ts";
import { everyEntryOnce } from "./cuts.proof.ts";
import { atOnce, scriptedPod, segment, stay, userHello } from "./scripted-pod.ts";
import { told } from "./told.ts";
import { entriesMax, everyEntry, streamLines, unreliablePod } from "./unreliable-pod.ts";

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

const seeds = 60;

proofTest(everyEntryOnce);

test(`control: a client that does not check its place is told another sequence by some of ${seeds} such Pods`, async () => {
  let wrong = 0;
  for (let seed = 0; seed < seeds; seed += 1) {
    const entries = await entriesWithoutCheck(seed);
    if (entries.length !== entriesMax || entries.some((seq, index) => seq !== index)) wrong += 1;
  }
  assert.ok(wrong > 5, `${wrong} of ${seeds}`);
});
