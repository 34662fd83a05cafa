/** The room that a session has for copies. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import { sessionId } from "@yoi/base";
import { memoryHost, type MemoryHost } from "@yoi/host";
import { commandCopiesBytesMax, createSessionStore } from "@yoi/session-store";

const session = sessionId("01890a5d-ac96-774b-bcce-b302099a8057");
const storeOn = ({ files, clock }: MemoryHost) => createSessionStore({ files, clock, dataDir: "/data" });
const bytes = (text: string) => Buffer.from(text);
const sha = (text: string) => hash("sha256", text, "hex");

test("copies for commands have room for n bytes and not for n + 1, over restarts; those for file tools have room of their own", async () => {
  const host = memoryHost({ seed: 1 });
  const most = Buffer.alloc(commandCopiesBytesMax - 1);
  await storeOn(host).copies(session).keep(most, "command");
  const copies = storeOn(host).copies(session);
  await copies.keep(bytes("1"), "command");
  await assert.rejects(copies.keep(bytes("2"), "command"), { code: "limit_exceeded" });
  // The same bytes need no more room.
  assert.equal(await copies.keep(bytes("1"), "command"), sha("1"));
  assert.equal(await copies.keep(bytes("2"), "change"), sha("2"));
});
