/** Resolving a name as the machine does, its hosts file included. */
import { lookup } from "node:dns/promises";
import type { Resolve } from "./target.ts";

export const systemResolve: Resolve = async (host) => {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};
