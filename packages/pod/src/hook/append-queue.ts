/** The append queue: what hooks of one request want the model to be told, until the worker has committed it or nobody ever will. */
import { cutUtf8, type SystemItem, utf8Length, YoiError } from "@yoi/base";
import type { AppendReceipt, SystemItemAppendHandle } from "@yoi/feature";

/** Items that the hooks of one request may queue, all together. */
export const appendItemsMax = 8;
/** Bytes of UTF-8 of one body. */
export const appendBodyBytesMax = 16 * 1024;

interface Queued {
  readonly item: SystemItem;
  state: AppendReceipt["state"];
}

/** One for each request. The host holds it; hooks see only the handles, which have no way back to it. */
export class AppendQueue {
  readonly #tell: (owner: string, problem: string) => void;
  readonly #told = new Set<string>();
  readonly #queued: Queued[] = [];
  #open = true;

  /** `tell` hears what was not queued, and why: the first of each owner. */
  constructor(tell: (owner: string, problem: string) => void) {
    this.#tell = tell;
  }

  handleFor(owner: string): SystemItemAppendHandle {
    return makeHandle((body) => this.#append(owner, body));
  }

  /** From now on every handle throws. Gives what is queued, in order. */
  close(): readonly SystemItem[] {
    this.#open = false;
    return this.#queued.map(({ item }) => item);
  }

  committed(items: readonly SystemItem[]): void {
    for (const queued of this.#queued) if (items.includes(queued.item)) queued.state = "committed";
  }

  /** What is not committed never will be. */
  drop(): void {
    this.#open = false;
    for (const queued of this.#queued) if (queued.state === "queued") queued.state = "dropped";
  }

  #append(owner: string, body: unknown): AppendReceipt {
    if (!this.#open) {
      throw new YoiError(
        "feature_invalid",
        `${owner} used an append handle after the hooks of its request were asked: append while the hook runs, and keep no handle.`,
      );
    }
    if (typeof body !== "string") {
      throw new YoiError("feature_invalid", `${owner} appended a reminder whose body is no text.`);
    }
    // A text that is far over the limit is not searched for tags.
    const bare = unwrapped(cutUtf8(body, 2 * appendBodyBytesMax).toWellFormed());
    const problem = this.#problemOf(bare);
    if (problem !== null) {
      if (!this.#told.has(owner)) this.#tell(owner, `A reminder for the model was dropped: ${problem}`);
      this.#told.add(owner);
      return dropped;
    }
    const queued: Queued = {
      item: {
        type: "system_item",
        kind: "task_reminder",
        source: owner,
        reason: "task_inactivity",
        body: bare,
      },
      state: "queued",
    };
    this.#queued.push(queued);
    return makeReceipt(() => queued.state);
  }

  #problemOf(body: string): string | null {
    if (body.trim() === "") return "it is empty.";
    if (utf8Length(body) > appendBodyBytesMax) return `it is over ${appendBodyBytesMax} bytes.`;
    if (this.#queued.length < appendItemsMax) return null;
    return `the hooks of one request may append ${appendItemsMax} in all.`;
  }
}

function makeHandle(append: (body: unknown) => AppendReceipt): SystemItemAppendHandle {
  return Object.freeze({ appendTaskReminder: Object.freeze((body: string) => append(body)) });
}

function makeReceipt(state: () => AppendReceipt["state"]): AppendReceipt {
  return Object.freeze(
    Object.defineProperty({} as AppendReceipt, "state", { enumerable: true, get: Object.freeze(state) }),
  );
}
const dropped = makeReceipt(() => "dropped");

const wrapping = /^\s*<(system-reminder|yoi-note)(?:\s[^<>]*)?>([^]*)<\/\1\s*>\s*$/;

/** The body without the one pair of tags around all of it: the lowering writes its own. Anything else stays as it is. */
function unwrapped(body: string): string {
  const found = wrapping.exec(body);
  const [, tag, inner] = found ?? [];
  if (tag === undefined || inner === undefined || !isBalanced(inner, tag)) return body;
  return inner.replace(/^[\r\n]+/, "").replace(/[\r\n]+$/, "");
}

/** False where the first and the last tag of the whole are not a pair, as in `<t>a</t> b <t>c</t>`. */
function isBalanced(inner: string, tag: string): boolean {
  let depth = 0;
  for (const [found] of inner.matchAll(new RegExp(`</?${tag}\\b[^<>]*>`, "g"))) {
    depth += found.startsWith("</") ? -1 : 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
