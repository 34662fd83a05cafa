/** Verifying a segment: every request that was sent in it is rebuilt from it alone and compared with what was recorded before it was sent. */
import {
  canonicalJson,
  isKnown,
  type LlmRequest,
  messageOf,
  type RequestConfig,
  type SegmentId,
  type WireRecord,
} from "@yoi/base";
import { type Model, type ModelRequest, toolSetDigest } from "@yoi/model";
import { createReplay, type SegmentView, type SessionState } from "@yoi/session-store";
import { RequestBuilder } from "@yoi/worker";

export interface VerifyOptions {
  /** How many request bodies are rebuilt too, counted from the newest; 0: none. */
  readonly wireRequestsMax: number;
  /** A model that can lower requests offline, for the parameters and the adapter (by name) that a request was sent with. */
  readonly openModel: (config: RequestConfig, adapter: string) => Promise<Model>;
}

export type ProblemKind =
  | "damage"
  | "not_ready"
  /** A segment that another one names is not there. */
  | "missing_segment"
  /** Another segment than the one that goes on from it knew it, or it went on behind that. */
  | "origin"
  /** The Pod was on it after the one that its metadata names. */
  | "superseded"
  | "missing_lines"
  | "tool_set"
  | "request"
  | "wire"
  | "wire_unavailable";

export interface VerifyProblem {
  readonly kind: ProblemKind;
  /** Where it is. */
  readonly segment: SegmentId;
  /** The first entry that differs; null where the problem is not one entry's. */
  readonly seq: number | null;
  /** One sentence. */
  readonly message: string;
}

/** One pass over the log. Stops at the first request that differs; a body that cannot be rebuilt here stops nothing. */
export class SegmentCheck {
  requests = 0;
  wireChecked = 0;
  wireOtherVersion = 0;
  wireUnavailable = 0;
  readonly otherVersions = new Set<string>();
  /** By model: the first body that cannot be rebuilt here. */
  readonly #unavailable = new Map<string, VerifyProblem>();
  readonly #view: SegmentView;
  readonly #options: VerifyOptions;
  /** By parameters and adapter. */
  readonly #models = new Map<string, Promise<Model>>();

  readonly #segment: SegmentId;
  /** Requests of the log. */
  readonly total: number;

  constructor(segment: SegmentId, view: SegmentView, options: VerifyOptions) {
    this.#segment = segment;
    this.#view = view;
    this.#options = options;
    this.total = view.entries.filter((entry) => isKnown(entry) && entry.kind === "llm_request").length;
  }

  async run(): Promise<readonly VerifyProblem[]> {
    const replay = createReplay();
    const builder = new RequestBuilder();
    try {
      for (const entry of this.#view.entries) {
        if (isKnown(entry) && entry.kind === "llm_request") {
          const wire = this.requests >= this.total - this.#options.wireRequestsMax;
          const problem = await this.#request(entry, replay.state, builder, wire);
          if (problem !== null) return [problem, ...this.#unavailable.values()];
        }
        if (isKnown(entry) && entry.kind === "tools_changed" && toolSetDigest(entry.tools) !== entry.digest) {
          return [
            {
              kind: "tool_set",
              segment: this.#segment,
              seq: entry.seq,
              message: `Entry ${entry.seq}: the tool set does not have the digest that it names.`,
            },
          ];
        }
        replay.apply(entry);
      }
    } finally {
      for (const model of this.#models.values())
        await model.then(
          (opened) => opened.close?.(),
          () => {},
        );
    }
    return [...this.#unavailable.values()];
  }

  async #request(
    entry: LlmRequest & { readonly seq: number },
    state: SessionState,
    builder: RequestBuilder,
    wire: boolean,
  ): Promise<VerifyProblem | null> {
    const differs = (what: string): VerifyProblem => ({
      kind: "request",
      segment: this.#segment,
      seq: entry.seq,
      message: `Entry ${entry.seq}: the request cannot be rebuilt as it was sent: ${what}.`,
    });
    if (entry.tools !== state.toolsDigest) return differs("it names another tool set than the one in force");
    if (canonicalJson(entry.config) !== canonicalJson(state.config))
      return differs("its parameters are not the ones in force");
    if (canonicalJson({ ...entry.projection }) !== canonicalJson({ ...state.projection }))
      return differs("its projection is not the one in force");
    const through = state.items.at(-1)?.seq ?? state.lastSeq;
    if (entry.through !== through)
      return differs(`it reaches to entry ${entry.through}, and what was there reaches to ${through}`);
    const head = { system: state.prompt, tools: state.tools, config: entry.config };
    let built: ReturnType<RequestBuilder["build"]>;
    try {
      built = builder.build(head, state.items, entry.projection);
    } catch (error) {
      return differs(messageOf(error));
    }
    if (entry.items !== built.request.items.length)
      return differs(`it had ${entry.items} items, rebuilt it has ${built.request.items.length}`);
    if (built.digest !== entry.digest)
      return differs(`its digest is ${built.digest}, recorded was ${entry.digest}`);
    this.requests += 1;
    return wire ? this.#wire(entry, built.request) : null;
  }

  async #wire(
    entry: LlmRequest & { readonly seq: number },
    request: ModelRequest,
  ): Promise<VerifyProblem | null> {
    let model: Model;
    let sent: Awaited<ReturnType<Model["lower"]>>;
    try {
      model = await this.#model(entry);
      sent = await model.lower(request);
    } catch (error) {
      this.wireUnavailable += 1;
      const { model: name } = entry.config;
      if (!this.#unavailable.has(name))
        this.#unavailable.set(name, {
          kind: "wire_unavailable",
          segment: this.#segment,
          seq: entry.seq,
          message: `Entry ${entry.seq}: bodies for ${name} cannot be rebuilt here, so they are neither right nor wrong: ${messageOf(error)}`,
        });
      return null;
    }
    const ours = `${model.adapter.name} ${model.adapter.version} with lowering ${model.lowering}`;
    const theirs = `${entry.adapter.name} ${entry.adapter.version} with lowering ${entry.lowering}`;
    const difference = differenceOf(entry.wire, sent);
    if (difference === null) {
      this.wireChecked += 1;
      return null;
    }
    if (ours !== theirs) {
      this.wireOtherVersion += 1;
      this.otherVersions.add(`${theirs}, here ${ours}`);
      return null;
    }
    return {
      kind: "wire",
      segment: this.#segment,
      seq: entry.seq,
      message: `Entry ${entry.seq}: ${difference}, with the same adapter and lowering.`,
    };
  }

  #model({ config, adapter }: LlmRequest): Promise<Model> {
    const key = canonicalJson({ config: { ...config }, adapter: adapter.name });
    const known = this.#models.get(key) ?? this.#options.openModel(config, adapter.name);
    this.#models.set(key, known);
    return known;
  }
}

/** What of a request would go over the wire otherwise now; null: nothing. */
function differenceOf(recorded: WireRecord, rebuilt: WireRecord): string | null {
  if (rebuilt.sha256 !== recorded.sha256 || rebuilt.bytes !== recorded.bytes)
    return `the rebuilt body has SHA-256 ${rebuilt.sha256} (${rebuilt.bytes} bytes), sent was ${recorded.sha256} (${recorded.bytes} bytes)`;
  if (rebuilt.method !== recorded.method)
    return `the rebuilt request is a ${rebuilt.method}, sent was a ${recorded.method}`;
  // What a base URL puts before the path belongs to the endpoint, which is not on record.
  if (!recorded.path.endsWith(rebuilt.path))
    return `the rebuilt request goes to ${rebuilt.path}, sent was one to ${recorded.path}`;
  const [headersNow, headersThen] = [canonicalJson(rebuilt.headers), canonicalJson(recorded.headers)];
  return headersNow === headersThen
    ? null
    : `the rebuilt request has the headers ${headersNow}, sent were ${headersThen}`;
}
