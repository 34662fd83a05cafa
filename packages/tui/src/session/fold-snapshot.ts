/** Fold of a snapshot: what goes on at the moment in which the records end. */
import type { PodView } from "@yoi/protocol";
import { answerBegun } from "./answer-begun.ts";
import { beginIn } from "./begin-in.ts";
import type { BlockBody } from "./block.ts";
import { arrivingBody, callBody } from "./call-body.ts";
import type { Draft } from "./draft.ts";
import { alertText } from "./notes.ts";
import { outputEnd } from "./output-end.ts";

/** Stands for the beginning of a text of which only the end was told. */
const missing = "[…] ";

export function foldSnapshot(draft: Draft, view: PodView): void {
  const { segment, seq, generation, epoch, n } = view;
  draft.learnGeneration(generation);
  if (draft.held.firstSeq === null) draft.hold({ firstSeq: seq + 1 });
  beginIn(draft, segment);
  draft.hold({ segment, epoch, live: n, pause: view.paused ?? draft.held.pause });
  draft.set({
    link: "up",
    why: null,
    cursor: { segment, seq },
    title: view.title ?? null,
    about: view.about,
    state: view.state,
    run: view.run,
    paused: view.paused ?? null,
    retry: null,
    compaction: view.compaction ?? null,
    approvals: view.approvals,
    approvalsOmitted: view.approvals_omitted ?? 0,
    queue: view.queue ?? [],
    queueHeld: view.queue_held ?? false,
    waiting: view.waiting,
    panels: (view.panels ?? []).filter(({ rows }) => rows.length > 0),
    context: view.context ?? null,
    spent: view.spent ?? null,
    children: view.children ?? [],
  });
  foldInFlight(draft, view);
  for (const alert of view.alerts) {
    const note = { kind: "note", level: alert.level, text: alertText(alert) } as const;
    draft.add(`live ${epoch}.${alert.n}`, note);
  }
}

function foldInFlight(draft: Draft, { in_flight: { request, blocks, calls }, commands = [] }: PodView): void {
  const known = draft.arriving;
  if (blocks.length > 0) answerBegun(draft);
  draft.drop(known);
  for (const { index, block, name, from, text } of request === null ? [] : blocks) {
    const id = `${draft.idOf(request ?? 0)}.${index}`;
    const before = textOf(known.find((one) => one.id === id));
    const whole = from <= before.length ? before.slice(0, from) + text : missing + text;
    draft.add(id, arrivingBody(id, block, name, whole), false);
  }
  for (const { call, name, output } of calls) {
    const block = draft.open(call);
    const running = { progress: "running", output: outputEnd(output) } as const;
    if (block?.kind === "call") draft.put(block, { ...block, ...running }, false);
    else if (block === null) draft.add(call, { ...callBody(call, name, ""), ...running }, false);
  }
  for (const { id, command, output } of commands) {
    const body = { kind: "command", command, progress: "running", output: outputEnd(output) } as const;
    const block = draft.open(id);
    if (block === null) draft.add(id, body, false);
    else if (block.kind === "command") draft.put(block, body, false);
  }
}

function textOf(block: BlockBody | undefined): string {
  switch (block?.kind) {
    case "answer":
    case "reasoning":
      return block.text;
    case "call":
      return block.arguments;
    default:
      return "";
  }
}
