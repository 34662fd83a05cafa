/** The four founding tickets as text, cut where their events begin: every line of a seed is in one piece, and only there. */
import { readFileSync } from "node:fs";
import type { TicketRole, TicketState } from "@yoi/tickets";

export interface Piece {
  /** Line of the seed on which it begins, from 1; it ends where the next one does. */
  readonly line: number;
  /** That line: what the old tool wrote for the kind, without its marks. Null: the piece has none, all of it is text. */
  readonly heading: string | null;
  /** item: the description. head: what the page around the file said, kept as an artifact. */
  readonly is:
    | "head"
    | "item"
    | "create"
    | "plan"
    | "decision"
    | "review approve"
    | "review request_changes"
    /** Of no kind that is written now: a comment. */
    | "fix"
    | "close";
  /** Who is on record for it where the seed is made anew. */
  readonly role?: TicketRole;
}

export interface Seed {
  readonly file: string;
  readonly title: string;
  readonly pieces: readonly Piece[];
  /** Where the ticket stands at its end. */
  readonly state: TicketState;
}

const head = { line: 1, heading: null, is: "head" } as const;

export const seeds: readonly Seed[] = [
  {
    file: "000_696d1c8b9c7b1ae0.txt",
    title: "Task feature owns TaskStore and reminders",
    state: "inprogress",
    pieces: [
      head,
      { line: 5, heading: "Created", is: "create" },
      { line: 10, heading: "Decision", is: "decision", role: "orchestrator" },
      { line: 32, heading: "Plan", is: "plan", role: "orchestrator" },
      { line: 126, heading: "Plan", is: "plan", role: "orchestrator" },
      { line: 218, heading: "Review: request changes", is: "review request_changes", role: "reviewer" },
      { line: 297, heading: "Review: approve", is: "review approve", role: "reviewer" },
    ],
  },
  {
    file: "001_c3a2b9d1fef71777.txt",
    title: "Hook context SystemItem append sink",
    state: "closed",
    pieces: [head, { line: 7, heading: null, is: "review approve", role: "reviewer" }],
  },
  {
    file: "002_610a62f04dcf44bd.txt",
    title: "Feature contribution registry",
    state: "closed",
    pieces: [
      head,
      { line: 6, heading: "Created", is: "create" },
      { line: 11, heading: "Plan", is: "plan", role: "orchestrator" },
      { line: 120, heading: "Plan", is: "plan", role: "orchestrator" },
      { line: 571, heading: "Decision", is: "decision", role: "orchestrator" },
      { line: 588, heading: "Decision", is: "decision", role: "orchestrator" },
      { line: 622, heading: "Plan", is: "plan", role: "orchestrator" },
      { line: 751, heading: "Review: request changes", is: "review request_changes", role: "reviewer" },
      { line: 832, heading: "Review: request changes", is: "review request_changes", role: "reviewer" },
      { line: 932, heading: "Decision", is: "decision", role: "user" },
      { line: 966, heading: "Review: request changes", is: "review request_changes", role: "reviewer" },
      { line: 1112, heading: "Review: approve", is: "review approve", role: "reviewer" },
      { line: 1243, heading: "Closed", is: "close", role: "user" },
    ],
  },
  {
    file: "003_7b9a006fa991d1b3.txt",
    title: "Split Pod metadata into a dedicated pod-store crate",
    state: "closed",
    pieces: [
      head,
      { line: 6, heading: "Created", is: "create" },
      { line: 11, heading: "External review", is: "review approve", role: "reviewer" },
      { line: 20, heading: "Parent-side validation fix", is: "fix", role: "orchestrator" },
      { line: 29, heading: "Closed", is: "close", role: "user" },
      { line: 32, heading: null, is: "item" },
    ],
  },
];

export function linesOf({ file }: Seed): readonly string[] {
  return readFileSync(new URL(`./seeds/${file}`, import.meta.url), "utf8").split("\n");
}

export interface CutPiece extends Piece {
  /** Without its heading, and without blank lines around it. */
  readonly body: string;
}

/** Throws where a piece does not begin with what it is said to. */
export function cut(seed: Seed): readonly CutPiece[] {
  const lines = linesOf(seed);
  return seed.pieces.map((piece, index) => {
    const own = lines.slice(piece.line - 1, (seed.pieces[index + 1]?.line ?? lines.length + 1) - 1);
    if (piece.heading !== null && own.shift() !== piece.heading)
      throw new Error(`${seed.file}:${piece.line} is not ${piece.heading}`);
    return { ...piece, body: own.join("\n").replace(/^(?:[ \t]*\n)+|(?:\n[ \t]*)+$/g, "") };
  });
}
