/** Opening a Pod: lease, setup, features, session and loop, joined in this order. Fails as a whole: nothing is held afterwards. */
import { type CallId, YoiError } from "@yoi/base";
import type { PodManagement } from "@yoi/feature";
import type { PodRecord } from "@yoi/pod-store";
import { told, ToolTable, Worker, type WorkerObserver } from "@yoi/worker";
import { Alerts } from "./alert/alerts.ts";
import { Approvals } from "./approval/approvals.ts";
import { Drive } from "./drive/drive.ts";
import { type Watcher, Watchers } from "./drive/watchers.ts";
import { type InstalledFeatures, installFeatures } from "./feature/install-features.ts";
import { recordOfReports } from "./feature/record-of-reports.ts";
import { switchedOffBy } from "./feature/switched-off.ts";
import type { StateProblem } from "./feature/states/feature-states.ts";
import { EventTrace } from "./history/event-trace.ts";
import type { HistoryGate } from "./history/gate.ts";
import { createHookPoints, type HookPoints } from "./hook/points.ts";
import { HookRegistry } from "./hook/registry.ts";
import { boundedText } from "./hook/said.ts";
import { Inbox, type Sending } from "./inbox/inbox.ts";
import { type Accepted, Submissions } from "./inbox/submissions.ts";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import { PermissionGate } from "./policy/permission-gate.ts";
import { permissionHook } from "./policy/permission-hook.ts";
import { permittedAttach } from "./policy/permitted-references.ts";
import { rulesWithoutEffect } from "./policy/rules-without-effect.ts";
import { ChildEvents } from "./spawn/child-events.ts";
import { shutdownDomain } from "./spawn/child-endings.ts";
import { createSession, type OpenSession, restoreSession } from "./restore/open-session.ts";
import { openChildren, reading } from "./open-children.ts";
import { allocate } from "./spawn/allocate.ts";
import type { Children } from "./spawn/children.ts";
import { type Lent, lentTo } from "./spawn/lent-to.ts";
import { managementLater } from "./spawn/management.ts";

/** What an open Pod is made of. */
export interface PodParts {
  readonly session: OpenSession;
  readonly features: InstalledFeatures;
  readonly alerts: Alerts;
  readonly approvals: Approvals;
  readonly submissions: Submissions;
  /** Resolves when the notice is durable. */
  readonly notify: (notice: Sending) => Promise<Accepted>;
  readonly childEvents: ChildEvents;
  /** Why a Pod that was hosted ends; null: it does not, or was not hosted. A child's log says it, for its parent. */
  readonly shutdown: { reason: string | null };
  readonly drive: Drive;
  readonly children: Children;
  readonly timers: OpenPodOptions["ports"]["timers"];
  readonly tools: ToolTable;
  readonly straysEnded: number;
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
  const allocated = await allocate(options, setup.scope, lent);
  undo.defer(() => allocated.release());
  const alerts = new Alerts({
    clock: options.ports.clock,
    told: (alert) => told(() => options.observer({ type: "alert", alert })),
  });
  const notices = Promise.withResolvers<PodParts["notify"]>();
  notices.promise.catch(() => {});
  undo.defer(() =>
    notices.reject(new YoiError("cancelled", "The Pod is closed: nothing can be told to its model.")),
  );
  const managed = managementLater();
  undo.defer(managed.closed);
  const extended = await extend(options, setup, alerts, {
    notify: async (notice) => (await notices.promise)(notice),
    pods: options.childHost === undefined ? null : managed.management,
  });
  const { features, tools } = extended;
  undo.defer(features.end);
  await using installed = new AsyncDisposableStack();
  installed.defer(features.stop);

  const straysEnded = stored === null ? 0 : await setup.endStrays(options.name);
  const session = await openSession(options, stored, setup, extended);
  undo.defer(session.close);
  const shutdown: PodParts["shutdown"] = { reason: null };
  undo.defer(() => recordShutdown(session, shutdown));
  await allocated.moved({ segment: session.gate.state.segment, epoch: session.record.current.epoch });
  const { gate } = session;
  const { clock, timers } = options.ports;
  setup.recall(gate.items, "whole");
  extended.restoreStates(gate);
  const trace = await openTrace(options, setup, session, tools, alerts);
  undo.defer(async () => trace?.close());
  const { committed } = options;
  if (committed !== undefined) gate.onCommit((entries) => told(() => committed(entries)));

  const submissions = new Submissions(gate, setup.featureHost.redact);
  const inbox = new Inbox(gate, submissions);
  let tell: (notice: Sending) => Promise<Accepted> = (notice) => inbox.accept(notice);
  const warn = (text: string) => alerts.raise("warn", "host", text);
  const children = openChildren({
    options,
    setup,
    session,
    submissions,
    notify: (notice) => tell(notice),
    warn,
  });
  // Before anything runs: what is told of it is in history before the first request.
  await children.reconcile();
  const approvals = new Approvals({
    pod: options.name,
    gate,
    canAsk: options.canAsk ?? false,
    clock,
    timers,
  });
  const mayAsk = (call: CallId) => approvals.mayAsk(call);
  const permission = permissionHook(extended.permissions, mayAsk);
  extended.hooks.add("host_safety", host, "permission", "pre_tool_call", permission);
  const points = createHookPoints({
    registry: extended.hooks,
    approvals,
    // A Pod has always one; what shows history without a Pod has not.
    hasWriter: true,
    drain: () => inbox.drain(),
    threshold: () => null,
    timers,
    about: (owner, problem) => features.about(owner, "warn", problem),
    redact: setup.featureHost.redact,
  });
  const drive = makeDrive({ options, setup, gate, submissions, extended, points, alerts, trace });
  let isUp = false;
  const childEvents = new ChildEvents({
    sessions: options.sessions,
    pods: options.pods,
    gate,
    inbox,
    record: () => session.record.current,
    clock,
    notified: () => {
      if (isUp) drive.notified();
    },
    warn,
  });
  undo.defer(() => childEvents.close());
  // Closing: at once no run goes on or begins; then tasks stop, hooks hear how the run ended, and what they still tell waits for the next owner; then
  // nobody is heard, and what features were handed ends last.
  undo.defer(() => inbox.close());
  undo.defer(() => children.close());
  undo.defer(() => points.settled());
  undo.use(installed.move());
  undo.defer(() => drive.close());
  await childEvents.lookAtAll();
  watchers.watch(gate, {
    committed: () => {},
    event: (event) => {
      if (event.type !== "state" || event.state === "running") return;
      void childEvents.lookAtAll();
      void children.lookAround();
    },
  });
  const notify = async (notice: Sending) => {
    const accepted = await inbox.accept(notice);
    if (!accepted.duplicate) drive.notified();
    return accepted;
  };
  tell = notify;
  // What a hook has to say about a run that was stopped waits: it would undo the stop.
  notices.resolve((notice) => (points.isTelling(notice.source) ? inbox.accept(notice) : notify(notice)));
  const now = () => ({ state: drive.state, approvals: approvals.pending.length });
  const { childHost } = options;
  if (childHost !== undefined) managed.opened(children, reading({ host: childHost, options, session, now }));
  features.start();
  isUp = true;
  // What an earlier owner accepted and told nobody.
  drive.notified();
  const watch = (watcher: Watcher) => watchers.watch(gate, watcher);
  return {
    session,
    features,
    alerts,
    approvals,
    submissions,
    notify,
    childEvents,
    shutdown,
    drive,
    children,
    timers,
    tools,
    straysEnded,
    watch,
    held: undo.move(),
  };
}

/** What a Pod has beside its session: rules, hooks, features and all tools. */
interface Extended {
  readonly permissions: PermissionGate;
  readonly hooks: HookRegistry;
  readonly features: InstalledFeatures;
  readonly tools: ToolTable;
  readonly tellStates: (problems: readonly StateProblem[]) => void;
  readonly restoreStates: (gate: HistoryGate) => void;
}

const host = { id: "host", mayAppend: false };

/** No feature adds a hook after this; what keeps the user safe is added later, and its band is asked first. */
async function extend(
  { ports: { clock, timers } }: OpenPodOptions,
  setup: PodSetup,
  alerts: Alerts,
  { notify, pods }: { readonly notify: PodParts["notify"]; readonly pods: PodManagement | null },
): Promise<Extended> {
  const hooks = new HookRegistry();
  const permissions = new PermissionGate({ ...setup.manifest, locate: setup.locate });
  const features = await installFeatures({
    modules: setup.features,
    switchedOff: switchedOffBy(setup.manifest.features),
    existingTools: setup.tools,
    hooks,
    host: setup.featureHost,
    alerts,
    notify: async (source, message) => void (await notify({ source, message })),
    pods,
    clock,
    timers,
  });
  const tools = ToolTable.create([...setup.tools, ...features.tools].map(setup.guard));
  for (const sentence of rulesWithoutEffect(setup.manifest.permissions.rules, tools.definitions))
    alerts.raise("warn", "host", sentence);
  const tellStates: Extended["tellStates"] = (problems) => {
    for (const { feature, message } of problems)
      features.about(feature, "error", boundedText(message, setup.featureHost));
  };
  const restoreStates = ({ items, state }: HistoryGate) =>
    tellStates(features.states.restore(items, state.states));
  return { permissions, hooks, features, tools, tellStates, restoreStates };
}

async function openSession(
  { name, version, sessions, pods, ports }: OpenPodOptions,
  stored: PodRecord | null,
  setup: PodSetup,
  { features, tools, tellStates }: Extended,
): Promise<OpenSession> {
  const stores = { sessions, pods };
  const owner = {
    version,
    manifest: setup.manifestJson,
    config: setup.config,
    tools: tools.definitions,
    states: () => {
      const { states, problems } = features.states.snapshot();
      tellStates(problems);
      return states;
    },
    features: recordOfReports(features.reports),
  };
  return stored === null
    ? await createSession(stores, ports.ids, name, owner, await setup.seed())
    : await restoreSession(stores, ports.ids, stored, owner, setup.seed);
}

/** The last record of a hosted child's life. */
async function recordShutdown(
  { gate, record }: OpenSession,
  { reason }: PodParts["shutdown"],
): Promise<void> {
  if (reason === null || record.current.parent === null) return;
  await gate.append([{ kind: "extension", domain: shutdownDomain, payload: { reason } }]);
}

interface DriveRequest {
  readonly options: OpenPodOptions;
  readonly setup: PodSetup;
  readonly gate: HistoryGate;
  readonly submissions: Submissions;
  readonly extended: Extended;
  readonly points: HookPoints;
  readonly alerts: Alerts;
  readonly trace: EventTrace | null;
}

function makeDrive(request: DriveRequest): Drive {
  const { options, setup, gate, submissions, extended, points, alerts, trace } = request;
  const { clock, timers } = options.ports;
  const { permissions, features, tools } = extended;
  const { limits } = setup.manifest;
  const worker = new Worker({
    history: gate,
    model: setup.model,
    tools,
    head: { system: gate.state.prompt, config: () => gate.state.config },
    points,
    observer: observerOf(options, trace, {
      warn: (text) => alerts.raise("warn", "worker", text),
      toolSaid: (tool, text) =>
        alerts.raise("warn", features.ownerOf(tool) ?? tool, boundedText(text, setup.featureHost)),
    }),
    clock,
    timers,
    limits: { contentBytesMax: limits.tool_output_bytes },
  });
  return new Drive({
    gate,
    submissions,
    input: {
      promptSubmit: points.promptSubmit,
      attach: permittedAttach(permissions, setup.attach),
      recall: (items) => setup.recall(items, "more"),
      warn: (text) => alerts.raise("warn", "host", text),
    },
    worker,
    timers,
    maxTurns: limits.max_turns,
    beginsOwnRuns: options.beginsOwnRuns ?? false,
    // A result may have been given up, and an input may have left history with what it attached.
    unfinished: () => {
      setup.recall(gate.items, "whole");
      extended.restoreStates(gate);
    },
    observe: options.observer,
  });
}

/** Takes the lease and makes the setup. A new Pod that cannot start leaves no trace, not even of its lease. */
async function takeOver(
  options: OpenPodOptions,
  undo: AsyncDisposableStack,
): Promise<{ readonly stored: PodRecord | null; readonly setup: PodSetup; readonly lent: Lent | null }> {
  const { name, pods } = options;
  const twin = await pods.findIgnoringCase(name);
  if (twin !== null && twin !== name) {
    throw new YoiError(
      "pod_exists",
      `The Pod name ${name} differs from the existing Pod ${twin} by case only: use that name, or another one.`,
    );
  }
  const early = (await pods.read(name)) === null ? await options.setup(null, null) : null;
  if (early !== null) undo.defer(early.release);
  const lease = await options.lease.acquire(name, options.purpose);
  undo.defer(() => lease.release());
  const stored = await pods.read(name);
  const lent = stored === null ? null : await lentTo(stored, pods);
  const setup = early !== null && stored === null ? early : await options.setup(stored, lent?.loan ?? null);
  if (setup !== early) undo.defer(setup.release);
  return { stored, setup, lent };
}

/** Null: the configuration does not ask for one. */
async function openTrace(
  options: OpenPodOptions,
  setup: PodSetup,
  { gate }: OpenSession,
  tools: ToolTable,
  alerts: Alerts,
): Promise<EventTrace | null> {
  if (!setup.manifest.session.record_event_trace) return null;
  const { session, segment } = gate.state;
  const trace = await EventTrace.open({
    open: () => options.sessions.openTrace({ session, segment }),
    clock: options.ports.clock,
    tools: tools.definitions.map((tool) => tool.name),
    warn: (text) => alerts.raise("warn", "host", text),
  });
  gate.onCommit(trace.committed);
  return trace;
}

/** Warnings, as alerts. */
interface Warnings {
  readonly warn: (text: string) => void;
  /** What a tool says of itself: any text. */
  readonly toolSaid: (tool: string, text: string) => void;
}

function observerOf(
  options: OpenPodOptions,
  trace: EventTrace | null,
  { warn, toolSaid }: Warnings,
): WorkerObserver {
  return (event) => {
    trace?.observe(event);
    if (event.type !== "warning") options.observer(event);
    else if (event.tool === undefined) warn(event.text);
    else toolSaid(event.tool, event.text);
  };
}
