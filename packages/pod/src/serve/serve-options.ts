/** What a Pod is served with, from the process that hosts it. */
import type { PodName, Timers } from "@yoi/base";
import type { Listen, Role } from "@yoi/protocol";

/** Who a connection is. A child is the one that its token belongs to, whatever it says. */
export type Caller =
  | { readonly role: Exclude<Role, "child"> }
  | { readonly role: "child"; readonly child: PodName };

/** Who shows this token in this role; null: nobody who may. What throws could not be judged: nobody gets in, and the client is to try again. */
export type Authorize = (role: Role, token: string) => Promise<Caller | null>;

export interface ServeOptions {
  readonly listen: Listen;
  readonly authorize: Authorize;
  readonly timers: Timers;
  /** Takes known secrets out of what is said to clients beside the records, which have none. */
  readonly redact: (text: string) => string;
  /** A client was too slow, and its connection ends: by the name that it gave itself, null where it gave none. */
  readonly dropped?: (client: string | null) => void;
  /** A client asked for the orderly end: whoever hosts the Pod closes it. */
  readonly shutdown: () => void;
}

export interface PodServer {
  /** Connections with a hello. */
  readonly clients: number;
  /** Tells every client, gives each a moment to take its last lines, ends the connections and gives the place back. Idempotent. */
  close(): Promise<void>;
}
