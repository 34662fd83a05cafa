/** What the open Pod is asked, over its link. */
import { messageOf, YoiError } from "@yoi/base";
import type { PodLink } from "../host.ts";
import type { Ask, Sendable } from "./effect.ts";
import type { AskAnswer } from "./event.ts";

/** @param nameOf of what is sent: the same for as long as it is tried. Throws what the Pod refuses. */
export async function answerOf(
  link: PodLink,
  ask: Ask,
  nameOf: (sending: number) => string,
): Promise<AskAnswer> {
  switch (ask.kind) {
    case "send": {
      await submitted(link, ask.what, nameOf(ask.sending));
      return { kind: "sent", sending: ask.sending };
    }
    case "resume":
    case "cancel":
    case "pause":
    case "shutdown":
      await link.call(ask.kind, {});
      return { kind: "done", ask };
    case "compact":
      return { kind: "compacted", result: await link.call("compact", {}) };
    case "undo_compaction":
      return { kind: "compaction_undone", result: await link.call("undo_compaction", {}) };
    case "answer_approval":
      await link.call("answer_approval", ask.params);
      return { kind: "done", ask };
    case "rewind_targets": {
      const { olderThan } = ask;
      const result = await link.call(
        "list_rewind_targets",
        olderThan === null ? {} : { older_than: olderThan },
      );
      return { kind: "rewind_targets", olderThan, result };
    }
    case "rewind":
      return { kind: "rewound", result: await link.call("rewind", ask.params) };
    case "unqueue":
      return { kind: "unqueued", parts: (await link.call("unqueue", { id: ask.id })).parts };
    case "stop_command":
      await link.call("stop_command", { id: ask.id });
      return { kind: "done", ask };
    case "complete_path": {
      const result = await link.call("complete_path", { prefix: ask.prefix });
      return { kind: "paths", ticket: ask.ticket, result };
    }
    case "set_title":
      await link.call("set_title", { title: ask.title });
      return { kind: "done", ask };
  }
}

async function submitted(link: PodLink, what: Sendable, submission: string): Promise<void> {
  switch (what.as) {
    case "submit":
      await link.submit("submit", { parts: what.parts, submission });
      return;
    case "queue":
      await link.submit("queue", { parts: what.parts, when: what.when, submission });
      return;
    case "run_command":
      await link.submit("run_command", { command: what.command, submission });
      return;
    case "notify":
      await link.submit("notify", { message: what.message, submission });
  }
}

export function refusal(ask: Ask, error: unknown): AskAnswer {
  const why = messageOf(error);
  if (ask.kind !== "send") return { kind: "refused", ask, why };
  const isBusy = error instanceof YoiError && error.code === "already_running";
  const isKnown = error instanceof YoiError && error.code !== "pod_unreachable";
  return { kind: "not_sent", sending: ask.sending, why, isBusy, isKnown };
}
