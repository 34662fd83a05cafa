/** The keys of a config file: what each may hold, and what a file that comes with a workspace may say. */
import {
  isLanguage,
  isModelId,
  isOneOf,
  isWebUrl,
  isWholeNumber,
  languageCharsMax,
} from "./config-values.ts";
import { permissionModes, type PermissionMode } from "./manifest.ts";
import { parseModelRef } from "./model-ref.ts";
import { webSettingSpecs, type WebSettings } from "./web-keys.ts";

/** The most that `worker.tool_output.default_max_bytes` can be, and what it is when nobody says. */
export const toolOutputBytesMax = 65_536;
export const toolOutputBytesMin = 256;

/** `worker.file_upload.max_bytes`: what it may be, and what it is when nobody says. */
export const fileUploadBytesMax = 1_048_576;
export const fileUploadBytesMin = 1024;
export const fileUploadBytesDefault = 262_144;

/** The single values, by dotted key. */
export interface Settings extends WebSettings {
  readonly "model.ref": string;
  readonly "model.base_url": string;
  readonly "model.context_window": number;
  readonly "model.max_output_tokens": number;
  readonly "model.temperature": number;
  readonly "model.reasoning": string;
  readonly "permissions.mode": PermissionMode;
  readonly "sandbox.mode": "on" | "off";
  readonly "sandbox.network": boolean;
  readonly "worker.max_turns": number;
  readonly "worker.language": string;
  readonly "worker.tool_output.default_max_bytes": number;
  readonly "worker.file_upload.max_bytes": number;
  readonly "session.record_event_trace": boolean;
}
export type SettingKey = keyof Settings;

export interface SettingSpec<T> {
  /** Ends the sentence "<key> must be ...". */
  readonly allowed: string;
  readonly accepts: (value: unknown) => value is T;
  /** As that of a field in a list. */
  readonly nearKeys?: boolean;
  /** Why a project or local file may not say this; null when it may. Absent: it may say anything that is accepted. */
  readonly refusedInProject?: (value: T) => string | null;
}

const refusedAlways = (reason: string) => () => reason;

export const settingSpecs: { readonly [K in SettingKey]: SettingSpec<Settings[K]> } = {
  "model.ref": {
    allowed: 'a model as "provider/id"',
    accepts: isModelId,
    // A scenario file makes tool calls of its own choice: a repository could run what it likes without any model being asked.
    refusedInProject: (ref) =>
      parseModelRef(ref)?.provider === "scripted" ? "may not choose a scripted model" : null,
  },
  "model.base_url": {
    allowed: "an http or https URL without user, password, query or fragment",
    accepts: isWebUrl,
    refusedInProject: refusedAlways("may not be set, as it says where your credentials and code are sent"),
  },
  "model.context_window": {
    allowed: "a whole number of tokens, at least 1",
    accepts: (value) => isWholeNumber(value, 1),
  },
  "model.max_output_tokens": {
    allowed: "a whole number of tokens, at least 1",
    accepts: (value) => isWholeNumber(value, 1),
  },
  "model.temperature": {
    allowed: "a number from 0 to 2",
    accepts: (value): value is number => typeof value === "number" && value >= 0 && value <= 2,
  },
  "model.reasoning": {
    allowed: 'an effort such as "low", "medium" or "high" (letters, digits, "-" and "_", at most 32)',
    accepts: (value): value is string => typeof value === "string" && /^[A-Za-z0-9_-]{1,32}$/.test(value),
  },
  "permissions.mode": {
    allowed: 'one of "allow-in-scope", "ask" and "deny-unlisted"',
    accepts: (value) => isOneOf(value, permissionModes),
  },
  "sandbox.mode": {
    allowed: '"on" or "off"',
    accepts: (value) => isOneOf(value, ["on", "off"]),
    refusedInProject: (mode) => (mode === "off" ? 'may not be "off"' : null),
  },
  "sandbox.network": {
    allowed: "true or false",
    accepts: (value): value is boolean => typeof value === "boolean",
    refusedInProject: (network) => (network ? "may not be true" : null),
  },
  "worker.max_turns": {
    allowed: "a whole number, at least 1",
    accepts: (value) => isWholeNumber(value, 1),
  },
  "worker.language": {
    allowed: `the name of a language (letters, spaces, hyphens and parentheses, at most ${languageCharsMax} characters)`,
    accepts: isLanguage,
  },
  "worker.tool_output.default_max_bytes": {
    allowed: `a whole number of bytes from ${toolOutputBytesMin} to ${toolOutputBytesMax}`,
    accepts: (value) => isWholeNumber(value, toolOutputBytesMin, toolOutputBytesMax),
  },
  "worker.file_upload.max_bytes": {
    allowed: `a whole number of bytes from ${fileUploadBytesMin} to ${fileUploadBytesMax}`,
    accepts: (value) => isWholeNumber(value, fileUploadBytesMin, fileUploadBytesMax),
  },
  "session.record_event_trace": {
    allowed: "true or false",
    accepts: (value): value is boolean => typeof value === "boolean",
    refusedInProject: (records) => (records ? "may not be true" : null),
  },
  ...webSettingSpecs,
};

/** The lists of tables, by dotted key, with the keys of their elements. */
export const listKeys = {
  "permissions.rule": ["tool", "argument", "pattern", "action"],
  "scope.allow": ["target", "permission", "recursive"],
  "scope.deny": ["target", "permission", "recursive"],
  providers: ["name", "kind", "base_url", "label", "key_variable", "secret", "key"],
  models: [
    "ref",
    "context_window",
    "max_output_tokens",
    "images",
    "mid_system",
    "input_price",
    "output_price",
    "cache_read_price",
    "cache_write_price",
  ],
} as const;
export type ListKey = keyof typeof listKeys;

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingSpecs, key);
}

export function isListKey(key: string): key is ListKey {
  return Object.hasOwn(listKeys, key);
}

/** Every dotted key that may stand in a file. */
export const knownKeys: readonly string[] = [...Object.keys(settingSpecs), ...Object.keys(listKeys)];

/** Every table on the way to one. */
export const knownTables: ReadonlySet<string> = new Set(
  knownKeys.flatMap((key) => {
    const segments = key.split(".");
    return segments.slice(1).map((_, depth) => segments.slice(0, depth + 1).join("."));
  }),
);
