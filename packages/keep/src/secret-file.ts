/** The file of one secret: JSON, its value sealed with AES-256-GCM under a key of the keychain, or plain under its file mode alone. */
import { createCipheriv, createDecipheriv, hash } from "node:crypto";
import { isJsonObject } from "@yoi/base";
import type { SecureBytes } from "./ports.ts";

export const secretFileVersion = 1;
export const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export interface SealedSecret {
  readonly protection: "keychain";
  /** The name of the key in the keychain. */
  readonly key: string;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
  readonly tag: Uint8Array;
}

export interface PlainSecret {
  readonly protection: "file_mode";
  readonly value: string;
}

export type StoredSecret = SealedSecret | PlainSecret;

/** The id is sealed with the value: under another id the file does not open. */
export function seal(
  id: string,
  value: string,
  key: { readonly name: string; readonly bytes: Uint8Array },
  secureBytes: SecureBytes,
): SealedSecret {
  const nonce = secureBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(boundTo(id)));
  const sealed = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return { protection: "keychain", key: key.name, nonce, sealed, tag: cipher.getAuthTag() };
}

/** Null: another key, another id, or changed bytes. */
export function unseal(id: string, secret: SealedSecret, key: Uint8Array): string | null {
  if (key.length !== keyBytes) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, secret.nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(boundTo(id)));
  decipher.setAuthTag(secret.tag);
  try {
    return Buffer.concat([decipher.update(secret.sealed), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

function boundTo(id: string): string {
  return `yoi secret ${secretFileVersion}\n${id}`;
}

export function encodeSecret(id: string, secret: StoredSecret): Uint8Array {
  const head = { version: secretFileVersion, id, protection: secret.protection };
  const fields =
    secret.protection === "keychain"
      ? {
          ...head,
          key: secret.key,
          nonce: base64(secret.nonce),
          sealed: base64(secret.sealed),
          tag: base64(secret.tag),
        }
      : { ...head, value: secret.value, sum: sumOf(id, secret.value) };
  return Buffer.from(`${JSON.stringify(fields)}\n`);
}

/** `newer`: written by a later yoi. `wrong` completes the sentence "the file is damaged: ...". */
export type DecodedSecret =
  | { readonly secret: StoredSecret }
  | { readonly newer: true }
  | { readonly wrong: string };

export function decodeSecret(id: string, bytes: Uint8Array): DecodedSecret {
  let record: unknown;
  try {
    record = JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return { wrong: "it is not valid JSON" };
  }
  if (!isJsonObject(record)) return { wrong: "it is not a JSON object" };
  const { version, protection } = record;
  if (typeof version === "number" && version > secretFileVersion) return { newer: true };
  if (version !== secretFileVersion) return { wrong: "it names no version" };
  if (record["id"] !== id) return { wrong: "it was written under another id" };
  if (protection === "file_mode") return plain(id, record);
  return protection === "keychain" ? sealedOf(record) : { wrong: "it names no protection" };
}

function plain(id: string, { value, sum }: Readonly<Record<string, unknown>>): DecodedSecret {
  if (typeof value !== "string" || sum !== sumOf(id, value)) return { wrong: "its value has changed" };
  return { secret: { protection: "file_mode", value } };
}

function sealedOf(record: Readonly<Record<string, unknown>>): DecodedSecret {
  const { key } = record;
  const nonce = bytesOf(record["nonce"]);
  const sealed = bytesOf(record["sealed"]);
  const tag = bytesOf(record["tag"]);
  if (typeof key !== "string" || sealed === null || nonce?.length !== nonceBytes || tag?.length !== tagBytes)
    return { wrong: "what seals its value is not whole" };
  return { secret: { protection: "keychain", key, nonce, sealed, tag } };
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

function bytesOf(text: unknown): Uint8Array | null {
  if (typeof text !== "string") return null;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : null;
}

/** Finds damage; hides nothing, for the value stands beside it. */
function sumOf(id: string, value: string): string {
  return hash("sha256", `${id}\n${value}`, "hex").slice(0, 16);
}
