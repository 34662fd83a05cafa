/** `yoi pod show`: what a Pod's name refers to now, and what its log says of it. */
import { escapeControls, flattenInput, idOf, isJsonObject, type JsonObject, type Loan } from "@yoi/base";
import {
  featuresDomain,
  findPod,
  isoTime,
  parseKeptRule,
  pendingOf,
  standingOf,
  statusOf,
  timelineOf,
  withoutArriving,
} from "@yoi/pod";
import { hostPurpose, type PodRecord } from "@yoi/pod-store";
import type { SessionState } from "@yoi/session-store";
import { nowText, podNow } from "../client/pod-now.ts";
import { grantsIn } from "../compose/granting.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { costFields, describeSpent } from "../output/cost.ts";
import { preview } from "../output/transcript/entry-blocks.ts";
import { scopeText } from "../output/scope-text.ts";
import { scopeJson, standingJson } from "../output/tree-json.ts";
import { standingText } from "../output/tree-text.ts";
import type { JsonFlag } from "../program/act.ts";
import { podCache } from "./pod-cache.ts";

export interface ShowFlags extends JsonFlag {
  readonly cache?: boolean;
}

export async function podShow(name: string, flags: ShowFlags): Promise<number> {
  if (flags.cache === true) return podCache(name, flags);
  const environment = readEnvironment();
  const stores = openStores(environment);
  const record = await findPod(stores.pods, name);
  const view = record.pointer.state === "active" ? await stores.sessions.read(record.pointer) : null;
  const { status, ownerPid, ownerPurpose, state } = await statusOf(stores.lease, record.name, view);
  const { standing, ceiling } = await standingOf(stores, record);
  const isHosted = ownerPurpose === hostPurpose;
  const now = isHosted ? await podNow(record.name, { environment, stores, client: "show" }) : null;
  const cost = state === null ? null : withoutArriving(state.cost, state, ownerPid !== null);
  const shown = {
    name: record.name,
    title: record.title ?? null,
    state: status,
    owner_pid: ownerPid,
    owner_purpose: ownerPurpose,
    now,
    workspace: record.manifest["workspace"] ?? null,
    writes: record.manifest["writes"] ?? null,
    model: state?.config.model ?? null,
    profile: profileOf(record.manifest),
    session_id: record.pointer.session,
    segment_id: record.pointer.state === "active" ? record.pointer.segment : null,
    segments: await segmentCount(stores.sessions, record.pointer),
    log: view?.path ?? null,
    entries: view?.entries.length ?? 0,
    items: state?.items.length ?? 0,
    waiting: state?.inbox.length ?? 0,
    queue: queueOf(state, isHosted),
    approvals: state === null ? 0 : pendingOf(state, record.name).length,
    turns: state?.turnCount ?? 0,
    usage: state === null ? null : { ...state.usage },
    ...(cost === null ? { total_cost_usd: null, cost: null } : costFields(cost)),
    paused: pausedOf(state),
    features: state?.extensions.get(featuresDomain) ?? [],
    documents: state?.documents.map((document) => document.path) ?? [],
    damage: view?.damage ?? null,
    scope: ceiling === null ? null : scopeJson(ceiling),
    granted: await grantedTo(standing.kind === "own" ? record.manifest : {}, state, {
      environment,
      host: stores.host,
      record,
      isLive: ownerPid !== null,
    }),
    parent: record.parent?.pod ?? null,
    loan: standingJson(standing),
    children: record.children.map(({ name: child, state: its, loan }) => ({
      name: child,
      state: its,
      loan: loanJson(loan),
    })),
    reclaimed: record.reclaimed.map(({ name: child, reason, atMs, loan }) => ({
      name: child,
      reason,
      at_ms: atMs,
      loan: loanJson(loan),
    })),
    peers: record.peers.map((peer) => ({ name: peer.name, session_id: peer.session })),
    created_ms: record.createdMs,
    updated_ms: record.updatedMs,
    manifest: record.manifest,
  };
  if (flags.json === true) {
    process.stdout.write(jsonLine(shown));
    return exitCode.done;
  }
  for (const [key, value] of Object.entries(shown)) {
    if (ownLines.has(key)) continue;
    if (key === "title" && value === null) continue;
    if (key === "writes") {
      if (value !== null) line("writes", writesText(value));
      continue;
    }
    if (key === "now") {
      if (isHosted) line("now", nowText(now));
      continue;
    }
    const text = key.endsWith("_ms") ? isoTime(Number(value)) : String(value ?? "-");
    line(key.replace(/_ms$/, ""), text);
  }
  const { paused, documents, damage, features, parent, children, reclaimed, peers } = shown;
  if (shown.profile !== null) line("profile", shown.profile);
  const { workspace } = record.manifest;
  line(
    "scope",
    ceiling === null ? "-" : scopeText(ceiling, typeof workspace === "string" ? workspace : null),
  );
  for (const { for: how, id, rule, expires_ms: expires, note } of shown.granted) {
    const until = expires === null ? "" : `, until ${isoTime(expires)}`;
    const but = note === null ? "" : `; ${note}`;
    line("granted", `${rule} (${how === "session" ? "for its session" : `grant ${id}`}${until}${but})`);
  }
  if (parent !== null) line("parent", parent);
  if (standing.kind !== "own") line("loan", standingText(standing).join(", ") || "open");
  if (children.length > 0) line("children", children.map((child) => child.name).join(", "));
  if (reclaimed.length > 0)
    line("loans back", reclaimed.map((child) => `${child.name} (${child.reason})`).join(", "));
  if (peers.length > 0) line("peers", peers.map((peer) => peer.name).join(", "));
  if (state !== null && cost !== null) line("usage", describeSpent({ usage: state.usage, cost }));
  if (paused !== null) {
    const until = paused.until_ms === null ? "" : `, until ${isoTime(paused.until_ms)}`;
    line("paused", `${paused.reason}${until}: ${paused.detail}`);
  }
  for (const { id, when, held, text } of shown.queue)
    line("queue", `${id} (${when}${held ? ", waits for you" : ""}): ${preview(text)}`);
  if (Array.isArray(features) && features.length > 0) line("features", features.map(featureLine).join(", "));
  if (documents.length > 0) line("documents", documents.join(", "));
  if (damage !== null)
    line("damage", `${damage.path}:${damage.line} (byte ${damage.offset}): ${damage.reason}`);
  return exitCode.done;
}

/** What answers of the user let through now, beside its rules and its scope: those of its session, and of one that goes by its own the grants of its workspace.. */
async function grantedTo(
  { workspace }: JsonObject,
  state: SessionState | null,
  place: Parameters<typeof grantsIn>[1] & { readonly record: PodRecord; readonly isLive: boolean },
) {
  const now = place.host.clock.now();
  const session = (state?.kept ?? [])
    .filter(({ keep }) => keep.for === "session" && (keep.expires ?? Infinity) > now)
    .map(({ id, keep }) => ({ for: keep.for, id, rule: keep.rule, expires_ms: keep.expires ?? null }));
  const grants = typeof workspace === "string" ? await grantsIn(workspace, place) : [];
  const always = grants.map(({ id, rule, expires }) => ({
    for: "always" as const,
    id,
    rule,
    expires_ms: expires,
  }));
  return [...session, ...always].map((one) => ({ ...one, note: noteOn(one.rule, place) }));
}

/** Why a rule lets through less than it says; null: it does not. */
function noteOn(
  text: string,
  { record: { manifest, granted = [] }, isLive }: { readonly record: PodRecord; readonly isLive: boolean },
): string | null {
  const kept = parseKeptRule(text);
  if (kept?.kind !== "path" || kept.rule.permission === "read") return null;
  if (manifest["writes"] !== undefined) return "for reading only: the Pod was started to write less";
  const { target, recursive } = kept.rule;
  const counts = granted.some((rule) => rule.target === target && rule.recursive === recursive);
  return !isLive || counts
    ? null
    : "does not count now: another Pod may write there, or this one is just opening";
}

/** That it ever ran on, as far as they are there. */
async function segmentCount(sessions: Stores["sessions"], pointer: PodRecord["pointer"]): Promise<number> {
  return pointer.state === "active" ? (await timelineOf(sessions, pointer)).segments.length : 0;
}

/** Its selector; null: it was started with none. */
function profileOf({ profile }: JsonObject): string | null {
  const selector = isJsonObject(profile) ? profile["selector"] : null;
  return typeof selector === "string" ? selector : null;
}

function loanJson({ id, scope }: Loan): JsonObject {
  return { id, ...scopeJson(scope) };
}

/** Shown as sentences, or not at all. */
const ownLines: ReadonlySet<string> = new Set([
  "profile",
  "usage",
  "total_cost_usd",
  "cost",
  "paused",
  "queue",
  "features",
  "documents",
  "damage",
  "scope",
  "granted",
  "parent",
  "loan",
  "children",
  "reclaimed",
  "peers",
  "manifest",
]);

/** Of the record in the log, which a later version may have written. */
function featureLine(record: unknown): string {
  const { feature, status, more } = Object(record) as { readonly [key: string]: unknown };
  return more === undefined ? `${String(feature)} (${String(status)})` : `${String(more)} more`;
}

function writesText(writes: unknown): string {
  const directories = Array.isArray(writes) ? writes : [];
  return directories.length === 0 ? "nothing (--read-only)" : `only ${directories.join(", ")}`;
}

function line(key: string, value: string): void {
  process.stdout.write(`${`${key}:`.padEnd(15)}${escapeControls(value)}\n`);
}

/** Inputs that wait for their time. `held`: they go on only once the user says so, as in every Pod that is hosted anew. */
function queueOf(state: SessionState | null, isHosted: boolean) {
  const held = state?.queueHeld === true || !isHosted;
  return (state?.queue ?? []).map((one) => {
    return { id: idOf(one), when: one.when, held, text: flattenInput(one.parts) };
  });
}

/** Null: it is not paused. `until_ms`: when a hosted Pod goes on by itself; null: it waits for somebody. */
function pausedOf(state: SessionState | null) {
  if (state?.run.state !== "paused") return null;
  const { reason, detail, until } = state.run;
  return { reason, detail, until_ms: until };
}
