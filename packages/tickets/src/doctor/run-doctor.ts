/** runDoctor: all checks over all tickets of a root, and the mending of what can be mended without losing anything. */
import { dirname, join } from "node:path/posix";
import { inParallel, messageOf, YoiError } from "@yoi/base";
import { heal } from "../append-event.ts";
import { folderOf, itemName, resolutionName, type TicketDesk, threadName, underLock } from "../place.ts";
import { findTicket } from "../stored-ticket.ts";
import { findText } from "../text-file.ts";
import { isTicketId } from "../ticket-id.ts";
import { itemBytesMax, threadBytesMax } from "../ticket.ts";
import { checkRelations } from "./check-relations.ts";
import { checkRoot, completed, smallFileBytesMax } from "./check-root.ts";
import { type CheckedTicket, checkTicket } from "./check-ticket.ts";
import { findings, type Fix, type Problem } from "./problem.ts";
import { readRoot } from "./read-root.ts";
import type { DoctorReport, TicketProblem } from "./report.ts";
import { surveyFolder, surveyText } from "./survey.ts";

/** Problems that are listed one by one; of the rest there is a count. */
export const problemsMax = 1_000;

/** Tickets that are read at once: the threads of all of them would not fit into memory. */
const ticketsAtOnceMax = 16;

interface Look {
  readonly tickets: number;
  readonly problems: readonly Problem[];
}

/**
 * Changes nothing without `fix`. With it holds the root's lock, mends what is fixable and says of each whether it was. Throws what the disk throws for the root itself,
 * and where a fix cannot be written; a single ticket that cannot be read is a problem.
 */
export async function runDoctor(desk: TicketDesk, { fix }: { readonly fix: boolean }): Promise<DoctorReport> {
  const { root, kindAt } = desk;
  const kind = await kindAt(root);
  if (kind === null) return { root, tickets: 0, problems: [], more: 0 };
  const first = await look(desk);
  const isMendable = kind === "directory" && first.problems.some((one) => one.fix !== undefined);
  if (!isMendable) return report(root, first, new Set());
  // What looks like the remains of a killed writer may be the work of a living one: only with the lock held can it be told.
  if (!fix)
    return report(root, await underLock(desk, () => look(desk)).catch(unlessReadOnly(first)), new Set());
  return underLock(desk, async (held) => {
    const found = await look(desk);
    for (const one of fixesOf(found)) await mend(held, one);
    const left = new Set((await look(desk)).problems.map(keyOf));
    const mended = found.problems.filter((one) => one.fix !== undefined && !left.has(keyOf(one)));
    return report(root, found, new Set(mended));
  });
}

/** Where nothing can be written nobody is writing either. */
function unlessReadOnly(first: Look): (error: unknown) => Look {
  return (error) => {
    if (error instanceof YoiError && error.code === "permission_denied") return first;
    throw error;
  };
}

async function look(desk: TicketDesk): Promise<Look> {
  const { root, kindAt, clock } = desk;
  const nowMs = clock.now();
  for (const path of [dirname(root), root]) {
    const kind = await kindAt(path);
    if (kind !== "directory") return { tickets: 0, problems: rootProblem(path, kind === "link") };
  }
  const found = await readRoot(desk, root);
  const ids = found.paths
    .filter(({ path, kind }) => kind === "directory" && isTicketId(path))
    .map(({ path }) => path);
  const checked = await inParallel(ids, ticketsAtOnceMax, (id) => lookAt(desk, id, nowMs));
  const tickets = checked.map(({ related }) => related).filter((related) => related !== null);
  const imported = new Set(checked.flatMap(({ legacyId }) => (legacyId === null ? [] : [legacyId])));
  return {
    tickets: tickets.length,
    problems: [
      ...checkRoot({ ...found, imported }),
      ...checked.flatMap(({ problems }) => problems),
      ...checkRelations(tickets),
      ...importedTwice(checked),
    ],
  };
}

function rootProblem(path: string, isLink: boolean): readonly Problem[] {
  const found = findings(null);
  found.error(
    isLink ? "link" : "special_file",
    ".",
    `${path} is ${isLink ? "a symbolic link" : "not a directory"}, and tickets are read from and written to a directory of the workspace only: put one in its place.`,
  );
  return found.problems;
}

async function lookAt(desk: TicketDesk, id: string, nowMs: number): Promise<CheckedTicket> {
  const folder = folderOf(desk, id);
  try {
    const listing = await surveyFolder(desk, folder);
    const item = await surveyText(desk, join(folder, itemName), itemBytesMax);
    const thread = await surveyText(desk, join(folder, threadName), threadBytesMax);
    const resolution = await surveyText(desk, join(folder, resolutionName), itemBytesMax);
    return checkTicket({ id, listing, item, thread, resolution }, nowMs);
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    const found = findings(id);
    found.error("unreadable", "", messageOf(error));
    return { problems: found.problems, related: { id, state: null, relations: [] }, legacyId: null };
  }
}

/** Two tickets that came in from one. */
function importedTwice(checked: readonly CheckedTicket[]): readonly Problem[] {
  const first = new Map<string, string>();
  return checked.flatMap(({ related, legacyId }) => {
    if (related === null || legacyId === null) return [];
    const before = first.get(legacyId);
    first.set(legacyId, before ?? related.id);
    if (before === undefined) return [];
    const found = findings(related.id);
    found.error(
      "duplicate_id",
      itemName,
      `This came in as ${legacyId}, and so did ${before}: keep the one with which the work went on.`,
    );
    return found.problems;
  });
}

/** Each once. */
function fixesOf({ problems }: Look): readonly Fix[] {
  const fixes = new Map(
    problems.flatMap(({ fix }) => (fix === undefined ? [] : [[JSON.stringify(fix), fix]])),
  );
  return [...fixes.values()];
}

async function mend(desk: TicketDesk, fix: Fix): Promise<void> {
  const { files, root } = desk;
  switch (fix.kind) {
    case "heal": {
      const stored = await findTicket(desk, fix.ticket).catch(unlessDamaged);
      if (stored !== null) await heal(desk, stored);
      return;
    }
    case "remove_temporary":
      return files.removeFile(join(root, fix.path));
    case "remove_remainder":
      return files.removeTree(folderOf(desk, fix.ticket));
    case "complete": {
      const path = join(root, fix.name);
      const file = await findText(path, smallFileBytesMax, desk);
      if (file.found !== "nothing" && file.found !== "text") return;
      const text = file.found === "text" ? file.text : "";
      return files.replace(path, Buffer.from(completed(text, fix.lines)));
    }
  }
}

/** What cannot be read is not healed: it stays in the report. */
function unlessDamaged(error: unknown): null {
  if (error instanceof YoiError && (error.code === "ticket_damaged" || error.code === "permission_denied"))
    return null;
  throw error;
}

function keyOf({ check, path, line, message }: Problem): string {
  return JSON.stringify([check, path, line ?? null, message]);
}

function report(root: string, { tickets, problems }: Look, mended: ReadonlySet<Problem>): DoctorReport {
  const said = problems
    .map((problem): TicketProblem => {
      const { fix, ...rest } = problem;
      return { ...rest, fixable: fix !== undefined, fixed: mended.has(problem) };
    })
    .sort(compare);
  return {
    root,
    tickets,
    problems: said.slice(0, problemsMax),
    more: Math.max(0, said.length - problemsMax),
  };
}

/** Errors first, then the root, then by ticket, file and line. */
function compare(a: TicketProblem, b: TicketProblem): number {
  const keys = [a, b].map(({ severity, ticket, path }) => [severity, ticket ?? "", path] as const);
  const [left = ["", "", ""], right = ["", "", ""]] = keys;
  for (const [index, one] of left.entries()) {
    const other = right[index] ?? "";
    if (one !== other) return one < other ? -1 : 1;
  }
  return (a.line ?? 0) - (b.line ?? 0);
}
