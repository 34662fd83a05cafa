/** One of the processes that write tickets at once. It says on standard output what it was told is written, a JSON line each. */
import { once } from "node:events";
import { nodeHost } from "@yoi/host";
import type { Actor } from "@yoi/tickets";
import { realStore } from "./place.ts";

const [, , mode = "", workspace = "", author = "", shared = ""] = process.argv;
const actor: Actor = { author, role: "user" };
const host = nodeHost();
// The control goes without the lock.
const store = realStore(
  workspace,
  mode === "unlocked" ? { ...host, locks: { hold: (_path, work) => work() } } : host,
);

function say(what: object): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${JSON.stringify(what)}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

async function comment(id: string, body: string): Promise<void> {
  const event = await store.add(id, { kind: "comment", body }, actor);
  await say({ ticket: id, event: event.id, body });
}

if (mode === "loop") {
  // Verbs over and over, until somebody ends this process.
  for (let round = 0; ; round += 1) {
    const { id } = await store.create({ title: `${author} ${round}`, body: "" }, actor);
    await say({ ticket: id });
    await comment(shared, `${author} ${round}`);
    for (const to of ["ready", "queued", "inprogress", "done"] as const) {
      const event = await store.transition(id, { to }, actor);
      await say({ ticket: id, event: event.id });
    }
    const closed = await store.close(id, `${author} ${round} is over.`, actor);
    await say({ ticket: id, event: closed.id });
    const opened = await store.reopen(id, "once more", actor);
    await say({ ticket: id, event: opened.id });
  }
}

// All begin at once, when they are told to.
process.send?.("ready");
await once(process, "message");
await comment(shared, `A comment by ${author}.`);
const { id } = await store.create({ title: `By ${author}`, body: "" }, actor);
await say({ ticket: id });
process.disconnect();
