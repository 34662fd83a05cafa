/** Opening a Pod: lease, setup, features, session and loop, joined in this order. Fails as a whole: nothing is held afterwards. */
import { type InputPart, isKnown } from "@yoi/base";
import type { CompletePath, FilesBack } from "@yoi/tools";
import { told, type ToolTable } from "@yoi/worker";
import { Alerts } from "./alert/alerts.ts";
import type { Approvals } from "./approval/approvals.ts";
import type { Drive } from "./drive/drive.ts";
import { type Watcher, Watchers } from "./drive/watchers.ts";
import { extend, type Notify } from "./extend.ts";
import type { InstalledFeatures } from "./feature/install-features.ts";
import { notifierLater } from "./feature/sinks/notifier.ts";
import { Inbox } from "./inbox/inbox.ts";
import { type Accepted, Submissions } from "./inbox/submissions.ts";
import { type MadeCompaction, makeCompaction } from "./make-compaction.ts";
import { makeDrive } from "./make-drive.ts";
import { makePoints } from "./make-points.ts";
import { type OpenChildren, openChildren } from "./open-children.ts";
import { openSession, openTrace, recordShutdown, type Shutdown } from "./open-log.ts";
import { checkPrice, openBudget } from "./open-budget.ts";
import { inGrantedScope, openApprovals, openScopeGrants } from "./open-granting.ts";
import { openReading } from "./open-reading.ts";
import { type OpenPresent, openPresent } from "./open-present.ts";
import type { OpenPodOptions } from "./pod-options.ts";
import { permittedAttach } from "./policy/permitted-references.ts";
import type { OpenSession } from "./restore/open-session.ts";
import type { Present } from "./serve/served-pod.ts";
import { allocate } from "./spawn/allocate.ts";
import { tellRegistry } from "./spawn/tell-registry.ts";
import { managementLater } from "./spawn/management.ts";
import { takeOver } from "./take-over.ts";
import type { SessionPlace } from "./timeline/own-session.ts";
import { createSessionTools } from "./timeline/session-tools.ts";
import type { Attaching } from "./turn/given-input.ts";
import { InputQueue, type QueuedInput } from "./turn/input-queue.ts";
import { UserCommands } from "./turn/user-commands.ts";

/** What an open Pod is made of. */
export interface PodParts {
  readonly session: OpenSession;
  readonly features: InstalledFeatures;
  readonly alerts: Alerts;
  readonly approvals: Approvals;
  readonly submissions: Submissions;
  readonly notify: Notify;
  readonly queue: (input: QueuedInput) => Promise<Accepted>;
  readonly unqueue: (id: string) => Promise<readonly InputPart[]>;
  readonly hear: OpenChildren["hear"];
  /** Why a Pod that was hosted ends; null: it does not, or was not hosted. A child's log says it, for its parent. */
  readonly shutdown: Shutdown;
  readonly drive: Drive;
  readonly compaction: MadeCompaction["compaction"];
  readonly children: OpenChildren["children"];
  readonly sessions: OpenPodOptions["sessions"];
  readonly timers: OpenPodOptions["ports"]["timers"];
  readonly ids: OpenPodOptions["ports"]["ids"];
  readonly tools: ToolTable;
  readonly filesBack: FilesBack | null;
  readonly straysEnded: number;
  /** What a view shows beside history. */
  readonly present: () => Present;
  readonly setTitle: OpenPresent["setTitle"];
  readonly commands: UserCommands;
  readonly completePath: CompletePath | null;
  /** Returns how to stop watching. */
  readonly watch: (watcher: Watcher) => () => void;
  /** Gives back all of it, last taken first. */
  readonly held: AsyncDisposableStack;
}

export async function openPod(given: OpenPodOptions): Promise<PodParts> {
  const watchers = new Watchers(given.observer);
  const options = { ...given, observer: watchers.observe };
  await using undo = new AsyncDisposableStack();
  const { stored, setup, lent } = await takeOver(options, undo);
  checkPrice(setup);
  const allocated = await allocate(options, setup.scope, lent);
  undo.defer(() => allocated.release());
  const alerts = new Alerts({
    clock: options.ports.clock,
    told: (alert) => told(() => options.observer({ type: "alert", alert })),
  });
  const notices = notifierLater();
  undo.defer(notices.closed);
  const managed = managementLater();
  undo.defer(managed.closed);
  let place: () => SessionPlace | null = () => null;
  const warn = (text: string) => alerts.raise("warn", "host", text);
  const isChild = lent !== null;
  const grants = openScopeGrants({ options, setup, allocated, isChild, warn });
  undo.defer(() => grants.close());
  const extended = await extend(options, setup, alerts, {
    within: (tool) => grants.guard(tool),
    notifier: notices.notifier,
    pods: options.childHost === undefined ? null : managed.management,
    sessionTools: createSessionTools(options.sessions, () => place()),
    shown: (live) => watchers.show(live),
  });
  const { features, tools } = extended;
  undo.defer(features.end);
  await using installed = new AsyncDisposableStack();
  installed.defer(features.stop);

  // Of a session that is still to be made nothing ever ran.
  const hasRun = stored !== null && stored.pointer.state !== "pending";
  const straysEnded = hasRun ? await setup.endStrays(options.name) : 0;
  const session = await openSession(options, stored, setup, extended);
  undo.defer(session.close);
  const shutdown: Shutdown = { reason: null };
  undo.defer(() => recordShutdown(session, shutdown));
  await allocated.moved({ segment: session.gate.state.segment, epoch: session.record.current.epoch });
  const { gate } = session;
  place = () => ({ ref: gate.ref, through: gate.state.lastSeq });
  const { timers } = options.ports;
  const follow = () => {
    setup.recall(gate.items, "whole");
    extended.restoreStates(gate);
  };
  follow();
  gate.onRotate(follow);
  gate.onCommit((entries) => extended.panels.committed(entries));
  undo.defer(tellRegistry(session, allocated, warn));
  const trace = await openTrace(options, setup, session, tools, alerts);
  undo.defer(async () => trace?.close());
  const { committed } = options;
  if (committed !== undefined) {
    gate.onCommit((entries) => told(() => committed(entries)));
    gate.onRotate((entries) => told(() => committed(entries.filter(isKnown))));
  }

  const submissions = new Submissions(gate, setup.featureHost.redact);
  const inbox = new Inbox(gate, submissions);
  const attaching: Attaching = {
    attach: permittedAttach(extended.permissions, setup.attach),
    recall: (items) => setup.recall(items, "more"),
    warn,
  };
  const queue = new InputQueue(gate, submissions, attaching);
  // What is told while the Pod is opened begins no run before it is open.
  let isUp = false;
  const notified = () => {
    if (isUp) drive.notified();
  };
  const notify: Notify = async (notice) => {
    const accepted = await inbox.accept(notice);
    if (!accepted.duplicate) notified();
    return accepted;
  };
  const watch = (watcher: Watcher) => watchers.watch(gate, watcher);
  const spending = openBudget(options, setup, session, warn);
  const budget = setup.manifest.budget === undefined ? null : spending;
  const lending = openChildren({
    options,
    setup,
    session,
    budget,
    keepSpent: (child) => spending.keep(child),
    inbox,
    submissions,
    notify,
    notified,
    warn,
    watch,
  });
  const { children, loans, events } = lending;
  // Before anything runs: what is told of it is in history before the first request.
  await loans.reconcile();
  const approvals = await openApprovals({ options, setup, session, extended, grants, isChild, warn });
  const commands = new UserCommands({
    gate,
    submissions,
    shell: setup.shell === undefined ? null : inGrantedScope(setup.shell, grants),
    alone: (signal, work, told) => extended.lane.alone(signal, work, told),
    inbox,
    wrote: (id, text) => watchers.show({ type: "command_output", id, text }),
    warn,
  });
  await commands.closeDead();
  const made = makeCompaction({ options, setup, session, extended, alerts, budget });
  const { threshold } = made;
  const points = makePoints({ options, setup, extended, inbox, queue, approvals, threshold });
  const input = { ...attaching, promptSubmit: points.promptSubmit };
  const drive = makeDrive({
    options,
    setup,
    gate,
    submissions,
    input,
    queue,
    extended,
    points,
    alerts,
    trace,
    budget,
    made,
  });
  undo.defer(() => events.close());
  const present = openPresent({
    options,
    session,
    spending,
    watchers,
    context: made.context,
    panels: () => extended.panels.list,
    commands: () => commands.list,
    redact: setup.featureHost.redact,
  });
  undo.defer(() => present.close());
  const again = lending.lookByItself(present.lookAgain);
  undo.defer(() => again.close());
  // Closing: at once no run goes on or begins; then tasks stop, hooks hear how the run ended, and what they still tell waits for the next owner; then
  // nobody is heard, and what features were handed ends last.
  undo.defer(() => inbox.close());
  undo.defer(() => commands.close());
  undo.defer(() => queue.close());
  undo.defer(lending.close);
  undo.defer(() => points.settled());
  undo.use(installed.move());
  undo.defer(() => drive.close());
  await events.lookAtAll();
  // What a hook has to say about a run that was stopped waits: it would undo the stop.
  notices.opened({ inbox, isTelling: points.isTelling, notified });
  const { childHost } = options;
  if (childHost !== undefined) {
    const { sessions, pods, lease } = options;
    const record = () => session.record.current;
    const now = () => ({ state: drive.state, approvals: approvals.pending.length });
    const ports = { sessions, pods, lease, timers };
    managed.opened(children, openReading({ host: childHost, ports, record, now }));
  }
  features.start();
  isUp = true;
  // What an earlier owner accepted and told nobody, and what it began and gave no task.
  drive.notified();
  void children.giveOwed();
  return {
    session,
    features,
    alerts,
    approvals,
    submissions,
    notify,
    queue: async (wish) => {
      const accepted = await queue.accept(wish, input);
      if (!accepted.duplicate) drive.notified();
      return accepted;
    },
    unqueue: (id) => queue.takeBack(id),
    hear: (child, event) => {
      lending.hear(child, event);
      void present.look();
    },
    shutdown,
    drive,
    compaction: made.compaction,
    children,
    sessions: options.sessions,
    timers,
    ids: options.ports.ids,
    tools,
    filesBack: setup.filesBack ?? null,
    straysEnded,
    watch,
    present: present.now,
    setTitle: present.setTitle,
    commands,
    completePath: setup.completePath ?? null,
    held: undo.move(),
  };
}
