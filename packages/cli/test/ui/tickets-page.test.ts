/** The page of open tickets, over real ones. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openStores } from "../../src/compose/stores.ts";
import { openTicketStore } from "../../src/tickets/open-ticket-store.ts";
import { ticketsPage } from "../../src/ui/tickets-page.ts";
import { machine } from "../profiles/machine.ts";

test("the open ones of the workspace are listed with their state, also from a directory below, and what a person does with one", async () => {
  using m = machine();
  const stores = openStores(m.environment);
  const reach = { environment: m.environment, stores, client: "test" };
  const actor = { author: "mia", role: "user" } as const;
  const below = join(m.workspace, "src/deep");
  mkdirSync(below, { recursive: true });
  assert.match(
    (await ticketsPage(m.workspace, reach)).text,
    /^No open tickets in \S+\/w\/\.yoi\/tickets\.\n\nyoi ticket show ID /,
  );
  const tickets = openTicketStore(stores.host, m.workspace);
  const first = await tickets.create({ title: "文字を数える", body: "" }, actor);
  const second = await tickets.create({ title: "Second", body: "" }, actor);
  const gone = await tickets.create({ title: "Gone", body: "" }, actor);
  await tickets.transition(first.id, { to: "ready" }, actor);
  await tickets.close(gone.id, "Not needed.", actor);
  for (const place of [m.workspace, below]) {
    const { title, text } = await ticketsPage(place, reach);
    const [head = "", ...rows] = text.split("\n\n")[0]?.split("\n") ?? [];
    assert.equal(title, "Open tickets");
    assert.match(head, /^ID +STATE +UPDATED +TITLE$/);
    assert.deepEqual(
      rows.map((row) => row.split(/ {2,}/)).map(([id, state, , name]) => [id, state, name]),
      [
        [first.id, "ready", "文字を数える"],
        [second.id, "planning", "Second"],
      ],
    );
    assert.match(text, /\n\nyoi ticket show ID .*\n(?:yoi ticket .*\n){3}$/);
  }
});
