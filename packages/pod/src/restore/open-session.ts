/** Opening a Pod's session under its lease: a new one is created whole, an old one is repaired, replayed and marked. */
import {
  canonicalJson,
  type Entry,
  type EntryBody,
  type Ids,
  isKnown,
  type JsonObject,
  type JsonValue,
  type LogEntry,
  logSchema,
  type PodName,
  type PromptDocument,
  type RequestConfig,
  segmentId,
  type SessionId,
  sessionId,
  type ToolDefinition,
  YoiError,
} from "@yoi/base";
import { toolSetDigest } from "@yoi/model";
import type { ActivePointer, PodRecord, PodStore } from "@yoi/pod-store";
import {
  createReplay,
  type OpenedSegment,
  type SegmentRef,
  type SessionStore,
  type TailRepair,
} from "@yoi/session-store";
import { interruptedCompaction } from "../compact/interrupted.ts";
import { isAttached } from "../compact/plan/history-parts.ts";
import { HistoryGate } from "../history/gate.ts";
import { OwnRecord } from "../spawn/own-record.ts";
import { refuseSuperseded } from "../timeline/superseded.ts";
import { Rotator } from "./rotator.ts";

export interface SessionStores {
  readonly sessions: SessionStore;
  readonly pods: PodStore;
}

/** What a new segment starts with. */
export interface SessionSeed {
  readonly prompt: string;
  readonly documents: readonly PromptDocument[];
}

/** What an owner brings along, the same for a new Pod and an old one. */
export interface OwnerSetup {
  readonly version: string;
  /** The manifest in force, stored as the Pod's snapshot. */
  readonly manifest: JsonObject;
  readonly config: RequestConfig;
  readonly tools: readonly ToolDefinition[];
  /** Of features, as a new segment begins with them. */
  readonly states: () => JsonObject;
  /** What became of each feature in this process; on record when it is not what the log said last. */
  readonly features: JsonValue;
}

/** Of an owner that runs nothing: parameters, tools and features stay on record as they are. */
export type CaretakerSetup = Pick<OwnerSetup, "version" | "manifest">;

/** The `extension` domain of what became of features. */
export const featuresDomain = "yoi.features";

export interface OpenSession {
  readonly gate: HistoryGate;
  readonly record: OwnRecord;
  /** Moves the Pod to a new segment. */
  readonly rotator: Rotator;
  readonly repair: TailRepair | null;
  close(): Promise<void>;
}

/**
 * Creates the Pod: first the segment, whole and durable, then the metadata that names it. A crash in between leaves an orphan segment,
 * never a Pod without one; a failure that the process survives takes the segment away again.
 */
export async function createSession(
  stores: SessionStores,
  ids: Ids,
  name: PodName,
  setup: OwnerSetup,
  seed: SessionSeed,
): Promise<OpenSession> {
  const session = sessionId(ids.uuidV7());
  try {
    const opened = await createSegment(stores.sessions, ids, session, 0, setup, seed);
    return await begin(stores, opened, setup, (owner) =>
      stores.pods.create({ name, pointer: pointerTo(opened), ...owner }),
    );
  } catch (error) {
    // What failed is the one to tell; what cannot be taken away now stays an orphan.
    await removeUnnamed(stores, name, session).catch(() => {});
    throw error;
  }
}

/** Removes the session unless the Pod's metadata came to be after all: it may be there though writing it failed in its last step. */
async function removeUnnamed(stores: SessionStores, name: PodName, session: SessionId): Promise<void> {
  const record = await stores.pods.read(name);
  if (record?.pointer.session !== session) await stores.sessions.removeSession(session);
}

/** Opens the Pod's active segment; a Pod whose pointer is pending gets its first segment now. */
export async function restoreSession(
  stores: SessionStores,
  ids: Ids,
  record: PodRecord,
  setup: OwnerSetup,
  seed: () => Promise<SessionSeed>,
): Promise<OpenSession> {
  const { pointer } = record;
  if (pointer.state === "pending") {
    const opened = await createSegment(
      stores.sessions,
      ids,
      pointer.session,
      record.epoch,
      setup,
      await seed(),
    );
    return begin(stores, opened, setup, (owner) =>
      stores.pods.update(record.name, record, { pointer: pointerTo(opened), ...owner }),
    );
  }
  return reopenSession(stores, record, pointer, setup);
}

/** Opens the segment that the Pod's name refers to. */
export async function reopenSession(
  stores: SessionStores,
  record: PodRecord,
  pointer: SegmentRef,
  setup: OwnerSetup | CaretakerSetup,
): Promise<OpenSession> {
  const { closedHead } = record;
  const known = closedHead !== null && closedHead.segment === pointer.segment ? { closedHead } : {};
  await refuseSuperseded(stores.sessions, record.name, pointer);
  const opening = { metadataEpoch: record.epoch, version: setup.version, ...known };
  const opened = await stores.sessions.open(pointer, opening).catch((error: unknown) => {
    throw withWayToLook(error, record.name);
  });
  return begin(stores, opened, setup, (owner) => stores.pods.update(record.name, record, owner));
}

/** A damaged log says where; how to look at it takes the Pod's name. */
function withWayToLook(error: unknown, name: PodName): unknown {
  if (!(error instanceof YoiError) || error.kind !== "corrupt") return error;
  const { code, message, place } = error;
  const sentences = `${message} \`yoi pod log ${name}\` shows what is good of it, and \`yoi pod fork ${name} NEW\` goes on from there in another Pod.`;
  return new YoiError(code, sentences, { cause: error, ...(place === undefined ? {} : { place }) });
}

async function createSegment(
  sessions: SessionStore,
  ids: Ids,
  session: SessionId,
  metadataEpoch: number,
  setup: OwnerSetup,
  seed: SessionSeed,
): Promise<OpenedSegment> {
  return sessions.create(
    {
      schema: logSchema,
      session_id: session,
      segment_id: segmentId(ids.uuidV7()),
      config: setup.config,
      prompt: seed.prompt,
      documents: seed.documents,
      turn_count: 0,
      states: setup.states(),
    },
    { metadataEpoch, version: setup.version },
  );
}

function pointerTo({ writer }: OpenedSegment): ActivePointer {
  return { state: "active", session: writer.ref.session, segment: writer.ref.segment };
}

/**
 * What every owner does first, the two beside each other: the Pod's name refers to the segment and its metadata learns the epoch, which the
 * log has already; and an abandoned run is marked, and changed tools or parameters go on record.
 * @param refer writes the metadata, once.
 */
async function begin(
  stores: SessionStores,
  opened: OpenedSegment,
  setup: OwnerSetup | CaretakerSetup,
  refer: (owner: Pick<PodRecord, "epoch" | "manifest">) => Promise<PodRecord>,
): Promise<OpenSession> {
  const { writer, entries, repair } = opened;
  try {
    const replay = createReplay();
    for (const entry of entries) replay.apply(entry);
    const gate = new HistoryGate(writer, replay);
    const first = [
      ...openingEntries(gate, entries, setup),
      ...(await interruptedCompaction(stores.sessions, gate.state)),
    ];
    const referring = refer({ epoch: writer.epoch, manifest: setup.manifest });
    const appending = first.length > 0 ? gate.append(first) : null;
    // Whichever fails, the other has ended before anything is closed or taken away.
    await Promise.allSettled([referring, appending]);
    const record = new OwnRecord(stores.pods, await referring);
    await appending;
    const rotator = new Rotator({ gate, sessions: stores.sessions, record, version: setup.version });
    return { gate, record, rotator, repair, close: () => closeSession(record, gate) };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

function openingEntries(
  gate: HistoryGate,
  log: readonly LogEntry[],
  setup: OwnerSetup | CaretakerSetup,
): EntryBody[] {
  const { state } = gate;
  const entries: EntryBody[] = [];
  if (state.run.state === "running") entries.push(...closingOfDeadRun(log.slice(state.run.since)));
  if (!("tools" in setup)) return entries;
  const digest = toolSetDigest(setup.tools);
  if (state.toolsDigest !== digest) entries.push({ kind: "tools_changed", tools: setup.tools, digest });
  if (canonicalJson(state.config) !== canonicalJson(setup.config)) {
    entries.push({ kind: "config_changed", config: setup.config });
  }
  if (canonicalJson(state.extensions.get(featuresDomain) ?? []) !== canonicalJson(setup.features)) {
    entries.push({ kind: "extension", domain: featuresDomain, payload: setup.features });
  }
  return entries;
}

/** How a run is marked whose process died. Without what began it there is nothing to resume. */
function closingOfDeadRun(entries: readonly LogEntry[]): EntryBody[] {
  const run = entries.filter(isKnown);
  const missing = missingBeginning(run);
  if (missing !== null) {
    const detail = `the process that began it ended before ${missing}`;
    return [{ kind: "run_completed", result: "aborted", detail }];
  }
  const detail = "the process that ran it ended before the run did";
  return [...noteOfLostAttachments(run), { kind: "run_paused", reason: "interrupted", detail }];
}

function missingBeginning([invoke, ...run]: readonly Entry[]): string | null {
  if (invoke?.kind !== "invoke") return null;
  switch (invoke.trigger) {
    case "user_send":
      // A crash tore the batch of the two, and whoever gave the input was never told that it arrived.
      return run.some(({ kind }) => kind === "user_input") ? null : "its input arrived";
    case "notify":
    case "pod_event":
      // What it was to deliver waits as before.
      return run.some(
        (entry) =>
          (entry.kind === "system_item" || entry.kind === "user_input") && entry.delivers !== undefined,
      )
        ? null
        : "it delivered anything";
    default:
      return null;
  }
}

/** An input whose batch a crash tore may be there without all that it attached: the model is told, and can read what is missing. */
function noteOfLostAttachments(run: readonly Entry[]): EntryBody[] {
  const inputs = run.filter((entry) => entry.kind === "user_input");
  const wanted = inputs.reduce((sum, { attachments = 0 }) => sum + attachments, 0);
  const arrived = run.reduce((sum, entry, index) => sum + attachedTo(entry, run.slice(index + 1)), 0);
  if (arrived >= wanted) return [];
  const input = inputs.length > 1 ? "these inputs" : "this input";
  const names = inputs.length > 1 ? "they name" : "the input names";
  const isSkill = inputs.some(({ parts }) => parts.some(({ type }) => type === "skill_ref"));
  const what = isSkill ? "skills, files and directories" : "files and directories";
  const rest = isSkill
    ? `load the skill that ${names} behind a /, and read the others, behind an @,`
    : `read the others, which ${names} behind an @,`;
  const body = `Of the ${wanted} ${what} that were attached to ${input} ${arrived} arrived, because the process ended meanwhile: ${rest} if they are needed.`;
  const reason = "a crash tore the input";
  return [
    {
      kind: "system_item",
      item: { type: "system_item", kind: "notification", source: "host", reason, body },
    },
  ];
}

/** How many of an input's attachments stand behind it; those of one batch do so without anything between them. */
function attachedTo(entry: Entry, behind: readonly Entry[]): number {
  if (entry.kind !== "user_input") return 0;
  const wanted = behind.slice(0, entry.attachments ?? 0);
  const other = wanted.findIndex((one) => one.kind !== "system_item" || !isAttached(one.item));
  return other === -1 ? wanted.length : other;
}

/** The orderly close: the log first, then its head into the metadata, where `verify` finds it. That of a poisoned log is the last entry acknowledged. */
async function closeSession(record: OwnRecord, gate: HistoryGate): Promise<void> {
  await gate.close();
  const { ref, head } = gate;
  await record.update({ closedHead: { segment: ref.segment, ...head } });
}
