/** Fold of live events: what goes on, until its record says it. */
import type { Panel } from "@yoi/base";
import type { Live } from "@yoi/protocol";
import { answerBegun, answerOver, runOver } from "./answer-begun.ts";
import type { Block, BlockBody } from "./block.ts";
import { arrivingBody } from "./call-body.ts";
import type { Draft } from "./draft.ts";
import { alertText } from "./notes.ts";
import { outputEnd } from "./output-end.ts";

export function foldLive(draft: Draft, live: Live, now: number): void {
  switch (live.type) {
    case "state": {
      const { state } = live;
      draft.set({ state, paused: state === "paused" ? draft.held.pause : null });
      return state === "running" ? undefined : draft.set({ retry: null });
    }
    case "turn":
      return;
    case "block_start":
    case "delta":
      return foldArriving(draft, live);
    case "tool_start": {
      const block = draft.open(live.call);
      if (block?.kind === "call") draft.put(block, { ...block, progress: "running" }, false);
      return;
    }
    case "tool_progress": {
      const block = draft.open(live.call);
      if (block?.kind === "call")
        draft.put(block, { ...block, output: outputEnd(block.output + live.text) }, false);
      return;
    }
    case "retry": {
      // The answer begins anew: what came of it is nobody's.
      answerOver(draft);
      const { message, attempt, attempts_max: attemptsMax, wait_ms } = live;
      return draft.set({ retry: { message, attempt, attemptsMax, at: now + wait_ms } });
    }
    case "continuation": {
      answerOver(draft);
      const { reason, attempt, attempts_max: attemptsMax } = live;
      return draft.set({
        retry: { message: `The answer broke off (${reason}).`, attempt, attemptsMax, at: null },
      });
    }
    case "alert":
      return note(draft, live.level, alertText(live));
    case "run_ended":
      runOver(draft);
      if (live.run.run === null) note(draft, "info", "stopped before it began: nothing of it is kept");
      return;
    case "run_failed":
      runOver(draft);
      return note(draft, "error", `the run failed (${live.code}): ${live.message}`);
    case "compaction_begun": {
      const { trigger, tokens } = live;
      return draft.set({ compaction: { trigger, tokens } });
    }
    case "compaction_ended":
      // Its record says it.
      return draft.set({ compaction: null });
    case "title":
      return draft.set({ title: live.title });
    case "command_output": {
      const block = draft.open(live.id);
      if (block?.kind === "command")
        draft.put(block, { ...block, output: outputEnd(block.output + live.text) }, false);
      return;
    }
    case "panel":
      return draft.set({ panels: withPanel(draft.session.panels, live.panel) });
    case "spent":
      return draft.set({ context: live.context, spent: live.spent });
    case "children":
      return draft.set({ children: live.children });
    case "shutdown":
      return note(draft, "info", "the Pod is closing");
  }
}

type Arriving = Extract<Live, { readonly type: "block_start" | "delta" }>;

function foldArriving(draft: Draft, live: Arriving): void {
  const { request, index, block } = live;
  answerBegun(draft);
  if (draft.session.retry !== null) draft.set({ retry: null });
  const id = `${draft.idOf(request)}.${index}`;
  const open = draft.open(id);
  const body = live.type === "delta" && open !== null ? longer(open, live.text) : null;
  if (open !== null && body !== null) return draft.put(open, body, false);
  const [name, text] = live.type === "delta" ? [null, live.text] : [live.name, ""];
  draft.record(id, arrivingBody(id, block, name, text), false);
}

/** Null: it is nothing that arrives. */
function longer(block: Block, text: string): BlockBody | null {
  switch (block.kind) {
    case "answer":
    case "reasoning":
      return { ...block, text: block.text + text };
    case "call":
      return block.progress === "writing" ? { ...block, arguments: block.arguments + text } : null;
    default:
      return null;
  }
}

function withPanel(panels: readonly Panel[], panel: Panel): readonly Panel[] {
  const at = panels.findIndex(({ feature }) => feature === panel.feature);
  if (panel.rows.length === 0) return panels.filter(({ feature }) => feature !== panel.feature);
  return at === -1 ? [...panels, panel] : panels.with(at, panel);
}

/** Of what is on no record. */
function note(draft: Draft, level: "info" | "warn" | "error", text: string): void {
  const { epoch, live } = draft.held;
  draft.add(`live ${epoch ?? 0}.${live}`, { kind: "note", level, text });
}
