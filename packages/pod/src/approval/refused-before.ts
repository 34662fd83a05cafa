/** What the user refused already: the same call is not asked about again until the user says something. */
import { canonicalJson, type JsonObject, type PodName } from "@yoi/base";
import type { OpenApproval, SessionState } from "@yoi/session-store";
import { parseArguments } from "@yoi/worker";
import { approvalDigest } from "./digest.ts";

type Refused = Pick<SessionState, "closedApprovals" | "items" | "segment">;

/** The answer that refused a call of this tool with these arguments behind the last input of the user; null: there is none. */
export function refusedBefore(
  { closedApprovals, items, segment }: Refused,
  pod: PodName,
  { tool, arguments: args }: { readonly tool: string; readonly arguments: JsonObject },
): OpenApproval["answer"] {
  const wanted = canonicalJson(args);
  for (const { item } of items.toReversed()) {
    if (item.type === "user_message") break;
    if (item.type !== "tool_call" || item.name !== tool) continue;
    const parsed = parseArguments(tool, item.arguments);
    if ("problem" in parsed || canonicalJson(parsed.args) !== wanted) continue;
    const digest = approvalDigest({ pod, segment, call: item.call, tool, arguments: parsed.args });
    const answer = closedApprovals.get(digest)?.answer ?? null;
    if (answer?.answer === "deny") return answer;
  }
  return null;
}
