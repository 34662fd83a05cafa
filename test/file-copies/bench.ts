/** A workspace whose tools keep copies in a session, a command that is played, and putting back what they changed. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type Scope, segmentId, sessionId } from "@yoi/base";
import { memoryHost, type MemoryHost } from "@yoi/host";
import { createSessionStore, type FileCopies, type SegmentRef, type SessionStore } from "@yoi/session-store";
import {
  createFilesBack,
  type FileOutcome,
  type FilesBack,
  type FileWish,
  readTouched,
  type Touched,
} from "@yoi/tools";
import { FileChains } from "../../packages/pod/src/rewind/file-chains.ts";
import { type Bench, createBench } from "../../packages/tools/test/support.ts";

export interface CopiesBench extends Bench {
  readonly copies: FileCopies;
  readonly store: SessionStore;
  /** A segment of the session that is still to be made. */
  readonly ref: SegmentRef;
  readonly back: FilesBack;
  readonly memory: MemoryHost;
  /** By a Bash call, in this process. What its result says it touched, paths below the workspace. */
  command(play: () => void): Promise<readonly Touched[]>;
  /** A call of a file tool that works. */
  change(tool: "Write" | "Edit", args: JsonObject): Promise<readonly Touched[]>;
  /** The same, as a record. */
  record(tool: "Write" | "Edit" | "Bash", args: JsonObject, play?: () => void): Promise<JsonObject>;
  /** The same, after what a rewind makes of all touches. */
  rewind(touched: readonly Touched[]): Promise<Readonly<Record<string, FileOutcome | "restorable">>>;
  /** What became of each path, by the first and the last touch of it. */
  putBack(touched: readonly Touched[]): Promise<Readonly<Record<string, FileOutcome>>>;
  text(name: string): string | null;
}

export function copiesBench(options: { scope?: (workspace: string) => Scope } = {}): CopiesBench {
  const memory = memoryHost({ seed: 3 });
  const { files, clock } = memory;
  const session = sessionId("01890a5d-ac96-774b-bcce-b302099a8057");
  const store = createSessionStore({ files, clock, dataDir: "/data" });
  const copies = store.copies(session);
  const ref = { session, segment: segmentId("01890a5d-ac96-774b-bcce-b302099a8058") };
  let play = (): void => {};
  const bench = createBench({
    ...options,
    kept: { copies, clock: { now: () => Date.now(), monotonic: () => performance.now() } },
    play: () => {
      play();
      return { kind: "exited", code: 0 };
    },
  });
  const back = createFilesBack(bench.files, copies);
  const record: CopiesBench["record"] = async (tool, args, given = () => {}) => {
    play = given;
    const { record: told = {}, summary, is_error } = await bench.call(tool, args);
    if (is_error === true) throw new Error(summary);
    return told;
  };
  const touchedBy: CopiesBench["change"] = async (tool, args) =>
    (await readTouched(await record(tool, args), copies)).touched;
  return {
    ...bench,
    copies,
    memory,
    store,
    ref,
    back,
    record,
    command: async (given) =>
      (await readTouched(await record("Bash", { command: "play" }, given), copies)).touched,
    change: touchedBy,
    putBack: async (touched) => {
      const wishes = new Map<string, FileWish>();
      for (const { path, before, after, mode, mode_after: modeAfter, moved_from: from } of touched)
        wishes.set(path, {
          ...(mode === undefined ? {} : { mode }),
          path,
          before,
          ...(from === undefined ? {} : { from: [from] }),
          ...wishes.get(path),
          ...(modeAfter === undefined ? {} : { modeAfter }),
          after,
        });
      const { reports } = await back.putBack([...wishes.values()]);
      return Object.fromEntries(
        reports.map(({ path, outcome }) => [path.slice(bench.workspace.length + 1), outcome]),
      );
    },
    rewind: async (touched) => {
      const chains = new FileChains();
      for (const one of touched) chains.add(one);
      const { files } = chains.told();
      const { reports } = await back.putBack(files.flatMap(({ wish }) => wish ?? []));
      return Object.fromEntries(
        [...files, ...reports].map(({ path, outcome }) => [path.slice(bench.workspace.length + 1), outcome]),
      );
    },
    text: (name) => {
      const path = join(bench.workspace, name);
      return existsSync(path) ? readFileSync(path, "utf8") : null;
    },
    close: () => rmSync(bench.root, { recursive: true, force: true }),
  };
}

/** A real one, with these files tracked. */
export function gitTracks(directory: string, names: readonly string[], version = 2): void {
  const git = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync("git", ["-c", `index.version=${version}`, ...args], {
      cwd: directory,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
  };
  git("init", "-q");
  git("add", "-f", "--", ...names);
}
