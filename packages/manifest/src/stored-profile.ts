/** A chosen profile as JSON in a Pod's metadata: what its files said when it was chosen, so that none of them is read again. */
import type { JsonObject, JsonValue, ScopeRule } from "@yoi/base";
import {
  isListKey,
  isSettingKey,
  settingSpecs,
  type ListKey,
  type SettingKey,
  type Settings,
} from "./config-keys.ts";
import type { ConfigLayer } from "./config-layer.ts";
import { isOneOf } from "./config-values.ts";
import type { FieldReader } from "./field-reader.ts";
import type { PermissionRule } from "./manifest.ts";
import type { ProfileChoice } from "./profile.ts";
import { isText, readPermissionRule, readScopeRule } from "./stored-rules.ts";

export function profileJson({ selector, layers }: ProfileChoice): JsonObject {
  return { selector, layers: layers.map(layerJson) };
}

function layerJson({ source, settings, rules, scope, origins }: ConfigLayer): JsonObject {
  return {
    selector: source.profile?.selector ?? "",
    path: source.path,
    trust: source.trust,
    settings: { ...settings } as JsonObject,
    rules: rules.map((rule: PermissionRule) => ({ ...rule })),
    allow: scope.allow.map((rule: ScopeRule) => ({ ...rule })),
    deny: scope.deny.map((rule: ScopeRule) => ({ ...rule })),
    origins: Object.fromEntries(origins),
  };
}

/** @param workspace of the manifest that it stands in. */
export function readProfile(profile: FieldReader, workspace: string): ProfileChoice {
  return {
    selector: profile.field("selector", isText),
    layers: profile.list("layers").map((layer) => readLayer(layer, workspace)),
  };
}

function readLayer(layer: FieldReader, workspace: string): ConfigLayer {
  const origins = new Map<SettingKey | ListKey, string>();
  const stored = layer.table("origins");
  for (const key of stored.keys)
    if (isSettingKey(key) || isListKey(key)) origins.set(key, stored.field(key, isText));
  return {
    source: {
      path: layer.field("path", isText),
      trust: layer.field("trust", (value) => isOneOf(value, ["user", "project"])),
      profile: { selector: layer.field("selector", isText), workspace },
    },
    settings: readSettings(layer.table("settings")),
    rules: layer.list("rules").map(readPermissionRule),
    scope: { allow: layer.list("allow").map(readScopeRule), deny: layer.list("deny").map(readScopeRule) },
    providers: [],
    models: [],
    origins,
  };
}

/** A key that this yoi does not know was written by a later one, and says nothing to it. */
function readSettings(settings: FieldReader): Partial<Settings> {
  const read: Record<string, JsonValue> = {};
  for (const key of settings.keys) {
    if (!isSettingKey(key)) continue;
    const { accepts } = settingSpecs[key];
    read[key] = settings.field(key, (value): value is JsonValue => accepts(value));
  }
  return read as Partial<Settings>;
}
