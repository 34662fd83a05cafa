/** How long an answer counts, as a person says it: once, for the session, or always, by one of the rules that are offered. */
import { type KeptAnswer, YoiError } from "@yoi/base";
import { parseKeptRule } from "@yoi/pod";
import type { PendingApproval } from "@yoi/protocol";

export interface HowLong {
  readonly for: "once" | KeptAnswer["for"];
  /** A rule as it is offered, or its number from 1; absent: the first, which is the narrowest. */
  readonly rule?: string;
  /** Milliseconds since the epoch; absent: until it is revoked. */
  readonly expires?: number;
  readonly everywhere?: boolean;
}

export const once: HowLong = { for: "once" };
/** Longer is for ever: leave it out. */
export const lastsDaysMax = 3_650;

/** Of an offer, from 1. */
const ruleNumber = /^[1-9]\d?$/;

/** Undefined: for this call only. Throws usage. */
export function keptAnswerOf(
  how: HowLong,
  { offers = [] }: Pick<PendingApproval, "offers">,
): KeptAnswer | undefined {
  const { for: long, rule, expires, everywhere = false } = how;
  if (long === "once") {
    if (rule !== undefined || expires !== undefined || everywhere)
      throw new YoiError(
        "usage",
        "A rule, its end and where it counts are for answers that are kept: give --for session or --for always with them.",
      );
    return undefined;
  }
  if (everywhere && long === "session")
    throw new YoiError("usage", "A session is in one workspace: --everywhere goes with --for always.");
  return {
    for: long,
    rule: chosen(rule, offers),
    ...(expires === undefined ? {} : { expires }),
    ...(everywhere ? { everywhere } : {}),
  };
}

/** `90m`, `12h`, `7d`. Throws usage. */
export function lastsMsOf(text: string): number {
  const [, digits = "", unit = ""] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(digits) * ({ m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? 0);
  if (ms === 0 || ms > lastsDaysMax * 86_400_000)
    throw new YoiError(
      "usage",
      `${JSON.stringify(text)} is no time that a rule can last: write minutes, hours or days, as 90m, 12h or 7d, at most ${lastsDaysMax}d.`,
    );
  return ms;
}

/** The words behind an approval's ID: nothing, `once`, `session`, `session 2`, `always 1`. Null: they say nothing of the kind. */
export function howLongOf(words: readonly string[]): HowLong | null {
  const [long = "once", rule, ...others] = words;
  if (others.length > 0 || (long !== "once" && long !== "session" && long !== "always")) return null;
  if (rule === undefined) return { for: long };
  return long === "once" || !ruleNumber.test(rule) ? null : { for: long, rule };
}

/** For a sentence. */
export function howLongText(keep: KeptAnswer | undefined): string {
  if (keep === undefined) return "Allowed once";
  const where = keep.everywhere === true ? " in every workspace" : "";
  return keep.for === "session" ? `Allowed for this session` : `Allowed always${where}`;
}

function chosen(rule: string | undefined, offers: readonly string[]): string {
  const found =
    rule === undefined ? offers[0] : (offers.find((offer) => offer === rule) ?? numbered(rule, offers));
  const known = offers.map((offer, index) => `${index + 1}: ${offer}`).join("; ");
  if (found !== undefined && rule === undefined && isPattern(found))
    throw new YoiError(
      "usage",
      `No rule is offered that is for this very call alone (${known}): name the one that you mean with --rule, or allow the call once.`,
    );
  if (found !== undefined) return found;
  throw new YoiError(
    "usage",
    offers.length === 0
      ? "No rule is offered for this call: it can be allowed once."
      : `${JSON.stringify(rule)} is none of the rules that are offered for this call (${known}): give one of them, or its number.`,
  );
}

function numbered(rule: string, offers: readonly string[]): string | undefined {
  return ruleNumber.test(rule) ? offers[Number(rule) - 1] : undefined;
}

/** It lets through more than what was asked about. */
function isPattern(rule: string): boolean {
  const kept = parseKeptRule(rule);
  return kept?.kind === "call" && "pattern" in kept.about;
}
