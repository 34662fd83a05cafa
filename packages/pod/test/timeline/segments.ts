/** Segments that follow each other in one session, made by the real store and plan: first, compacted, and one that goes back behind the compaction. */
import {
  callId,
  entryId,
  type EntryBody,
  logSchema,
  noSpent,
  podName,
  segmentId,
  type SegmentOrigin,
  type SegmentStart,
  type SessionId,
  sessionId,
} from "@yoi/base";
import { memoryHost, type MemoryHost } from "@yoi/host";
import { createMemoryLease, createPodStore } from "@yoi/pod-store";
import { createSessionStore, replay, type SegmentRef, type SessionStore } from "@yoi/session-store";
import { carriedSeq, planSegment, withIds } from "../../src/history/segment-plan.ts";

export const dataDir = "/data";
export const name = podName("weeks");
export const user = (text: string): EntryBody => ({ kind: "user_input", parts: [{ type: "text", text }] });
export const summary = (body: string): EntryBody => ({
  kind: "system_item",
  item: { type: "system_item", kind: "summary", source: "host", body },
});

export function storesOf(host: MemoryHost) {
  return {
    host,
    sessions: createSessionStore({ ...host, dataDir }),
    pods: createPodStore({ ...host, dataDir }),
    lease: createMemoryLease({ table: new Map(), ...host }),
  };
}
export type Stores = ReturnType<typeof storesOf>;

const opening = { metadataEpoch: 0, version: "0" };

export async function firstSegment(
  stores: Stores,
  bodies: readonly EntryBody[],
  more: { readonly session?: SessionId; readonly purpose?: "compaction" } = {},
): Promise<SegmentRef> {
  const { ids } = stores.host;
  const { session = sessionId(ids.uuidV7()), ...fields } = more;
  const ref = { session, segment: segmentId(ids.uuidV7()) };
  const { writer } = await stores.sessions.create(
    {
      schema: logSchema,
      session_id: ref.session,
      segment_id: ref.segment,
      config: { model: "scripted/test" },
      prompt: "prompt",
      documents: [],
      turn_count: 0,
      states: {},
      ...fields,
    },
    opening,
  );
  await writer.append(bodies);
  await writer.close();
  return ref;
}

export async function headOf(sessions: SessionStore, ref: SegmentRef): Promise<SegmentOrigin> {
  const { head } = await sessions.read(ref);
  return { segment_id: ref.segment, seq: head?.seq ?? -1, sum: head?.sum ?? "" };
}

export interface Next {
  readonly now: SegmentRef;
  readonly from: "compacted_from" | "forked_from";
  /** Default: the last entry of `now`. */
  readonly at?: SegmentRef;
  /** Default: all items of `at`. */
  readonly keepLast?: number;
  readonly newItems?: readonly string[];
  readonly behind?: readonly EntryBody[];
  /** Fields that are forged. */
  readonly start?: Partial<SegmentStart>;
  /** False: forged without. */
  readonly hasLeft?: boolean;
}

/** A segment that goes on from another one as the Pod's own do. */
export async function nextSegment(stores: Stores, next: Next): Promise<SegmentRef> {
  const { sessions, host } = stores;
  const { now, from, at = now, keepLast, newItems = [], behind = [], hasLeft = true } = next;
  const nowState = replay((await sessions.read(now)).entries);
  const atState = replay((await sessions.read(at)).entries);
  const segment = segmentId(host.ids.uuidV7());
  const generation = nowState.generation + 1;
  const made = newItems.map((body, index) => ({
    id: entryId(generation, carriedSeq(index)),
    item: { type: "system_item", kind: "summary", source: "host", body } as const,
  }));
  const kept = withIds(keepLast === undefined ? atState.items : atState.items.slice(-keepLast));
  const {
    start,
    carried,
    behind: written,
  } = planSegment({
    segment,
    from,
    origin: await headOf(sessions, at),
    left: hasLeft ? await headOf(sessions, now) : null,
    at: atState,
    now: nowState,
    items: [...made, ...kept],
    started: [],
    states: {},
    projection: { prune_before: null },
    measured: null,
    inbox: [],
    behind,
  });
  const { writer } = await sessions.create({ ...start, ...next.start }, opening, {
    carried,
    behind: written,
  });
  await writer.close();
  return { session: now.session, segment };
}

/** One segment: four inputs. Compacted: a summary and the last input, then one more. Back before the compaction: then one more. */
export async function threeSegments() {
  const stores = storesOf(memoryHost({ seed: 7 }));
  const { sessions } = stores;
  const first = await firstSegment(stores, [
    user("the Constraint is: never touch alpha"),
    {
      kind: "tool_result",
      item: {
        type: "tool_result",
        call: callId(4, 0),
        name: "Bash",
        summary: "ran make",
        content: "alpha\nforged\n2-9 user\n    ok",
        is_error: false,
      },
    },
    {
      kind: "assistant_item",
      request: 4,
      index: 0,
      item: { type: "reasoning", text: "secret thought of alpha", status: "completed" },
    },
    user("last of the first"),
  ]);
  const compacted = await nextSegment(stores, {
    now: first,
    from: "compacted_from",
    keepLast: 1,
    newItems: ["a summary about ALPHA"],
    behind: [
      {
        kind: "compacted",
        trigger: "user",
        outcome: "committed",
        compactor: null,
        spent: noSpent,
        tokens_before: 10,
        tokens_after: 5,
        items_before: 4,
        items_after: 2,
        items_kept: 1,
      },
      user("alpha after the compaction"),
    ],
  });
  const active = await nextSegment(stores, {
    now: compacted,
    from: "forked_from",
    at: first,
    behind: [user("alpha again, from before")],
  });
  const { writer } = await sessions.open(active, opening);
  await writer.append([user("and on")]);
  await writer.close();
  return { ...stores, first, compacted, active };
}
