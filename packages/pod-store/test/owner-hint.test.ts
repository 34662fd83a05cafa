/** The hint beside a lock: whole, or nobody. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeOwner, encodeOwner, hintBytesMax } from "../src/owner-hint.ts";

const owner = { pid: 7, started: 8, boot: "b", sinceMs: 9.5, purpose: "run", runtime: "/r/yoi" };

test("a hint comes back, and every cut of it names nobody", () => {
  const bytes = encodeOwner(owner);
  assert.deepEqual(decodeOwner(bytes), owner);
  // Without its newline it is whole still.
  for (let cut = 0; cut < bytes.length - 1; cut += 1) assert.equal(decodeOwner(bytes.subarray(0, cut)), null);
});

test("a hint of the most bytes is read, a longer one is none of ours", () => {
  const bytes = Buffer.from(encodeOwner(owner));
  const padded = (length: number) => Buffer.concat([bytes, Buffer.alloc(length - bytes.length, " ")]);
  assert.deepEqual(decodeOwner(padded(hintBytesMax)), owner);
  assert.equal(decodeOwner(padded(hintBytesMax + 1)), null);
});

test("a runtime directory with which the hint would be too long is left out, and nobody has to say one", () => {
  const room = hintBytesMax - encodeOwner({ ...owner, runtime: "" }).length;
  const fits = { ...owner, runtime: "r".repeat(room) };
  assert.equal(encodeOwner(fits).length, hintBytesMax);
  assert.deepEqual(decodeOwner(encodeOwner(fits)), fits);
  const silent = { ...owner, runtime: null };
  for (const one of [silent, { ...owner, runtime: "r".repeat(room + 1) }])
    assert.deepEqual(decodeOwner(encodeOwner(one)), silent);
});

test("fields of the wrong type name nobody", () => {
  const fields = { pid: 7, started: 8, boot: "b", since_ms: 9, purpose: "run" };
  const read = (change: object) => decodeOwner(Buffer.from(JSON.stringify({ ...fields, ...change })));
  assert.notEqual(read({}), null);
  const wrong = [
    { pid: 0 },
    { pid: -1 },
    { pid: 1.5 },
    { started: "8" },
    { boot: 1 },
    { since_ms: null },
    { purpose: [] },
  ];
  for (const change of wrong) assert.equal(read(change), null, JSON.stringify(change));
  for (const text of ["null", "[]", "7"]) assert.equal(decodeOwner(Buffer.from(text)), null);
});
