/** What an open Pod has of its children and peers: made with its session, and closed with it. */
import type { PodName } from "@yoi/base";
import { type KinPorts, listKin } from "./discovery/kin.ts";
import type { Watcher } from "./drive/watchers.ts";
import type { Sending } from "./inbox/inbox.ts";
import type { Submissions } from "./inbox/submissions.ts";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import type { OpenSession } from "./restore/open-session.ts";
import type { ChildEvents } from "./spawn/child-events.ts";
import type { ChildHost } from "./spawn/child-host.ts";
import { readOutput } from "./spawn/child-output.ts";
import { Children } from "./spawn/children.ts";
import type { LiveState } from "./spawn/live-state.ts";
import { LookAgain } from "./spawn/look-again.ts";
import type { Reading } from "./spawn/management.ts";

export interface OpenChildrenRequest {
  readonly options: OpenPodOptions;
  readonly setup: PodSetup;
  readonly session: OpenSession;
  readonly submissions: Submissions;
  /** Resolves when it is durable; throws inbox_full. */
  readonly notify: (notice: Sending) => Promise<unknown>;
  readonly warn: (text: string) => void;
}

export function openChildren(request: OpenChildrenRequest): Children {
  const { options, setup, session, submissions, notify, warn } = request;
  const { name, sessions, pods, lease, registry, ports, socket } = options;
  const { gate, record } = session;
  const children = new Children({
    name,
    record,
    scope: setup.scope,
    manifest: setup.manifest,
    sessions,
    pods,
    lease,
    registry,
    host: options.childHost ?? null,
    ports,
    socket,
    segment: () => gate.state.segment,
    lendable: setup.lendable,
    endStrays: setup.endStrays,
    tell: ({ child, ...notice }) => notify({ kind: "pod_event", source: child, ...notice }),
    isTold: (submission) => submissions.knows(submission),
    warn,
  });
  return children;
}

export interface LookingRequest {
  readonly options: Pick<OpenPodOptions, "ports">;
  readonly session: OpenSession;
  readonly children: Children;
  readonly events: ChildEvents;
  readonly watch: (watcher: Watcher) => void;
}

/** When a Pod that is open looks at its children without being asked: as it turns idle, when its inbox has room again, and now and then while it lends. */
export function looking({ options, session, children, events, watch }: LookingRequest): LookAgain {
  const { gate, record } = session;
  gate.onCommit((entries) => {
    const isDelivered = entries.some((entry) => entry.kind === "system_item" && entry.delivers !== undefined);
    if (!isDelivered) return;
    void children.roomAgain();
    void events.roomAgain();
  });
  const look = async (): Promise<void> => {
    await Promise.all([children.lookAround(), events.lookAtAll()]);
  };
  watch({
    committed: () => {},
    event: (event) => {
      if (event.type === "state" && event.state !== "running") void look();
    },
  });
  const again = new LookAgain({
    timers: options.ports.timers,
    isNeeded: () => record.current.children.length > 0,
    look,
  });
  record.watch(() => again.wake());
  again.wake();
  return again;
}

export interface ReadingRequest {
  readonly host: ChildHost;
  readonly options: Pick<OpenPodOptions, "sessions" | "pods" | "lease" | "ports">;
  readonly session: Pick<OpenSession, "record">;
  readonly now: () => LiveState;
}

/** What is only read of other Pods. */
export function reading({
  host,
  options: { sessions, pods, lease, ports },
  session: { record },
  now,
}: ReadingRequest): Reading {
  const kin: KinPorts = {
    pods,
    lease,
    timers: ports.timers,
    probe: (name) => ask(host, name),
    socketOf: (name, runtime) => host.socketOf(name, runtime),
  };
  return {
    list: () => listKin({ record: record.current, now: now() }, kin),
    read: (name, after) => readOutput({ ...kin, pods, sessions }, record.current, name, after),
  };
}

async function ask(host: ChildHost, name: PodName): Promise<LiveState> {
  const pod = await host.reach(name, "user");
  try {
    const { state, approvals } = await pod.call("show", {});
    return { state, approvals: approvals.length };
  } finally {
    pod.close();
  }
}
