/** A listening socket that stays where clients look for it, while the Pod is there: whoever cleans the runtime directory does not cut a Pod off. */
import type { Timers } from "@yoi/base";
import type { Listen, Listener } from "@yoi/protocol";

/** Between two looks. */
export const lookEveryMs = 3_000;

export interface KeptListenOptions {
  /** Makes the place ready, takes away what stands at the path, and binds. */
  readonly bind: Listen;
  /** What stands at the path now, told apart from what stood there before; null: nothing. */
  readonly identity: () => string | null;
  /** Makes the rest of the place good: the directories, the user's token, who holds the Pod. */
  readonly prepare: () => Promise<void>;
  /** Whether what is stored of the Pod, and its lock, still are where they were. */
  readonly isThere: () => Promise<boolean>;
  /** Told once that it is not. Nothing is looked at any more. */
  readonly lost: () => void;
  readonly timers: Timers;
  /** Told once for each time the place was made good, or could not be. */
  readonly say: (text: string) => void;
}

/** Binds again, within seconds, where what it bound is gone; connections that are open stay. For who holds the Pod's lease. */
export function keptListen(options: KeptListenOptions): Listen {
  const { bind, identity, prepare, isThere, lost, timers, say } = options;
  return async (accept) => {
    let listener: Listener | null = await bind(accept);
    let bound = identity();
    let trouble: string | null = null;
    let isClosed = false;
    let isLost = false;
    let looking: Promise<void> | null = null;
    let cancel = arm();

    async function look(): Promise<void> {
      try {
        if (!(await isThere())) {
          isLost = true;
          lost();
          return;
        }
        await prepare();
        if (listener === null || identity() !== bound) {
          // Closing takes the path away, whoever's it is: first the old one, then the new one.
          await listener?.close();
          listener = null;
          listener = await bind(accept);
          bound = identity();
          say("The socket was gone and is there again.");
        } else if (trouble !== null) say("Clients can connect again.");
        trouble = null;
      } catch (error) {
        const what = error instanceof Error ? error.message : String(error);
        if (trouble !== what) say(`Clients cannot connect: ${what}`);
        trouble = what;
      }
    }
    function arm(): () => void {
      return timers.after(lookEveryMs, () => {
        looking = look().finally(() => {
          looking = null;
          if (!isClosed && !isLost) cancel = arm();
        });
      });
    }
    return {
      close: async () => {
        isClosed = true;
        cancel();
        await looking;
        await listener?.close();
        listener = null;
      },
    };
  };
}
