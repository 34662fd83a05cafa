/** Kin for tests: children, reclaimed children and a parent as they are stored. */
import { type Loan, podName, type PodName, sessionId } from "@yoi/base";
import type { ChildRecord, ParentLink, PeerLink, ReclaimedChild } from "../src/index.ts";

const uuid = (n: number): string => `0198c0de-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;

export const nameOf = (n: number): PodName => podName(`child${n}`);

export function loan(n: number): Loan {
  return {
    id: uuid(0x1000 + n),
    scope: {
      allow: [
        { target: `/w/src/é${n}`, permission: "write", recursive: true },
        { target: "/usr", permission: "read", recursive: true },
      ],
      deny: [{ target: "/w/src/.git", permission: "write", recursive: false }],
    },
  };
}

export function child(n: number): ChildRecord {
  return {
    name: nameOf(n),
    state: n % 2 === 0 ? "live" : "starting",
    loan: loan(n),
    session: sessionId(uuid(0x2000 + n)),
    tokenDigest: n.toString(16).padStart(64, "0"),
    socket: n % 2 === 0 ? `/run/s/${n}` : null,
    callback: n % 3 === 0 ? null : "/run/s/parent",
    sinceMs: 1_700_000_000_000 + n,
  };
}

export function reclaimed(n: number): ReclaimedChild {
  const reason = (["stopped", "lost", "not_started"] as const)[n % 3] ?? "lost";
  return { name: nameOf(n), loan: loan(n), session: child(n).session, reason, atMs: 1_700_000_001_000 + n };
}

export const peerOf = (name: string, n = 1): PeerLink => ({
  name: podName(name),
  session: sessionId(uuid(0x4000 + n)),
});

export const kinPointer = { state: "pending", session: sessionId(uuid(1)) } as const;

export const parent: ParentLink = {
  pod: podName("grandma"),
  session: sessionId(uuid(0x3000)),
  depth: 2,
  token: "t0ken",
};
