/** CompletePath: paths that begin as what a person typed, or are like it, of those that the Pod may read. What is outside is answered as what is not there. */
import { isUtf8 } from "node:buffer";
import { resolve } from "node:path";
import { type Clock, escapeControls, type Scope, type Timers, YoiError } from "@yoi/base";
import { permissionAt } from "@yoi/scope";
import { likeness } from "./likeness.ts";
import type { ListedEntry, ScopedFiles } from "./scoped-files.ts";

/** How long a search of the workspace takes at most; what was found by then is offered. */
export const completionMsMax = 250;
/** Entries of the workspace that one search looks at. */
const completionEntriesMax = 20_000;
/** Of one directory: a large one leaves room for what lies beside it. */
export const completionOneDirectoryMax = 1_000;
/** A list of the workspace, or of a directory with more than a piece, is good for so long: a person types several characters meanwhile. */
export const completionListMs = 2_000;

/** Names that are compared, and paths that are looked at, between two chances for others to run. */
const pieceNames = 1_024;
const piecePaths = 16;

export interface CompletePathOptions {
  readonly files: Pick<ScopedFiles, "list" | "stat" | "tree">;
  readonly scope: () => Scope;
  /** Canonical. */
  readonly workspace: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Pick<Timers, "sleep">;
}

export interface CompletedPath {
  /** As it is to be typed: a directory ends in `/`. */
  readonly path: string;
  readonly kind: "file" | "directory";
}

export interface CompletedPaths {
  /** Best first. */
  readonly entries: readonly CompletedPath[];
  /** There are others, or there may be. */
  readonly more: boolean;
}

export type CompletePath = (typed: string, limit: number) => Promise<CompletedPaths>;

/** `way`: a directory that may not be looked into, on the way to something that is granted. */
type Kind = ListedEntry["kind"] | "way";

/** One that may be offered: what a link leads to is looked at only then. */
interface Candidate {
  readonly typed: string;
  readonly kind: Kind;
  readonly rank: number;
}

interface Names {
  readonly entries: readonly { readonly name: string; readonly kind: Kind }[];
  readonly isCut: boolean;
}

interface Found {
  readonly candidates: readonly Candidate[];
  readonly isCut: boolean;
}

/** Worse than whatever begins as what was typed. */
const likeRank = 10;

/** Never throws for what is not there or may not be looked at. */
export function pathCompletion(options: CompletePathOptions): CompletePath {
  const list = workspaceList(options);
  const names = directoryList(options);
  return async (typed, limit) => {
    const here = await inDirectory(options, names, typed);
    const known = here.candidates.filter(({ rank }) => rank < likeRank);
    const isKnown = known.length > 0;
    const isSearch = !isKnown && typed !== "" && !typed.startsWith("/") && !typed.endsWith("/");
    const there = isSearch ? await list(typed) : { candidates: [], isCut: false };
    const ordered = (isKnown ? known : [...here.candidates, ...there.candidates]).toSorted(byRank);
    const entries = new Map<string, CompletedPath>();
    for (const [at, candidate] of ordered.entries()) {
      if (at % piecePaths === piecePaths - 1) await options.timers.sleep(0);
      const entry = offered(options, candidate);
      if (entry !== null) entries.set(entry.path, entry);
      if (entries.size > limit) break;
    }
    return {
      entries: [...entries.values()].slice(0, limit),
      more: entries.size > limit || here.isCut || there.isCut,
    };
  };
}

/** Names in the directory that is typed already. */
async function inDirectory(
  { workspace, timers }: CompletePathOptions,
  names: (directory: string) => Promise<Names>,
  typed: string,
): Promise<Found> {
  const cut = typed.lastIndexOf("/") + 1;
  const [before, wanted] = [typed.slice(0, cut), typed.slice(cut)];
  const { entries, isCut } = await names(resolve(workspace, before));
  const candidates: Candidate[] = [];
  for (const [at, { name, kind }] of entries.entries()) {
    if (at % pieceNames === pieceNames - 1) await timers.sleep(0);
    if (name.startsWith(".") && !wanted.startsWith(".")) continue;
    const rank = rankOf(name, wanted);
    if (rank !== null) candidates.push({ typed: `${before}${name}`, kind, rank });
  }
  return { candidates, isCut };
}

/** The last large directory is kept for a moment: a person types on in it. What is gone from it since is not offered. */
function directoryList({ files, scope, clock }: CompletePathOptions): (directory: string) => Promise<Names> {
  let known: (Names & { readonly directory: string; readonly atMs: number }) | null = null;
  return async (directory) => {
    if (known?.directory === directory && clock.monotonic() - known.atMs <= completionListMs) return known;
    const found = await listed(files, scope, directory);
    known = found.entries.length > pieceNames ? { ...found, directory, atMs: clock.monotonic() } : null;
    return found;
  };
}

function rankOf(name: string, wanted: string): number | null {
  if (name.startsWith(wanted)) return 0;
  if (name.toLowerCase().startsWith(wanted.toLowerCase())) return 1;
  const like = likeness(name, wanted);
  return like === null ? null : likeRank + like;
}

/** Of a directory that may not be read only the way to what is granted below it: the rules themselves name that. */
async function listed(
  files: CompletePathOptions["files"],
  scope: CompletePathOptions["scope"],
  directory: string,
): Promise<Names> {
  try {
    return await files.list(directory);
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    const start = directory === "/" ? directory : `${directory}/`;
    const now = scope();
    const names = now.allow.flatMap(({ target }) => {
      const [name = ""] = target.startsWith(start) ? target.slice(start.length).split("/") : [];
      return name !== "" && permissionAt(now, target) !== "none" ? [name] : [];
    });
    return { entries: [...new Set(names)].map((name) => ({ name, kind: "way" as const })), isCut: false };
  }
}

/** Files and directories anywhere in the workspace, but for what is hidden or ignored there. */
function workspaceList(options: CompletePathOptions): (typed: string) => Promise<Found> {
  const { files, workspace, clock, timers } = options;
  let known: { readonly paths: readonly string[]; readonly isCut: boolean; readonly atMs: number } | null =
    null;
  const look = async () => {
    const paths: string[] = [];
    const beganMs = clock.monotonic();
    const keep = (path: string, end: string) => {
      const bytes = Buffer.from(path, "latin1");
      if (isUtf8(bytes)) paths.push(`${bytes.toString("utf8")}${end}`);
    };
    let isCut = false;
    try {
      const tree = await files.tree(workspace, {
        honourIgnoreFiles: true,
        entriesMax: completionEntriesMax,
        oneDirectoryMax: completionOneDirectoryMax,
        wantsFile: (path) => {
          keep(path, "");
          return false;
        },
        wantsDirectory: (path) => {
          keep(path, "/");
          return true;
        },
        pause: async () => {
          await timers.sleep(0);
          if (clock.monotonic() - beganMs > completionMsMax) throw new TooLong();
        },
      });
      isCut = tree.cutAt !== null || tree.isThinned;
    } catch (error) {
      if (!(error instanceof YoiError || error instanceof TooLong)) throw error;
      isCut = true;
    }
    return { paths, isCut, atMs: clock.monotonic() };
  };
  return async (typed) => {
    if (known === null || clock.monotonic() - known.atMs > completionListMs) known = await look();
    const { paths, isCut } = known;
    const candidates: Candidate[] = [];
    for (const [at, path] of paths.entries()) {
      if (at % pieceNames === pieceNames - 1) await timers.sleep(0);
      const isFolder = path.endsWith("/");
      const bare = isFolder ? path.slice(0, -1) : path;
      const like = likeness(bare, typed);
      if (like !== null)
        candidates.push({ typed: bare, kind: isFolder ? "directory" : "file", rank: likeRank + like });
    }
    return { candidates, isCut };
  };
}

/** What a walk is ended with. */
class TooLong extends Error {}

function byRank(a: Candidate, b: Candidate): number {
  return a.rank - b.rank || Number(isDirectory(b)) - Number(isDirectory(a)) || (a.typed < b.typed ? -1 : 1);
}

function isDirectory({ kind }: Candidate): boolean {
  return kind === "directory" || kind === "way";
}

/** Asked at the last moment: what is gone, or may not be read by now, is not offered, and neither is what cannot be typed. */
function offered(
  { files, workspace }: CompletePathOptions,
  { typed, kind }: Candidate,
): CompletedPath | null {
  if (kind === "other" || escapeControls(typed) !== typed) return null;
  try {
    const found = files.stat(resolve(workspace, typed));
    if (found === null) return null;
    return found.isDirectory ? { path: `${typed}/`, kind: "directory" } : { path: typed, kind: "file" };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return kind === "way" ? { path: `${typed}/`, kind: "directory" } : null;
  }
}
