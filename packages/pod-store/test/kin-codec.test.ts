/** Kin in the metadata file: read back whole, refused with the place of what is wrong, and what others wrote beside it kept. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject, type JsonObject, type JsonValue, podName, sessionId, YoiError } from "@yoi/base";
import { decodeRecord, encodeRecord, withoutToken } from "../src/record-codec.ts";
import type { PodRecord } from "../src/index.ts";
import { child, loan, parent, peerOf, reclaimed } from "./kin.ts";
import { sealed } from "./sealed.ts";

const name = podName("atlas");
const path = "/data/pods/atlas/metadata.json";
const record: PodRecord = {
  name,
  pointer: { state: "pending", session: sessionId("0198c0de-0000-7000-8000-000000000001") },
  epoch: 3,
  closedHead: null,
  manifest: { note: "é" },
  parent,
  children: [child(1), child(2)],
  reclaimed: [reclaimed(3), reclaimed(4), reclaimed(5)],
  peers: [peerOf("borea"), peerOf("cora", 2)],
  revision: 9,
  createdMs: 1,
  updatedMs: 2,
};
const { checksum: _, ...stored } = JSON.parse(Buffer.from(encodeRecord(record, {})).toString()) as JsonObject;

/** The fields with another value at a path; undefined takes it away. */
function changed(
  value: JsonValue | undefined,
  [step, ...rest]: readonly (string | number)[],
  to: unknown,
): JsonValue {
  if (step === undefined) return to as JsonValue;
  if (Array.isArray(value)) return value.with(Number(step), changed(value[Number(step)], rest, to));
  assert.ok(isJsonObject(value));
  const { [step]: old, ...others } = value;
  if (rest.length === 0 && to === undefined) return others;
  return { ...value, [step]: changed(old, rest, to) };
}

test("A3-14, A3-16: parent, children, their loans, those that came back, and peers are in the Pod's metadata and are read back whole", () => {
  assert.deepEqual(decodeRecord(encodeRecord(record, {}), name, path).record, record);
  assert.deepEqual(stored["reclaimed"], [
    {
      name: "child3",
      session: reclaimed(3).session,
      reason: "stopped",
      at_ms: reclaimed(3).atMs,
      loan: { id: loan(3).id, ...loan(3).scope },
    },
    ...(stored["reclaimed"] as JsonValue[]).slice(1),
  ]);
});

test("a task that a child is owed is read back whole, and is gone once it was given or the loan came back; a file without one owes nothing", () => {
  const task = { text: "Write “a”.\n", submission: "spawn/3.0" };
  const [first, second] = [child(1), child(2)];
  const owing: PodRecord = { ...record, children: [{ ...first, task }, second] };
  const found = decodeRecord(encodeRecord(owing, {}), name, path);
  assert.deepEqual(found.record, owing);
  const given = decodeRecord(encodeRecord(record, found.fields), name, path);
  assert.deepEqual(given.record, record);
  assert.deepEqual(given.fields["children"], stored["children"]);
  const { loan: lent, session } = first;
  const back = { name: first.name, loan: lent, session, reason: "lost", atMs: 5 } as const;
  const over = { ...record, children: [second], reclaimed: [back] };
  const { fields } = decodeRecord(encodeRecord(over, found.fields), name, path);
  assert.deepEqual(Object.keys((fields["reclaimed"] as readonly JsonObject[])[0] ?? {}).toSorted(), [
    "at_ms",
    "loan",
    "name",
    "reason",
    "session",
  ]);
});

test("what is given away of a child's metadata has all but its token; of any other Pod's it is the file as it stands", () => {
  const bytes = encodeRecord(record, { hue: 1 });
  const given = withoutToken(bytes, name, path);
  assert.equal(Buffer.from(given).includes(parent.token), false);
  const found = decodeRecord(given, name, path);
  assert.deepEqual(found.record, { ...record, parent: { ...parent, token: "" } });
  assert.equal(found.fields["hue"], 1);
  const own = encodeRecord({ ...record, parent: null }, {});
  assert.equal(withoutToken(own, name, path), own);
});

const wrong: readonly (readonly [
  where: readonly (string | number)[],
  value: unknown,
  field: string,
  at: string,
])[] = [
  [["parent"], undefined, "parent", "{"],
  [["parent"], [], "parent", '"parent": ['],
  [["parent", "pod"], "../x", "parent.pod", '"pod": "../x"'],
  [["parent", "session"], "x", "parent.session", '"session": "x"'],
  [["parent", "depth"], 0, "parent.depth", '"depth": 0'],
  [["parent", "token"], null, "parent.token", '"token": null'],
  [["children"], {}, "children", '"children": {'],
  [["children", 1], "x", "children[1]", '"x"'],
  [["children", 1, "name"], undefined, "children[1].name", '{\n      "state": "live"'],
  [["children", 1, "name"], "child1", "children[1].name", '"name": "child1"'],
  [["children", 0, "name"], "atlas", "children[0].name", '"name": "atlas"'],
  [["children", 0, "state"], "gone", "children[0].state", '"state": "gone"'],
  [["children", 0, "session"], 1, "children[0].session", '"session": 1'],
  [["children", 0, "token_digest"], 1, "children[0].token_digest", '"token_digest": 1'],
  [["children", 0, "socket"], 1, "children[0].socket", '"socket": 1'],
  [["children", 0, "callback"], {}, "children[0].callback", '"callback": {'],
  [["children", 0, "since_ms"], -1, "children[0].since_ms", '"since_ms": -1'],
  [["children", 0, "task"], null, "children[0].task", '"task": null'],
  [["children", 0, "task"], { text: 1, submission: "s" }, "children[0].task.text", '"text": 1'],
  [["children", 0, "task"], { text: "t" }, "children[0].task.submission", '"task": {'],
  [["children", 0, "loan"], null, "children[0].loan", '"loan": null'],
  [["children", 0, "loan", "id"], "x", "children[0].loan.id", '"id": "x"'],
  [["children", 0, "loan", "allow"], "x", "children[0].loan.allow", '"allow": "x"'],
  [["children", 0, "loan", "deny"], undefined, "children[0].loan.deny", '"loan": {'],
  [
    ["children", 1, "loan", "allow", 1, "target"],
    "usr",
    "children[1].loan.allow[1].target",
    '"target": "usr"',
  ],
  [
    ["children", 1, "loan", "allow", 0, "permission"],
    "own",
    "children[1].loan.allow[0].permission",
    '"permission": "own"',
  ],
  [
    ["children", 1, "loan", "deny", 0, "recursive"],
    0,
    "children[1].loan.deny[0].recursive",
    '"recursive": 0',
  ],
  [["reclaimed", 2, "reason"], "why", "reclaimed[2].reason", '"reason": "why"'],
  [["reclaimed", 2, "at_ms"], "1", "reclaimed[2].at_ms", '"at_ms": "1"'],
  [["reclaimed", 0, "name"], "child2", "reclaimed[0].name", '"name": "child2"'],
  [["reclaimed", 0, "loan", "id"], undefined, "reclaimed[0].loan.id", '"loan": {'],
  [["peers"], null, "peers", '"peers": null'],
  [["peers", 0], "borea", "peers[0]", '"borea"'],
  [["peers", 0, "name"], "a b", "peers[0].name", '"name": "a b"'],
  [["peers", 0, "session"], undefined, "peers[0].session", '{\n      "name": "borea"'],
  [["peers", 0, "session"], "x", "peers[0].session", '"session": "x"'],
  [["peers", 1, "name"], "borea", "peers[1].name", '"name": "borea"'],
  [["peers", 1, "name"], "atlas", "peers[1].name", '"name": "atlas"'],
];

test("a wrong field of kin is refused by its name, at its byte, whatever the checksum says", () => {
  for (const [where, value, field, at] of wrong) {
    const bytes = sealed(changed(stored, where, value) as JsonObject);
    assert.throws(
      () => decodeRecord(bytes, name, path),
      (error) => {
        assert.ok(error instanceof YoiError && error.code === "metadata_damaged", field);
        const { offset = -1, path: file } = error.place ?? {};
        const found = Buffer.from(bytes).subarray(offset).toString();
        assert.ok(found.startsWith(at), `${field}: ${found.slice(0, 60)}`);
        assert.equal(file, path);
        assert.ok(error.message.includes(`at byte ${offset} of ${path} (its field ${field} `), error.message);
        return true;
      },
      field,
    );
  }
});

test("W-52: what others wrote beside our fields of kin stays with the same loan, parent and peer, and passes to nobody else", () => {
  let fields: JsonValue = stored;
  const foreign = [
    ["parent", "hue"],
    ["children", 0, "hue"],
    ["children", 1, "loan", "hue"],
    ["children", 1, "loan", "allow", 0, "hue"],
    ["reclaimed", 1, "hue"],
    ["peers", 1, "hue"],
  ];
  for (const where of foreign) fields = changed(fields, where, { deep: [1, null] });
  const kept = decodeRecord(sealed(fields as JsonObject), name, path);
  assert.deepEqual(kept.record, record);
  const rewritten = (next: PodRecord): JsonObject => {
    const { checksum: sum, ...rest } = JSON.parse(
      Buffer.from(encodeRecord(next, kept.fields)).toString(),
    ) as JsonObject;
    assert.equal(typeof sum, "string");
    return rest;
  };
  assert.deepEqual(rewritten(record), fields);

  const [first, second] = record.children;
  assert.ok(first !== undefined && second !== undefined);
  const { name: back, loan: lent, session } = second;
  const moved = rewritten({
    ...record,
    parent: null,
    children: [{ ...first, loan: loan(77) }],
    reclaimed: [{ name: back, loan: lent, session, reason: "lost", atMs: 5 }],
    peers: [peerOf("borea"), peerOf("cora", 9)],
  });
  const hue = { deep: [1, null] };
  const [writes, reads] = lent.scope.allow;
  assert.equal(moved["parent"], null);
  assert.deepEqual(moved["reclaimed"], [
    {
      name: back,
      session,
      reason: "lost",
      at_ms: 5,
      loan: { id: lent.id, hue, allow: [{ ...writes, hue }, reads], deny: lent.scope.deny },
    },
  ]);
  assert.equal(JSON.stringify([moved["children"], moved["peers"]]).includes("hue"), false);
});
