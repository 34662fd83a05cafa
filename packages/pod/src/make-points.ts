/** The hook points of a Pod, with what keeps its user safe before everybody's hooks. */
import type { Approvals } from "./approval/approvals.ts";
import type { Extended } from "./extend.ts";
import { createHookPoints, type HookPoints } from "./hook/points.ts";
import type { Inbox } from "./inbox/inbox.ts";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import { permissionHook } from "./policy/permission-hook.ts";
import type { InputQueue } from "./turn/input-queue.ts";

const host = { id: "host", mayAppend: false };

interface PointsRequest {
  readonly options: OpenPodOptions;
  readonly setup: PodSetup;
  readonly extended: Extended;
  readonly inbox: Inbox;
  readonly queue: InputQueue;
  readonly approvals: Approvals;
  readonly threshold: HookPoints["threshold"];
}

/** No hook is added after this. */
export function makePoints({
  options,
  setup,
  extended,
  inbox,
  queue,
  approvals,
  threshold,
}: PointsRequest): HookPoints {
  const { hooks, permissions, features, lane } = extended;
  const permission = permissionHook(permissions, approvals);
  hooks.add("host_safety", host, "permission", "pre_tool_call", permission);
  const points = createHookPoints({
    registry: hooks,
    approvals,
    // A Pod has always one; what shows history without a Pod has not.
    hasWriter: true,
    drain: () => inbox.drain(),
    deliver: (signal) => queue.deliver(signal),
    threshold,
    timers: options.ports.timers,
    about: (owner, problem) => features.about(owner, "warn", problem),
    redact: setup.featureHost.redact,
  });
  return {
    ...points,
    gate: async (call, signal) => {
      const decision = await points.gate(call, signal);
      if (decision.action === "allow") await lane.mayBegin(call.name, signal);
      return decision;
    },
  };
}
