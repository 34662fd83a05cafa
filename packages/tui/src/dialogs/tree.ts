/** The rows of the tree that its filter leaves. */
import type { TreeRow } from "../host.ts";
import type { TreeDialog } from "./dialog.ts";
import { filtered } from "./list.ts";

export function treeRows({ rows, list }: TreeDialog): readonly TreeRow[] {
  return filtered(rows ?? [], list.filter, ({ pod, scope, loan }) =>
    [pod.name, pod.title ?? "", ...scope, loan ?? ""].join(" "),
  );
}
