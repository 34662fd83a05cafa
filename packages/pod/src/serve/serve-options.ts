/** What a Pod is served with, from the process that hosts it. */
import type { Timers } from "@yoi/base";
import type { Listen, Role } from "@yoi/protocol";

/** Whether a hello's token is that of its role. What throws could not be judged: nobody gets in, and the client is to try again. */
export type Authorize = (role: Role, token: string) => Promise<boolean>;

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
