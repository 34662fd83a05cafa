/** Copies of files: durable, once for the same bytes, within the room of the session, and gone with it. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { sessionId } from "@yoi/base";
import { failNth, memoryHost, type MemoryHost } from "@yoi/host";
import { createSessionStore } from "../src/index.ts";

const session = sessionId("01890a5d-ac96-774b-bcce-b302099a8057");
const directory = `/data/sessions/${session}/files`;
const storeOn = ({ files, clock }: MemoryHost) => createSessionStore({ files, clock, dataDir: "/data" });
const bytes = (text: string) => Buffer.from(text);
const sha = (text: string) => hash("sha256", text, "hex");

test("a copy survives the power, is there once, and goes with the session", async () => {
  const host = memoryHost({ seed: 1 });
  const copies = storeOn(host).copies(session);
  assert.deepEqual(
    await Promise.all([copies.keep(bytes("one"), "change"), copies.keep(bytes("one"), "command")]),
    [sha("one"), sha("one")],
  );
  assert.deepEqual(await host.files.list(directory), ["change"]);
  const later = host.restart();
  const store = storeOn(later);
  assert.deepEqual(Buffer.from((await store.copies(session).read(sha("one"))) ?? []).toString(), "one");
  assert.equal(await store.copies(session).read(sha("two")), null);
  assert.equal(await store.copies(session).read("../../etc/passwd"), null);
  await store.removeSession(session);
  assert.equal(await store.copies(session).read(sha("one")), null);
});

test("one that is not what it was is refused", async () => {
  const host = memoryHost({ seed: 1 });
  const copies = storeOn(host).copies(session);
  await copies.keep(bytes("one"), "change");
  await host.files.replace(`${directory}/change/${sha("one").slice(0, 2)}/${sha("one")}`, bytes("two"));
  await assert.rejects(copies.read(sha("one")), { code: "blob_damaged" });
});

test("a failure is told, and the next copy is kept all the same", async () => {
  const host = memoryHost({ seed: 1 });
  const copies = storeOn(host).copies(session);
  host.disk.plan = failNth("write", 1, "ENOSPC");
  await assert.rejects(copies.keep(bytes("one"), "change"), { code: "disk_full" });
  assert.equal(await copies.read(sha("one")), null);
  assert.equal(await copies.keep(bytes("one"), "change"), sha("one"));
});
