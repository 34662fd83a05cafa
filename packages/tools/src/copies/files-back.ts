/** FilesBack: puts files back as they were before the tools changed them, where nobody else changed them since. */
import { YoiError } from "@yoi/base";
import type { ScopedFiles } from "../scoped-files.ts";
import type { HeldFile } from "../scoped-files/put-back.ts";
import { digestOf } from "../seen.ts";
import { type FileCopies, keepBefore, notKept, type Touched } from "./touched.ts";

/** A file as it was, and as the tools left it: digests, null for no file. */
export interface FileWish {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Permission bits before. */
  readonly mode?: number;
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
  | { readonly wish: FileWish; readonly held: HeldFile | null; readonly data: Uint8Array | null };

export function createFilesBack(files: ScopedFiles, copies: FileCopies): FilesBack {
  const read = async (sha256: string | null): Promise<Uint8Array | null> =>
    sha256 === null ? null : copies.read(sha256);

  const judge = async (wish: FileWish): Promise<Judged> => {
    const { path, before, after, mode } = wish;
    const held = await files.inspect(path);
    const now = held === null ? null : digestOf(held.bytes);
    const isMode = mode === undefined || held === null || held.mode === mode;
    if (now === before && (isMode || now !== after)) {
      // What an earlier try put back is on no record: it is on that of this one, so that going forward brings it again.
      const wasPutBack = before !== after && (after === null || (await copies.read(after)) !== null);
      const touched = { path, before: after, after: before };
      return { report: { path, outcome: "unchanged" }, ...(wasPutBack ? { touched } : {}) };
    }
    if (now !== after) return { report: { path, outcome: "changed_since" } };
    const data = await read(before);
    if (before !== null && data === null)
      return { report: { path, outcome: "not_kept", why: "its copy is gone" } };
    return { wish, held, data };
  };

  const apply = async (judged: Judged): Promise<Reported> => {
    if ("report" in judged) return judged;
    const { wish, held, data } = judged;
    const { path, before, mode } = wish;
    const kept = await keepBefore(held?.bytes ?? null, copies, "change");
    if (kept.before === notKept) return { report: { path, outcome: "failed", why: kept.why ?? "" } };
    await files.putBack(path, { data, held, ...(mode === undefined ? {} : { mode }) });
    return {
      report: { path, outcome: data === null ? "removed" : "restored" },
      touched: { path, ...kept, after: before, ...(held === null ? {} : { mode: held.mode }) },
    };
  };

  return {
    putBack: async (wishes) => {
      const judged: Judged[] = [];
      for (const wish of wishes) judged.push(await orReport(wish.path, () => judge(wish)));
      const touched: Touched[] = [];
      // What goes first: where a directory stands now, a file may have been.
      const order = [...judged.keys()].toSorted(
        (a, b) => Number(writes(judged[a])) - Number(writes(judged[b])),
      );
      const done = new Map<number, FileReport>();
      for (const index of order) {
        const [one, wish] = [judged[index], wishes[index]];
        if (one === undefined || wish === undefined) continue;
        const applied = await orReport(wish.path, () => apply(one));
        done.set(index, applied.report);
        if (applied.touched !== undefined) touched.push(applied.touched);
      }
      const reports = wishes.flatMap((_, index) => done.get(index) ?? []);
      return { reports, touched };
    },
  };
}

function writes(judged: Judged | undefined): boolean {
  return judged !== undefined && "wish" in judged && judged.data !== null;
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
