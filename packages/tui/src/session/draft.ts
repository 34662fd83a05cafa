/** Draft: a session while one event changes it. What the event does not touch is shared with the session before. */
import { entryId } from "@yoi/base";
import type { Block, BlockBody } from "./block.ts";
import type { Held } from "./held.ts";
import type { PodSession } from "./session.ts";

/** Finished blocks beyond so many are forgotten, the oldest first. */
export const blocksMax = 2_000;

/** Stands for a generation that is not known yet. */
const unknownGeneration = "?-";

type Fields = Partial<Omit<PodSession, "blocks" | "held">>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

export class Draft {
  readonly #before: PodSession;
  /** Copies, once something changed. */
  #fields: Writable<PodSession> | null = null;
  #held: Writable<Held> | null = null;
  #blocks: Block[] | null = null;

  constructor(session: PodSession) {
    this.#before = session;
  }

  get session(): Readonly<PodSession> {
    return this.#fields ?? this.#before;
  }
  get held(): Readonly<Held> {
    return this.#held ?? this.#before.held;
  }

  set(fields: Fields): void {
    this.#fields ??= { ...this.#before };
    Object.assign(this.#fields, fields);
  }

  hold(fields: Partial<Held>): void {
    this.#held ??= { ...this.#before.held };
    Object.assign(this.#held, fields);
  }

  /** How the entry with this seq of the segment at hand is known in all of them. */
  idOf(seq: number): string {
    const { generation } = this.held;
    return generation === null ? `${unknownGeneration}${seq}` : entryId(generation, seq);
  }

  /** What was named without it gets its name. */
  learnGeneration(generation: number): void {
    const { held } = this;
    if (held.generation !== null) return this.hold({ generation });
    const named = (id: string): string =>
      id.startsWith(unknownGeneration)
        ? entryId(generation, 0).slice(0, -1) + id.slice(unknownGeneration.length)
        : id;
    this.#blocks = this.#before.blocks.map((block) => {
      const id = named(block.id);
      return id === block.id ? block : { ...block, id };
    });
    this.hold({
      generation,
      open: new Map([...held.open].map(([id, n]) => [named(id), n])),
      results: new Map(
        [...held.results].map(([seq, { id, command }]) => [seq, { id: named(id), command: named(command) }]),
      ),
      inputs: held.inputs.map((input) => ({
        ...input,
        id: named(input.id),
        attached: input.attached.map(named),
      })),
      partials: new Map([...held.partials].map(([id, text]) => [named(id), text])),
      queued: new Map([...held.queued].map(([seq, id]) => [seq, named(id)])),
    });
  }

  /** Behind what is on record, which is before what only arrives: the same order as in the log. */
  add(id: string, body: BlockBody, isFinished = true): void {
    const twin = this.open(id);
    if (twin !== null) this.finish(twin);
    const arriving = isArriving(body) ? [] : this.arriving;
    const n = this.held.n - arriving.length;
    const blocks = this.#changed(1);
    const open = new Map(this.held.open);
    blocks.splice(blocks.length - arriving.length, arriving.length, { ...body, n, id, isFinished });
    for (const block of arriving) {
      const moved = { ...block, n: block.n + 1 };
      blocks.push(moved);
      open.set(moved.id, moved.n);
    }
    if (!isFinished) open.set(id, n);
    this.hold({ n: this.held.n + 1, open });
  }

  /** What is on no record yet: the last blocks. */
  get arriving(): readonly Block[] {
    const blocks = this.#list();
    return this.held.open.size === 0
      ? []
      : blocks.slice(blocks.findLastIndex((block) => !isArriving(block)) + 1);
  }

  /** The last one that is on record; null: none is. */
  get last(): Block | null {
    return this.#list().findLast((block) => !isArriving(block) && !block.id.startsWith("live ")) ?? null;
  }

  /** What arrived, or did not, is on record now. */
  record(id: string, body: BlockBody, isFinished: boolean): void {
    const block = this.open(id);
    if (block !== null && (isCut(block) || this.arriving[0]?.n === block.n))
      return this.put(block, body, isFinished);
    if (block !== null) this.drop([block]);
    this.add(id, body, isFinished);
  }

  /** One that is not finished; null: there is none with this id. */
  open(id: string): Block | null {
    const n = this.held.open.get(id);
    return n === undefined ? null : (this.#blockAt(n) ?? null);
  }

  /** All that are not finished, in the order in which they are shown. */
  get opened(): readonly Block[] {
    return [...this.held.open.values()].toSorted((a, b) => a - b).flatMap((n) => this.#blockAt(n) ?? []);
  }

  put({ n, id }: Block, body: BlockBody, isFinished: boolean): void {
    const blocks = this.#changed();
    blocks[n - (blocks[0]?.n ?? 0)] = { ...body, n, id, isFinished };
    if (isFinished) this.#close([id]);
  }

  finish(block: Block): void {
    this.put(block, block, true);
  }

  /** Only those that are not finished: the ones behind them move up. */
  drop(dropped: readonly Block[]): void {
    if (dropped.length === 0) return;
    const ids = new Set(dropped.map(({ id }) => id));
    const gone = new Set(dropped.map(({ n }) => n));
    const from = this.#list()[0]?.n ?? 0;
    const kept = this.#list().filter(({ n }) => !gone.has(n));
    this.#blocks = kept.map((block, at) => (block.n === from + at ? block : { ...block, n: from + at }));
    this.#close([...ids]);
    const open = new Map<string, number>();
    for (const block of this.#blocks)
      if (this.held.open.has(block.id) && !block.isFinished) open.set(block.id, block.n);
    this.hold({ n: from + this.#blocks.length, open });
  }

  /** All that were shown count no longer. */
  forget(): void {
    this.#blocks = [];
    this.hold({ open: new Map(), inputs: [] });
  }

  done(): PodSession {
    const { session, held } = this;
    if (this.#blocks === null) return held === session.held ? session : { ...session, held };
    const from = forgettable(this.#blocks, 0);
    const blocks = from === 0 ? this.#blocks : this.#blocks.slice(from);
    return { ...session, held, blocks };
  }

  #close(ids: readonly string[]): void {
    const open = new Map(this.held.open);
    for (const id of ids) open.delete(id);
    this.hold({ open });
  }

  #list(): readonly Block[] {
    return this.#blocks ?? this.#before.blocks;
  }

  #blockAt(n: number): Block | undefined {
    const blocks = this.#list();
    return blocks[n - (blocks[0]?.n ?? 0)];
  }

  /** @param more how many blocks will be added: as many are forgotten with the one copy. */
  #changed(more = 0): Block[] {
    const { blocks } = this.#before;
    return (this.#blocks ??= blocks.slice(forgettable(blocks, more)));
  }
}

/** How many of the first ones are too many with so many more. */
function forgettable(blocks: readonly Block[], more: number): number {
  const over = blocks.length + more - blocksMax;
  let from = 0;
  while (from < over && blocks[from]?.isFinished === true) from += 1;
  return from;
}

function isArriving(body: BlockBody): boolean {
  switch (body.kind) {
    case "answer":
    case "reasoning":
      return body.progress === "arriving";
    case "call":
      return body.progress === "writing";
    default:
      return false;
  }
}

/** Its process died: what was on record of it stands where it stood. */
function isCut(body: BlockBody): boolean {
  return (body.kind === "answer" || body.kind === "reasoning") && body.progress === "cut";
}
