/** A Pod with everything that goes on over a rotation, on a simulated machine, and what two segments must have in common. */
import { idOf, segmentId } from "@yoi/base";
import type { MemoryHost } from "@yoi/host";
import type { LeaseTable } from "@yoi/pod-store";
import type { SessionState } from "@yoi/session-store";
import { planSegment, withIds } from "../../packages/pod/src/history/segment-plan.ts";
import { carriedProjection } from "../../packages/pod/src/rewind/plan-fork.ts";
import { openParts, type Parts } from "../inbox/parts.ts";
import { driven } from "../pod-faults/life.ts";
import { effectTool, World } from "../support/simulated-pod.ts";

const scenario = JSON.stringify({
  steps: [
    { text: "At once.", tool_calls: [{ name: "Effect", arguments: { what: "a" } }] },
    { text: "Done." },
    { text: "Done again." },
    { text: "And again." },
  ],
});

export const open = (host: MemoryHost, leases: LeaseTable = new Map()): Promise<Parts> =>
  openParts({ host, leases, scenario, tools: [effectTool(new World(), host)] });

/** One finished run; then a notice, two submissions, a cursor and a record wait. */
export async function begun(host: MemoryHost): Promise<Parts> {
  const parts = await driven(host, open(host));
  await driven(host, parts.submit("#0 begin"));
  await parts.inbox.accept({ source: "test", message: "Later.", quiet: true, submission: "n-1" });
  await parts.inbox.accept({ source: "test", message: "Later still.", submission: "n-2" });
  const child = { segment: "019b76da-a800-74af-8ffd-2cdf7a317f00", through: 3 };
  await parts.gate.append([
    { kind: "child_cursor", child: "mender", ...child },
    { kind: "extension", domain: "metrics", payload: { steps: 2 } },
  ]);
  return parts;
}

/** History goes on in another segment as it is. */
export function rotate({ rotator }: Parts, host: MemoryHost): Promise<void> {
  return rotator.rotate(({ ref, head, state }) => {
    const origin = { segment_id: ref.segment, seq: head.seq, sum: head.sum };
    return planSegment({
      segment: segmentId(host.ids.uuidV7()),
      from: "forked_from",
      origin,
      left: origin,
      at: state,
      now: state,
      items: withIds(state.items),
      started: state.unanswered.filter(({ started }) => started).map(({ call }) => call),
      states: state.states,
      projection: carriedProjection(state),
      measured: state.measured,
      inbox: state.inbox,
      behind: [],
    });
  });
}

/** What must be the same in the segment that is left and in the one that history goes on in. */
export function picture(state: SessionState) {
  const { session, prompt, documents, config, tools, toolsDigest, turnCount, unanswered, measured } = state;
  const { spent, usage, cost, calibration, states, childCursors, extensions, run } = state;
  const { pausesInRow, compactionsInRow } = state;
  const { since: _since, ...ended } = run.state === "paused" ? run : { ...run, since: 0 };
  return {
    head: { session, prompt, documents, config, tools, toolsDigest, states },
    counted: { turnCount, measured, spent, usage, cost, calibration, pausesInRow, compactionsInRow },
    items: withIds(state.items),
    inbox: state.inbox.map((one) => ({ id: idOf(one), item: one.item, quiet: one.quiet ?? false })),
    submissions: [...state.submissions].map(([name, { id, digest }]) => ({ name, id, digest })),
    unanswered,
    childCursors: [...childCursors],
    extensions: [...extensions],
    run: ended,
  };
}
