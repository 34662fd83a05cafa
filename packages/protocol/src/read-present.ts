/** Read present: what a snapshot and live events both say of the Pod as it is now, from JSON. */
import { type Panel, panelMarks } from "@yoi/base";
import type { Fields } from "./fields.ts";
import { readCost, readUsage } from "./read-run-end.ts";
import type { ChildNow, ContextNow, SpentNow } from "./snapshot.ts";
import { podStates } from "./state-table.ts";

export function readPanel(fields: Fields): Panel {
  return {
    feature: fields.string("feature"),
    title: fields.string("title"),
    rows: fields.list("rows", (row) => ({ mark: row.oneOf("mark", panelMarks), text: row.string("text") })),
  };
}

export function readContext(fields: Fields): ContextNow {
  return { tokens: fields.count("tokens"), window: fields.nullOr("window", () => fields.count("window")) };
}

export function readSpent(fields: Fields): SpentNow {
  const tree = fields.object("tree");
  return {
    usage: readUsage(fields.object("usage")),
    cost: readCost(fields.object("cost")),
    tree: { usage: readUsage(tree.object("usage")), cost: readCost(tree.object("cost")) },
  };
}

export function readChild(fields: Fields): ChildNow {
  return {
    name: fields.string("name"),
    state: fields.oneOf("state", [...podStates, "stopped", "unknown"]),
    approvals: fields.count("approvals"),
  };
}
