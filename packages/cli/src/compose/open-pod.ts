/** Opens a Pod of this program, for whoever runs or hosts it. */
import { type OpenPodOptions, Pod } from "@yoi/pod";
import { unlessStopped } from "../run-stop.ts";
import { version } from "../version.ts";
import { grantedConflict } from "./granted-conflict.ts";
import { makePodSetup, type RunSetup, type SetupRequest } from "./pod-setup.ts";

export interface OpenRequest
  extends
    Omit<SetupRequest, "stored" | "lent" | "managesPods">,
    Pick<
      OpenPodOptions,
      "purpose" | "observer" | "committed" | "beginsOwnRuns" | "canAsk" | "socket" | "childHost"
    > {
  /** The signal aborted, and what was waited for outside of yoi did not give up. */
  readonly abandoned: () => void;
}

export interface OpenedPod {
  readonly pod: Pod;
  readonly setup: RunSetup;
}

/** All of it ends when the signal aborts: nothing is made of a Pod whose work will not begin. Throws what Pod.open throws, and the signal's reason. */
export async function openConfiguredPod(request: OpenRequest): Promise<OpenedPod> {
  const { name, stores, signal, abandoned, purpose, observer, committed, beginsOwnRuns, canAsk } = request;
  const { socket, childHost } = request;
  const { clock, timers, ids, processes } = stores.host;
  let setup: RunSetup | null = null;
  const opening = Pod.open({
    name,
    purpose,
    version,
    ...stores,
    socket,
    ports: { clock, timers, ids, processes },
    observer,
    ...(committed === undefined ? {} : { committed }),
    ...(beginsOwnRuns === undefined ? {} : { beginsOwnRuns }),
    ...(canAsk === undefined ? {} : { canAsk }),
    ...(childHost === undefined ? {} : { childHost }),
    setup: async (stored, lent) => {
      const made = await makePodSetup({ ...request, stored, lent, managesPods: childHost !== undefined });
      setup = made;
      return {
        ...made,
        seed: () => {
          signal.throwIfAborted();
          return made.seed();
        },
      };
    },
  });
  const told = opening.catch((error: unknown) => {
    throw setup === null ? error : grantedConflict(error, setup.manifest, setup.sources);
  });
  const pod = await unlessStopped(told, { signal, timers, undo: (late) => late.close(), abandoned });
  return { pod, setup: madeFor(setup) };
}

function madeFor(setup: RunSetup | null): RunSetup {
  if (setup === null) throw new Error("a Pod was opened without its setup");
  return setup;
}

/** What the owner found when it opened the log and had to mend, or leaves to the user, as sentences. */
export function sayFound(
  {
    repair,
    straysEnded,
    snapshot,
  }: Pick<Pod, "repair" | "straysEnded"> & { readonly snapshot: Pick<Pod["snapshot"], "name" | "queued"> },
  say: (text: string) => void,
): void {
  if (repair?.action === "cut") {
    say(
      `The log ended in an unfinished write; its ${repair.bytes} bytes were cut and are kept in ${repair.tornPath}.`,
    );
  }
  if (straysEnded > 0)
    say(`Ended ${straysEnded} process(es) that an earlier owner of this Pod had left running.`);
  const { name, queued } = snapshot;
  if (queued > 0)
    say(
      `${queued === 1 ? "1 queued input waits" : `${queued} queued inputs wait`} for you: \`yoi pod show ${name}\` shows what; in a hosted Pod your next prompt or \`yoi pod resume ${name}\` lets go on what waits.`,
    );
}
