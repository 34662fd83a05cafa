/** Fold of what becomes of a call: asked about, answered, started, and its result. */
import {
  type ApprovalAnswered,
  type ApprovalAsked,
  type CallId,
  notExecuted,
  outcomeUnknown,
  type ToolResult,
} from "@yoi/base";
import type { Block, CallProgress } from "./block.ts";
import { type CallBody, callBody } from "./call-body.ts";
import type { Draft } from "./draft.ts";
import { answeredNote } from "./notes.ts";

type CallBlock = Extract<Block, { readonly kind: "call" }>;

export function foldStarted(draft: Draft, call: CallId): void {
  change(draft, call, { progress: "running" });
}

export function foldAsked(
  draft: Draft,
  { call, digest, reason, expires, offers, wish }: ApprovalAsked,
): void {
  const block = callOf(draft, call);
  // What it is about came before the records that are here: the snapshot says it.
  if (block === null) return;
  draft.put(block, { ...block, progress: "asked" }, false);
  const asked = {
    digest,
    call,
    tool: block.tool,
    arguments: asRead(block.arguments),
    reason,
    expires,
    ...(offers === undefined ? {} : { offers }),
    ...(wish === undefined ? {} : { wish }),
  };
  draft.set({ approvals: [...draft.session.approvals.filter((one) => one.call !== call), asked] });
}

export function foldAnswered(draft: Draft, id: string, entry: ApprovalAnswered): void {
  change(draft, entry.call, { progress: "waiting" });
  forgetAsked(draft, entry.call);
  const said = answeredNote(entry);
  if (said !== null) draft.add(id, said);
}

/** @param id of its entry. */
export function foldResult(draft: Draft, id: string, item: ToolResult): void {
  const block = callOf(draft, item.call);
  forgetAsked(draft, item.call);
  if (block !== null) return draft.put(block, withResult(block, item), true);
  // Its call came before the records that are here, or on a branch that was left.
  draft.add(`${item.call} ${id}`, withResult(callBody(item.call, item.name, ""), item));
}

export function withResult(body: CallBody, item: ToolResult): CallBody {
  const { summary, content = null, images, record } = item;
  const diff = record?.["diff"];
  return {
    ...body,
    progress: endOf(item),
    output: "",
    summary,
    content,
    diff: typeof diff === "string" && diff !== "" ? diff : null,
    images: images?.length ?? 0,
  };
}

function endOf({ is_error, refusal, summary }: ToolResult): CallProgress {
  if (refusal !== undefined) return "refused";
  if (!is_error) return "done";
  if (summary === outcomeUnknown) return "unknown";
  return summary === notExecuted ? "refused" : "failed";
}

/** As the Pod tells it of a call that waits: read, and written again. */
function asRead(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    // What cannot be read is not asked about: it is shown as the model wrote it.
    return text;
  }
}

function callOf(draft: Draft, call: CallId): CallBlock | null {
  const block = draft.open(call);
  return block?.kind === "call" ? block : null;
}

function change(draft: Draft, call: CallId, fields: Pick<CallBody, "progress">): void {
  const block = callOf(draft, call);
  if (block !== null) draft.put(block, { ...block, ...fields }, false);
}

function forgetAsked(draft: Draft, call: CallId): void {
  const { approvals } = draft.session;
  if (approvals.some((one) => one.call === call))
    draft.set({ approvals: approvals.filter((one) => one.call !== call) });
}
