/** The one request builder: a pure function of committed history, for live runs and for `verify` alike. */
import type { CommittedItem, Projection } from "@yoi/base";
import { type ModelRequest, RequestDigest, type RequestHead } from "@yoi/model";
import { inRequestOrder } from "./request-order.ts";

/** `items` in log order. Throws when a call in them is unanswered or a result has no call. */
export function buildRequest(
  head: RequestHead,
  items: readonly CommittedItem[],
  projection: Projection,
): ModelRequest {
  return { head, items: inRequestOrder(items), projection };
}

export interface BuiltRequest {
  readonly request: ModelRequest;
  /** The neutral digest. */
  readonly digest: string;
}

/** The same, a step at a time: a request costs what was added since the last one. */
export class RequestBuilder {
  #ordered: CommittedItem[] = [];
  #digest = new RequestDigest();
  #taken = 0;
  #last: CommittedItem | undefined;

  build(head: RequestHead, items: readonly CommittedItem[], projection: Projection): BuiltRequest {
    // History only grows; another one behind the same port (a fork, a rewind) is ordered from its start.
    if (this.#taken > items.length || items[this.#taken - 1] !== this.#last) this.#forget();
    for (const item of inRequestOrder(items.slice(this.#taken))) {
      this.#ordered.push(item);
      this.#digest.add(item);
    }
    this.#taken = items.length;
    this.#last = items.at(-1);
    return {
      request: { head, items: [...this.#ordered], projection },
      digest: this.#digest.digest(head, projection),
    };
  }

  #forget(): void {
    this.#ordered = [];
    this.#digest = new RequestDigest();
    this.#taken = 0;
    this.#last = undefined;
  }
}
