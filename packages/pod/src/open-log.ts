/** The log of a Pod that is being opened: its session, what is traced of it, and its last record. */
import type { PodRecord } from "@yoi/pod-store";
import type { ToolTable } from "@yoi/worker";
import type { Alerts } from "./alert/alerts.ts";
import type { Extended } from "./extend.ts";
import { recordOfReports } from "./feature/record-of-reports.ts";
import { EventTrace } from "./history/event-trace.ts";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import { createSession, type OpenSession, restoreSession } from "./restore/open-session.ts";
import { shutdownDomain } from "./spawn/child-endings.ts";

/** Why a Pod that was hosted ends; null: it does not, or was not hosted. */
export interface Shutdown {
  reason: string | null;
}

export async function openSession(
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
export async function recordShutdown({ gate, record }: OpenSession, { reason }: Shutdown): Promise<void> {
  if (reason === null || record.current.parent === null) return;
  await gate.append([{ kind: "extension", domain: shutdownDomain, payload: { reason } }]);
}

/** Null: the configuration does not ask for one. */
export async function openTrace(
  options: OpenPodOptions,
  setup: PodSetup,
  { gate }: OpenSession,
  tools: ToolTable,
  alerts: Alerts,
): Promise<EventTrace | null> {
  if (!setup.manifest.session.record_event_trace) return null;
  const open = () => {
    const { ref } = gate;
    return () => options.sessions.openTrace(ref);
  };
  const trace = await EventTrace.open({
    open: open(),
    clock: options.ports.clock,
    tools: tools.definitions.map((tool) => tool.name),
    warn: (text) => alerts.raise("warn", "host", text),
  });
  gate.onCommit(trace.committed);
  gate.onRotate(() => trace.rotated(open()));
  return trace;
}
