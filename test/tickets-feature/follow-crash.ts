/** The machine stops at an operation of the disk while tickets change and a Pod is told of it: over both lives it is told of each event once, in order. */
import assert from "node:assert/strict";
import type { FeatureInstallContext, FeatureModule, NotificationSink } from "@yoi/feature";
import { memoryHost, noFaults } from "@yoi/host";
import { TicketMachine, toldIn } from "./ticket-pod.ts";
import { person } from "../../packages/builtin/test/tickets/support.ts";

export interface Crash {
  readonly operation: number;
  readonly loss: "process" | "power";
}

export interface Followed {
  /** Comments that are in the thread at the end. */
  readonly written: readonly string[];
  readonly told: readonly string[];
  /** False: there is no such operation. */
  readonly isCrashed: boolean;
}

export async function followed(
  { operation, loss }: Crash,
  wrap: (module: FeatureModule) => FeatureModule = (module) => module,
): Promise<Followed> {
  const first = new TicketMachine(memoryHost({ seed: operation }));
  const { id: ticket } = await first.driven(
    first.tickets.create({ title: "Followed", body: "What is to be done." }, person),
  );
  // It knows what is there, and has nothing to tell.
  const begun = await first.open({ wrap });
  await first.look();
  await first.close(begun);

  const { host } = first;
  const from = host.disk.operations;
  host.disk.plan = ({ index }) => {
    if (index === from + operation) host.crash(loss);
    return "pass";
  };
  const opening = first.opening({ wrap });
  opening.catch(() => {});
  void writes(first, ticket).catch(() => {});
  for (let seconds = 0; seconds < 20 && !host.crashed; seconds += 1) await host.advance(1_000);
  const isCrashed = host.crashed;
  host.disk.plan = noFaults;
  if (!isCrashed) await first.close(await opening);

  const next = new TicketMachine(host.restart(), first.leases);
  const pod = await next.open({ wrap });
  await next.look();
  await next.driven(next.comment(ticket, "body-last"));
  await next.look();
  await next.close(pod);
  const told = toldIn(await next.log(), "inbox_accepted");
  return { written: await next.written(ticket), told, isCrashed };
}

async function writes(machine: TicketMachine, ticket: string): Promise<void> {
  await machine.comment(ticket, "body-1");
  await machine.comment(ticket, "body-2");
  await machine.host.advance(0);
  await machine.comment(ticket, "body-3");
}

/** Throws unless each comment was told once, in its order. */
export function judge({ written, told }: Followed): void {
  assert.deepEqual(told, written);
}

/** A feature whose notifications go another way. */
export function notifying(change: (sink: NotificationSink) => NotificationSink) {
  return (module: FeatureModule): FeatureModule => ({
    ...module,
    install: (context: FeatureInstallContext) =>
      module.install({ ...context, notifications: change(context.notifications) }),
  });
}
