/** Sockets for the protocol: the only place that opens one. */
export { connectTo, listenAt } from "./sockets.ts";
