/** What a refusal says: who holds what, and the ways out, as commands that can be typed. */
import { type PodName, YoiError } from "@yoi/base";
import { quotePath } from "../path.ts";
import type { Conflict } from "./judge.ts";

/** To a user who opens a Pod. */
export function conflictError(conflict: Conflict): YoiError {
  const { owner, path, runs } = conflict;
  const { name, delegatedFrom } = owner;
  const process = runs && owner.owner !== null ? ` (process ${owner.owner.pid})` : "";
  const who =
    delegatedFrom === null
      ? `the Pod ${name}${process} works there`
      : `it is on loan from the Pod ${delegatedFrom} to its child ${name}${process}`;
  return new YoiError(
    "scope_conflict",
    `This Pod could write ${quotePath(path)}, and ${who}: ${waysIn(conflict)}, or start this one with --read-only${conflict.leavesRoom ? ", or with --write DIR for a part of the workspace where nobody else writes" : ""}.`,
    { place: { path } },
  );
}

function waysIn({ owner: { name, owner, socket }, runs, held }: Conflict): string {
  const stop = `\`yoi pod stop ${held}\``;
  const lender = held === name ? "it" : `${held}, which lends it, with all that it lends to`;
  // Without a process of its own: whatever it was given comes back with its lender's end.
  if (!runs && held !== name) return `end ${lender} (${stop})`;
  if (socket !== null)
    return `give ${name} the work (\`yoi run --pod ${name} PROMPT\`, \`yoi attach ${name}\`), end ${lender} (${stop})`;
  const end = owner === null ? "" : `, end it (\`kill ${owner.pid}\`)`;
  return `wait until its run ends and then give ${name} the work (\`yoi run --pod ${name} PROMPT\`)${end}`;
}

/** To a Pod that lends. */
export function lendConflictError(lender: PodName, { owner, path }: Conflict): YoiError {
  const { name, delegatedFrom } = owner;
  return new YoiError(
    "scope_conflict",
    delegatedFrom === lender
      ? `${quotePath(path)} is on loan to the child ${name} already: lend another part, or stop ${name} first.`
      : `${quotePath(path)} is where the Pod ${name} may write: lend another part, or lend it for reading.`,
  );
}
