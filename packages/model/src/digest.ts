/** Digests of requests: neutral (what was asked, in our terms) and of tool sets. Incremental, so that a step costs what it adds. */
import { createHash, type Hash } from "node:crypto";
import { canonicalJson, type CommittedItem, idOf, type Projection, type ToolDefinition } from "@yoi/base";
import type { ModelRequest, RequestHead } from "./model.ts";

export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** SHA-256 of the canonical JSON of the definitions. */
export function toolSetDigest(tools: readonly ToolDefinition[]): string {
  return sha256(canonicalJson(tools));
}

/**
 * A running SHA-256 over the canonical lines of items in request order. Items are added once; the digest of a request combines that
 * state with the digests of head and projection.
 */
export class RequestDigest {
  #items: Hash = createHash("sha256");
  #count = 0;
  /** The head that was digested last: it seldom changes, and a prompt is long. */
  #head: {
    readonly system: string;
    readonly tools: readonly ToolDefinition[];
    readonly digests: HeadDigests;
  } | null = null;

  get count(): number {
    return this.#count;
  }

  add(item: CommittedItem): void {
    this.#items.update(`${idOf(item)} ${canonicalJson(item.item)}\n`);
    this.#count += 1;
  }

  digest(head: RequestHead, projection: Projection): string {
    const items = this.#items.copy().digest("hex");
    return sha256(
      canonicalJson({
        ...this.#headDigests(head),
        config: head.config,
        projection,
        items,
        count: this.#count,
      }),
    );
  }

  #headDigests({ system, tools }: RequestHead): HeadDigests {
    if (this.#head === null || this.#head.system !== system || this.#head.tools !== tools) {
      this.#head = { system, tools, digests: { system: sha256(system), tools: toolSetDigest(tools) } };
    }
    return this.#head.digests;
  }
}

interface HeadDigests {
  readonly system: string;
  readonly tools: string;
}

/** The digest of a whole request at once: the reference that the incremental one is tested against. */
export function requestDigest(request: ModelRequest): string {
  const digest = new RequestDigest();
  for (const item of request.items) digest.add(item);
  return digest.digest(request.head, request.projection);
}
