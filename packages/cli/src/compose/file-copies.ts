/** The copies of a Pod's files, for tools that are made before the Pod has its session. */
import { type PodName, YoiError } from "@yoi/base";
import type { FileCopies } from "@yoi/tools";
import type { Stores } from "./stores.ts";

/** Work once the Pod is open: from then on its session is always the same one. */
export function copiesOf(name: PodName, { pods, sessions }: Pick<Stores, "pods" | "sessions">): FileCopies {
  let opened: FileCopies | null = null;
  const copies = async (): Promise<FileCopies> => {
    if (opened !== null) return opened;
    const record = await pods.read(name);
    if (record === null)
      throw new YoiError("pod_unknown", `The Pod ${name} is not there any more: its files cannot be kept.`);
    opened ??= sessions.copies(record.pointer.session);
    return opened;
  };
  return {
    keep: async (bytes, of) => (await copies()).keep(bytes, of),
    read: async (sha256) => (await copies()).read(sha256),
  };
}
