/** Taking an open Pod back to an earlier entry, while no run of it works. */
import { YoiError } from "@yoi/base";
import type { PodParts } from "./open-pod.ts";
import { type ListedTargets, type ListOptions, listTargets } from "./rewind/list-targets.ts";
import { headIdOf, rewind, type RewinderParts, type RewindRequest, type Rewound } from "./rewind/rewinder.ts";
import { alreadyRunning } from "./turn/state-sentences.ts";

export interface ListedHere extends ListedTargets {
  /** Id of the last entry on record: whoever goes back says it again, so that nothing that came since is left behind unseen. */
  readonly head: string;
}

export async function rewindTargets(
  { session: { gate }, sessions, tools }: PodParts,
  options: Omit<ListOptions, "isReadOnly">,
): Promise<ListedHere> {
  const head = headIdOf(gate);
  const isReadOnly = (tool: string) => tools.get(tool)?.readOnly ?? false;
  return { head, ...(await listTargets(sessions, gate.ref, { ...options, isReadOnly })) };
}

/** Throws already_running, cancelled (the Pod is closing), and as `rewind`. */
export async function takeBack(parts: PodParts, request: RewindRequest): Promise<Rewound> {
  const { drive } = parts;
  if (drive.state === "running") throw new YoiError("already_running", alreadyRunning);
  return drive.alone(() => rewind(rewinderParts(parts), request));
}

export function rewinderParts({ session, sessions, tools, ids, filesBack }: PodParts): RewinderParts {
  const { gate, rotator, record } = session;
  const isReadOnly = (tool: string) => tools.get(tool)?.readOnly ?? false;
  const children = () => record.current.children.map(({ name }) => name);
  return { gate, rotator, sessions, ids, isReadOnly, children, filesBack };
}
