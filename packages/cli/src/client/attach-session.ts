/** AttachSession: one terminal that follows a Pod: the stream as lines or as JSON, and the lines that are typed as requests. */
import { isKnown, type LogEntry, YoiError } from "@yoi/base";
import type { Live, PendingApproval, PodView, Rotation, StreamListener } from "@yoi/protocol";
import { jsonLine } from "../output/json-line.ts";
import { plainEntry } from "../output/plain-entry.ts";
import { digestChars } from "../output/transcript/entry-blocks.ts";
import { Transcript, type TranscriptOptions } from "../output/transcript/transcript.ts";
import type { ReachedPod } from "./connect-pod.ts";
import type { StreamEnd } from "./stream-end.ts";
import { givePrompt } from "./give-prompt.ts";
import { keptAnswerOf } from "./kept-answer.ts";
import { approvalNamed } from "./pending-approvals.ts";
import { nowOf, stateText } from "./pod-now.ts";
import { readTyped, type Typed, typedHelp } from "./typed-line.ts";
import { looser, unusual } from "./unusual.ts";

export interface AttachOptions extends TranscriptOptions {
  readonly name: string;
  readonly json: boolean;
  /** A lost connection is made again. */
  readonly waits: boolean;
  /** Lines are typed: what is said is said to a person who can answer. */
  readonly isAttended: boolean;
  readonly end: StreamEnd;
  /** A sentence for the person. */
  readonly say: (text: string) => void;
  readonly newId: () => string;
  /** Milliseconds, for how long something was on the screen. */
  readonly now: () => number;
}

/** A call that has just appeared is allowed only by its name: what was typed was meant for what was on the screen before. */
export const justAppearedMs = 1_500;
/** Of what was raised before somebody attached. */
export const oldAlertsMax = 5;

type Call = Pick<PendingApproval, "digest" | "call"> & {
  readonly offers: readonly string[];
  readonly shownAt: number;
};

export class AttachSession implements StreamListener {
  readonly #options: AttachOptions;
  readonly #transcript: Transcript;
  #approvals: readonly Call[] = [];
  /** Names of those that a line may begin with. */
  #skills: readonly string[] = [];
  /** Digests of those of which it was said how they are answered. */
  readonly #told = new Set<string>();
  /** Of the last live event; null: no snapshot came yet. */
  #n: number | null = null;

  constructor(options: AttachOptions) {
    this.#options = options;
    this.#transcript = new Transcript(options);
  }

  readonly restarted = (): void => {
    this.#transcript.restarted();
  };

  readonly rotated = (rotation: Rotation): void => {
    if (this.#options.json) this.#json({ event: "segment_rotated", ...rotation });
    else this.#transcript.rotated(rotation);
  };

  readonly entry = (entry: LogEntry): void => {
    if (this.#options.json) this.#json({ event: "entry", entry: plainEntry(entry) });
    else this.#transcript.entry(entry);
    this.#follow(entry);
  };

  readonly omitted = (seq: number, kind: string): void => {
    if (this.#options.json) this.#json({ event: "entry_omitted", seq, kind });
    else this.#transcript.omitted(seq, kind);
  };

  readonly snapshot = (view: PodView): void => {
    const isFirst = this.#n === null;
    this.#n = view.n;
    this.#skills = (view.about.skills ?? []).map(({ name }) => name);
    if (this.#options.json) this.#json({ event: "snapshot", view });
    else {
      this.#transcript.snapshot(view);
      for (const alert of isFirst ? view.alerts.slice(-oldAlertsMax) : view.alerts)
        this.#transcript.live(alert);
    }
    const known = this.#approvals;
    this.#approvals = view.approvals.map(({ digest, call, offers = [] }) => {
      const shownAt = known.find((one) => one.digest === digest)?.shownAt ?? this.#options.now();
      return { digest, call, offers, shownAt };
    });
    if (isFirst && this.#options.isAttended) this.say(greeting(view));
    else if (isFirst && !this.#options.json && looser(view.about) !== null)
      this.say(`The Pod ${view.pod} runs with ${looser(view.about)}.`);
    for (const { digest } of this.#approvals) this.#sayHow(digest);
    if (view.approvals_omitted !== undefined && !this.#options.json)
      this.say(
        `${view.approvals_omitted} more wait that are too large to be sent: \`yoi approve ${view.pod}\`.`,
      );
  };

  readonly live = (live: Live): void => {
    this.#n = (this.#n ?? 0) + 1;
    this.#options.end.live(live);
    if (this.#options.json) this.#json({ event: "live", n: this.#n, live });
    else this.#transcript.live(live);
  };

  readonly disconnected = (why: string): void => {
    if (this.#options.end.disconnected() && this.#options.waits)
      this.say(`Connection lost (${why}) Waiting for the Pod; Ctrl-C leaves.`);
  };

  /** A sentence, on a line of its own. */
  say(text: string): void {
    if (this.#options.screen() !== null) this.#transcript.endLine();
    this.#options.say(text);
  }

  /** A line was typed: the terminal shows it, and goes on in a new row. */
  readonly echoed = (): void => {
    if (this.#options.screen() !== null) this.#transcript.lineEnded();
  };

  /** False: the person leaves. What the Pod refuses is said. */
  async typed(lines: readonly string[], pod: ReachedPod): Promise<boolean> {
    const typed = readTyped(lines, this.#skills);
    if (typed.kind === "detach") return false;
    try {
      await this.#carryOut(typed, pod);
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      this.say(error.message);
    }
    return true;
  }

  async #carryOut(typed: Exclude<Typed, { kind: "detach" }>, pod: ReachedPod): Promise<void> {
    switch (typed.kind) {
      case "nothing":
        return;
      case "wrong":
        return this.say(typed.sentence);
      case "help":
        return this.say(typedHelp);
      case "prompt":
        return await givePrompt(pod, typed.parts, this.#options.newId());
      case "later":
        await pod.submit("queue", {
          parts: typed.parts,
          submission: this.#options.newId(),
          when: "run_end",
        });
        return;
      case "command":
        await pod.submit("run_command", {
          command: typed.command,
          submission: this.#options.newId(),
        });
        return;
      case "title":
        await pod.call("set_title", { title: typed.title });
        return;
      case "notify":
        await pod.submit("notify", { message: typed.message, submission: this.#options.newId() });
        return;
      case "cancel":
        return await this.#cancel(pod);
      case "pause":
      case "resume":
        await pod.call(typed.kind, {});
        return;
      case "approve": {
        const { digest, offers } = this.#chosen(typed.digest);
        const keep = keptAnswerOf(typed.how, { offers });
        const kept = keep === undefined ? {} : { keep };
        await pod.call("answer_approval", { digest, answer: "allow", ...kept });
        return;
      }
      case "deny": {
        const { digest } = this.#chosen(typed.digest);
        await pod.call("answer_approval", { digest, answer: "deny", reason: typed.reason });
      }
    }
  }

  /** The run; where none goes on, the user's commands. */
  async #cancel(pod: ReachedPod): Promise<void> {
    try {
      await pod.call("cancel", {});
    } catch (error) {
      if (!(error instanceof YoiError && error.code === "not_running")) throw error;
      const { commands = [] } = await pod.call("show", {});
      if (commands.length === 0) throw error;
      for (const { id } of commands) await pod.call("stop_command", { id });
    }
  }

  #chosen(prefix: string | null): Call {
    if (prefix !== null) return approvalNamed(this.#approvals, prefix);
    const [only, ...others] = this.#approvals;
    if (only === undefined) throw new YoiError("approval_unknown", "Nothing waits for an answer.");
    if (others.length > 0)
      throw new YoiError("usage", "Several calls wait: give the ID of the one that is meant.");
    if (!this.#transcript.isShownWhole(only.digest))
      throw new YoiError(
        "usage",
        "That call does not fit on this screen: look at all of it, and give its ID in the answer.",
      );
    if (this.#options.now() - only.shownAt < justAppearedMs)
      throw new YoiError("usage", "That call has only just appeared: look at it, and answer again.");
    return only;
  }

  #follow(entry: LogEntry): void {
    if (!isKnown(entry)) return;
    switch (entry.kind) {
      case "approval_asked": {
        const { digest, call, offers = [] } = entry;
        this.#approvals = [...this.#approvals, { digest, call, offers, shownAt: this.#options.now() }];
        if (this.#n !== null) this.#sayHow(digest);
        return;
      }
      case "approval_answered":
        this.#approvals = this.#approvals.filter(({ digest }) => digest !== entry.digest);
        return;
      case "tool_result":
        this.#approvals = this.#approvals.filter(({ call }) => call !== entry.item.call);
        return;
      default:
    }
  }

  #sayHow(digest: string): void {
    if (this.#told.has(digest)) return;
    this.#told.add(digest);
    const id = digest.slice(0, digestChars);
    const hasOffers = this.#approvals.some((one) => one.digest === digest && one.offers.length > 0);
    const kept = hasOffers ? " (`session N` or `always N` behind it keeps the rule N)" : "";
    const { name, isAttended } = this.#options;
    this.say(
      isAttended
        ? `Answer with /approve ${id}${kept}, or /deny ${id} REASON.`
        : `Answer with \`yoi approve ${name} ${id}\`, or refuse with --deny --reason TEXT behind it${hasOffers ? "; --for session keeps a rule" : ""}.`,
    );
  }

  #json(event: object): void {
    this.#options.write(jsonLine(event));
  }
}

function greeting(view: PodView): string {
  const { pod, about } = view;
  const { model, workspace } = about;
  const differing = unusual(about)
    .map((part) => `, ${part}`)
    .join("");
  return `Attached to the Pod ${pod} (${stateText(nowOf(view))}, ${model}, in ${workspace}${differing}). A line is a prompt, /help shows what else; Ctrl-D leaves, and the Pod goes on.`;
}
