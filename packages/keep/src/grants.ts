/** The store of grants: one file for each answer of the user that counts until it is taken back. Whatever cannot be read is no grant. */
import { join } from "node:path/posix";
import { type Clock, YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import {
  checkGrant,
  decodeGrant,
  encodeGrant,
  grantFileBytesMax,
  type GrantRecord,
  isGrantId,
} from "./grant-record.ts";
import { removeOldLeftovers } from "./leftovers.ts";
import type { InspectPath } from "./ports.ts";
import { arePrivate, privateAt } from "./private-path.ts";

export const grantsKeptMax = 256;
/** A pending one that is older belongs to an answer that nobody took, or to a Pod that nobody opened again: it gives way to others. */
export const pendingGrantMs = 24 * 60 * 60 * 1000;

const suffix = ".json";
const words = {
  rule: "grants are kept only where nobody else can change them",
  afterwards: "look at what is granted with `yoi grant list`",
  instead: "somebody else may have written it: remove it, and answer again when you are asked",
};

export interface GrantStoreOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Absolute. */
  readonly dataDir: string;
  readonly inspect: InspectPath;
}

export interface KeptGrants {
  /** Sorted by when they were given; also those whose time is over, and pending ones. */
  readonly grants: readonly GrantRecord[];
  /** What cannot be read or trusted, and so grants nothing: a sentence each, with what to do. */
  readonly problems: readonly string[];
}

/** Verbs that write throw `permission_denied` where the directory is not the user's alone. */
export interface GrantStore {
  /** As the files say now. Nothing that is wrong with one keeps the others from counting. Throws what `Files` throws. */
  list(): Promise<KeptGrants>;
  /** Takes the place of the record of the same id; durable on return. Throws `limit_exceeded` for one more than `grantsKeptMax`, and `usage`. */
  put(grant: GrantRecord): Promise<void>;
  /** False: there was none. Takes away one that cannot be read or trusted too. Durable on return. */
  remove(id: string): Promise<boolean>;
}

export function createGrantStore(options: GrantStoreOptions): GrantStore {
  return new FileGrantStore(options);
}

interface Known {
  readonly stamp: string;
  readonly grant: GrantRecord;
}

class FileGrantStore implements GrantStore {
  readonly #options: GrantStoreOptions;
  readonly #look: { readonly inspect: InspectPath; readonly words: typeof words };
  readonly #keep: string;
  readonly #directory: string;
  /** What was read of files that have not changed since, by name. */
  #known: ReadonlyMap<string, Known> = new Map();

  constructor(options: GrantStoreOptions) {
    this.#options = options;
    this.#look = { inspect: options.inspect, words };
    this.#keep = join(options.dataDir, "keep");
    this.#directory = join(this.#keep, "grants");
  }

  async list(): Promise<KeptGrants> {
    try {
      if (!(await this.#isThere())) return { grants: [], problems: [] };
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      return { grants: [], problems: [error.message] };
    }
    return this.#readAll();
  }

  async put(grant: GrantRecord): Promise<void> {
    checkGrant(grant);
    const { files, clock, inspect } = this.#options;
    // Looked at before, so that nothing is made behind a link, and after, because others may have been quicker.
    await this.#isThere();
    await files.makeDirectory(this.#directory);
    await this.#isThere();
    await removeOldLeftovers(files, clock, this.#directory);
    const path = this.#pathOf(grant.id);
    if ((await inspect(path)) === null && (await this.#count()) >= grantsKeptMax) {
      throw new YoiError(
        "limit_exceeded",
        `There are ${grantsKeptMax} grants, and no more are kept: take some away with \`yoi grant revoke\` (\`yoi grant list\` shows them), or allow this for the session.`,
      );
    }
    await files.replace(path, encodeGrant(grant));
  }

  async remove(id: string): Promise<boolean> {
    if (!isGrantId(id)) return false;
    const { files, inspect } = this.#options;
    if (!(await this.#isThere())) return false;
    const path = this.#pathOf(id);
    const found = (await inspect(path)) !== null;
    await files.removeFile(path);
    await files.syncDirectory(this.#directory);
    return found;
  }

  #isThere(): Promise<boolean> {
    return arePrivate([this.#keep, this.#directory], this.#look);
  }

  #pathOf(id: string): string {
    return join(this.#directory, `${id}${suffix}`);
  }

  /** Without pending ones that nobody waits for any more, which go. */
  async #count(): Promise<number> {
    const names = await this.#names();
    if (names.length < grantsKeptMax) return names.length;
    const old = this.#options.clock.now() - pendingGrantMs;
    const { grants } = await this.#readAll();
    const gone = grants.filter(({ state, given }) => state === "pending" && given < old);
    for (const { id } of gone) await this.#options.files.removeFile(this.#pathOf(id));
    return names.length - gone.length;
  }

  async #names(): Promise<readonly string[]> {
    const names = await this.#options.files.list(this.#directory);
    return names.filter((name) => !name.startsWith(".") && name.endsWith(suffix));
  }

  async #readAll(): Promise<KeptGrants> {
    const grants: GrantRecord[] = [];
    const problems: string[] = [];
    const known = new Map<string, Known>();
    const read = await Promise.all((await this.#names()).map((name) => this.#readOne(name)));
    for (const one of read) {
      if (one === null) continue;
      if (typeof one === "string") problems.push(one);
      else {
        grants.push(one.grant);
        if (one.stamp !== undefined) known.set(`${one.grant.id}${suffix}`, { ...one, stamp: one.stamp });
      }
    }
    this.#known = known;
    return { grants: grants.toSorted((a, b) => a.given - b.given || (a.id < b.id ? -1 : 1)), problems };
  }

  /** A sentence: what is wrong with it. Null: not there any more. */
  async #readOne(
    name: string,
  ): Promise<{ readonly grant: GrantRecord; readonly stamp?: string } | string | null> {
    const path = join(this.#directory, name);
    try {
      const found = await privateAt(path, "file", this.#look);
      if (found === null) return null;
      const { stamp } = found;
      const known = this.#known.get(name);
      if (known !== undefined && known.stamp === stamp) return known;
      const grant = await this.#decoded(path, name);
      return grant === null ? null : { grant, ...(stamp === undefined ? {} : { stamp }) };
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      return error.message;
    }
  }

  async #decoded(path: string, name: string): Promise<GrantRecord | null> {
    const { files } = this.#options;
    const stat = await files.stat(path);
    if (stat !== null && stat.bytes > grantFileBytesMax)
      throw damaged(path, `it has more than ${grantFileBytesMax} bytes`);
    const bytes = await files.read(path);
    if (bytes === null) return null;
    const decoded = decodeGrant(bytes);
    if ("newer" in decoded)
      throw new YoiError(
        "schema_newer",
        `The grant in ${path} was written by a later yoi, so it lets nothing through here: update yoi, or remove the file.`,
        { place: { path } },
      );
    if ("wrong" in decoded) throw damaged(path, decoded.wrong);
    if (`${decoded.grant.id}${suffix}` !== name) throw damaged(path, "it is another grant");
    return decoded.grant;
  }
}

function damaged(path: string, what: string): YoiError {
  return new YoiError(
    "keep_damaged",
    `The grant in ${path} is damaged (${what}), so it lets nothing through: remove the file, and answer again when you are asked.`,
    { place: { path } },
  );
}
