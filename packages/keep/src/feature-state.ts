/**
 * The state of features: one JSON value under each name. Revision n is decided in a file of its own, `<n>.jsonl`, to which its writers only append: the
 * first whole attempt in it is the revision, so of two writers one wins, no lock is left behind by a killed one, and no value is ever half of one.
 */
import { join } from "node:path/posix";
import { type Ids, type JsonValue, YoiError } from "@yoi/base";
import type { AppendFile, Files } from "@yoi/host";
import { encodedName, idProblem } from "./file-name.ts";
import type { InspectPath } from "./ports.ts";
import { arePrivate, isPrivate } from "./private-path.ts";
import { isJson } from "./json-value.ts";
import { encodeAttempt, firstWhole, type StateAttempt } from "./state-attempt.ts";

/** Of a value, as JSON in UTF-8. */
export const stateBytesMax = 1024 * 1024;
/** Of one revision's file: several attempts, of which at most one counts. */
export const revisionFileBytesMax = 16 * stateBytesMax;
/** How many revisions back a writer that was held up can still tell whether it won. */
export const revisionsKnownMax = 64;
/** How often a value is looked for, or its file opened, while others replace it. */
const looksMax = 100;

const suffix = ".jsonl";
const words = {
  rule: "the state of features is kept only where nobody else can get at it",
  afterwards: "look at what is in it",
};

export interface FeatureStateOptions {
  readonly files: Files;
  readonly ids: Ids;
  /** Absolute. */
  readonly dataDir: string;
  readonly inspect: InspectPath;
}

export interface KeptState {
  /** Of the value's format, as the feature counts it. */
  readonly version: number;
  /** Counts writes, from 1. */
  readonly revision: number;
  readonly value: JsonValue;
}

/**
 * Both throw `permission_denied` when a directory or file is not the user's alone, `keep_damaged` when what was written is not there any more,
 * and `schema_newer`.
 */
export interface KeptStateStore {
  /** Null: nothing was written yet. */
  read(): Promise<KeptState | null>;
  /**
   * `expected` is the revision that was read, null for none. Resolves with the new revision, durable. Throws `state_conflict` when another write came
   * first, `usage` for what is no JSON, `limit_exceeded`. After `io_failed` and `disk_full` it may have been written: read it again.
   */
  write(
    value: JsonValue,
    options: { readonly version: number; readonly expected: number | null },
  ): Promise<number>;
}

/** Gives the state of a feature under a name; both are ids of at most 256 characters, else it throws `usage`. */
export function createFeatureStateStore(
  options: FeatureStateOptions,
): (feature: string, name: string) => KeptStateStore {
  return (feature, name) => {
    for (const [what, id] of [
      ["id of a feature", feature],
      ["name of a state", name],
    ] as const) {
      const problem = idProblem(id);
      if (problem !== null) throw new YoiError("usage", `The ${what} ${problem}: give it another one.`);
    }
    return new FileState(options, feature, name);
  };
}

class FileState implements KeptStateStore {
  readonly #options: FeatureStateOptions;
  readonly #feature: string;
  readonly #name: string;
  /** Outermost first; the last one holds the revisions. */
  readonly #directories: readonly string[];
  readonly #directory: string;
  readonly #look: { readonly inspect: InspectPath; readonly words: typeof words };

  constructor(options: FeatureStateOptions, feature: string, name: string) {
    this.#options = options;
    this.#feature = feature;
    this.#name = name;
    const keep = join(options.dataDir, "keep");
    const features = join(keep, "state");
    const own = join(features, encodedName(feature));
    this.#directory = join(own, encodedName(name));
    this.#directories = [keep, features, own, this.#directory];
    this.#look = { inspect: options.inspect, words };
  }

  async read(): Promise<KeptState | null> {
    const current = await this.#current();
    if (current === null) return null;
    const { version, revision, value } = current;
    return { version, revision, value };
  }

  async write(
    value: JsonValue,
    { version, expected }: { readonly version: number; readonly expected: number | null },
  ): Promise<number> {
    this.#check(value, version, expected);
    const current = await this.#current();
    if ((current?.revision ?? null) !== expected) throw this.#conflict(current, expected);
    const revision = (expected ?? 0) + 1;
    const id = this.#options.ids.uuidV7();
    const before = current === null ? [] : [current.id, ...current.before].slice(0, revisionsKnownMax);
    if (current === null) await this.#begin();
    await this.#append(
      revision,
      encodeAttempt({ id, feature: this.#feature, name: this.#name, version, revision, before, value }),
    );
    await this.#mustBeWon(id, revision, expected);
    await this.#removeBefore(revision);
    return revision;
  }

  #check(value: JsonValue, version: number, expected: number | null): void {
    const refuse = (code: "usage" | "limit_exceeded", what: string): never => {
      throw new YoiError(code, `The state ${this.#called} was not written: ${what}.`);
    };
    if (!Number.isSafeInteger(version) || version < 1)
      refuse("usage", "its version is not a whole number from 1");
    if (expected !== null && (!Number.isSafeInteger(expected) || expected < 1))
      refuse("usage", "the expected revision is neither null nor one that was read");
    if (!isJson(value)) refuse("usage", "it is not a JSON value");
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > stateBytesMax)
      refuse("limit_exceeded", `it has ${bytes} bytes, and at most ${stateBytesMax} are kept`);
  }

  get #called(): string {
    return `${JSON.stringify(this.#name)} of ${this.#feature}`;
  }

  #pathOf(revision: number): string {
    return join(this.#directory, `${revision}${suffix}`);
  }

  /** Highest first. */
  async #revisions(): Promise<readonly number[]> {
    const names = await this.#options.files.list(this.#directory);
    return names
      .flatMap((name) => (/^(0|[1-9]\d{0,15})\.jsonl$/.test(name) ? [Number.parseInt(name, 10)] : []))
      .toSorted((a, b) => b - a);
  }

  /** The highest revision that was decided. What is there of one that was not is a writer at work, or what a killed one left. */
  async #current(): Promise<StateAttempt | null> {
    let seen = "";
    for (let look = 0; look < looksMax; look += 1) {
      if (!(await arePrivate(this.#directories, this.#look))) return null;
      const revisions = await this.#revisions();
      const highest = await this.#highest(revisions);
      if (highest === "gone") continue;
      if (highest !== "none") return highest;
      // Each revision is removed only when a higher one is decided: without a change nothing is at work, and what was there is gone.
      const now = revisions.join(" ");
      if (now === seen) throw this.#damaged(revisions[0] ?? 0, "no revision in it is whole");
      seen = now;
    }
    throw new YoiError(
      "io_failed",
      `The state ${this.#called} changes faster than it can be read: try again when fewer write it.`,
    );
  }

  /**
   * Null: nothing was written yet. `none`: no revision is whole. `gone`: others went on since the list was made, so what is left of it may be older
   * than what was decided.
   */
  async #highest(revisions: readonly number[]): Promise<StateAttempt | null | "none" | "gone"> {
    for (const revision of revisions) {
      if (revision === 0) return null;
      const attempt = await this.#decided(revision);
      if (attempt !== null) return attempt;
    }
    return revisions.length === 0 ? null : "none";
  }

  /** Null: it is not decided. `gone`: it is not there any more. */
  async #decided(revision: number): Promise<StateAttempt | null | "gone"> {
    const { files } = this.#options;
    const path = this.#pathOf(revision);
    if (!(await isPrivate(path, "file", this.#look))) return "gone";
    if (((await files.stat(path))?.bytes ?? 0) > revisionFileBytesMax)
      throw this.#damaged(revision, `it has more than ${revisionFileBytesMax} bytes`);
    const bytes = await files.read(path);
    if (bytes === null) return "gone";
    const attempt = firstWhole(bytes);
    if (attempt === null) return null;
    if ("newer" in attempt)
      throw new YoiError(
        "schema_newer",
        `The state ${this.#called} in ${path} was written by a later yoi: update yoi.`,
        { place: { path } },
      );
    const { feature, name, revision: written } = attempt;
    if (feature !== this.#feature || name !== this.#name || written !== revision)
      throw this.#damaged(revision, "it was written as another one");
    return attempt;
  }

  /** Revision 0 is no value: it says that the first one may be cut off, and that then nothing was lost. */
  async #begin(): Promise<void> {
    const { files } = this.#options;
    await arePrivate(this.#directories, this.#look);
    await files.makeDirectory(this.#directory);
    await arePrivate(this.#directories, this.#look);
    const [highest] = await this.#revisions();
    if (highest === undefined) await (await this.#open(0)).close();
    try {
      await files.syncDirectory(this.#directory);
    } catch (error) {
      // A later sync would succeed without making this entry durable: where nothing stands on it yet it is taken away, so that it is made anew. The
      // first failure is the one to tell.
      if ((highest ?? 0) === 0) await files.removeFile(this.#pathOf(0)).catch(() => {});
      throw error;
    }
  }

  async #open(revision: number): Promise<AppendFile> {
    const { files } = this.#options;
    const path = this.#pathOf(revision);
    for (let left = looksMax; ; left -= 1) {
      const isThere = (await files.stat(path)) !== null;
      try {
        return isThere ? await files.openAppend(path) : await files.createAppend(path);
      } catch (error) {
        // Another writer may have made it in between, or swept it, or both: then whoever appends to a new one has lost.
        const isRaced = isOfAnother(error) || ((await files.stat(path)) !== null) !== isThere;
        if (left === 0 || !isRaced) throw error;
      }
    }
  }

  async #append(revision: number, bytes: Uint8Array): Promise<void> {
    const file = await this.#open(revision);
    try {
      if (file.bytes + bytes.length > revisionFileBytesMax)
        throw this.#damaged(revision, "it is full of attempts that were cut off");
      await file.append(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await this.#options.files.syncDirectory(this.#directory);
  }

  /** Others may have gone on meanwhile: then the later revision tells whose this one was. */
  async #mustBeWon(id: string, revision: number, expected: number | null): Promise<void> {
    const current = await this.#current();
    const behind = (current?.revision ?? 0) - revision;
    const winner = behind === 0 ? current?.id : current?.before[behind - 1];
    if (winner === id) return;
    if (behind < 0)
      throw new YoiError("io_failed", `The state ${this.#called} was not written whole: try again.`);
    if (behind > revisionsKnownMax)
      throw new YoiError(
        "io_failed",
        `The state ${this.#called} was written ${behind} times while this write was held up, so what became of it is not known: read it again.`,
      );
    throw this.#conflict(current, expected);
  }

  async #removeBefore(revision: number): Promise<void> {
    const { files } = this.#options;
    try {
      for (const each of (await this.#revisions()).toReversed())
        if (each < revision) await files.removeFile(this.#pathOf(each));
    } catch (error) {
      // What was written is written; the next write removes what is left.
      if (!(error instanceof YoiError)) throw error;
    }
  }

  #conflict(current: StateAttempt | null, expected: number | null): YoiError {
    const found = current === null ? "has not been written yet" : `is at revision ${current.revision}`;
    return new YoiError(
      "state_conflict",
      `The state ${this.#called} ${found}, and ${expected === null ? "none" : `revision ${expected}`} was expected: read it again and repeat the change.`,
    );
  }

  #damaged(revision: number, what: string): YoiError {
    const path = this.#pathOf(revision);
    return new YoiError(
      "keep_damaged",
      `The state ${this.#called} is damaged at ${path} (${what}): put back a good copy of that file, or remove the directory that it is in to begin anew.`,
      { place: { path } },
    );
  }
}

/** The file came or went between a look at it and its opening, whatever is there by now. */
function isOfAnother(error: unknown): boolean {
  const cause: unknown = error instanceof YoiError ? error.cause : null;
  return cause instanceof Error && "code" in cause && (cause.code === "EEXIST" || cause.code === "ENOENT");
}
