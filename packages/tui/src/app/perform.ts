/** Performer: carries effects out over what the program hands in. Each ends in an event; none throws. */
import { messageOf, YoiError } from "@yoi/base";
import type { StreamListener } from "@yoi/protocol";
import type { PodLink, UiHost } from "../host.ts";
import type { SessionEvent } from "../session/session.ts";
import { answerOf, refusal } from "./ask-pod.ts";
import type { Ask, Effect } from "./effect.ts";
import type { UiEventBody } from "./event.ts";

/** What of the screen effects need. */
export interface Stage {
  /** The terminal as it was, for another program, until `back`. */
  away(): void;
  back(): void;
  redraw(): void;
  /** False: it is too long for a terminal. */
  copy(text: string): boolean;
  notify(text: string): void;
}

export interface PerformerParts {
  readonly host: UiHost;
  readonly stage: Stage;
  readonly tell: (event: UiEventBody) => void;
}

/** Entries of the past that a Pod is opened with. */
const tailEntries = 1_000;
/** How long what is on its way is waited for when the terminal is left. */
const lastAnswersMs = 1_000;

export class Performer {
  readonly #parts: PerformerParts;
  readonly #links = new Map<number, PodLink>();
  readonly #detached = new Set<number>();
  /** Names of what is sent, by `Sending`: the same for as long as it is tried. */
  readonly #submissions = new Map<number, string>();
  readonly #onTheirWay = new Set<Promise<void>>();
  /** What was sent and is not answered; once the terminal is left, also what was refused. */
  readonly #untaken = new Set<number>();
  #test: AbortController | null = null;
  #isListing = false;
  #isLeaving = false;
  #isClosed = false;

  constructor(parts: PerformerParts) {
    this.#parts = parts;
  }

  perform(effect: Effect): void {
    const work = this.#carryOut(effect).catch((error: unknown) => {
      this.#tell({ type: "failed", effect, why: messageOf(error) });
    });
    if (effect.type !== "ask" || effect.ask.kind !== "send") return;
    this.#untaken.add(effect.ask.sending);
    this.#onTheirWay.add(work);
    void work.finally(() => this.#onTheirWay.delete(work));
  }

  /** Waits a little for what was sent, then leaves every Pod. Resolves with how many of it nobody is known to have. */
  async close(): Promise<number> {
    this.#isLeaving = true;
    this.#test?.abort();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.host.timers.after(lastAnswersMs, resolve);
    await Promise.race([Promise.allSettled(this.#onTheirWay), promise]);
    cancel();
    this.#isClosed = true;
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
    return this.#untaken.size;
  }

  #tell(event: UiEventBody): void {
    if (!this.#isClosed) this.#parts.tell(event);
  }

  async #carryOut(effect: Effect): Promise<void> {
    const { host, stage } = this.#parts;
    const { pods } = host;
    switch (effect.type) {
      case "attach":
        return await this.#attach(effect);
      case "detach":
        return await this.#detach(effect.attachment);
      case "ask":
        return await this.#ask(effect.attachment, effect.ask);
      case "ask_other":
        return await this.#askOther(effect.name, effect.ask);
      case "start":
        return this.#tell({
          type: "started",
          ticket: effect.ticket,
          ...(await pods.start(effect.name, effect.choices)),
        });
      case "restore": {
        const { name, opens } = effect;
        return this.#tell({ type: "restored", name, opens, warnings: await pods.restore(name, effect.how) });
      }
      case "stop":
        await pods.stop(effect.name);
        return this.#tell({ type: "stopped", name: effect.name });
      case "fork": {
        const name = await pods.fork(effect.name, null);
        if (effect.next === "opens_instead") await pods.stop(effect.name);
        return this.#tell({ type: "forked", from: effect.name, name, next: effect.next });
      }
      case "export":
        return this.#tell({ type: "exported", name: effect.name, path: await pods.export(effect.name) });
      case "send_other":
        await pods.send(effect.name, effect.text);
        return this.#tell({ type: "told_other", name: effect.name, what: `${effect.name} has it.` });
      case "title_other":
        await pods.setTitle(effect.name, effect.title);
        return this.#tell({ type: "told_other", name: effect.name, what: `${effect.name} has its title.` });
      case "list_pods":
        return await this.#list();
      case "list_tree":
        return this.#tell({ type: "tree", rows: await pods.tree() });
      case "list_grants":
        return this.#tell({ type: "grants", rows: await host.grants.list() });
      case "revoke":
        return this.#tell({ type: "revoked", id: effect.id, wasThere: await host.grants.revoke(effect.id) });
      case "older": {
        const entries = await pods.before(effect.name, effect.place, effect.count);
        return this.#tell({ type: "older", name: effect.name, entries });
      }
      case "page":
        return this.#tell({ type: "page", page: await host.page(effect.page, effect.pod) });
      case "load_history":
        return this.#tell({ type: "history", texts: await host.history.load() });
      case "add_history":
        return await host.history.add(effect.text);
      case "is_first_run": {
        // What was written for the first Pod may load one.
        const [skills, why] = await Promise.all([host.skills(), host.firstRun.needed()]);
        return this.#tell({ type: "first_run", skills, why });
      }
      case "list_skills":
        return this.#tell({ type: "skills", skills: await host.skills() });
      case "list_providers":
        return this.#tell({ type: "providers", for: effect.for, providers: await host.firstRun.providers() });
      case "test_model":
        return await this.#testModel(effect.model, effect.key);
      case "stop_test":
        return this.#test?.abort();
      case "keep_model": {
        if (effect.key !== null) await host.firstRun.keepKey(effect.provider, effect.key);
        const file = await host.firstRun.keepModel(effect.model);
        return this.#tell({ type: "model_kept", model: effect.model, file });
      }
      case "edit":
        return this.#tell({ type: "edited", text: await this.#away(() => host.edit(effect.text)) });
      case "suspend":
        return await this.#away(() => host.suspend());
      case "redraw":
        return stage.redraw();
      case "copy":
        if (stage.copy(effect.text)) return;
        throw new YoiError(
          "usage",
          "That is too long for the clipboard of a terminal: /export writes it into a file.",
        );
      case "notify":
        return stage.notify(effect.text);
    }
  }

  async #away<T>(work: () => Promise<T>): Promise<T> {
    const { stage } = this.#parts;
    stage.away();
    try {
      return await work();
    } finally {
      stage.back();
    }
  }

  async #attach({ attachment, name, after }: Extract<Effect, { readonly type: "attach" }>): Promise<void> {
    const from = after === null ? { tail: tailEntries } : { after };
    const link = await this.#parts.host.pods.attach(name, this.#listener(attachment), from);
    if (this.#isClosed || this.#detached.delete(attachment)) return link.close();
    this.#links.set(attachment, link);
    void link.closed.then((why) => {
      if (this.#links.get(attachment) === link) this.#session(attachment, { type: "ended", why });
    });
    this.#tell({ type: "attached", attachment });
  }

  #listener(attachment: number): StreamListener {
    const told = (event: SessionEvent) => this.#session(attachment, event);
    return {
      restarted: (segment) => told({ type: "restarted", segment }),
      rotated: (rotation) => told({ type: "rotated", rotation }),
      entry: (entry) => told({ type: "entry", entry }),
      omitted: (seq, kind) => told({ type: "omitted", seq, kind }),
      snapshot: (view) => told({ type: "snapshot", view }),
      live: (live, n) => told({ type: "live", live, n }),
      disconnected: (why) => told({ type: "disconnected", why }),
    };
  }

  #session(attachment: number, event: SessionEvent): void {
    if (!this.#detached.has(attachment)) this.#tell({ type: "session", attachment, event });
  }

  /** What is on its way to it is waited for a little. */
  async #detach(attachment: number): Promise<void> {
    const link = this.#links.get(attachment);
    this.#links.delete(attachment);
    if (link === undefined) {
      this.#detached.add(attachment);
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.host.timers.after(lastAnswersMs, resolve);
    await Promise.race([Promise.allSettled(this.#onTheirWay), promise]);
    cancel();
    link.close();
  }

  async #ask(attachment: number, ask: Ask): Promise<void> {
    const link = this.#links.get(attachment);
    const answer =
      link === undefined
        ? refusal(ask, new YoiError("pod_unreachable", "The Pod cannot be reached."))
        : await answerOf(link, ask, (sending) => this.#nameOf(sending)).catch((error: unknown) =>
            refusal(ask, error),
          );
    if (ask.kind === "send" && (answer.kind === "sent" || !this.#isLeaving))
      this.#untaken.delete(ask.sending);
    // What was not answered may be sent again.
    if (ask.kind === "send" && !(answer.kind === "not_sent" && (answer.isBusy || !answer.isKnown)))
      this.#submissions.delete(ask.sending);
    this.#tell({ type: "answered", attachment, answer });
  }

  #nameOf(sending: number): string {
    const name = this.#submissions.get(sending) ?? this.#parts.host.newId();
    this.#submissions.set(sending, name);
    return name;
  }

  async #askOther(name: string, ask: "pause" | "resume" | "cancel"): Promise<void> {
    const silent: StreamListener = { entry: () => {}, snapshot: () => {}, live: () => {} };
    const link = await this.#parts.host.pods.attach(name, silent, { tail: 0 });
    try {
      await link.call(ask, {});
    } finally {
      link.close();
    }
    const done = { pause: "is being paused", resume: "goes on", cancel: "is being stopped" }[ask];
    this.#tell({ type: "told_other", name, what: `The run of ${name} ${done}.` });
  }

  /** One after the other: a list that is slow is not asked for twice. */
  async #list(): Promise<void> {
    if (this.#isListing) return;
    this.#isListing = true;
    try {
      this.#tell({ type: "pods", rows: await this.#parts.host.pods.list() });
    } finally {
      this.#isListing = false;
    }
  }

  async #testModel(model: string, key: string | null): Promise<void> {
    this.#test?.abort();
    const test = new AbortController();
    this.#test = test;
    const said = await this.#parts.host.firstRun.test(model, key, test.signal);
    if (!test.signal.aborted) this.#tell({ type: "model_tested", model, said });
  }
}
