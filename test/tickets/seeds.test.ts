/** The four founding tickets: made anew by their steps, and brought in from the old layout, every line of them is in its place. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { nodeHost } from "@yoi/host";
import type { Actor, Entry, Ticket, TicketEvent, TicketRole, TicketState, Transition } from "@yoi/tickets";
import { tempHome } from "../support/temp-home.ts";
import { realStore } from "./place.ts";
import { cut, type CutPiece, linesOf, type Seed, seeds } from "./seeds.ts";

const names: Readonly<Record<TicketRole, string>> = {
  user: "hare",
  intake: "desk",
  orchestrator: "lead",
  coder: "hands",
  reviewer: "eyes",
};

function as(role: TicketRole): Actor {
  return { author: names[role], role };
}

/** The headings that say no more than the kind; every other one is text. */
const plain: readonly string[] = [
  "Created",
  "Decision",
  "Plan",
  "Review: request changes",
  "Review: approve",
  "Closed",
];

/** What an event says of a piece: its body, with a heading of its own. */
function said({ heading, body }: CutPiece): string {
  return heading === null || plain.includes(heading) ? body : `## ${heading}\n\n${body}`;
}

/** Where a closed ticket of the seeds does not say how it ended. */
const noResolution = "Closed.";

/** What the page around a file said of it stands before the description. */
function descriptionOf(seed: Seed, item: string): string {
  const head = cut(seed).find(({ is }) => is === "head")?.body ?? "";
  return item === "" ? head : `${head}\n\n${item}`;
}

function itemOf(seed: Seed): string {
  return cut(seed).find(({ is }) => is === "item")?.body ?? "";
}

function eventsOf(seed: Seed): readonly CutPiece[] {
  return cut(seed).filter(({ is }) => is !== "head" && is !== "item");
}

/** An event as it is to be found, without its id. */
type Expected = Omit<TicketEvent, "id">;

/** When the nth step is taken. */
function timeOf(step: number): string {
  return new Date(Date.UTC(2026, 5, 1, 12, step)).toISOString();
}

/** The steps of a seed, as people and Pods take them now: what they are to leave in the thread. */
async function play(
  seed: Seed,
  workspace: string,
): Promise<{ readonly id: string; readonly left: readonly Expected[] }> {
  const left: Expected[] = [];
  const host = nodeHost();
  const clock = { ...host.clock, now: () => Date.parse(timeOf(left.length)) };
  const store = realStore(workspace, { ...host, clock });
  const leaves = (role: TicketRole, event: Pick<Expected, "kind" | "body"> & Partial<Expected>): void => {
    left.push({ ...as(role), at: timeOf(left.length), ...event });
  };
  const title = seed.title;
  const { id } = await store.create({ title, body: descriptionOf(seed, itemOf(seed)), fields }, as("user"));
  leaves("user", { kind: "create", to: "planning", body: "" });
  const go = async (from: TicketState, to: Transition["to"], role: TicketRole): Promise<void> => {
    await store.transition(id, { to }, as(role));
    leaves(role, { kind: "state_changed", from, to, body: "" });
  };
  const add = async (role: TicketRole, entry: Entry & { readonly body: string }): Promise<void> => {
    await store.add(id, entry, as(role));
    leaves(role, entry);
  };
  const finish = async (resolution: string): Promise<void> => {
    await go("inprogress", "done", "orchestrator");
    await store.close(id, resolution, as("user"));
    leaves("user", { kind: "close", from: "done", to: "closed", body: resolution });
  };
  await go("planning", "ready", "intake");
  await go("ready", "queued", "user");
  await go("queued", "inprogress", "orchestrator");
  for (const piece of eventsOf(seed)) {
    const role = piece.role ?? "orchestrator";
    const body = said(piece);
    if (piece.is === "close") await finish(body === "" ? noResolution : body);
    else if (piece.is === "plan" || piece.is === "decision") await add(role, { kind: piece.is, body });
    else if (piece.is === "review approve" || piece.is === "review request_changes") {
      // What is reviewed is reported now; the seeds know no reports.
      await add("coder", { kind: "implementation_report", body: "See the branch." });
      const status = piece.is === "review approve" ? "approve" : "request_changes";
      await add(role, { kind: "review", status, body });
    } else await add(role, { kind: "comment", body });
  }
  if (seed.state === "closed" && left.at(-1)?.kind !== "close") await finish(noResolution);
  return { id, left };
}

const fields = { priority: "P2", labels: ["pod", "hooks"] };

describe("made anew by their steps, the seeds are there whole", () => {
  for (const seed of seeds)
    test(seed.file, async () => {
      using home = tempHome();
      const { id, left } = await play(seed, home.workspace);
      const store = realStore(home.workspace);
      const ticket = await store.show(id);
      assert.equal(ticket.title, seed.title);
      assert.equal(ticket.state, seed.state);
      assert.equal(ticket.created_at, timeOf(0));
      assert.deepEqual(ticket.fields, fields);
      assert.equal(ticket.body, descriptionOf(seed, itemOf(seed)));
      assert.deepEqual(
        ticket.events.map(({ id: _, ...event }) => event),
        left,
      );
      // Nothing of the seed is only in what the test itself expects.
      const bodies = left.map(({ body }) => body);
      for (const piece of eventsOf(seed)) if (piece.is !== "close") assert.ok(bodies.includes(said(piece)));
      assert.deepEqual((await store.doctor({ fix: false })).problems, []);
    });
});

/** Who wrote the nth event of an old thread, and when. */
function oldAuthor(index: number): string {
  return index % 2 === 0 ? "hare" : "tortoise";
}

function oldTime(index: number): string {
  return `2026-05-30T00:${10 + index}:45Z`;
}

const unknownResolution = "It was closed before it came in here, and nobody said how it ended.";

/** The old folder of a seed, with the headers that the page around it did not show. */
function plantOld(seed: Seed, workspace: string): string {
  const bucket = seed.state === "closed" ? "closed" : "open";
  const name = /^id: (\S+)/.exec(itemOf(seed))?.[1] ?? `20260529-2058${seed.file.slice(1, 3)}-seed`;
  const folder = join(workspace, "work-items", bucket, name);
  mkdirSync(folder, { recursive: true });
  const events = eventsOf(seed).map(({ is, heading, body }, index) => {
    const [kind, status] = is.split(" ");
    const header = `<!-- event: ${kind} author: ${oldAuthor(index)} at: ${oldTime(index)}${status === undefined ? "" : ` status: ${status}`} -->`;
    const headed = heading === null ? "" : `## ${heading}\n\n`;
    return `${header}\n\n${headed}${body === "" ? "" : `${body}\n\n`}---\n`;
  });
  writeFileSync(join(folder, "thread.md"), events.join("\n"));
  const [front = "", ...text] = itemOf(seed).split("\n");
  const body = descriptionOf(seed, text.join("\n").trim());
  // The page showed the front matter as one line.
  const own = front.replace(
    / (?=(?:slug|title|status|kind|priority|labels|created_at|updated_at|assignee|legacy_ticket): )/g,
    "\n",
  );
  const made = `id: ${name}\ntitle: ${seed.title}\nstatus: ${bucket}\ncreated_at: 2026-05-29T20:58:00Z\nupdated_at: 2026-05-30T00:10:45Z\npriority: P1\nlabels: [pod, hooks]`;
  writeFileSync(join(folder, "item.md"), `---\n${own === "" ? made : own}\n---\n\n${body}\n`);
  return `${bucket}/${name}`;
}

describe("brought in from the old layout, the seeds are there whole", () => {
  for (const seed of seeds)
    test(seed.file, async () => {
      using home = tempHome();
      const from = plantOld(seed, home.workspace);
      const store = realStore(home.workspace);
      const report = await store.importOld(join(home.workspace, "work-items"), as("user"));
      assert.deepEqual([report.imported.map((one) => one.from), report.refused], [[from], []]);
      const id = report.imported[0]?.id ?? "";
      const ticket: Ticket = await store.show(id);
      assert.deepEqual(
        ticket.events.map(({ id: _, ...event }) => event).slice(0, -1),
        eventsOf(seed).map((piece, index) => {
          const [kind, status] = piece.is.split(" ");
          const by = { author: oldAuthor(index), role: null, at: oldTime(index) };
          return { kind, ...by, ...(status === undefined ? {} : { status }), body: said(piece) };
        }),
      );
      const { id: _, at, ...last } = ticket.events.at(-1) ?? assert.fail("no event");
      const ended = eventsOf(seed).find(({ is, body }) => is === "close" && body !== "");
      assert.deepEqual(last, {
        kind: "migration",
        ...as("user"),
        to: seed.state === "closed" ? "closed" : "ready",
        reason: `${from} of an old layout`,
        body: seed.state === "closed" && ended === undefined ? unknownResolution : "",
      });
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000, at);
      assert.equal(ticket.title, seed.title);
      assert.equal(ticket.state, seed.state === "closed" ? "closed" : "ready");
      const [front = "", ...text] = itemOf(seed).split("\n");
      assert.equal(ticket.created_at, front === "" ? "2026-05-29T20:58:00Z" : "2026-05-29T20:58:44Z");
      const legacy = { id: from.split("/")[1], status: seed.state === "closed" ? "closed" : "open", from };
      assert.deepEqual(
        ticket.fields,
        front === ""
          ? { priority: "P1", labels: ["pod", "hooks"], legacy }
          : {
              kind: "task",
              priority: "P2",
              labels: ["session-store", "pod-store", "pod", "persistence", "architecture"],
              assignee: null,
              legacy: { ...legacy, slug: "session-pod-state-boundary", legacy_ticket: null },
            },
      );
      assert.equal(ticket.body, descriptionOf(seed, text.join("\n").trim()));
      assert.deepEqual(ticket.artifacts, []);
      assert.deepEqual((await store.doctor({ fix: false })).problems, []);
    });
});

test("the pieces are all of each seed, and each begins where its heading says", () => {
  for (const seed of seeds) {
    const lines = seed.pieces.map(({ line }) => line);
    assert.deepEqual(
      lines,
      lines.toSorted((a, b) => a - b),
    );
    assert.equal(lines[0], 1);
    const written = cut(seed).flatMap(({ heading, body }) => [
      ...(heading === null ? [] : [heading]),
      ...body.split("\n"),
    ]);
    const isText = (line: string): boolean => line.trim() !== "";
    assert.deepEqual(written.filter(isText), linesOf(seed).filter(isText));
  }
  assert.deepEqual(
    seeds.map((seed) => linesOf(seed).length),
    [368, 42, 1245, 123],
  );
});
