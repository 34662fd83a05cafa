/** FilesBack: puts files back as they were before the tools changed them, where nobody else changed them since. */
import { YoiError } from "@yoi/base";
import type { ScopedFiles } from "../scoped-files.ts";
import type { HeldFile } from "../scoped-files/put-back.ts";
import { digestOf } from "../seen.ts";
import { movedWhy, staysWith } from "./moved.ts";
import { type FileCopies, keepBefore, notKept, type Touched } from "./touched.ts";

/** A file as it was, and as the tools left it: digests, null for no file. */
export interface FileWish {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Permission bits before. They are given to what was removed, and otherwise where the bits are still `modeAfter`. */
  readonly mode?: number;
  readonly modeAfter?: number;
  /** Files that held before what this one holds: unless they are put back, it is left alone. */
  readonly from?: readonly string[];
}

export type FileOutcome =
  /** It is as it was. */
  | "restored"
  /** It was not there before, and is not now. */
  | "removed"
  /** It was as before already. */
  | "unchanged"
  /** Somebody else changed it: left alone. */
  | "changed_since"
  /** There is no copy of what it held. */
  | "not_kept"
  /** This Pod may not write there. */
  | "out_of_scope"
  | "failed";

export interface FileReport {
  readonly path: string;
  readonly outcome: FileOutcome;
  /** What else is to be said of it. */
  readonly why?: string;
}

export interface PutBack {
  /** One for each wish, in their order. */
  readonly reports: readonly FileReport[];
  /** What became different, as a tool's record says it: so that this can be undone too. */
  readonly touched: readonly Touched[];
}

export interface FilesBack {
  /** All are looked at before the first one is written. Done again after a crash, it finishes what that left. Never throws for a file. */
  putBack(wishes: readonly FileWish[]): Promise<PutBack>;
}

interface Reported {
  readonly report: FileReport;
  readonly touched?: Touched;
}
type Judged =
  | Reported
  | {
      readonly wish: FileWish;
      readonly held: HeldFile | null;
      readonly data: Uint8Array | null;
      readonly mode?: number;
      readonly why?: string;
    };

export function createFilesBack(files: ScopedFiles, copies: FileCopies): FilesBack {
  const read = async (sha256: string | null): Promise<Uint8Array | null> =>
    sha256 === null ? null : copies.read(sha256);

  const judge = async (wish: FileWish): Promise<Judged> => {
    const { path, before, after, modeAfter } = wish;
    const held = await files.inspect(path);
    const now = held === null ? null : digestOf(held.bytes);
    const isModeOurs = held === null || held.mode === modeAfter;
    const mode = isModeOurs ? wish.mode : undefined;
    const isMode = mode === undefined || held === null || held.mode === mode;
    const isModeTheirs = !isModeOurs && wish.mode !== undefined && held.mode !== wish.mode;
    const why = isModeTheirs ? { why: "its permission bits are not what the Pod left, and stay" } : {};
    if (now === before && (isMode || now !== after)) {
      // What an earlier try put back is on no record: it is on that of this one, so that going forward brings it again.
      const wasPutBack = before !== after && (after === null || (await copies.read(after)) !== null);
      const touched = { path, before: after, after: before };
      return { report: { path, outcome: "unchanged", ...why }, ...(wasPutBack ? { touched } : {}) };
    }
    if (now !== after) return { report: { path, outcome: "changed_since" } };
    const data = await read(before);
    if (before !== null && data === null)
      return { report: { path, outcome: "not_kept", why: "its copy is gone" } };
    return { wish, held, data, ...why, ...(mode === undefined ? {} : { mode }) };
  };

  const apply = async (judged: Judged): Promise<Reported> => {
    if ("report" in judged) return judged;
    const { wish, held, data, mode, why } = judged;
    const { path, before } = wish;
    const kept = await keepBefore(held?.bytes ?? null, copies, "change");
    if (kept.before === notKept) return { report: { path, outcome: "failed", why: kept.why ?? "" } };
    await files.putBack(path, { data, held, ...(mode === undefined ? {} : { mode }) });
    return {
      report: {
        path,
        outcome: data === null ? "removed" : "restored",
        ...(why === undefined || data === null ? {} : { why }),
      },
      touched: {
        path,
        ...kept,
        after: before,
        ...modesOf(held, data === null ? null : (mode ?? held?.mode)),
      },
    };
  };

  return {
    putBack: async (wishes) => {
      const judged: Judged[] = [];
      for (const wish of wishes) judged.push(await orReport(wish.path, () => judge(wish)));
      keepMoved(wishes, judged);
      const touched: Touched[] = [];
      const removed: string[] = [];
      // What goes first: where a directory stands now, a file may have been.
      const order = [...judged.keys()].toSorted(
        (a, b) => Number(!removes(judged[a])) - Number(!removes(judged[b])),
      );
      const done = new Map<number, FileReport>();
      for (const index of order) {
        const [one, wish] = [judged[index], wishes[index]];
        if (one === undefined || wish === undefined) continue;
        // A file may stand where its directory was, and be gone now.
        const isFree = "report" in one && removed.some((path) => wish.path.startsWith(`${path}/`));
        const again = isFree ? await orReport(wish.path, () => judge(wish)) : one;
        const applied = await orReport(wish.path, () => apply(again));
        done.set(index, applied.report);
        if (applied.report.outcome === "removed") removed.push(wish.path);
        if (applied.touched !== undefined) touched.push(applied.touched);
      }
      const reports = wishes.flatMap((_, index) => done.get(index) ?? []);
      return { reports, touched };
    },
  };
}

function removes(judged: Judged | undefined): boolean {
  return judged !== undefined && "wish" in judged && judged.data === null;
}

function modesOf(
  held: HeldFile | null,
  after: number | null | undefined,
): Pick<Touched, "mode" | "mode_after"> {
  return {
    ...(held === null ? {} : { mode: held.mode }),
    ...(typeof after === "number" ? { mode_after: after } : {}),
  };
}

/** What a file holds that was moved there must not be lost where it cannot come back. */
function keepMoved(wishes: readonly FileWish[], judged: Judged[]): void {
  const from = new Map(wishes.map(({ path, from = [] }) => [path, from]));
  const stays = wishes.flatMap(({ path }, index) => {
    const one = judged[index];
    return one !== undefined && "report" in one && one.report.outcome !== "unchanged" ? [path] : [];
  });
  const kept = staysWith(from, new Set(stays));
  for (const [index, { path }] of wishes.entries()) {
    const [source, one] = [kept.get(path), judged[index]];
    if (source === undefined || one === undefined || "report" in one) continue;
    judged[index] = { report: { path, outcome: "not_kept", why: movedWhy(source) } };
  }
}

async function orReport<T>(path: string, work: () => Promise<T>): Promise<T | Reported> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    const outcome = error.code === "out_of_scope" ? "out_of_scope" : "failed";
    return { report: { path, outcome, why: error.message } };
  }
}
