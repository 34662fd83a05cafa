/** What the demo of tickets looks at in the logs of its Pods. */
import type { Stores } from "../compose/stores.ts";
import type { SeenPod } from "./loans-evidence.ts";
import { entriesOf } from "./pods.ts";
import { ticketPods } from "./tickets-steps.ts";

const { lead, coder, reviewer } = ticketPods;

/** Ids of events, as often as they came in. */
export async function toldOf(stores: Stores): Promise<readonly string[]> {
  return (await entriesOf(stores, lead)).flatMap((entry) =>
    entry.kind === "inbox_accepted" && entry.item.source === "builtin:tickets"
      ? [...entry.item.body.matchAll(/^([0-9A-Z]{13}) \w+ by /gm)].map(([, id = ""]) => id)
      : [],
  );
}

/** What the coder was answered when it called its work done; null: it was not refused. */
export async function refusalOf(stores: Stores): Promise<string | null> {
  const entry = (await entriesOf(stores, coder)).find(
    (one) => one.kind === "tool_result" && one.item.name === "TicketTransition" && one.item.is_error,
  );
  return entry?.kind === "tool_result" ? entry.item.summary : null;
}

/** How many writes each of the two was refused: the coder's outside of its clone, the reviewer's in it. */
export async function writesRefusedOf(
  stores: Stores,
): Promise<Readonly<Record<"coder" | "reviewer", number>>> {
  const refusedTo = async (pod: string): Promise<number> =>
    (await entriesOf(stores, pod)).filter(
      (one) => one.kind === "tool_result" && one.item.name === "Write" && one.item.is_error,
    ).length;
  return { coder: await refusedTo(coder), reviewer: await refusedTo(reviewer) };
}

/** Calls of the orchestrator that merge, push or close, whatever they were answered. */
export async function overreachOf(stores: Stores): Promise<number> {
  const calls = (await entriesOf(stores, lead)).flatMap((entry) =>
    entry.kind === "assistant_item" && entry.item.type === "tool_call" ? [entry.item] : [],
  );
  return calls.filter(
    ({ name, arguments: given }) =>
      (name === "Bash" && /git (merge|push)|ticket close/.test(given)) ||
      (name === "TicketTransition" && given.includes('"closed"')),
  ).length;
}

/** The orchestrator ended a turn with words that begin like this. */
export async function hasSaid(stores: Stores, begins: string): Promise<boolean> {
  return (await entriesOf(stores, lead)).some(
    (entry) =>
      entry.kind === "assistant_item" &&
      entry.item.type === "assistant_message" &&
      entry.item.text.startsWith(begins),
  );
}

/** How the loan of each child ended, of `yoi tree --json`; empty while something is lent. */
export function loansOf(tree: string): readonly string[] {
  const [seen] = (JSON.parse(tree) as { readonly pods: readonly SeenPod[] }).pods;
  if (seen === undefined || seen.lent.length > 0) return [];
  return seen.children.map(({ loan }) => loan?.state ?? "none");
}
