/** A file that takes the output of a process which is about to be started. */
import { closeSync, openSync } from "node:fs";
import { errnoOf, fileError } from "../file-error.ts";

export interface OutputFile extends Disposable {
  /** To hand to the process, which keeps the file open after this is disposed of. */
  readonly descriptor: number;
}

/** Makes it, with mode 0600; whatever writes there appends. Throws as `Files` does, also where it exists. */
export function createOutputFile(path: string): OutputFile {
  try {
    const descriptor = openSync(path, "ax", 0o600);
    return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    throw fileError("create", path, errnoOf(error), error);
  }
}
