/** What a store is told comes into its files without the keys that yoi knows, by whichever verb, and nothing else of it changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { createTicketStore, type TicketStore } from "@yoi/tickets";
import { withoutKeys } from "../../src/tickets/without-keys.ts";

const root = "/w/.yoi/tickets";
const key = "sk-secret";

function place() {
  const host = memoryHost({ seed: 1 });
  const kindAt = async (path: string) => (await host.files.stat(path))?.kind ?? null;
  const plain = createTicketStore({ ...host, kindAt, root });
  const said: string[] = [];
  const redact = (text: string): string => text.replaceAll(key, "[mark]");
  return { host, plain, guarded: withoutKeys(plain, { redact, say: (text) => void said.push(text) }), said };
}

async function written({ files }: ReturnType<typeof memoryHost>): Promise<string> {
  const texts: string[] = [];
  for (const id of await files.list(root))
    for (const name of await files.list(`${root}/${id}`).catch(() => []))
      texts.push(Buffer.from((await files.read(`${root}/${id}/${name}`)) ?? []).toString());
  return texts.join("\n");
}

/** Every verb that writes, with a key in every text. */
async function writeAll(store: TicketStore): Promise<void> {
  const actor = { author: `hare ${key}`, role: "user" } as const;
  const text = `text ${key}`;
  const { id: other } = await store.create({ title: "t", body: "" }, actor);
  const fields = { labels: ["a", text], priority: text };
  const { id } = await store.create({ title: text, body: text, fields }, actor);
  await store.add(id, { kind: "comment", body: text }, actor);
  await store.add(id, { kind: "review", status: "approve", body: text }, actor);
  await store.transition(id, { to: "ready", reason: text, body: text }, actor);
  await store.link(id, { relation: "blocks", target: other }, actor);
  await store.close(id, text, actor);
  await store.reopen(id, text, actor);
}

test("each text of each verb is looked through, and it is said for each that held a key", async () => {
  const { host, guarded, said } = place();
  await writeAll(guarded);
  const files = await written(host);
  assert.ok(!files.includes(key));
  const [ticket] = (await guarded.list()).tickets.filter(({ title }) => title === "text [mark]");
  const { body, fields, events } = await guarded.show(ticket?.id ?? "");
  assert.deepEqual(
    [body, fields, events.map(({ kind, author, reason = "", body: text }) => [kind, author, reason, text])],
    [
      "text [mark]",
      { labels: ["a", "text [mark]"], priority: "text [mark]" },
      [
        ["create", "hare [mark]", "", ""],
        ["comment", "hare [mark]", "", "text [mark]"],
        ["review", "hare [mark]", "", "text [mark]"],
        ["state_changed", "hare [mark]", "text [mark]", "text [mark]"],
        ["link", "hare [mark]", "", ""],
        ["close", "hare [mark]", "", "text [mark]"],
        ["reopen", "hare [mark]", "text [mark]", ""],
      ],
    ],
  );
  assert.deepEqual(
    [...new Set(said)].toSorted(),
    ["author", "labels", "priority", "reason", "resolution", "text", "title"].map(
      (what) => `A key that yoi knows was taken out of the ${what}.`,
    ),
  );
});

test("without it they would stand there", async () => {
  const { host, plain } = place();
  await writeAll(plain);
  assert.ok((await written(host)).includes(key));
});
