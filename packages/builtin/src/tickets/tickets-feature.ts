/** The ticket tools as a feature: over the service of tickets, which fixes in whose name and role it writes. */
import { YoiError } from "@yoi/base";
import { type FeatureModule, toolContribution } from "@yoi/feature";
import type { PodRole } from "@yoi/tickets";
import { FollowTask, type Wait } from "./follow-task.ts";
import { FollowedTickets } from "./followed-tickets.ts";
import { ticketClient } from "./ticket-client.ts";
import { ticketServiceId } from "./ticket-service.ts";
import { ticketTools } from "./ticket-tools.ts";
import { followTaskName, ticketsDescriptor } from "./tickets-descriptor.ts";
import { ticketsState } from "./tickets-state.ts";

interface TicketsFeatureOptions {
  /** An orchestrator hears of every ticket, the others of those that they follow. */
  readonly role: PodRole;
  readonly wait: Wait;
}

export function ticketsFeature({ role, wait }: TicketsFeatureOptions): FeatureModule {
  const followed = new FollowedTickets();
  return {
    descriptor: ticketsDescriptor,
    state: ticketsState(followed),
    install: ({ grants, services, tools, backgroundTasks, notifications, diagnostics }) => {
      const client = services.require(ticketServiceId);
      if (client === null)
        throw new YoiError(
          "authority_denied",
          "The ticket tools were installed without the service of tickets.",
        );
      if (!grants.granted.some(({ kind }) => kind === "model_notification"))
        throw new YoiError("authority_denied", "The ticket tools were installed without model_notification.");
      const tickets = ticketClient(client);
      for (const tool of ticketTools({ tickets, followed })) tools.register(toolContribution(tool));
      const follow = new FollowTask({
        tickets,
        followed,
        notifications,
        diagnostics,
        wait,
        all: role === "orchestrator",
      });
      backgroundTasks.register(followTaskName, ({ signal }) => follow.run(signal));
    },
  };
}
