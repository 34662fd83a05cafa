/** A tree of the old layout as the old tool wrote it, and what has to be found of it afterwards. */
import { join } from "node:path/posix";
import fc from "fast-check";
import type { MemoryHost } from "@yoi/host";

export const oldRoot = "/w/work-items";

export interface OldEvent {
  readonly kind: string;
  readonly author: string;
  readonly at: string;
  readonly status?: string;
  readonly heading: string;
  readonly body: string;
}

export interface OldTicket {
  readonly bucket: "open" | "pending" | "closed";
  readonly name: string;
  readonly title: string;
  readonly createdAt: string;
  readonly labels: readonly string[];
  readonly body: string;
  /** Lines of front matter that nobody expects. */
  readonly odd: readonly string[];
  /** Before the first event, and behind the last. */
  readonly noise: readonly [string, string];
  readonly events: readonly OldEvent[];
  readonly resolution: Uint8Array | null;
  readonly artifacts: Readonly<Record<string, Uint8Array>>;
}

export function itemText({ bucket, name, title, createdAt, labels, odd, body }: OldTicket): string {
  const lines = [
    `id: ${name}`,
    `slug: ${name.slice(16)}`,
    `title: ${title}`,
    `status: ${bucket}`,
    "kind: task",
    "priority: P2",
    `labels: [${labels.join(", ")}]`,
    `created_at: ${createdAt}`,
    `updated_at: ${createdAt}`,
    "assignee: null",
    "legacy_ticket: null",
    ...odd,
  ];
  return `---\n${lines.join("\n")}\n---\n\n${body}\n`;
}

export function eventText({ kind, author, at, status, heading, body }: OldEvent): string {
  const header = `<!-- event: ${kind} author: ${author} at: ${at}${status === undefined ? "" : ` status: ${status}`} -->`;
  return `${header}\n\n## ${heading}\n\n${body}\n\n---\n`;
}

export function threadText({ events, noise: [before, behind] }: OldTicket): string {
  return `${before}${events.map(eventText).join("\n")}${behind}`;
}

export async function plantOld({ files }: MemoryHost, tickets: readonly OldTicket[]): Promise<void> {
  for (const ticket of tickets) {
    const folder = join(oldRoot, ticket.bucket, ticket.name);
    await files.makeDirectory(join(folder, "artifacts", "empty", "folder"));
    await files.replace(join(folder, "item.md"), Buffer.from(itemText(ticket)));
    await files.replace(join(folder, "thread.md"), Buffer.from(threadText(ticket)));
    if (ticket.resolution !== null) await files.replace(join(folder, "resolution.md"), ticket.resolution);
    for (const [path, bytes] of Object.entries(ticket.artifacts)) {
      await files.makeDirectory(join(folder, "artifacts", path, ".."));
      await files.replace(join(folder, "artifacts", path), bytes);
    }
  }
}

/** One in which nothing is odd. */
export function plain(name: string, said: Partial<OldTicket> = {}): OldTicket {
  const at = "2026-06-03T12:23:17Z";
  return {
    bucket: "closed",
    name: `20260603-122317-${name}`,
    title: `About: ${name}`,
    createdAt: at,
    labels: ["a", "b"],
    body: "## Background\n\nTBD",
    odd: [],
    noise: ["", ""],
    events: [
      { kind: "create", author: "tickets.sh", at, heading: "Created", body: "Created by tickets.sh create." },
      { kind: "fix", author: "Anna Maria", at, heading: "Parent-side validation fix", body: "Done." },
      { kind: "close", author: "hare", at, status: "closed", heading: "Closed", body: "It works." },
    ],
    resolution: Buffer.from("It works.\n"),
    artifacts: { "review.md": Buffer.from("Fine.") },
    ...said,
  };
}

const words = fc.constantFrom(
  "one",
  "日本語",
  "😀",
  "two: three",
  "#four",
  "o'five'",
  "[six]",
  "- seven",
  "&eight *nine",
  "%",
  "@",
);
const line = fc.array(words, { minLength: 1, maxLength: 4 }).map((list) => list.join(" "));
const bodyLine = fc.oneof(
  line,
  fc.constantFrom(
    "",
    "---",
    "## Created",
    "### Heading",
    "```",
    "-->",
    "<!-- a comment -->",
    "  <!-- event: comment author: x at: y -->",
    "\\<!-- event: comment author: x at: y -->",
    "<!-- end: 00001KT6Q08R9 -->",
    "\ttabs\t",
    "a\u2028b",
  ),
);
const body = fc
  .array(bodyLine, { minLength: 1, maxLength: 6 })
  .map((lines) => `Begins.\n${lines.join("\n")}\nEnds.`);
const time = fc
  .integer({ min: Date.UTC(2026, 4, 1) / 1000, max: Date.UTC(2026, 5, 5) / 1000 })
  .map((seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`);
const heading = {
  create: "Created",
  plan: "Plan",
  comment: "Comment",
  decision: "Decision",
  close: "Closed",
};
const event: fc.Arbitrary<OldEvent> = fc.oneof(
  fc.record({
    kind: fc.constantFrom(...Object.keys(heading)),
    author: fc.constantFrom("hare", "tickets.sh", "Anna Maria", 'o"quote', "日本"),
    at: time,
    heading: fc.constantFrom(...Object.values(heading), "External review", "Parent-side validation fix"),
    body,
  }),
  fc.record({
    kind: fc.constant("review"),
    author: fc.constantFrom("hare", "sibling"),
    at: time,
    status: fc.constantFrom("approve", "request_changes", "maybe"),
    heading: fc.constantFrom("Review: approve", "Review: request changes"),
    body,
  }),
);
const bytes = fc.uint8Array({ maxLength: 40 });

export const oldTrees: fc.Arbitrary<readonly OldTicket[]> = fc
  .uniqueArray(
    fc.record({
      bucket: fc.constantFrom("open", "pending", "closed"),
      slug: fc.constantFrom("one", "two", "three", "four"),
      title: line,
      // Of one second, so that ids collide.
      createdAt: fc.constantFrom("2026-06-03T12:23:17Z", "2026-06-03T12:23:18Z"),
      labels: fc.array(fc.constantFrom("a", "b-c", "日本"), { maxLength: 2 }),
      body,
      odd: fc.uniqueArray(
        fc.constantFrom(
          "reviewers: [x, y]",
          "# a note",
          "  indented: yes",
          "state: ready",
          "legacy: x",
          "title: Again",
          "quoted: 'it''s'",
          "__proto__: x",
          "constructor: x",
        ),
        { maxLength: 3 },
      ),
      noise: fc.tuple(
        fc.constantFrom("", "", "", "Notes before.\n\n", "<!-- event without end\n"),
        fc.constantFrom("", "", "", "\n<!-- event: -->\n\nLost text.\n", "\r\nCarriage.\r\n"),
      ),
      events: fc.array(event, { maxLength: 5 }),
      resolution: fc.option(
        fc.oneof(
          body.map((text) => Buffer.from(`${text}\n`)),
          bytes,
          fc.constant(Buffer.from("One.\r\n")),
        ),
      ),
      artifacts: fc.dictionary(
        fc.constantFrom("review.md", "deep/er/plan.md", ".gitkeep", "legacy/thread.md", ".x.0a-1.tmp"),
        bytes,
        { noNullPrototype: true },
      ),
    }),
    { selector: ({ slug }) => slug, maxLength: 4 },
  )
  .map((tickets) =>
    tickets.map(({ slug, ...ticket }) => ({
      ...ticket,
      name: `${ticket.createdAt.slice(0, 19).replace(/[-:]/g, "").replace("T", "-")}-${slug}`,
    })),
  );
