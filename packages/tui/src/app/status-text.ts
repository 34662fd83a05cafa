/** What the open Pod is and does, as a page. */
import { dollars } from "@yoi/base";
import { openRow, type UiState } from "./state.ts";

export function statusText(state: UiState): string {
  const { open } = state;
  if (open === null) return "No Pod is open.";
  const { session } = open;
  const { about, context, spent } = session;
  const rows: readonly (readonly [string, string | null])[] = [
    ["name", session.name],
    ["title", session.title],
    ["state", session.link === "up" ? session.state : `${session.state} (${session.link})`],
    ["why", session.why],
    ["paused", session.paused?.reason ?? null],
    ["workspace", about?.workspace ?? null],
    ["model", about?.model ?? null],
    ["permission mode", about?.permission_mode ?? null],
    ["sandbox", about === null ? null : `${about.sandbox}${about.network ? ", with the network" : ""}`],
    ["tools", about === null ? null : about.tools.join(", ")],
    [
      "context",
      context === null
        ? null
        : `${context.tokens} tokens${context.window === null ? "" : ` of ${context.window}`}`,
    ],
    ["used", spent === null ? null : spentText(spent.usage, spent.cost.nano_usd)],
    ["used with children", spent === null ? null : spentText(spent.tree.usage, spent.tree.cost.nano_usd)],
    [
      "children",
      session.children.length === 0
        ? null
        : session.children.map(({ name, state: of }) => `${name} (${of})`).join(", "),
    ],
    [
      "calls to answer",
      session.approvals.length === 0 ? null : `${session.approvals.length + session.approvalsOmitted}`,
    ],
    [
      "queued inputs",
      session.queue.length === 0
        ? null
        : `${session.queue.length}${session.queueHeld ? ", held until you go on" : ""}`,
    ],
    ["notifications that wait", session.waiting === 0 ? null : `${session.waiting}`],
    ["begun by", openRow(state)?.parent ?? null],
    ["version", about?.version ?? null],
  ];
  const columns = Math.max(...rows.map(([name]) => name.length));
  return rows
    .flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(columns)}  ${value}`]))
    .join("\n");
}

function spentText(
  usage: { readonly input_tokens: number; readonly output_tokens: number },
  nanoUsd: number,
): string {
  return `${usage.input_tokens} tokens in, ${usage.output_tokens} out, ${dollars(nanoUsd)}`;
}
