/** Management: what a feature gets of children and peers: bare functions, which work once the Pod is open. */
import { YoiError } from "@yoi/base";
import type { PodManagement } from "@yoi/feature";
import type { Children } from "./children.ts";

/** What of other Pods is only read. */
export type Reading = Pick<PodManagement, "read" | "list">;

export interface LaterManagement {
  readonly management: PodManagement;
  /** The Pod is open. */
  opened(children: Children, reading: Reading): void;
  /** It is not, or not any more: whoever waits is refused. */
  closed(): void;
}

/** Features are installed before the Pod is open, so they get their handle before there is anything behind it. */
export function managementLater(): LaterManagement {
  const later = Promise.withResolvers<{ readonly children: Children; readonly reading: Reading }>();
  later.promise.catch(() => {});
  const children = async () => (await later.promise).children;
  const reading = async () => (await later.promise).reading;
  const management = Object.freeze({
    spawn: async (request, call) => (await children()).spawn(request, call),
    send: async (name, message, call) => (await children()).send(name, message, call),
    read: async (name, after, call) => (await reading()).read(name, after, call),
    stop: async (name, call) => (await children()).stop(name, call),
    list: async (call) => (await reading()).list(call),
    restore: async (name, call) => (await children()).restore(name, call),
    sendToPeer: async (name, message, call) => (await children()).sendToPeer(name, message, call),
  } satisfies PodManagement);
  return {
    management,
    opened: (made, reads) => later.resolve({ children: made, reading: reads }),
    closed: () =>
      later.reject(new YoiError("cancelled", "The Pod is closed: nothing is done about other Pods.")),
  };
}
