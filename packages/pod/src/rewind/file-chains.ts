/** FileChains: what became of each file over many changes, and what has to be there for it to be put back. */
import {
  type FileOutcome,
  type FileWish,
  movedWhy,
  notKept,
  notKnown,
  staysWith,
  type Touched,
} from "@yoi/tools";

/** What of a file became, or (`restorable`) could become. */
export interface FileTold {
  readonly path: string;
  readonly outcome: FileOutcome | "restorable";
  /** What else is to be said of it, as a sentence. */
  readonly why?: string;
}

/** Where `wish` is null it cannot be put back. */
export type ToldFile = FileTold & { readonly wish: FileWish | null };

/** What became of each path, change by change: the first says what it held, the last what it was left as. */
export class FileChains {
  readonly #chains = new Map<
    string,
    { before: Touched; last: Touched; modes: Modes; told: FileTold; from: string[] }
  >();
  lost = 0;

  add(touched: Touched): void {
    const { path, moved_from } = touched;
    const from = moved_from === undefined ? [] : [moved_from];
    const chain = this.#chains.get(path);
    if (chain === undefined) {
      const modes = modesBehind(null, touched);
      this.#chains.set(path, { before: touched, last: touched, modes, told: toldOf(touched), from });
      return;
    }
    if (chain.told.outcome === "restorable") {
      const isOurs = chain.last.after === touched.before;
      chain.told = isOurs || isUnknown(touched) ? toldOf(touched) : { path, outcome: "changed_since" };
    }
    chain.last = touched;
    chain.modes = modesBehind(chain.modes, touched);
    chain.from.push(...from);
  }

  told(): { readonly files: readonly ToldFile[]; readonly lost: number } {
    const from = new Map([...this.#chains].map(([path, chain]) => [path, chain.from]));
    const stays = [...this.#chains].filter(([, { told }]) => told.outcome !== "restorable");
    const kept = staysWith(from, new Set(stays.map(([path]) => path)));
    const files = [...this.#chains].map(([path, chain]): ToldFile => {
      const source = kept.get(path);
      if (source !== undefined && chain.before.before !== chain.last.after)
        return { path, outcome: "not_kept", why: movedWhy(source), wish: null };
      return { ...chain.told, wish: chain.told.outcome === "restorable" ? wishOf(path, chain) : null };
    });
    return { files, lost: this.lost };
  }
}

/** Permission bits as they are to be, and as the Pod left them, where that is known. */
interface Modes {
  readonly mode?: number;
  readonly modeAfter?: number;
}

/** Bits that are not what the Pod left were given by somebody else, and are what is to be again. */
function modesBehind(modes: Modes | null, { after, mode: before, mode_after }: Touched): Modes {
  const mode = before !== undefined && before !== modes?.modeAfter ? before : modes?.mode;
  // What says nothing of them kept them.
  const modeAfter = after === null ? undefined : (mode_after ?? modes?.modeAfter);
  return { ...(mode === undefined ? {} : { mode }), ...(modeAfter === undefined ? {} : { modeAfter }) };
}

interface Chain {
  readonly before: Touched;
  readonly last: Touched;
  readonly modes: Modes;
  readonly from: readonly string[];
}

function wishOf(path: string, { before, last, modes, from }: Chain): FileWish {
  return {
    path,
    before: before.before,
    after: last.after,
    ...modes,
    ...(from.length === 0 ? {} : { from }),
  };
}

function isUnknown({ before, after }: Touched): boolean {
  return before === notKept || after === notKnown;
}

function toldOf(touched: Touched): FileTold {
  const { path, why } = touched;
  if (!isUnknown(touched)) return { path, outcome: "restorable" };
  return { path, outcome: "not_kept", ...(why === undefined ? {} : { why }) };
}
