/** Whether a name still means the Pod that it meant: names are given anew, sessions are not. Pure. */
import type { PodName, SessionId } from "@yoi/base";
import type { PodRecord } from "@yoi/pod-store";

/** A Pod as others know it: another one that has its name later is not meant. */
export interface PodRef {
  readonly name: PodName;
  readonly session: SessionId;
}

type Stored = Pick<PodRecord, "name" | "pointer">;

export function refOf({ name, pointer }: Stored): PodRef {
  return { name, session: pointer.session };
}

/** @param stored what has its name now; null: nothing */
export function isMeant<T extends Pick<PodRecord, "pointer">>(
  stored: T | null,
  { session }: Pick<PodRef, "session">,
): stored is T {
  return stored?.pointer.session === session;
}

/** What is known of it in a list; undefined: it is not in there, or another one that had its name is. */
export function knownAs<T extends PodRef>(known: readonly T[], stored: Stored): T | undefined {
  return known.find((one) => one.name === stored.name && isMeant(stored, one));
}

/** As the child itself says. Whether its parent lends it anything, the parent says. */
export function isChildOf({ parent }: Pick<PodRecord, "parent">, { name, session }: PodRef): boolean {
  return parent?.pod === name && parent.session === session;
}
