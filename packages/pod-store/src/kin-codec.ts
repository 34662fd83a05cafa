/** The kin of a Pod as it stands in its metadata: parent, children, reclaimed children and peers. */
import {
  isJsonObject,
  isUuidV7,
  podName,
  sessionId,
  type JsonObject,
  type JsonValue,
  type Loan,
  type PodName,
  type Scope,
  type ScopeRule,
  type SessionId,
} from "@yoi/base";
import {
  type ChildRecord,
  type ParentLink,
  type PodRecord,
  type ReclaimedChild,
  reclaimReasons,
} from "./store.ts";

type Kin = Pick<PodRecord, "parent" | "children" | "reclaimed" | "peers">;
/** Reads one field of the file; what its reader gives undefined for is damage. */
type Field = <T>(key: string, read: (value: JsonValue | undefined) => T | undefined) => T;

export function kinJson({ parent, children, reclaimed, peers }: Kin): JsonObject {
  return {
    parent: parent === null ? null : { ...parent },
    children: children.map(({ loan, tokenDigest, sinceMs, ...child }) => ({
      ...child,
      token_digest: tokenDigest,
      since_ms: sinceMs,
      loan: loanJson(loan),
    })),
    reclaimed: reclaimed.map(({ loan, atMs, ...child }) => ({ ...child, at_ms: atMs, loan: loanJson(loan) })),
    peers: [...peers],
  };
}

/** @param schema 1 knew no kin. */
export function readKin(field: Field, schema: number): Kin {
  if (schema === 1) return { parent: null, children: [], reclaimed: [], peers: [] };
  return {
    parent: field("parent", (value) => (value === null ? null : readParent(value))),
    children: field("children", listOf(readChild)),
    reclaimed: field("reclaimed", listOf(readReclaimed)),
    peers: field("peers", listOf(readName)),
  };
}

function loanJson({ id, scope: { allow, deny } }: Loan): JsonObject {
  return { id, allow: allow.map((rule) => ({ ...rule })), deny: deny.map((rule) => ({ ...rule })) };
}

type Read<T> = (value: JsonValue | undefined) => T | undefined;

function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const list: T[] = [];
    for (const element of value as readonly JsonValue[]) {
      const one = read(element);
      if (one === undefined) return undefined;
      list.push(one);
    }
    return list;
  };
}

function readParent(value: JsonValue | undefined): ParentLink | undefined {
  if (!isJsonObject(value)) return undefined;
  const { depth, token } = value;
  const pod = readName(value["pod"]);
  const session = readSession(value["session"]);
  if (pod === undefined || session === undefined || typeof token !== "string") return undefined;
  if (typeof depth !== "number" || !Number.isSafeInteger(depth) || depth < 1) return undefined;
  return { pod, session, depth, token };
}

function readChild(value: JsonValue | undefined): ChildRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const { state, token_digest: tokenDigest, since_ms: sinceMs } = value;
  const name = readName(value["name"]);
  const session = readSession(value["session"]);
  const loan = readLoan(value["loan"]);
  const socket = readTextOrNull(value["socket"]);
  const callback = readTextOrNull(value["callback"]);
  if (name === undefined || session === undefined || loan === undefined) return undefined;
  if (socket === undefined || callback === undefined || typeof tokenDigest !== "string") return undefined;
  if ((state !== "starting" && state !== "live") || typeof sinceMs !== "number") return undefined;
  return { name, state, loan, session, tokenDigest, socket, callback, sinceMs };
}

function readReclaimed(value: JsonValue | undefined): ReclaimedChild | undefined {
  if (!isJsonObject(value)) return undefined;
  const name = readName(value["name"]);
  const session = readSession(value["session"]);
  const loan = readLoan(value["loan"]);
  const reason = reclaimReasons.find((known) => known === value["reason"]);
  const atMs = value["at_ms"];
  if (name === undefined || session === undefined || loan === undefined) return undefined;
  if (reason === undefined || typeof atMs !== "number") return undefined;
  return { name, loan, session, reason, atMs };
}

function readLoan(value: JsonValue | undefined): Loan | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id } = value;
  const allow = listOf(readRule)(value["allow"]);
  const deny = listOf(readRule)(value["deny"]);
  if (typeof id !== "string" || !isUuidV7(id) || allow === undefined || deny === undefined) return undefined;
  const scope: Scope = { allow, deny };
  return { id, scope };
}

function readRule(value: JsonValue | undefined): ScopeRule | undefined {
  if (!isJsonObject(value)) return undefined;
  const { target, permission, recursive } = value;
  if (typeof target !== "string" || !target.startsWith("/") || typeof recursive !== "boolean")
    return undefined;
  if (permission !== "read" && permission !== "write") return undefined;
  return { target, permission, recursive };
}

function readName(value: JsonValue | undefined): PodName | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return podName(value);
  } catch {
    return undefined;
  }
}

function readSession(value: JsonValue | undefined): SessionId | undefined {
  return typeof value === "string" && isUuidV7(value) ? sessionId(value) : undefined;
}

function readTextOrNull(value: JsonValue | undefined): string | null | undefined {
  return value === null || typeof value === "string" ? value : undefined;
}
