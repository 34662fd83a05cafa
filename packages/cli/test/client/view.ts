/** A snapshot of a Pod that runs, for tests of what clients make of it. */
import type { PodView } from "@yoi/protocol";

export function viewOf(more: Partial<PodView> = {}): PodView {
  return {
    pod: "p",
    session: "s",
    segment: "g",
    generation: 0,
    epoch: 1,
    seq: 9,
    n: 0,
    state: "running",
    run: null,
    about: {
      version: "1",
      model: "m/m",
      workspace: "/w",
      sandbox: "on",
      network: false,
      permission_mode: "ask",
      tools: [],
    },
    in_flight: { request: null, blocks: [], calls: [] },
    approvals: [],
    waiting: 0,
    alerts: [],
    last_run: null,
    ...more,
  };
}
