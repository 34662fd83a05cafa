/** A workspace with a repository in it, and a watch over it: commands are functions. */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { protectionOf } from "@yoi/scope";
import type { Mounts } from "../../src/mount.ts";
import type { Command } from "../../src/runner.ts";
import { RepositoryWatch } from "../../src/repositories/watch-repositories.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-watch-")));
after(() => rmSync(root, { recursive: true }));

let places = 0;
export function start(
  options: {
    /** Called before what is at this path is moved. */
    readonly quarantine?: (path: string) => void;
    readonly lookMs?: number;
    readonly directoriesMax?: number;
    /** Below the workspace: what the sandbox protects. */
    readonly readOnly?: string;
    /** Below the workspace: lent to somebody else. */
    readonly lent?: string;
    readonly deniesHold?: boolean;
    /** All that may be written, below the workspace; default: the workspace. */
    readonly writable?: string;
  } = {},
) {
  places += 1;
  const workspace = join(root, `ws${places}`);
  const aside = join(root, `aside${places}`);
  mkdirSync(join(workspace, "vendor/x/.git/hooks"), { recursive: true });
  mkdirSync(aside);
  let now = 0;
  let moved = 0;
  const watch = new RepositoryWatch({
    ...(options.directoriesMax === undefined ? {} : { directoriesMax: options.directoriesMax }),
    protection: protectionOf({ workspace, home: null, own: [], spill: null, programs: [] }),
    clock: { now: () => 0, monotonic: () => (now += options.lookMs ?? 0) },
    quarantine: async (call, path, at) => {
      options.quarantine?.(path);
      const to = join(aside, `${call}-${(moved += 1)}`);
      renameSync(at, to);
      return to;
    },
  });
  const git = join(workspace, "vendor/x/.git");
  const command: Pick<Command, "call" | "scope"> = {
    call: "7.0" as never,
    scope: {
      allow: [{ target: join(workspace, options.writable ?? ""), permission: "write", recursive: true }],
      deny:
        options.lent === undefined
          ? []
          : [{ target: join(workspace, options.lent), permission: "write", recursive: true }],
    },
  };
  const mounts: Mounts = new Map([
    [workspace, { kind: "bind", access: options.writable === undefined ? "write" : "read" }],
    [join(workspace, options.writable ?? ""), { kind: "bind", access: "write" }],
  ]);
  for (const name of [options.lent, options.readOnly])
    if (name !== undefined) mounts.set(join(workspace, name), { kind: "bind", access: "read" });
  const run = async (act: () => void): Promise<readonly string[]> => {
    const after = watch.before(command, options.deniesHold === false ? null : mounts);
    act();
    return (await after()).map((note) => note.replaceAll(root, ""));
  };
  const put = (path: string, text: string): void => {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  };
  return { workspace, aside, git, run, put, at: (path: string) => path.replace(root, "") };
}
