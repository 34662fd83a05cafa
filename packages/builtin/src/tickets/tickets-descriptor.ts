/** What the ticket tools declare: six tools, the task that tells of news, and the service below them. */
import { deepFreeze } from "@yoi/base";
import { type FeatureDescriptor, featureId } from "@yoi/feature";
import { ticketToolDeclarations } from "./ticket-declarations.ts";
import { ticketMethods, ticketServiceDeclaration, ticketServiceId } from "./ticket-service.ts";
import { ticketsStateDeclaration } from "./tickets-state.ts";

export const followTaskName = "follow";

/** The same for every Pod and every role. */
export const ticketsDescriptor: FeatureDescriptor = deepFreeze({
  id: featureId("builtin:tickets"),
  runtime: "builtin",
  display_name: "Ticket tools",
  version: "1.0.0",
  description:
    "The project's tickets for the model: made, discussed, reviewed and moved in the Pod's role; and news of those that it follows.",
  authorities: [
    {
      authority: { kind: "service_access", service: ticketServiceId },
      required: true,
      reason: "Reads and writes the tickets of the workspace, in the Pod's name and role.",
    },
    {
      authority: { kind: "model_notification" },
      required: true,
      reason: "Tells the Pod what others do with the tickets that it follows.",
    },
  ],
  tools: ticketToolDeclarations,
  hooks: [],
  background_tasks: [
    {
      name: followTaskName,
      description: "Tells the Pod what others do with the tickets that it follows.",
      required: true,
    },
  ],
  provides_services: [],
  requires_services: [
    {
      id: ticketServiceId,
      version: `^${ticketServiceDeclaration.version}`,
      methods: ticketMethods,
      required: true,
      reason: "Keeps the tickets.",
    },
  ],
  state: ticketsStateDeclaration,
});
