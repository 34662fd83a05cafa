/** Descent: going down through real directories by descriptor, for names that need not be text. Paths are one character a byte here. */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
} from "node:fs";
import { isAllowedInSandbox } from "@yoi/sandbox";
import { codeOf, failure, itself, openRoot, type Place } from "./descriptor.ts";
import type { Rules } from "./rules.ts";

/** Why something cannot be had: out of reach by the rules, no longer what it was, or refused by the operating system. */
export type Unavailable = "forbidden" | "gone" | "unreadable";

interface Step {
  readonly place: Place;
  /** With a final slash. */
  readonly prefix: string;
  /** The device that the rule in force began on; null above any rule. */
  readonly device: bigint | null;
  /** What is said of all that is in it; null where it depends on the name. */
  readonly permission: ReturnType<Rules["permissionIn"]>;
}

const O_PATH = 0o10000000;

export class Descent {
  readonly #rules: Rules;
  readonly #steps: Step[];

  constructor(rules: Rules) {
    this.#rules = rules;
    this.#steps = [{ place: openRoot(), prefix: "/", device: null, permission: rules.permissionIn("/") }];
  }

  get #here(): Step {
    const step = this.#steps.at(-1);
    if (step === undefined) throw new Error("a descent is closed only once");
    return step;
  }

  /** Of the directory that it is in, with a final slash. */
  get prefix(): string {
    return this.#here.prefix;
  }

  get depth(): number {
    return this.#steps.length - 1;
  }

  /** Where the directory can be listed. */
  get listing(): string {
    return itself(this.#here.place.fd);
  }

  mayRead(name: string): boolean {
    const { permission, prefix } = this.#here;
    return (permission ?? this.#rules.permission(textOf(prefix + name))) !== "none";
  }

  /** Into a directory that is really one; null when that worked. */
  enter(name: string): Unavailable | null {
    const here = this.#here;
    const path = textOf(here.prefix + name);
    if (!this.mayRead(name) && !this.#rules.leadsToGrant(path)) return "forbidden";
    const flags = O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY;
    let fd: number;
    try {
      fd = openSync(this.#below(name), flags);
    } catch (cause) {
      return unavailable(cause, path);
    }
    const stat = fstatSync(fd, { bigint: true });
    const isGrant = this.#rules.isGrant(path);
    if (!isGrant && here.device !== null && here.device !== stat.dev) {
      closeSync(fd);
      return "forbidden";
    }
    const device = isGrant ? stat.dev : here.device;
    const permission = this.#rules.permissionIn(path);
    this.#steps.push({ place: { fd, stat }, prefix: `${here.prefix}${name}/`, device, permission });
    return null;
  }

  /** True when its permission bits let it be listed. As root too: a search finds the same with and without a sandbox. */
  get isListable(): boolean {
    const { stat } = this.#here.place;
    const bits = { mode: Number(stat.mode), uid: Number(stat.uid), gid: Number(stat.gid) };
    return isAllowedInSandbox(bits, 4) && isAllowedInSandbox(bits, 1);
  }

  leave(): void {
    const step = this.#steps.pop();
    if (step !== undefined) closeSync(step.place.fd);
  }

  /** To any directory, over the directories that both have in common. `prefix` ends with a slash. */
  goTo(prefix: string): Unavailable | null {
    while (!prefix.startsWith(this.prefix)) this.leave();
    for (const name of prefix.slice(this.prefix.length).split("/").slice(0, -1)) {
      const problem = this.enter(name);
      if (problem !== null) return problem;
    }
    return null;
  }

  /** What an entry of the directory is, a link as a link. */
  statOf(name: string): BigIntStats | Unavailable {
    try {
      return lstatSync(this.#below(name), { bigint: true });
    } catch (cause) {
      return unavailable(cause, this.prefix + name);
    }
  }

  /** A regular file in the directory, by its own permission bits readable; its size. */
  fileBytes(name: string): number | Unavailable {
    if (!this.mayRead(name)) return "forbidden";
    try {
      const stat = lstatSync(this.#below(name));
      if (!stat.isFile()) return "gone";
      return isAllowedInSandbox(stat, 4) ? stat.size : "unreadable";
    } catch (cause) {
      return unavailable(cause, this.prefix + name);
    }
  }

  /** A descriptor of a regular file in the directory, for reading; the caller closes it. */
  openFile(name: string): number | { readonly why: Unavailable } {
    const bytes = this.fileBytes(name);
    if (typeof bytes === "string") return { why: bytes };
    let fd: number;
    try {
      fd = openSync(this.#below(name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    } catch (cause) {
      return { why: unavailable(cause, this.prefix + name) };
    }
    const stat = fstatSync(fd, { bigint: true });
    const device = this.#here.device;
    const isGrant = this.#rules.isGrant(textOf(this.prefix + name));
    if (stat.isFile() && (isGrant || device === null || device === stat.dev)) return fd;
    closeSync(fd);
    return { why: "gone" };
  }

  /** A small file in the directory, one character a byte; null when there is none to be had. */
  smallFile(name: string, bytesMax: number): string | null {
    const fd = this.openFile(name);
    if (typeof fd !== "number") return null;
    try {
      return fstatSync(fd).size > bytesMax ? null : readFileSync(fd, "latin1");
    } finally {
      closeSync(fd);
    }
  }

  close(): void {
    for (const { place } of this.#steps.splice(0)) closeSync(place.fd);
  }

  #below(name: string): string | Buffer {
    const path = `${this.listing}/${name}`;
    return isAscii(path) ? path : Buffer.from(path, "latin1");
  }
}

function unavailable(cause: unknown, path: string): Unavailable {
  const code = codeOf(cause);
  if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return "gone";
  if (code === "EACCES" || code === "EPERM") return "unreadable";
  throw failure("open", textOf(path), cause);
}

export function bytesOf(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** Bytes that are no UTF-8 become U+FFFD. */
export function textOf(bytes: string): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, "latin1").toString("utf8");
}

function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text);
}
