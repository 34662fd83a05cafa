/** Submissions: what comes in under a name comes in once, also while the first is still being accepted, and after a restart. */
import { YoiError } from "@yoi/base";
import { idCharsMax } from "@yoi/protocol";
import { type Given, type SessionState, submissionDigest } from "@yoi/session-store";

/** Names that begin like this are the Pod's own, for what became of its children and what features tell: nobody who connects may take one. */
const ownNames: readonly string[] = ["child/", "kept/", "reclaim/", "feature/"];

export function isOwnName(name: string): boolean {
  return ownNames.some((beginning) => name.startsWith(beginning));
}

/** What becomes of something that carries a submission's name. `id`: the `entryId` of what has it on record. */
export type Accepted =
  | { readonly duplicate: false; readonly id: string }
  /** It was accepted before; nothing was done now. `id` is that of then. */
  | { readonly duplicate: true; readonly id: string };

/** What is on record. */
interface OnRecord {
  readonly state: Pick<SessionState, "submissions">;
}

/** One that is being accepted. */
interface Arriving {
  readonly given: Given;
  /** `entryId` of the entry that has it on record; null: it was stopped before. */
  readonly accepted: Promise<string | null>;
}

/** Names are on record with what they name, so the fold over the log knows every one of them; here is only what is on its way there. */
export class Submissions {
  readonly #log: OnRecord;
  readonly #redact: (text: string) => string;
  readonly #arriving = new Map<string, Arriving>();

  /** @param redact what takes credentials out of what goes on record: what is compared with it has none either. */
  constructor(log: OnRecord, redact: (text: string) => string) {
    this.#log = log;
    this.#redact = redact;
  }

  /** It is on record, or being accepted. */
  knows(name: string): boolean {
    return this.#arriving.has(name) || this.#log.state.submissions.has(name);
  }

  /**
   * Calls `accept` unless something came in under `name` before. A repeat while the first is being accepted shares what becomes of that, its failure
   * included: then the name is free again. Throws submission_conflict for other content, limit_exceeded over 128 characters, usage for an empty name
   * and for one that would not be on record as it is.
   */
  async once(
    name: string,
    given: Given,
    accept: () => Promise<string | null>,
  ): Promise<Accepted | { readonly duplicate: boolean; readonly id: null }> {
    this.#requireName(name);
    const before = this.#log.state.submissions.get(name);
    if (before !== undefined) {
      this.#requireSame(name, before.digest, given);
      return { duplicate: true, id: before.id };
    }
    const first = this.#arriving.get(name);
    if (first !== undefined) {
      this.#requireSame(name, this.#digest(first.given), given);
      return { duplicate: true, id: await first.accepted };
    }
    const accepted = accept();
    this.#arriving.set(name, { given, accepted });
    try {
      return { duplicate: false, id: await accepted };
    } finally {
      this.#arriving.delete(name);
    }
  }

  #requireName(name: string): void {
    if (name === "") throw new YoiError("usage", "A submission has an empty id: give it one.");
    // What an own name is made of has limits of its own.
    if (name.length > idCharsMax && !isOwnName(name)) {
      throw new YoiError(
        "limit_exceeded",
        `The id of a submission has ${name.length} characters, and the limit is ${idCharsMax}: make it shorter.`,
      );
    }
    if (this.#redact(name) !== name) {
      const message =
        "The id of a submission holds a known credential, which never goes on record: choose another id.";
      throw new YoiError("usage", message);
    }
  }

  #requireSame(name: string, before: string, now: Given): void {
    if (before === this.#digest(now)) return;
    throw new YoiError(
      "submission_conflict",
      `Something else came in as the submission ${JSON.stringify(name)} before: choose another id for what is new.`,
    );
  }

  /** Of what goes on record. */
  #digest(given: Given): string {
    const redacted: Given = JSON.parse(JSON.stringify(given), (_key, value: unknown) =>
      typeof value === "string" ? this.#redact(value) : value,
    );
    return submissionDigest(redacted);
  }
}
