/** Two homes on one workspace: what keeps writers apart lies with the tickets, not with who writes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Ticket } from "@yoi/tickets";
import { runYoi } from "../support/yoi-process.ts";
import { idsIn, jsonOf, openTickets, type ShownEvent } from "./support.ts";

const writersEach = 4;

test("commands of two homes write to one ticket at once: each event is there, once", async () => {
  using tickets = openTickets();
  const { home, workspace } = tickets;
  const id = await tickets.made();
  const writers = ["ada", "hare"].flatMap((author) =>
    Array.from({ length: writersEach }, (_, at) => ({ author, body: `${author} ${at}` })),
  );
  const results = await Promise.all(
    writers.map(({ author, body }) =>
      runYoi(["ticket", "comment", id, body, "--json"], {
        env: { ...home.env, YOI_HOME: join(home.root, `home-${author}`), USER: author },
        cwd: workspace,
      }),
    ),
  );
  const acknowledged = results.map((result) => jsonOf<ShownEvent>(result));
  const { events } = jsonOf<Ticket>(await tickets.ticket("show", id, "--json"));
  const shown = events.filter(({ kind }) => kind === "comment");
  const inOrder = <T extends { readonly id: string }>(list: readonly T[]): readonly T[] =>
    list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  assert.deepEqual(
    shown,
    inOrder(acknowledged).map(({ ticket, ...event }) => {
      assert.equal(ticket, id);
      return event;
    }),
  );
  assert.deepEqual(
    shown.map(({ author, body }) => [author, body]).toSorted(),
    writers.map(({ author, body }) => [author, body]).toSorted(),
  );
  assert.deepEqual(idsIn(workspace), [id]);
  const doctor = await tickets.ticket("doctor");
  assert.equal(doctor.code, 0, doctor.stdout);
});
