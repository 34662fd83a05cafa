/** Problem: what a check found, before it is known whether it was mended. */
import type { TicketCheck } from "./checks.ts";
import type { TicketProblem } from "./report.ts";

/** How `--fix` mends a problem without losing anything. */
export type Fix =
  /** What follows from the thread is written: the state in item.md, resolution.md. */
  | { readonly kind: "heal"; readonly ticket: string }
  /** What a killed writer left. Path relative to the root. */
  | { readonly kind: "remove_temporary"; readonly path: string }
  /** What is left of a ticket that was never one is removed. */
  | { readonly kind: "remove_remainder"; readonly ticket: string }
  /** A file of the root gets the lines that it lacks. */
  | { readonly kind: "complete"; readonly name: string; readonly lines: readonly string[] };

export interface Problem extends Omit<TicketProblem, "fixable" | "fixed"> {
  readonly fix?: Fix;
}

/** Where in a ticket something was found. */
interface At {
  readonly line?: number;
  readonly fix?: Fix;
}

type Report = (check: TicketCheck, file: string, message: string, at?: At) => void;

/** Collects what is found about one ticket, or (null) about the root; paths are given relative to its folder. */
export interface Findings {
  readonly problems: readonly Problem[];
  readonly error: Report;
  readonly warning: Report;
}

export function findings(ticket: string | null): Findings {
  const problems: Problem[] = [];
  const reporter =
    (severity: Problem["severity"]): Report =>
    (check, file, message, at = {}) => {
      const path = ticket === null ? file : file === "" ? ticket : `${ticket}/${file}`;
      problems.push({ severity, check, ticket, path, message, ...at });
    };
  return { problems, error: reporter("error"), warning: reporter("warning") };
}
