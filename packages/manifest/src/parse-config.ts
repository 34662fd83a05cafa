/** Reads one config file: TOML to typed values, with one sentence for each thing that is wrong. */
import { escapeControls, messageOf, nearest, utf8Length, YoiError } from "@yoi/base";
import { parse, TomlError } from "smol-toml";
import { compactionAliases, removedCompactionKeys } from "./compaction-keys.ts";
import {
  configKeys,
  isListKey,
  isSettingKey,
  type KnownKeys,
  type ListKey,
  profileKeys,
  settingSpecs,
  type SettingKey,
  type Settings,
} from "./config-keys.ts";
import type { ConfigLayer, ConfigReading, ConfigSource } from "./config-layer.ts";
import { readPermissionRules, readScopeRules } from "./config-lists.ts";
import { keyPlace, shown } from "./config-values.ts";
import { readModels, readProviders } from "./definition-lists.ts";
import type { ModelDefinition, ProviderDefinition } from "./definitions.ts";
import { locateKeys, type KeyPath } from "./key-lines.ts";
import { mismatch, projectRule, type ListReader } from "./list-elements.ts";
import type { PermissionRule } from "./manifest.ts";
import { profileBytesMax } from "./profile.ts";

/** A greater config file is refused unread. */
export const configBytesMax = 65_536;
/** Of one file that are said: a hostile one, which comes with a workspace, could be nothing else. */
export const configProblemsMax = 20;
/** Our keys nest three deep, lists included. */
const configDepthMax = 16;

/** The layer of a config file or of a profile. Throws config_invalid for the first problem in it, with file and line. */
export function parseConfig(text: string, source: ConfigSource): ConfigLayer {
  const reading = checkConfig(text, source);
  if (reading.layer === null) throw reading.problems[0];
  return reading.layer;
}

/** The same, with all problems, in the order of lines: at most `configProblemsMax`, and behind them whether there are more. */
export function checkConfig(text: string, source: ConfigSource): ConfigReading {
  const bytes = utf8Length(text);
  const bytesMax = bytesMaxOf(source);
  if (bytes > bytesMax) {
    const sentence = `is ${bytes} bytes, over the limit of ${bytesMax}: make it smaller`;
    return { layer: null, problems: [problem(source, 1, sentence)] };
  }
  let document: Record<string, unknown>;
  try {
    document = parse(text, { maxDepth: configDepthMax });
  } catch (error) {
    return { layer: null, problems: [syntaxProblem(source, error)] };
  }
  return new LayerReader(text, source).read(document);
}

/** A greater file of this kind is refused unread. */
export function bytesMaxOf({ profile }: ConfigSource): number {
  return profile === undefined ? configBytesMax : profileBytesMax;
}

function problem(source: ConfigSource, line: number, sentence: string): YoiError {
  return new YoiError("config_invalid", `${source.path}:${line}: ${sentence}.`, {
    place: { path: source.path, line },
  });
}

function syntaxProblem(source: ConfigSource, error: unknown): YoiError {
  const line = error instanceof TomlError ? error.line : 1;
  const reason = (messageOf(error).split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
  return problem(source, line, `this is not TOML (${escapeControls(reason)}): correct the line`);
}

/** Walks a document once. */
class LayerReader {
  readonly #source: ConfigSource;
  readonly #known: KnownKeys;
  readonly #lineOf: (path: KeyPath) => number;
  readonly #problems: YoiError[] = [];
  readonly #settings: Record<string, unknown> = {};
  readonly #origins = new Map<SettingKey | ListKey, string>();
  #rules: readonly PermissionRule[] = [];
  #providers: readonly ProviderDefinition[] = [];
  #models: readonly ModelDefinition[] = [];
  readonly #scope: { allow: ConfigLayer["scope"]["allow"]; deny: ConfigLayer["scope"]["deny"] } = {
    allow: [],
    deny: [],
  };

  constructor(text: string, source: ConfigSource) {
    this.#source = source;
    this.#known = source.profile === undefined ? configKeys : profileKeys;
    const lines = locateKeys(text);
    this.#lineOf = (path) => lines.lineOf(path);
  }

  read(document: Readonly<Record<string, unknown>>): ConfigReading {
    this.#table([], document);
    const settings = this.#settings as Partial<Settings>;
    if (settings["model.base_url"] !== undefined && settings["model.ref"] === undefined) {
      this.#complain(
        ["model", "base_url"],
        "needs model.ref in the same file: an endpoint belongs to one provider",
      );
    }
    const found = this.#problems.toSorted((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0));
    const [first, ...rest] = found.slice(0, configProblemsMax);
    const [more] = found.slice(configProblemsMax);
    if (first !== undefined) {
      const line = more?.place?.line ?? 1;
      const last = problem(
        this.#source,
        line,
        "more is wrong here and perhaps below: mend what is said first",
      );
      return { layer: null, problems: [first, ...rest, ...(more === undefined ? [] : [last])] };
    }
    return {
      layer: {
        source: this.#source,
        settings,
        rules: this.#rules,
        scope: this.#scope,
        providers: this.#providers,
        models: this.#models,
        origins: this.#origins,
      },
      problems: [],
    };
  }

  #table(path: readonly string[], table: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(table)) {
      if (this.#isFull) return;
      const at = [...path, name];
      const key = this.#named(at, dotted(at), table);
      const foreign = this.#foreign(at, key);
      if (foreign !== null) this.#complain(at, foreign);
      else if (isSettingKey(key)) this.#setting(at, key, value);
      else if (isListKey(key)) this.#list(at, key, value);
      else if (!this.#known.tables.has(key)) this.#unknown(at, this.#siblings(path));
      else if (isTable(value)) this.#table(at, value);
      else this.#complain(at, `must be a table, but is ${shown(value)}`);
    }
  }

  /** The key that is meant: by an older name of it too, unless it stands beside that. */
  #named(at: readonly string[], key: string, table: Readonly<Record<string, unknown>>): string {
    const meant = Object.hasOwn(compactionAliases, key) ? compactionAliases[key] : undefined;
    if (meant === undefined) return key;
    if (!Object.hasOwn(table, meant.split(".").at(-1) ?? "")) return meant;
    this.#complain(at, `is an older name of ${meant}, which stands beside it: remove one of them`);
    return meant;
  }

  #setting<K extends SettingKey>(at: KeyPath, key: K, value: unknown): void {
    const spec = settingSpecs[key];
    if (!spec.accepts(value)) {
      this.#complain(at, mismatch(spec, value));
      return;
    }
    const refusal = this.#source.trust === "user" ? null : (spec.refusedInProject?.(value) ?? null);
    if (refusal !== null) {
      this.#complain(at, `${refusal} ${projectRule}`);
      return;
    }
    this.#settings[key] = value;
    this.#origins.set(key, this.#originOf(at));
  }

  #list(at: KeyPath, key: ListKey, value: unknown): void {
    const reader: ListReader = {
      source: this.#source,
      complain: (path, rest) => this.#complain(path, rest),
      unknownKey: (path, known) => this.#unknown(path, known),
      originOf: (path) => this.#originOf(path),
    };
    this.#origins.set(key, this.#originOf(at));
    switch (key) {
      case "permissions.rule":
        this.#rules = readPermissionRules(value, reader);
        break;
      case "scope.allow":
        this.#scope.allow = readScopeRules(key, value, reader);
        break;
      case "scope.deny":
        this.#scope.deny = readScopeRules(key, value, reader);
        break;
      case "providers":
        this.#providers = readProviders(value, reader);
        break;
      case "models":
        this.#models = readModels(value, reader);
        break;
    }
  }

  /** `known` are the names that may stand beside it. */
  #unknown(at: KeyPath, known: readonly string[]): void {
    if (this.#isFull) return;
    const name = String(at.at(-1));
    const near = nearest(name, known);
    // The right name in the wrong table is as common as a typing error.
    const elsewhere = this.#known.keys.find((key) => key.endsWith(`.${name}`));
    const meant = near === null ? elsewhere : dotted([...at.slice(0, -1), near]);
    const advice = /key|token|secret|password/i.test(name) ? `; ${keyPlace}` : "";
    this.#complain(
      at,
      meant === undefined
        ? `is not a key of ${this.#source.profile === undefined ? "the configuration" : "a profile"}${advice}`
        : `is not a key: did you mean ${meant}`,
    );
  }

  /** Why a key that is known elsewhere may not stand in this file; null when it may, or nobody knows it. */
  #foreign(at: readonly string[], key: string): string | null {
    const removed = Object.hasOwn(removedCompactionKeys, key) ? removedCompactionKeys[key] : undefined;
    if (removed !== undefined) return removed;
    if (this.#source.profile !== undefined)
      return at.length === 1 && Object.hasOwn(refusedInProfiles, key)
        ? (refusedInProfiles[key] ?? null)
        : null;
    return isSettingKey(key) && settingSpecs[key].profileOnly === true
      ? "is a key of profiles only: write it into a profile and choose that with --profile"
      : null;
  }

  /** The names that may stand in a table. */
  #siblings(path: readonly string[]): readonly string[] {
    const prefix = path.map((segment) => `${segment}.`).join("");
    const { tables, keys } = this.#known;
    const below = [...tables, ...keys].filter((key) => key.startsWith(prefix));
    return [...new Set(below.map((key) => key.slice(prefix.length).split(".")[0] ?? ""))];
  }

  /** One more than are said was found. */
  get #isFull(): boolean {
    return this.#problems.length > configProblemsMax;
  }

  #complain(at: KeyPath, rest: string): void {
    if (this.#isFull) return;
    this.#problems.push(problem(this.#source, this.#lineOf(at), `${dotted(at)} ${rest}`));
  }

  #originOf(at: KeyPath): string {
    return `${this.#source.path}:${this.#lineOf(at)}`;
  }
}

const ofOnePod =
  "may not stand in a profile, which is for any number of Pods: it is said when a Pod is started";
const ofHost = "may not stand in a profile: yoi alone says where a Pod is reached and by whom";
const ofUser = "may not stand in a profile: define it in your own config.toml";

/** What is no choice of a profile, by top-level key. */
const refusedInProfiles: Readonly<Record<string, string>> = {
  pod: ofOnePod,
  name: ofOnePod,
  workspace: ofOnePod,
  manifest: ofOnePod,
  session_id: ofOnePod,
  socket: ofHost,
  callback: ofHost,
  token: ofHost,
  providers: ofUser,
  models: ofUser,
  terminal: "may not stand in a profile: how you see Pods is said in your own config.toml",
  secrets: `may not stand in a profile; ${keyPlace}`,
};

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

const shownKeyCharsMax = 80;

/** A key as one would write it; a segment that is no bare key is quoted, so that it is never taken for two. */
function dotted(path: KeyPath): string {
  let text = "";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else
      text += `${text === "" ? "" : "."}${/^[A-Za-z0-9_-]+$/.test(segment) ? segment : escapeControls(JSON.stringify(segment))}`;
  }
  return text.length > shownKeyCharsMax ? `${text.slice(0, shownKeyCharsMax)}...` : text;
}
