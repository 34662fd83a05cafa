/** Hard links of the trees to be lent: a file in one that has a name outside of it too could be written there through the loan. */
import { type Dirent, opendirSync } from "node:fs";
import { type Clock, type Scope, type ScopeRule, type Timers, YoiError } from "@yoi/base";
import { isBelow, isWithin, type Protection, quotePath } from "@yoi/scope";
import { bytesOf, Descent, textOf } from "../scoped-files/descent.ts";
import { codeOf, failure } from "../scoped-files/descriptor.ts";
import { type Rules, rulesOf } from "../scoped-files/rules.ts";
import { treeDepthMax } from "../scoped-files/tree.ts";
import { refused } from "./refused.ts";

/** Most entries of all trees that one lend gives to write. */
export const lentEntriesMax = 200_000;
/** Longest look at all of them. */
export const lentLookMs = 5_000;
/** Between two chances for others to run. */
const entriesBetweenPauses = 1024;

export interface HardLinkOptions {
  readonly scope: Scope;
  readonly protection: Protection;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Default: `lentEntriesMax`. */
  readonly entriesMax?: number;
}

/** Throws loan_refused; also where not all of the trees can be looked at. @param lent of directories, canonical, to write. */
export async function checkHardLinks(lent: readonly ScopeRule[], options: HardLinkOptions): Promise<void> {
  const look = new LinkLook(lent, options);
  try {
    for (const [index, rule] of lent.entries()) if (!isCovered(index, rule, lent)) await look.at(rule);
  } finally {
    look.close();
  }
}

/** By a tree around it, or by the first of the same. */
function isCovered(index: number, rule: ScopeRule, lent: readonly ScopeRule[]): boolean {
  const same = lent.findIndex(
    ({ target, recursive }) => target === rule.target && recursive === rule.recursive,
  );
  if (same !== index) return true;
  return lent.some(
    ({ target, recursive }) =>
      recursive && (isBelow(target, rule.target) || (target === rule.target && !rule.recursive)),
  );
}

interface Linked {
  /** One of its names. */
  readonly path: string;
  readonly links: bigint;
  found: bigint;
}

class LinkLook {
  /** The one that is looked at. */
  #target = "";
  #isRecursive = false;
  readonly #options: HardLinkOptions;
  readonly #rules: Rules;
  readonly #descent: Descent;
  readonly #linked = new Map<string, Linked>();
  readonly #endsMs: number;
  #entries = 0;
  #looked = 0;

  constructor(lent: readonly ScopeRule[], options: HardLinkOptions) {
    this.#options = options;
    this.#rules = rulesOf({ allow: lent, deny: options.scope.deny }, options.protection);
    this.#descent = new Descent(this.#rules);
    this.#endsMs = options.clock.monotonic() + lentLookMs;
  }

  async at(rule: ScopeRule): Promise<void> {
    this.#target = rule.target;
    this.#isRecursive = rule.recursive;
    this.#linked.clear();
    const start = bytesOf(rule.target);
    const problem = this.#descent.goTo(start === "/" ? start : `${start}/`);
    if (problem !== null) throw this.#closed(start);
    await this.#directory();
    const outside = [...this.#linked.values()].filter(({ links, found }) => found < links);
    const [first] = outside;
    if (first !== undefined) throw this.#linkedOutside(first, outside.length - 1);
  }

  close(): void {
    this.#descent.close();
  }

  async #directory(): Promise<void> {
    const { prefix } = this.#descent;
    if (this.#descent.depth > treeDepthMax)
      throw this.#tooMuch(`is more than ${treeDepthMax} directories deep`);
    for (const { name, isDirectory } of this.#list()) {
      this.#looked += 1;
      if (this.#looked % entriesBetweenPauses === 0) await this.#pause();
      if (!isDirectory) this.#file(name);
      else if (this.#isRecursive && !this.#isLeftOut(prefix + name)) await this.#enter(name);
    }
  }

  async #enter(name: string): Promise<void> {
    const path = this.#descent.prefix + name;
    const problem = this.#descent.enter(name);
    if (problem === "gone") return;
    if (problem === "forbidden")
      throw this.#tooMuch(`has another file system in it, at ${quotePath(textOf(path))}`);
    if (problem === "unreadable") throw this.#closed(path);
    await this.#directory();
    this.#descent.leave();
  }

  #file(name: string): void {
    const stat = this.#descent.statOf(name);
    if (typeof stat === "string") {
      if (stat === "unreadable") throw this.#closed(this.#descent.prefix);
      return;
    }
    const path = this.#descent.prefix + name;
    if (!stat.isFile() || stat.nlink <= 1n || this.#rules.permission(textOf(path)) !== "write") return;
    const key = `${stat.dev}:${stat.ino}`;
    const known = this.#linked.get(key);
    if (known === undefined) this.#linked.set(key, { path, links: stat.nlink, found: 1n });
    else known.found += 1n;
  }

  #list(): readonly { readonly name: string; readonly isDirectory: boolean }[] {
    const { prefix, listing } = this.#descent;
    const max = this.#options.entriesMax ?? lentEntriesMax;
    const listed: { name: string; isDirectory: boolean }[] = [];
    try {
      // One character a byte: names need not be UTF-8.
      using directory = opendirSync(listing, { encoding: "latin1", bufferSize: 256 });
      for (let entry: Dirent | null = directory.readSync(); entry !== null; entry = directory.readSync()) {
        this.#entries += 1;
        if (this.#entries > max) throw this.#tooMuch(`takes this lend over ${max} entries`);
        listed.push({ name: entry.name, isDirectory: entry.isDirectory() });
      }
    } catch (cause) {
      if (codeOf(cause) === "EACCES" || codeOf(cause) === "EPERM") throw this.#closed(prefix);
      if (codeOf(cause) === "ENOENT") return [];
      throw cause instanceof YoiError ? cause : failure("list", textOf(prefix), cause);
    }
    return listed;
  }

  /** Nothing in it is lent: hidden, protected as a whole, or denied with all below it. */
  #isLeftOut(bytes: string): boolean {
    const path = textOf(bytes);
    const { scope, protection } = this.#options;
    return (
      this.#rules.permission(path) === "none" ||
      protection.readOnly.some((held) => isWithin(held, path)) ||
      scope.deny.some((rule) => rule.recursive && isWithin(rule.target, path))
    );
  }

  async #pause(): Promise<void> {
    await this.#options.timers.sleep(0);
    if (this.#options.clock.monotonic() > this.#endsMs)
      throw this.#tooMuch(`takes the look at all that this lend gives to write over ${lentLookMs / 1000} s`);
  }

  #linkedOutside({ path, links, found }: Linked, others: number): YoiError {
    const more = others === 0 ? "" : `, and ${others} more ${others === 1 ? "file" : "files"} like it`;
    return refused(
      this.#target,
      `holds ${quotePath(textOf(path))}, a file with ${links} hard links of which only ${found} ${found === 1n ? "is" : "are"} in it${more}`,
      "lend a narrower directory without such files (uv and pnpm link what they install to their caches), or replace them by copies of themselves",
    );
  }

  #tooMuch(why: string): YoiError {
    return refused(this.#target, why, "lend a narrower directory");
  }

  #closed(path: string): YoiError {
    return refused(
      this.#target,
      `holds ${quotePath(textOf(path))}, which cannot be looked into`,
      "make that readable, or lend a narrower directory",
    );
  }
}
