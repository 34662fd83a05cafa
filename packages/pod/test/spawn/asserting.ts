/** What tests of children say about Pods of a simulated tree. */
import assert from "node:assert/strict";
import { type ScopeRule, YoiError } from "@yoi/base";
import { permissionAt } from "@yoi/scope";
import { aCall, aRequest, SimulatedTree, type TreePod } from "../../../../test/support/simulated-tree.ts";

export const write = (target: string): ScopeRule => ({ target, permission: "write", recursive: true });
export const read = (target: string): ScopeRule => ({ target, permission: "read", recursive: true });

/** A parent whose child `kid` may write `/w/a`. */
export async function withKid(
  tree: SimulatedTree = new SimulatedTree(),
): Promise<{ tree: SimulatedTree; parent: TreePod }> {
  const parent = await tree.open("parent");
  await parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
  return { tree, parent };
}

/** Whether it could write there now. */
export function writes(pod: TreePod | null, path: string): boolean {
  return pod !== null && permissionAt(pod.scope.current, path) === "write";
}

export async function refused(work: Promise<unknown>, code: string, sentence: RegExp): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof YoiError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, sentence);
    return true;
  });
}

/** What was told of loans that came back, in the order of the log: the name of each is `reclaim/<loan>`. */
export async function reclaimNotices(
  tree: SimulatedTree,
  name: string,
): Promise<readonly { readonly submission: string; readonly kind: string; readonly body: string }[]> {
  const { entries } = await tree.log(name);
  return entries.flatMap((entry) => {
    if (entry.kind !== "inbox_accepted" || !("item" in entry)) return [];
    const { submission = "", item } = entry;
    return submission.startsWith("reclaim/") ? [{ submission, kind: item.kind, body: item.body }] : [];
  });
}

export async function reasonsOf(tree: SimulatedTree, name: string): Promise<readonly (readonly string[])[]> {
  return (await tree.record(name)).reclaimed.map((child) => [child.name, child.reason]);
}
