/** What the doctor of tickets found, for people. Pure. */
import { escapeControls } from "@yoi/base";
import type { DoctorReport, TicketProblem } from "@yoi/tickets";

/** Something is wrong and was not mended now. What is beyond the list counts: errors stand first in it. */
export function hasErrors({ problems }: DoctorReport): boolean {
  return problems.some(({ severity, fixed }) => severity === "error" && !fixed);
}

/** A line for each problem, and one for all of it. */
export function doctorText(report: DoctorReport, { fix }: { readonly fix: boolean }): string {
  const { root, tickets, problems, more } = report;
  const lines = problems.map((problem) => `${escapeControls(problemText(problem))}\n`);
  const left = problems.filter(({ fixed }) => !fixed);
  const errors = left.filter(({ severity }) => severity === "error").length;
  const where = `${count(tickets, "ticket")} in ${root}`;
  const found =
    left.length === 0
      ? "nothing is wrong"
      : `${count(errors, "error")}, ${count(left.length - errors, "warning")}`;
  const fixed = problems.length - left.length;
  const also = [...(fixed > 0 ? [`${fixed} mended`] : []), ...(more > 0 ? [`${more} more not listed`] : [])];
  const fixable = left.filter((problem) => problem.fixable).length;
  const advice = fixable > 0 && !fix ? ` \`yoi ticket doctor --fix\` mends ${fixable} of them.` : "";
  return `${lines.join("")}${escapeControls(`${where}: ${[found, ...also].join(", ")}.`)}${advice}\n`;
}

function problemText({ severity, check, path, line, message, fixed }: TicketProblem): string {
  const place = line === undefined ? path : `${path}:${line}`;
  return `${fixed ? "mended" : severity} ${place} (${check}): ${message}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
