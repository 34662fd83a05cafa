/** Command touches: what the result of a command says of the files that it touched. */
import type { Clock, JsonObject, Scope, Timers } from "@yoi/base";
import { permissionAt } from "@yoi/scope";
import type { ScopedFiles } from "../scoped-files.ts";
import { CommandFiles } from "./command-files.ts";
import { KnownFiles } from "./known-files.ts";
import { type FileCopies, touchedRecord } from "./touched.ts";

export interface CommandTouches {
  /** Right before a command. What it gives is called right behind it, for the record; undefined: nothing was touched. */
  begin(): Promise<() => Promise<JsonObject | undefined>>;
}

export function createCommandTouches({
  files,
  scope,
  copies,
  clock,
  timers,
}: {
  readonly files: ScopedFiles;
  readonly scope: () => Scope;
  readonly copies: FileCopies;
  readonly clock: Clock;
  readonly timers: Timers;
}): CommandTouches {
  const pause = () => timers.sleep(0);
  const known = new KnownFiles(files, pause);
  const commands = new CommandFiles({
    files,
    known,
    copies,
    clock,
    pause,
    roots: () => writableRoots(scope()),
  });
  return {
    begin: async () => {
      if (!(await commands.before())) return async () => undefined;
      const startedMs = clock.now();
      return async () => {
        const touched = await commands.after(startedMs);
        return touched.length === 0 ? undefined : await touchedRecord(touched, copies, "command");
      };
    },
  };
}

/** Targets that may be written. */
function writableRoots(scope: Scope): readonly string[] {
  const targets = scope.allow
    .filter(({ permission }) => permission === "write")
    .map(({ target }) => target)
    .filter((target) => permissionAt(scope, target) === "write");
  return [...new Set(targets)];
}
