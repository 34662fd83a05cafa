/** An orchestrator on a simulated machine that follows every ticket, a person who writes into one beside it, and what its log says that it was told. */
import { isKnown, type LogEntry } from "@yoi/base";
import type { FeatureModule } from "@yoi/feature";
import type { MemoryHost } from "@yoi/host";
import { type Pod, readActive } from "@yoi/pod";
import type { LeaseTable } from "@yoi/pod-store";
import type { TicketStore } from "@yoi/tickets";
import { person, storeOn, ticketModules } from "../../packages/builtin/test/tickets/support.ts";
import {
  manifestOf,
  openSimulated,
  type SimulatedOptions,
  simulatedPod,
  simulatedStores,
} from "../support/simulated-pod.ts";
import { driven } from "../pod-faults/life.ts";

export const ticketManifest = manifestOf({
  features: {
    task: { enabled: false, origin: "a test" },
    pods: { enabled: false, origin: "a test" },
    tickets: { enabled: true, origin: "a test" },
  },
});

const scenario = JSON.stringify({ steps: Array.from({ length: 400 }, (_, n) => ({ text: `Heard ${n}.` })) });

export interface TicketPodOptions extends Partial<SimulatedOptions> {
  /** Of a planted fault. */
  readonly wrap?: (module: FeatureModule) => FeatureModule;
}

/** The machine; a restart makes another one with the same disk. */
export class TicketMachine {
  readonly host: MemoryHost;
  readonly leases: LeaseTable;
  readonly tickets: TicketStore;

  constructor(host: MemoryHost, leases: LeaseTable = new Map()) {
    this.host = host;
    this.leases = leases;
    this.tickets = storeOn(host);
  }

  opening({ wrap = (module) => module, ...more }: TicketPodOptions = {}): Promise<Pod> {
    const { host, leases } = this;
    return openSimulated({
      host,
      leases,
      scenario,
      tools: [],
      manifest: ticketManifest,
      features: ticketModules(host, { author: "lead", role: "orchestrator" }).map(wrap),
      ...more,
    });
  }

  open(more: TicketPodOptions = {}): Promise<Pod> {
    return this.driven(this.opening(more));
  }

  close(pod: Pod): Promise<void> {
    return this.driven(pod.close());
  }

  driven<T>(work: Promise<T>): Promise<T> {
    return driven(this.host, work);
  }

  comment(ticket: string, body: string): Promise<unknown> {
    return this.tickets.add(ticket, { kind: "comment", body }, person);
  }

  /** Lets the background task look, and what it told be heard. */
  look(ms = 6_000): Promise<void> {
    return this.host.advance(ms);
  }

  async log(): Promise<readonly LogEntry[]> {
    const { host, leases } = this;
    return (await this.driven(readActive(simulatedStores(host, leases), simulatedPod))).view.entries;
  }

  /** Comments of the thread, in its order. */
  async written(ticket: string): Promise<readonly string[]> {
    const { events } = await this.tickets.show(ticket);
    return events.flatMap(({ kind, body }) => (kind === "comment" ? [body] : []));
  }
}

/** Each body is one word, and was told on a line of its own: as the inbox took it, and as history has it. */
export function toldIn(log: readonly LogEntry[], kind: "inbox_accepted" | "system_item"): readonly string[] {
  return log.flatMap((entry) => {
    if (!isKnown(entry) || entry.kind !== kind) return [];
    if (entry.item.source !== "builtin:tickets") return [];
    return [...entry.item.body.matchAll(/^ {2}(body-[\w-]+)$/gm)].map(([, body = ""]) => body);
  });
}
