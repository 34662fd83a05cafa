/** The claims of `yoi demo loans`, each with the evidence that was just produced. */
import type { Claim } from "./claims.ts";
import { begunLine, finishedLine } from "./loans-scenario.ts";
import { type Verified, verifiedEvidence } from "./pods.ts";

/** What `yoi tree` said of a child. */
export interface SeenChild {
  readonly state: string;
  /** `open`, or why its loan is back; null: it has none. */
  readonly loan: string | null;
  /** Directories that it may write. */
  readonly writes: readonly string[];
}

export interface LoansEvidence {
  /** Relative to the workspace. */
  readonly parts: { readonly killed: string; readonly kept: string };
  /** While both work. */
  readonly working: { readonly killed: SeenChild; readonly kept: SeenChild; readonly parentLends: number };
  /** How the lender's writes to what it had lent ended: true: refused. */
  readonly lenderRefused: readonly boolean[];
  /** What the lender has written, by path in the workspace. */
  readonly lenderFiles: readonly string[];
  /** Lines that the children wrote. */
  readonly work: { readonly killed: readonly string[]; readonly kept: readonly string[] };
  /** The one finished while no process of its parent was alive. */
  readonly finishedAlone: boolean;
  /** Processes of the killed child that live. */
  readonly processesLeft: number;
  /** When the parent was restored. */
  readonly killedRestored: SeenChild;
  readonly end: { readonly killed: SeenChild; readonly kept: SeenChild };
  /** By the parent's log. */
  readonly told: {
    /** How often it says that a loan came back, and that the child which lived finished. */
    readonly killedBack: number;
    readonly keptBack: number;
    readonly keptFinished: number;
    /** After the restore the parent was refused a write where that child still had its loan. */
    readonly refusedBefore: boolean;
  };
  /** Of each Pod. */
  readonly verified: readonly Verified[];
}

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

export function loansClaims(evidence: LoansEvidence): readonly Claim[] {
  const { parts, working, lenderRefused, lenderFiles, work, killedRestored, end, told, verified } = evidence;
  const holdsOne = (child: SeenChild, part: string): boolean =>
    child.loan === "open" && child.writes.length === 1 && child.writes[0]?.endsWith(`/${part}`) === true;
  const refusals = lenderRefused.filter(Boolean).length;
  const beforeBack = lenderFiles.filter((file) => !file.endsWith("/back.txt"));
  const backs = lenderFiles.filter((file) => file.endsWith("/back.txt"));
  return [
    {
      claim: "Each child may write what was lent to it, and nothing else",
      holds:
        holdsOne(working.killed, parts.killed) &&
        holdsOne(working.kept, parts.kept) &&
        working.parentLends === 2,
      evidence: `while both worked, the parent had lent ${many(working.parentLends, "part", "parts")}; one could write ${working.killed.writes.join(", ")}, the other ${working.kept.writes.join(", ")}.`,
    },
    {
      claim: "The lender cannot write what it has lent",
      holds: lenderRefused.length > 0 && refusals === lenderRefused.length && beforeBack.length === 0,
      evidence: `${refusals} of ${lenderRefused.length} writes were refused; ${many(beforeBack.length, "file", "files")} of it stand there.`,
    },
    {
      claim: "A child that is killed leaves nothing running, and its loan comes back once",
      holds:
        evidence.processesLeft === 0 &&
        work.killed.join() === begunLine &&
        killedRestored.loan === "lost" &&
        told.killedBack === 1,
      evidence: `it wrote ${work.killed.join(", ")}; ${many(evidence.processesLeft, "process", "processes")} of it alive; its loan is ${killedRestored.loan ?? "unknown"}, and the parent was told ${told.killedBack} time(s).`,
    },
    {
      claim: "A child that lives goes on without its parent, and keeps its loan",
      holds:
        evidence.finishedAlone &&
        work.kept.join() === [begunLine, finishedLine].join() &&
        told.refusedBefore &&
        told.keptFinished === 1,
      evidence: `it wrote ${work.kept.join(", ")} ${evidence.finishedAlone ? "while" : "NOT while"} its parent was dead; a write of the restored parent there was ${told.refusedBefore ? "" : "NOT "}refused while its loan was open, and the parent was told of its end ${told.keptFinished} time(s).`,
    },
    {
      claim: "What was lent is the lender's again",
      holds:
        backs.length === 2 &&
        end.killed.loan === "lost" &&
        end.kept.loan === "stopped" &&
        told.keptBack === 1,
      evidence: `it wrote ${backs.join(", ") || "nothing"}; the loans are back (${end.killed.loan ?? "unknown"}, ${end.kept.loan ?? "unknown"}).`,
    },
    {
      claim: "Every prompt of all three can be rebuilt and checked from the logs",
      holds: verified.length === 3 && verified.every(({ ok, requests }) => ok && requests > 0),
      evidence: verifiedEvidence(verified),
    },
  ];
}
