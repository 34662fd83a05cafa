/** Sockets for the protocol: the only place that opens one. */
export type { Connection } from "../connection.ts";
