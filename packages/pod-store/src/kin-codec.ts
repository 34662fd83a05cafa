/** The kin of a Pod as it stands in its metadata: parent, children, reclaimed children and peers, and the scope that answers of the user gave it. */
import {
  isJsonObject,
  isPodName,
  isUuidV7,
  podName,
  sessionId,
  type JsonObject,
  type JsonValue,
  type Loan,
  type PodName,
  type ScopeRule,
  type SessionId,
} from "@yoi/base";
import type { StoredField } from "./stored-field.ts";
import {
  type ChildRecord,
  type ParentLink,
  type PeerLink,
  type PodRecord,
  type ReclaimedChild,
  reclaimReasons,
} from "./store.ts";

export type Kin = Pick<PodRecord, "parent" | "children" | "reclaimed" | "peers">;

/** Fields of a child that say nothing of a loan that came back, and the other way round: they do not pass from the one to the other, and a task that was given is gone. */
const ownOfOneState = ["state", "token_digest", "socket", "callback", "since_ms", "task", "reason", "at_ms"];

/** `kept`: the fields found in the file before. What is not ours in the record of the same loan, parent or peer stays. */
export function kinJson({ parent, children, reclaimed, peers }: Kin, kept: JsonObject): JsonObject {
  const before = recordsByLoan(kept);
  const linksBefore = peersBySession(kept);
  return {
    parent: parent === null ? null : parentJson(parent, kept["parent"]),
    children: children.map((child) => besideForeign(childJson(child), before.get(child.loan.id))),
    reclaimed: reclaimed.map((child) => besideForeign(reclaimedJson(child), before.get(child.loan.id))),
    peers: peers.map((peer) => besideForeign(peerJson(peer), linksBefore.get(peer.session))),
  };
}

/** @param schema 1 knew no kin. */
export function readKin(document: StoredField, schema: number, owner: PodName): Kin {
  if (schema === 1) return { parent: null, children: [], reclaimed: [], peers: [] };
  const parent = document.field("parent");
  const children = document.field("children").list();
  const reclaimed = document.field("reclaimed").list();
  const peers = document.field("peers").list();
  const kin = {
    parent: parent.isNull ? null : readParent(parent),
    children: children.map(readChild),
    reclaimed: reclaimed.map(readReclaimed),
    peers: peers.map(readPeer),
  };
  refuseTwice(
    owner,
    [...children, ...reclaimed].map((child) => child.field("name")),
  );
  refuseTwice(
    owner,
    peers.map((peer) => peer.field("name")),
  );
  return kin;
}

/** Nothing granted leaves nothing behind. */
export function grantedJson({ granted = [] }: Pick<PodRecord, "granted">): JsonObject {
  return granted.length === 0 ? {} : { granted: granted.map(ruleJson) };
}

export function readGranted(document: StoredField): Pick<PodRecord, "granted"> {
  if (document.object()["granted"] === undefined) return {};
  return { granted: document.field("granted").list().map(readRule) };
}

function refuseTwice(owner: PodName, names: readonly StoredField[]): void {
  const seen = new Set<string>();
  for (const field of names) {
    const name = field.text();
    if (name === owner) field.refuse("names the Pod itself");
    if (seen.has(name)) field.refuse(`names ${name} a second time`);
    seen.add(name);
  }
}

function parentJson(parent: ParentLink, stored: JsonValue | undefined): JsonObject {
  const { pod, session, depth, token } = parent;
  const isSame = isJsonObject(stored) && stored["pod"] === pod && stored["session"] === session;
  return { ...(isSame ? stored : {}), pod, session, depth, token };
}

function childJson(child: ChildRecord): JsonObject {
  const { name, state, session, tokenDigest, socket, callback, sinceMs, loan, task } = child;
  return {
    name,
    state,
    session,
    token_digest: tokenDigest,
    socket,
    callback,
    since_ms: sinceMs,
    ...(task === undefined ? {} : { task: { text: task.text, submission: task.submission } }),
    loan: loanJson(loan),
  };
}

function reclaimedJson({ name, session, reason, atMs, loan }: ReclaimedChild): JsonObject {
  return { name, session, reason, at_ms: atMs, loan: loanJson(loan) };
}

function peerJson({ name, session }: PeerLink): JsonObject {
  return { name, session };
}

function loanJson({ id, scope: { allow, deny } }: Loan): JsonObject {
  return { id, allow: allow.map(ruleJson), deny: deny.map(ruleJson) };
}

function ruleJson({ target, permission, recursive }: ScopeRule): JsonObject {
  return { target, permission, recursive };
}

function recordsByLoan(kept: JsonObject): ReadonlyMap<JsonValue | undefined, JsonObject> {
  const records = [kept["children"], kept["reclaimed"]].flatMap((list) => (Array.isArray(list) ? list : []));
  return new Map(
    records
      .filter(isJsonObject)
      .map((record) => [isJsonObject(record["loan"]) ? record["loan"]["id"] : undefined, record]),
  );
}

function peersBySession(kept: JsonObject): ReadonlyMap<JsonValue | undefined, JsonObject> {
  const peers = kept["peers"];
  return new Map(
    (Array.isArray(peers) ? peers : []).filter(isJsonObject).map((peer) => [peer["session"], peer]),
  );
}

/** Ours, and beside it what others wrote into the stored record of the same loan, or of the same peer. */
function besideForeign(ours: JsonObject, stored: JsonObject | undefined): JsonObject {
  if (stored === undefined) return ours;
  const foreign = Object.entries(stored).filter(([key]) => !ownOfOneState.includes(key));
  return mergedObject(ours, Object.fromEntries(foreign));
}

/** Ours wherever it says something; the stored one's other fields stay, at any depth. */
function mergedObject(ours: JsonObject, stored: JsonObject): JsonObject {
  const fields = Object.entries(ours).map(([key, value]) => [key, merged(value ?? null, stored[key])]);
  // Ours first, so that fields stand in one order whoever wrote before.
  return { ...ours, ...stored, ...(Object.fromEntries(fields) as JsonObject) };
}

function merged(ours: JsonValue, stored: JsonValue | undefined): JsonValue {
  if (Array.isArray(ours) && Array.isArray(stored) && ours.length === stored.length) {
    return ours.map((element: JsonValue, index) => merged(element, stored[index] as JsonValue));
  }
  return isJsonObject(ours) && isJsonObject(stored) ? mergedObject(ours, stored) : ours;
}

function readParent(field: StoredField): ParentLink {
  return {
    pod: readName(field.field("pod")),
    session: readSession(field.field("session")),
    depth: field.field("depth").count(1),
    token: field.field("token").text(),
  };
}

function readChild(field: StoredField): ChildRecord {
  return {
    name: readName(field.field("name")),
    state: field.field("state").oneOf(["starting", "live"]),
    loan: readLoan(field.field("loan")),
    session: readSession(field.field("session")),
    tokenDigest: field.field("token_digest").text(),
    socket: field.field("socket").textOrNull(),
    callback: field.field("callback").textOrNull(),
    sinceMs: field.field("since_ms").time(),
    ...readTask(field),
  };
}

function readTask(child: StoredField): Pick<ChildRecord, "task"> {
  if (child.object()["task"] === undefined) return {};
  const task = child.field("task");
  return { task: { text: task.field("text").text(), submission: task.field("submission").text() } };
}

function readReclaimed(field: StoredField): ReclaimedChild {
  return {
    name: readName(field.field("name")),
    loan: readLoan(field.field("loan")),
    session: readSession(field.field("session")),
    reason: field.field("reason").oneOf(reclaimReasons),
    atMs: field.field("at_ms").time(),
  };
}

function readPeer(field: StoredField): PeerLink {
  return { name: readName(field.field("name")), session: readSession(field.field("session")) };
}

function readLoan(field: StoredField): Loan {
  return {
    id: field.field("id").text(isUuidV7),
    scope: {
      allow: field.field("allow").list().map(readRule),
      deny: field.field("deny").list().map(readRule),
    },
  };
}

function readRule(field: StoredField): ScopeRule {
  return {
    target: field.field("target").text((target) => target.startsWith("/")),
    permission: field.field("permission").oneOf(["read", "write"]),
    recursive: field.field("recursive").flag(),
  };
}

function readName(field: StoredField): PodName {
  return podName(field.text(isPodName));
}

function readSession(field: StoredField): SessionId {
  return sessionId(field.text(isUuidV7));
}
