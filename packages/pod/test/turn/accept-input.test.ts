/** Input with references: what is attached is committed with it in one batch, is what the model sees, and survives a crash in any place. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  type CommittedItem,
  type FileRefPart,
  type InputPart,
  isKnown,
  type LogEntry,
  type SystemItem,
} from "@yoi/base";
import { HostCrashed, memoryHost } from "@yoi/host";
import { openSimulated, simulatedPod, simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { openScripted } from "../../../model/src/scripted/index.ts";
import { type Pod, type PodEvent, type PodSetup, readActive, verifyPod } from "../../src/index.ts";
import { namedBy } from "../named-by.ts";

const attached = (name: string): SystemItem => ({
  type: "system_item",
  kind: "file_attachment",
  source: "host",
  body: `[File: ${name}]\ntext of ${name}`,
  record: { path: `/w/${name}` },
});

/** Attaches what begins with an a. */
const attach: PodSetup["attach"] = async (references) => ({
  items: references
    .map(namedBy)
    .filter((name) => name.startsWith("a"))
    .map(attached),
  warnings: references
    .map(namedBy)
    .filter((name) => !name.startsWith("a"))
    .map((name) => `no ${name}`),
});

const scenario = JSON.stringify({ steps: [{ text: "First." }, { text: "Second." }] });
const ref = (path: string): FileRefPart => ({ type: "file_ref", path });
const parts: readonly InputPart[] = [
  { type: "text", text: "see " },
  ref("a1"),
  { type: "text", text: " and " },
  ref("b"),
  { type: "text", text: ", then " },
  ref("a2"),
];

function machine() {
  const host = memoryHost({ seed: 7 });
  const observed: PodEvent[] = [];
  const recalled: CommittedItem[][] = [];
  return {
    host,
    leases: new Map(),
    scenario,
    tools: [],
    attach,
    observer: (event: PodEvent) => void observed.push(event),
    recall: (items: readonly CommittedItem[]) => void recalled.push([...items]),
    observed,
    recalled,
  };
}
type Machine = ReturnType<typeof machine>;

async function entriesOf({ host, leases }: Machine): Promise<readonly LogEntry[]> {
  return (await readActive(simulatedStores(host, leases), simulatedPod)).view.entries;
}

async function verified(m: Machine): Promise<void> {
  const report = await verifyPod(simulatedStores(m.host, m.leases), simulatedPod, {
    wireRequestsMax: 10,
    openModel: async () => openScripted({ name: "sim.yaml", text: scenario, ports: m.host }),
  });
  assert.deepEqual([report.problems, report.wireChecked], [[], report.requests]);
}

const kindsFrom = (entries: readonly LogEntry[], first: string) =>
  entries.slice(entries.findLastIndex(({ kind }) => kind === first)).map(({ kind }) => kind);

test("what is attached follows its input in the same batch, in order; what is not is a warning, and its reference stays", async () => {
  const m = machine();
  const pod = await openSimulated(m);
  assert.equal((await pod.submit(parts)).outcome.kind, "finished");
  await pod.close();
  const entries = (await entriesOf(m)).filter(isKnown);
  const begin = entries.findIndex(({ kind }) => kind === "invoke");
  const [invoke, input, ...items] = entries.slice(begin, begin + 4);
  assert.deepEqual(
    [invoke, input, ...items].map((entry) => entry?.batch),
    Array.from({ length: 4 }, () => invoke?.seq),
  );
  assert.ok(input?.kind === "user_input");
  assert.deepEqual([input.parts, input.attachments], [parts, 2]);
  assert.deepEqual(
    items.map((entry) => (entry.kind === "system_item" ? entry.item : null)),
    [attached("a1"), attached("a2")],
  );
  const request = entries[begin + 4];
  assert.ok(
    request?.kind === "llm_request" && request.items === 3,
    "input and both items are in the request",
  );
  assert.deepEqual(
    m.observed.flatMap((event) => (event.type === "alert" ? [event.alert.message] : [])),
    ["no b"],
  );
  assert.deepEqual(
    m.recalled.map((items_) => items_.map(({ item }) => item)),
    [[], [attached("a1"), attached("a2")]],
  );
  await verified(m);
});

test("an input without references asks nobody, and is written as before", async () => {
  const m = machine();
  let asked = 0;
  const pod = await openSimulated({ ...m, attach: async () => ((asked += 1), { items: [], warnings: [] }) });
  await pod.submit([{ type: "text", text: "go" }]);
  await pod.submit([ref("nothing")]);
  await pod.close();
  assert.equal(asked, 1);
  const inputs = (await entriesOf(m)).filter(isKnown).filter((entry) => entry.kind === "user_input");
  assert.deepEqual(
    inputs.map((input) => Object.hasOwn(input, "attachments")),
    [false, false],
  );
  assert.deepEqual(inputs[1]?.parts, [ref("nothing")]);
});

test("at opening what was attached and committed is told of once, with the history around it", async () => {
  const m = machine();
  const pod = await openSimulated(m);
  await pod.submit(parts);
  await pod.close();
  m.recalled.length = 0;
  const again = await openSimulated(m);
  assert.deepEqual(
    m.recalled.map((items) => items.map(({ item }) => item.type)),
    [["user_message", "system_item", "system_item", "assistant_message"]],
  );
  await again.close();
});

test("what cannot be attached at all, by a bug, commits nothing", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, attach: () => Promise.reject(new Error("a bug")) });
  const before = (await entriesOf(m)).length;
  await assert.rejects(pod.submit(parts), /a bug/);
  assert.equal((await entriesOf(m)).length, before);
  assert.equal(pod.snapshot.state, "idle");
  await pod.close();
});

/** Dies while the batch of the input is written, with so many of its lines on disk. */
async function tornBehind(lines: number): Promise<{ m: Machine; pod: Pod }> {
  const whole = machine();
  const sizes: number[] = [];
  const sound = await openSimulated(whole);
  const before = (await logOf(whole)).length;
  await sound.submit(parts);
  const text = (await logOf(whole)).subarray(before);
  for (let at = text.indexOf(0x0a); at >= 0; at = text.indexOf(0x0a, at + 1)) sizes.push(at + 1);
  await sound.close();

  const m = machine();
  const pod = await openSimulated(m);
  let written = false;
  m.host.disk.plan = (operation) => {
    if (written) {
      m.host.crash("process");
      throw new HostCrashed();
    }
    if (operation.kind !== "write" || !operation.path.endsWith(".jsonl")) return "pass";
    written = true;
    return { short: sizes[lines - 1] ?? 0 };
  };
  await assert.rejects(pod.submit(parts));
  m.host.disk.plan = () => "pass";
  m.host.crash("process");
  return { m, pod };
}

async function logOf(m: Machine): Promise<Buffer> {
  const record = await simulatedStores(m.host, m.leases).pods.read(simulatedPod);
  assert.ok(record?.pointer.state === "active");
  const { session, segment } = record.pointer;
  const bytes = await m.host.files.read(`/data/sessions/${session}/${segment}.jsonl`);
  assert.ok(bytes !== null);
  return Buffer.from(bytes);
}

test("a crash between the lines of an input: it did not arrive, or the model is told what of it did not", async () => {
  const table: readonly (readonly [number, string, readonly string[], string | null])[] = [
    [1, "idle", ["invoke", "opened", "run_completed"], null],
    [2, "paused", ["invoke", "user_input", "opened", "system_item", "run_paused"], "Of the 2 .* 0 arrived"],
    [
      3,
      "paused",
      ["invoke", "user_input", "system_item", "opened", "system_item", "run_paused"],
      "2 .* 1 arrived",
    ],
    [4, "paused", ["invoke", "user_input", "system_item", "system_item", "opened", "run_paused"], null],
  ];
  for (const [lines, state, kinds, told] of table) {
    const { m } = await tornBehind(lines);
    const next = { ...m, host: m.host.restart() };
    const again = await openSimulated(next);
    assert.equal(again.snapshot.state, state, `${lines} lines`);
    const entries = await entriesOf(next);
    assert.deepEqual(kindsFrom(entries, "invoke"), kinds, `${lines} lines`);
    const note = entries.filter(isKnown).findLast((entry) => entry.kind === "system_item")?.item;
    if (told !== null) assert.match(note?.kind === "notification" ? note.body : "", new RegExp(told));
    else assert.notEqual(note?.kind, "notification");
    const report = await (state === "idle" ? again.submit(parts) : again.resume());
    assert.deepEqual(report.outcome, { kind: "finished", text: "First." });
    await again.close();
    await verified(next);
  }
});
