/** LastWords: what was said last in a log, and whether its run was paused, from its end alone. */
import { isKnown, YoiError } from "@yoi/base";
import type { DecodedEntry, SegmentRef, SessionStore } from "@yoi/session-store";
import { lastLineOf } from "../commands/pod-picker.ts";
import { pausedText } from "../output/paused-text.ts";

/** How many entries are looked at: what was said last stands behind few others, or is not looked for. */
export const entriesLookedAtMax = 400;

export interface Said {
  /** "": not known. */
  readonly lastLine: string;
  /** Why its run stands, as one line; null: it does not, as far as is known. */
  readonly paused: string | null;
}

const nothing: Said = { lastLine: "", paused: null };

export class LastWords {
  readonly #sessions: Pick<SessionStore, "readLines">;
  readonly #known = new Map<string, { readonly usedMs: number; readonly said: Said }>();

  constructor({ sessions }: { readonly sessions: Pick<SessionStore, "readLines"> }) {
    this.#sessions = sessions;
  }

  /** @param usedMs when something was last put on record: what was read before holds until that is another moment */
  async of(ref: SegmentRef, usedMs: number): Promise<Said> {
    const known = this.#known.get(ref.segment);
    if (known?.usedMs === usedMs) return known.said;
    const said = await this.#read(ref);
    this.#known.set(ref.segment, { usedMs, said });
    return said;
  }

  async #read(ref: SegmentRef): Promise<Said> {
    let looked = 0;
    let paused: string | null | undefined;
    try {
      for await (const lines of this.#sessions.readLines(ref, { seq: Infinity, direction: "backwards" })) {
        for (const line of lines) {
          const entry = line.decode();
          if (entry === null) continue;
          looked += 1;
          if (paused === undefined) paused = standOf(entry);
          const lastLine = lineOf(entry);
          if (lastLine !== "" || looked === entriesLookedAtMax) return { lastLine, paused: paused ?? null };
        }
      }
    } catch (error) {
      // A log that cannot be read does not keep the others from being listed.
      if (!(error instanceof YoiError)) throw error;
      return nothing;
    }
    return { lastLine: "", paused: paused ?? null };
  }
}

/** What an entry says of the run before it; undefined: nothing. */
function standOf(entry: DecodedEntry): string | null | undefined {
  if ("detached" in entry || !isKnown(entry)) return undefined;
  switch (entry.kind) {
    case "run_completed":
    case "run_errored":
    case "turn_rolled_back":
      return null;
    case "run_paused":
      return entry.reason === "interrupted"
        ? "cut off in mid-run"
        : pausedText({ reason: entry.reason, until: entry.until ?? null });
    case "invoke":
    case "user_input":
    case "llm_request":
    case "assistant_item":
      return "cut off in mid-run";
    default:
      return undefined;
  }
}

function lineOf(entry: DecodedEntry): string {
  if ("detached" in entry || !isKnown(entry)) return "";
  switch (entry.kind) {
    case "user_input":
      return lastLineOf([{ type: "user_message", parts: entry.parts }]);
    case "assistant_item":
      return lastLineOf([entry.item]);
    case "carried":
      return entry.of === "item" ? lastLineOf([entry.item]) : "";
    default:
      return "";
  }
}
