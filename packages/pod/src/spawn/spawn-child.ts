/** SpawnPod: a new child, on what is lent to it, with its task. */
import { budgetReached, noSpent, podName, sessionId, YoiError, type PodName } from "@yoi/base";
import type { ChildReached, ManagementCall, SpawnRequest } from "@yoi/feature";
import type { Manifest } from "@yoi/manifest";
import { type ChildRecord, childrenMax } from "@yoi/pod-store";
import { beginOnLoan } from "./begin-child.ts";
import type { ChildHost } from "./child-host.ts";
import { newChildToken, tokenDigest } from "./child-token.ts";
import { depthMax, type Lender } from "./lender.ts";
import { loanOf } from "./loan.ts";
import { giveTask } from "./owed-task.ts";
import { isChildOf, knownAs, type PodRef, refOf } from "./same-pod.ts";

/** Throws usage, pod_exists, limit_exceeded, and what the lend and the child's process fail with. */
export async function spawnChild(
  lender: Lender,
  host: ChildHost,
  request: SpawnRequest,
  { call, signal }: ManagementCall,
): Promise<ChildReached> {
  const name = await newName(lender, request.name);
  if (request.task.trim() === "")
    throw new YoiError("usage", `The child ${name} has no task: say what it should do.`);
  const depth = roomBelow(lender) + 1;
  const { loan, targets } = await loanOf(lender, request.scope);
  const { profile, instruction } = request;
  const manifest = await host.childManifest({
    name,
    lender: lender.name,
    depth,
    parent: { ...lender.manifest, ...(await budgetOf(lender)) },
    loan,
    profile,
    instruction,
  });
  signal.throwIfAborted();
  const token = newChildToken((count) => host.secureBytes(count));
  const session = sessionId(lender.ports.ids.uuidV7());
  const parent = {
    pod: lender.name,
    session: lender.record.current.pointer.session,
    depth,
    token,
  };
  const child: ChildRecord = {
    name,
    state: "starting",
    loan,
    session,
    tokenDigest: tokenDigest(token),
    socket: host.socketOf(name),
    callback: lender.socket,
    sinceMs: lender.ports.clock.now(),
  };
  const task = { text: request.task, submission: `spawn/${call}` };
  const { socket } = await beginOnLoan(lender, {
    host,
    child: { ...child, task },
    targets,
    confirm: () => assertUnused(lender, name),
    prepare: async () =>
      void (await lender.pods.create({ name, pointer: { state: "pending", session }, manifest, parent })),
    keeps: null,
    signal,
  });
  await giveTask(lender, host, name, task);
  return { name, socket };
}

/** What its parent has left. Throws limit_exceeded where that is nothing. */
async function budgetOf({ budget, name }: Lender): Promise<Pick<Manifest, "budget">> {
  if (budget === null) return {};
  const left = await budget.left();
  const reached = budgetReached(left, noSpent);
  if (reached === null) return { budget: left };
  throw new YoiError(
    "limit_exceeded",
    `The Pod ${name} cannot have another child: what it and its children may use (${reached.key}) is used up.`,
  );
}

/** Of one who could have another child: its depth. */
export function roomBelow({ record, name }: Pick<Lender, "record" | "name">): number {
  const { parent, children } = record.current;
  const depth = parent?.depth ?? 0;
  if (depth >= depthMax) {
    throw new YoiError(
      "limit_exceeded",
      `The Pod ${name} is ${depth} levels below a Pod without parent, and ${depthMax} is the most: it cannot have children, so do the work here or leave it to the parent.`,
    );
  }
  if (children.length >= childrenMax) {
    throw new YoiError(
      "limit_exceeded",
      `The Pod ${name} has ${children.length} children, the most that one can have: stop one of them first.`,
    );
  }
  return depth;
}

const other = "SpawnPod makes a new Pod, so use another name";

async function newName(lender: Lender, text: string): Promise<PodName> {
  const { pods, record, name: self } = lender;
  const name = podName(text);
  if (name.toLowerCase() === self.toLowerCase())
    throw new YoiError("usage", `A Pod cannot be its own child, and ${self} is this one's name: ${other}.`);
  await assertUnused(lender, name);
  const twin = await pods.findIgnoringCase(name);
  if (twin !== null) {
    throw new YoiError(
      "pod_exists",
      `The Pod name ${name} differs from the existing Pod ${twin} by case only: ${other}.`,
    );
  }
  const lent = record.current.children.find((child) => child.name.toLowerCase() === name.toLowerCase());
  if (lent !== undefined) {
    throw new YoiError(
      "pod_exists",
      `The loan of a child named ${lent.name} is open, though its metadata is gone: take it back with StopPod first, or use another name.`,
    );
  }
  return name;
}

/** Throws pod_exists, and metadata_damaged where nobody can tell which Pod has the name. */
async function assertUnused({ pods, record, name: self }: Lender, name: PodName): Promise<void> {
  const stored = await pods.read(name);
  if (stored === null) return;
  const { children, reclaimed } = record.current;
  const isHere = knownAs<PodRef>([...children, ...reclaimed], stored) !== undefined;
  const isMine = isHere || isChildOf(stored, refOf(record.current));
  throw new YoiError(
    "pod_exists",
    isMine
      ? `The Pod ${self} has a child named ${name} already: start that one again with RestorePod and give it work with SendToPod, or use another name for a new one.`
      : `A Pod named ${name} exists: ${other}.`,
  );
}
