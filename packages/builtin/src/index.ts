/** Features that ship with yoi. */
export { podsFeature } from "./pods/pods-feature.ts";
export type { SpawnProfile } from "./pods/profile-lines.ts";
export { taskFeature } from "./task/task-feature.ts";
export { ticketsFeature } from "./tickets/tickets-feature.ts";
export { ticketStoreFeature } from "./tickets/ticket-store-feature.ts";
