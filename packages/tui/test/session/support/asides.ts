/** What comes at any time of a Pod: what others say, and what its user asks for beside the conversation. */
import { noProjection } from "@yoi/base";
import { type LogRig, systemItem } from "./log-rig.ts";

export function aside(rig: LogRig, choose: (below: number) => number, text: () => string): void {
  const { state } = rig;
  switch (choose(11)) {
    case 0:
      return rig.commit([{ kind: "inbox_accepted", item: systemItem("notification", text()).item }]);
    case 1:
      return rig.commit([
        {
          kind: "input_queued",
          parts: [{ type: "text", text: text() }],
          when: choose(2) === 0 ? "boundary" : "run_end",
          submission: text(),
        },
      ]);
    case 2: {
      const [queued] = state.queue;
      return queued === undefined ? undefined : rig.commit([{ kind: "input_unqueued", queued: queued.seq }]);
    }
    case 3:
      return rig.commit([{ kind: "user_command", command: `echo ${text()}`, submission: text() }]);
    case 4: {
      const [command] = state.commands;
      if (command === undefined) return;
      return rig.writes(command.id, `${text()}\n`);
    }
    case 5: {
      const [command] = state.commands;
      if (command === undefined) return;
      const body = `The user ran this command in the workspace:\n${command.command}\nIt ended: exit 0.\nIt wrote nothing.`;
      const item = {
        ...systemItem("user_command", body).item,
        record: { command: command.id, end: "exited", exit: 0 },
      };
      return rig.commit([{ kind: "inbox_accepted", item, quiet: true }]);
    }
    case 6:
      return rig.say({ type: "alert", level: "warn", source: "host", message: text(), at: 1 });
    case 7:
      return rig.titled(choose(2) === 0 ? null : text());
    case 8:
      return rig.commit([{ kind: "config_changed", config: { model: `scripted/${text()}` } }]);
    case 9:
      return rig.commit([{ kind: "later_kind", opaque: true, fields: { a: 1 } }]);
    case 10:
      return rig.commit([
        { kind: "projection", projection: noProjection, reason: "pruned", message: "m", saved_tokens: 5 },
      ]);
  }
}
