/** The keys of a config file: what each may hold, and what a file that comes with a workspace may say. */
import { utf8Length } from "@yoi/base";
import { type BudgetSettings, budgetSettingSpecs } from "./budget-keys.ts";
import { type CompactionSettings, compactionSettingSpecs } from "./compaction-keys.ts";
import {
  isLanguage,
  isModelId,
  isOneOf,
  isWebUrl,
  isWholeNumber,
  languageCharsMax,
} from "./config-values.ts";
import { permissionModes, type PermissionMode } from "./manifest.ts";
import type { FeatureName } from "./feature-names.ts";
import { parseModelRef } from "./model-ref.ts";
import { descriptionCharsMax, instructionBytesMax, parseProfileSelector } from "./profile.ts";
import { type TerminalKeys, terminalSettingSpecs } from "./terminal-keys.ts";
import { type SkillSettings, skillSettingSpecs } from "./skill-keys.ts";
import { type TicketSettings, ticketSettingSpecs } from "./ticket-keys.ts";
import { webSettingSpecs, type WebSettings } from "./web-keys.ts";

/** The most that `worker.tool_output.default_max_bytes` can be, and what it is when nobody says. */
export const toolOutputBytesMax = 65_536;
export const toolOutputBytesMin = 256;

/** `worker.file_upload.max_bytes`: what it may be, and what it is when nobody says. */
export const fileUploadBytesMax = 1_048_576;
export const fileUploadBytesMin = 1024;
export const fileUploadBytesDefault = 262_144;

/** The single values, by dotted key. */
export interface Settings
  extends
    WebSettings,
    BudgetSettings,
    FeatureSettings,
    CompactionSettings,
    TerminalKeys,
    TicketSettings,
    SkillSettings {
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
  /** Of profiles, as are the next two. */
  readonly description: string;
  readonly extends: string;
  readonly "worker.instruction": string;
}

type FeatureSettings = { readonly [K in `features.${FeatureName}`]: boolean };

export type SettingKey = keyof Settings;

export interface SettingSpec<T> {
  /** Ends the sentence "<key> must be ...". */
  readonly allowed: string;
  readonly accepts: (value: unknown) => value is T;
  /** As that of a field in a list. */
  readonly nearKeys?: boolean;
  /** Absent: any file may say it. */
  readonly profileOnly?: true;
  /** Why a project or local file may not say this; null when it may. Absent: it may say anything that is accepted. */
  readonly refusedInProject?: (value: T) => string | null;
}

const featureToggle: SettingSpec<boolean> = {
  allowed: "true or false",
  accepts: (value): value is boolean => typeof value === "boolean",
  refusedInProject: (enabled) => (enabled ? "may not be true" : null),
};

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
    refusedInProject: () => "may not be set",
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
  ...budgetSettingSpecs,
  ...compactionSettingSpecs,
  ...terminalSettingSpecs,
  "features.task": featureToggle,
  "features.pods": featureToggle,
  "features.tickets": featureToggle,
  ...ticketSettingSpecs,
  ...skillSettingSpecs,
  description: {
    allowed: `one line of at most ${descriptionCharsMax} characters`,
    accepts: (value): value is string =>
      typeof value === "string" && value.length <= descriptionCharsMax && !/\p{Cc}/u.test(value),
    profileOnly: true,
  },
  extends: {
    allowed: "the name of a profile, as builtin:NAME, user:NAME, project:NAME or NAME alone",
    accepts: (value): value is string => typeof value === "string" && parseProfileSelector(value) !== null,
    profileOnly: true,
  },
  "worker.instruction": {
    allowed: `a text of at most ${instructionBytesMax} bytes`,
    accepts: (value): value is string =>
      typeof value === "string" && value.trim() !== "" && utf8Length(value) <= instructionBytesMax,
    profileOnly: true,
  },
};

/** The lists of tables, by dotted key, with the keys of their elements. */
export const listKeys = {
  "permissions.rule": ["tool", "argument", "pattern", "action"],
  "scope.allow": ["target", "permission", "recursive", "shared"],
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

/** The dotted keys that may stand in files of a kind, and every table on the way to one. */
export interface KnownKeys {
  readonly keys: readonly string[];
  readonly tables: ReadonlySet<string>;
}

function knownAmong(keys: readonly string[]): KnownKeys {
  const tables = keys.flatMap((key) => {
    const segments = key.split(".");
    return segments.slice(1).map((_, depth) => segments.slice(0, depth + 1).join("."));
  });
  return { keys, tables: new Set(tables) };
}

const allKeys = [...Object.keys(settingSpecs), ...Object.keys(listKeys)];

/** Of `config.toml` and `config.local.toml`. */
export const configKeys = knownAmong(
  allKeys.filter((key) => !isSettingKey(key) || settingSpecs[key].profileOnly !== true),
);
/** Of a profile: definitions, and how the user sees Pods, are the user's own config's. */
export const profileKeys = knownAmong(
  allKeys.filter((key) => key !== "providers" && key !== "models" && !key.startsWith("terminal.")),
);
