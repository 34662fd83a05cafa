/** What an open Pod has of its children: what is done about them, what they were lent, what ended in them; and when it looks by itself. */
import type { PodName } from "@yoi/base";
import type { Watcher } from "./drive/watchers.ts";
import type { Notify } from "./extend.ts";
import type { Inbox } from "./inbox/inbox.ts";
import type { Submissions } from "./inbox/submissions.ts";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import type { OpenSession } from "./restore/open-session.ts";
import type { ServedPod } from "./serve/served-pod.ts";
import { ChildEvents } from "./spawn/child-events.ts";
import { Children } from "./spawn/children.ts";
import type { Lender } from "./spawn/lender.ts";
import { LoanWatch } from "./spawn/loan-watch.ts";
import { LookAgain } from "./spawn/look-again.ts";
import type { TreeBudget } from "./spawn/tree-budget.ts";
import { Turns } from "./spawn/turns.ts";

export interface OpenChildrenRequest {
  readonly options: OpenPodOptions;
  readonly setup: PodSetup;
  readonly session: OpenSession;
  readonly inbox: Inbox;
  readonly submissions: Submissions;
  readonly notify: Notify;
  /** Something was accepted otherwise. */
  readonly notified: () => void;
  readonly budget: TreeBudget | null;
  readonly keepSpent: Lender["keepSpent"];
  readonly warn: (text: string) => void;
  readonly watch: (watcher: Watcher) => void;
}

export interface OpenChildren {
  readonly children: Children;
  readonly loans: LoanWatch;
  readonly events: ChildEvents;
  /** As `ServedPod.hear`. */
  readonly hear: ServedPod["hear"];
  /** From now on it looks without being asked, and calls `alike`, which never throws, whenever it does; gives how to end that. */
  readonly lookByItself: (alike: () => Promise<void>) => LookAgain;
  /** Nothing is done about them any more; looks at what ended in them go on. */
  readonly close: () => Promise<void>;
}

/** Nothing is looked at yet. */
export function openChildren(request: OpenChildrenRequest): OpenChildren {
  const { options, session, inbox, notified, warn, watch } = request;
  const { gate, record } = session;
  const { sessions, pods, ports } = options;
  const lender = lenderOf(request);
  const turns = new Turns();
  const loans = new LoanWatch(lender, turns);
  const children = new Children(lender, turns, loans);
  const events = new ChildEvents({
    sessions,
    pods,
    gate,
    inbox,
    record: () => record.current,
    clock: ports.clock,
    notified,
    warn,
  });
  const hear = (child: PodName, event: Parameters<ServedPod["hear"]>[1]): void => {
    // What it does now is not in its log.
    if (event !== "changed") void events.lookAt(child);
    void children.giveOwed();
    if (event === "shut_down" || event === "left") void loans.checkGone(child);
  };
  const close = async (): Promise<void> => {
    await Promise.all([children.close(), loans.close()]);
  };
  const lookByItself = (alike: () => Promise<void>) =>
    looking({ session, children, loans, events, watch, timers: ports.timers, alike });
  return { children, loans, events, hear, lookByItself, close };
}

function lenderOf(request: OpenChildrenRequest): Lender {
  const { options, setup, session, submissions, notify, budget, keepSpent, warn } = request;
  const { name, sessions, pods, lease, registry, ports, socket, childHost } = options;
  const { gate, record } = session;
  return {
    name,
    record,
    scope: setup.scope,
    manifest: setup.manifest,
    budget,
    keepSpent,
    sessions,
    pods,
    lease,
    registry,
    host: childHost ?? null,
    ports,
    socket,
    segment: () => gate.state.segment,
    lendable: setup.lendable,
    endStrays: setup.endStrays,
    tell: ({ child, ...notice }) => notify({ kind: "pod_event", source: child, ...notice }),
    isTold: (submission) => submissions.knows(submission),
    warn,
  };
}

interface Looking {
  readonly session: OpenSession;
  readonly children: Children;
  readonly loans: LoanWatch;
  readonly events: ChildEvents;
  readonly watch: (watcher: Watcher) => void;
  readonly timers: OpenPodOptions["ports"]["timers"];
  readonly alike: () => Promise<void>;
}

/** As it turns idle, when its inbox has room again, and now and then while it lends. */
function looking({ session, children, loans, events, watch, timers, alike }: Looking): LookAgain {
  const { gate, record } = session;
  gate.onCommit((entries) => {
    const isDelivered = entries.some((entry) => entry.kind === "system_item" && entry.delivers !== undefined);
    if (!isDelivered) return;
    void loans.roomAgain();
    void events.roomAgain();
  });
  const look = async (): Promise<void> => {
    await Promise.all([loans.lookAround(), events.lookAtAll(), children.giveOwed()]);
    await alike();
  };
  watch({
    committed: () => {},
    event: (event) => {
      if (event.type === "state" && event.state !== "running") void look();
    },
  });
  const again = new LookAgain({ timers, isNeeded: () => record.current.children.length > 0, look });
  record.watch(() => again.wake());
  again.wake();
  return again;
}
