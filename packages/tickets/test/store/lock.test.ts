/** The lock of a root: what is done under it is little, and nothing where it was lost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { createTicketStore, type TicketStore } from "../../src/index.ts";
import { memoryStore, refusedWith, root, textAt, ticketIn, user } from "./memory-store.ts";

const kindAtOf =
  ({ files }: Pick<ReturnType<typeof memoryHost>, "files">) =>
  async (path: string) =>
    (await files.stat(path))?.kind ?? null;

test("under the lock only the ticket itself is read, however many there are and whatever they gate", async () => {
  const verbs: readonly ((store: TicketStore, id: string, other: string) => Promise<unknown>)[] = [
    (store, id) => store.transition(id, { to: "queued" }, user),
    (store, id, other) => store.link(id, { relation: "blocks", target: other }, user),
    (store, id) => store.add(id, { kind: "comment", body: "b" }, user),
    (store) => store.create({ title: "Another", body: "" }, user),
  ];
  for (const [at, verb] of verbs.entries()) {
    const host = memoryHost({ seed: 1 });
    const { store: before } = memoryStore(host);
    const [id, other] = [await ticketIn("ready", before), await ticketIn("ready", before)];
    for (let n = 0; n < 10; n += 1) await ticketIn("planning", before);
    const read = new Set<string>();
    let isHeld = false;
    const store = createTicketStore({
      ...host,
      files: {
        ...host.files,
        read: (path) => {
          if (isHeld) read.add(path.split("/").at(-2) ?? "");
          return host.files.read(path);
        },
      },
      locks: {
        hold: (path, work) =>
          host.locks.hold(path, async () => {
            isHeld = true;
            return work().finally(() => (isHeld = false));
          }),
      },
      kindAt: kindAtOf(host),
      root,
    });
    await verb(store, id, other);
    assert.deepEqual([...read].toSorted(), [[id], [id, other], [id], []][at], `verb ${at}`);
  }
});

test("nothing is written under a lock whose file was taken away or replaced meanwhile", async () => {
  for (const what of ["kept", "removed", "replaced"]) {
    const host = memoryHost({ seed: 1 });
    const { store: before } = memoryStore(host);
    const id = await ticketIn("planning", before);
    const lock = `${root}/.lock`;
    await host.files.replace(lock, Buffer.from(""));
    const written = await textAt({ host }, `${id}/thread.md`);
    const kindAt = async (path: string) => {
      // It is read under the lock, and only then.
      if (path.endsWith("thread.md") && what === "removed") await host.files.removeFile(lock);
      if (path.endsWith("thread.md") && what === "replaced") await host.files.replace(lock, Buffer.from(""));
      return (await host.files.stat(path))?.kind ?? null;
    };
    const store = createTicketStore({ ...host, kindAt, root });
    const adding = store.add(id, { kind: "comment", body: "b" }, user);
    if (what === "kept") await adding;
    else await assert.rejects(adding, refusedWith("io_failed", /was removed or replaced while it was held/));
    assert.equal((await textAt({ host }, `${id}/thread.md`)) === written, what !== "kept");
  }
});
