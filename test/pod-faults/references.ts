/** References of simulated inputs: what stands behind an input, what it attaches, and that a crash leaves no part of it unsaid. */
import assert from "node:assert/strict";
import { type InputPart, isKnown, type LogEntry, type SystemItem } from "@yoi/base";
import type { PodSetup } from "@yoi/pod";
import { namedBy } from "../../packages/pod/test/named-by.ts";

/** Put behind an input. */
export const references = " @one @two";

export function partsOf(input: string): readonly InputPart[] {
  if (!input.endsWith(references)) return [{ type: "text", text: input }];
  return [
    { type: "text", text: `${input.slice(0, -references.length)} ` },
    { type: "file_ref", path: "one" },
    { type: "text", text: " " },
    { type: "file_ref", path: "two" },
  ];
}

export const attach: PodSetup["attach"] = async (wanted) => ({
  items: wanted.map((reference): SystemItem => {
    const path = namedBy(reference);
    const body = `[File: ${path}]\n${`text of ${path}\n`.repeat(40)}`;
    return { type: "system_item", kind: "file_attachment", source: "host", body, record: { path } };
  }),
  warnings: [],
});

/** Behind an input stands all that it attached, at once and in order; or a note says that some of it is missing, before the model is asked. */
export function judgeAttachments(entries: readonly LogEntry[], where: string): void {
  for (const [seq, entry] of entries.entries()) {
    if (!isKnown(entry) || entry.kind !== "user_input" || entry.attachments === undefined) continue;
    const isAttachment = (one: LogEntry | undefined) =>
      one !== undefined && isKnown(one) && one.kind === "system_item" && one.item.kind === "file_attachment";
    let arrived = 0;
    while (isAttachment(entries[seq + 1 + arrived])) arrived += 1;
    const rest = entries.slice(seq + 1 + arrived);
    assert.ok(arrived <= entry.attachments, `${where}: input ${seq} has more than it attached`);
    const next = rest.findIndex(({ kind }) => kind === "llm_request" || kind === "user_input");
    if (arrived === entry.attachments || next < 0) continue;
    const told = rest
      .slice(0, next)
      .some((one) => isKnown(one) && one.kind === "system_item" && one.item.source === "host");
    assert.ok(
      told,
      `${where}: ${arrived} of ${entry.attachments} attachments of input ${seq} are there, and nobody is told`,
    );
  }
}
