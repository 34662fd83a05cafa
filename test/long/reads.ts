/** Sees which logs are read. */
import { basename } from "node:path/posix";
import type { Files } from "@yoi/host";

/** The names of the logs that are opened for reading or writing, and how many bytes are read of them. */
export class Reads {
  readonly logs = new Set<string>();
  bytes = 0;

  watch(files: Files): Files {
    const opening: ReadonlySet<string> = new Set(["read", "readRange", "openAppend", "createAppend"]);
    return new Proxy(files, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== "function" || typeof key !== "string") return value;
        return async (...args: readonly unknown[]): Promise<unknown> => {
          const result: unknown = await Reflect.apply(value, target, args);
          const path = String(args[0]);
          if (opening.has(key) && path.endsWith(".jsonl")) {
            this.logs.add(basename(path, ".jsonl"));
            if (result instanceof Uint8Array) this.bytes += result.length;
          }
          return result;
        };
      },
    });
  }

  take(): readonly string[] {
    const taken = [...this.logs];
    this.logs.clear();
    this.bytes = 0;
    return taken;
  }
}
