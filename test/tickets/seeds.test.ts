/** The four founding tickets: made anew by their steps, and brought in from the old layout, every line of them is in its place. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Actor, Ticket, TicketRole, TicketStore } from "@yoi/tickets";
import { tempHome } from "../support/temp-home.ts";
import { realStore, rootIn } from "./place.ts";
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

/** The steps of a seed, as people and Pods take them now. */
async function play(seed: Seed, store: TicketStore): Promise<string> {
  const pieces = cut(seed);
  const item = pieces.find(({ is }) => is === "item");
  const { id } = await store.create({ title: seed.title, body: item?.body ?? "" }, as("user"));
  await store.transition(id, { to: "ready" }, as("intake"));
  await store.transition(id, { to: "queued" }, as("user"));
  await store.transition(id, { to: "inprogress" }, as("orchestrator"));
  for (const piece of pieces) await step(id, piece, store);
  if (seed.state === "closed" && !pieces.some(({ is }) => is === "close")) await finish(id, "", store);
  return id;
}

async function step(id: string, piece: CutPiece, store: TicketStore): Promise<void> {
  const actor = as(piece.role ?? "orchestrator");
  const body = said(piece);
  switch (piece.is) {
    case "head":
    case "item":
      return;
    case "create":
    case "fix":
      await store.add(id, { kind: "comment", body }, actor);
      return;
    case "plan":
    case "decision":
      await store.add(id, { kind: piece.is, body }, actor);
      return;
    case "review approve":
    case "review request_changes":
      // What is reviewed is reported now; the seeds know no reports.
      await store.add(id, { kind: "implementation_report", body: "See the branch." }, as("coder"));
      await store.add(
        id,
        { kind: "review", status: piece.is === "review approve" ? "approve" : "request_changes", body },
        actor,
      );
      return;
    case "close":
      return finish(id, body, store);
  }
}

async function finish(id: string, resolution: string, store: TicketStore): Promise<void> {
  await store.transition(id, { to: "done" }, as("orchestrator"));
  await store.close(id, resolution === "" ? noResolution : resolution, as("user"));
}

const steps = ["comment", "plan", "decision", "review", "close"];

describe("made anew by their steps, the seeds are there whole", () => {
  for (const seed of seeds)
    test(seed.file, async () => {
      using home = tempHome();
      const store = realStore(home.workspace);
      const id = await play(seed, store);
      const ticket = await realStore(home.workspace).show(id);
      const pieces = cut(seed);
      assert.equal(ticket.title, seed.title);
      assert.equal(ticket.state, seed.state);
      assert.equal(ticket.body, pieces.find(({ is }) => is === "item")?.body ?? "");
      const expected = pieces.filter(({ is }) => is !== "head" && is !== "item").map(said);
      const found = ticket.events.filter(({ kind }) => steps.includes(kind)).map(({ body }) => body);
      if (seed.state === "closed" && found.at(-1) === noResolution) found.pop();
      assert.deepEqual(
        found,
        expected.filter((body) => body !== ""),
      );
      assert.deepEqual((await store.doctor({ fix: false })).problems, []);
    });
});

/** The old folder of a seed, with the headers that the page around it did not show. */
function plantOld(seed: Seed, workspace: string): string {
  const bucket = seed.state === "closed" ? "closed" : "open";
  const name = `20260529-2058${seed.file.slice(1, 3)}-seed`;
  const folder = join(workspace, "work-items", bucket, name);
  mkdirSync(join(folder, "artifacts"), { recursive: true });
  const pieces = cut(seed);
  const at = "2026-05-30T00:10:45Z";
  const events = pieces
    .filter(({ is }) => is !== "head" && is !== "item")
    .map(({ is, heading, body }) => {
      const [kind, status] = is.split(" ");
      const header = `<!-- event: ${kind} author: hare at: ${at}${status === undefined ? "" : ` status: ${status}`} -->`;
      const headed = heading === null ? "" : `## ${heading}\n\n`;
      return `${header}\n\n${headed}${body === "" ? "" : `${body}\n\n`}---\n`;
    });
  writeFileSync(join(folder, "thread.md"), events.join("\n"));
  writeFileSync(join(folder, "artifacts", "seed.txt"), `${linesOf(seed).join("\n")}`);
  const [front = "", ...text] = (pieces.find(({ is }) => is === "item")?.body ?? "").split("\n");
  // The page showed the front matter as one line.
  const own = front.replace(
    / (?=(?:slug|title|status|kind|priority|labels|created_at|updated_at|assignee|legacy_ticket): )/g,
    "\n",
  );
  const made = `id: ${name}\ntitle: ${seed.title}\nstatus: ${bucket}\ncreated_at: 2026-05-29T20:58:00Z\nupdated_at: ${at}`;
  writeFileSync(join(folder, "item.md"), `---\n${own === "" ? made : own}\n---\n${text.join("\n")}\n`);
  return `${bucket}/${name}`;
}

describe("brought in from the old layout, the seeds are there whole", () => {
  for (const seed of seeds)
    test(seed.file, async () => {
      using home = tempHome();
      const from = plantOld(seed, home.workspace);
      const root = rootIn(home.workspace);
      const store = realStore(home.workspace);
      const report = await store.importOld(join(home.workspace, "work-items"), as("user"));
      assert.deepEqual([report.imported.map((one) => one.from), report.refused], [[from], []]);
      const id = report.imported[0]?.id ?? "";
      const ticket: Ticket = await store.show(id);
      const pieces = cut(seed);
      const events = pieces.filter(({ is }) => is !== "head" && is !== "item");
      assert.deepEqual(
        ticket.events.map(({ kind, status, body }) => [kind, status, body]).slice(0, -1),
        events.map((piece) => {
          const [kind, status] = piece.is.split(" ");
          return [kind, status, said(piece)];
        }),
      );
      assert.equal(ticket.events.at(-1)?.kind, "migration");
      assert.equal(ticket.title, seed.title);
      assert.equal(ticket.state, seed.state === "closed" ? "closed" : "ready");
      const item = pieces.find(({ is }) => is === "item")?.body ?? "";
      assert.equal(ticket.body, item.split("\n").slice(1).join("\n").trim());
      assert.equal(readFileSync(join(root, id, "artifacts", "seed.txt"), "utf8"), linesOf(seed).join("\n"));
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
