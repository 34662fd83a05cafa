/** The manifest as JSON in a Pod's metadata: a Pod goes on under what was resolved when it began, not under today's files. */
import { providerKinds, YoiError, type JsonObject, type ScopeRule } from "@yoi/base";
import { fileUploadBytesDefault } from "./config-keys.ts";
import { isOneOf, isWholeNumber } from "./config-values.ts";
import { modelJson, providerJson, type ModelDefinition, type ProviderDefinition } from "./definitions.ts";
import { FieldReader } from "./field-reader.ts";
import {
  manifestSchema,
  permissionActions,
  permissionModes,
  type Manifest,
  type ModelChoice,
  type PermissionRule,
  type WebChoice,
} from "./manifest.ts";
import { searchProviders } from "./web-keys.ts";

export function manifestToJson(manifest: Manifest): JsonObject {
  const { schema, workspace, model, scope, permissions, sandbox, limits, web, session, worker } = manifest;
  return {
    schema,
    workspace,
    model: modelChoiceJson(model),
    scope: { allow: scope.allow.map((rule) => ({ ...rule })), deny: scope.deny.map((rule) => ({ ...rule })) },
    permissions: { mode: permissions.mode, rules: permissions.rules.map((rule) => ({ ...rule })) },
    sandbox: { ...sandbox },
    limits: { ...limits },
    web: {
      ...web,
      fetch: web.fetch === null ? null : { ...web.fetch },
      search: web.search === null ? null : { ...web.search },
    },
    session: { ...session },
    worker: { ...worker },
  };
}

function modelChoiceJson({ provider_definition: provider, definition, ...choice }: ModelChoice): JsonObject {
  return {
    ...choice,
    ...(provider !== undefined && {
      provider_definition: { ...providerJson(provider), origin: provider.origin },
    }),
    ...(definition !== undefined && {
      definition: { ...modelJson(definition), origin: definition.origin },
    }),
  };
}

/**
 * Reads a snapshot back; fields that are not known are passed over. Throws metadata_damaged, naming file and field, when one is missing or
 * wrong, and schema_newer for a snapshot of a later yoi.
 * @param path the file that it stands in, for messages.
 */
export function parseManifest(json: JsonObject, path: string): Manifest {
  const root = new FieldReader(json, { path, field: "manifest" });
  const schema = root.field("schema", (value) => isWholeNumber(value, 1));
  if (schema > manifestSchema) {
    throw new YoiError(
      "schema_newer",
      `The manifest in ${path} has schema ${schema}, and this yoi knows ${manifestSchema}: use a newer yoi.`,
      { place: { path } },
    );
  }
  const scope = root.table("scope");
  const permissions = root.table("permissions");
  const sandbox = root.table("sandbox");
  const limits = root.table("limits");
  return {
    schema,
    workspace: root.field("workspace", isAbsolutePath),
    model: readModel(root.table("model")),
    scope: { allow: scope.list("allow").map(readScopeRule), deny: scope.list("deny").map(readScopeRule) },
    permissions: {
      mode: permissions.field("mode", (value) => isOneOf(value, permissionModes)),
      rules: permissions.list("rules").map(readPermissionRule),
    },
    sandbox: {
      mode: sandbox.field("mode", (value) => isOneOf(value, ["on", "off"])),
      network: sandbox.field("network", isBoolean),
    },
    limits: {
      max_turns: limits.field("max_turns", (value) => value === null || isWholeNumber(value, 1)),
      tool_output_bytes: limits.field("tool_output_bytes", (value) => isWholeNumber(value, 1)),
      // A Pod of an earlier version has none.
      file_upload_bytes: fileUploadBytesDefault,
      ...limits.optional("file_upload_bytes", (value) => isWholeNumber(value, 1)),
    },
    // A Pod of an earlier version has none.
    web: noWeb,
    ...root.optionalTable("web", readWeb),
    session: { record_event_trace: root.table("session").field("record_event_trace", isBoolean) },
    worker: { language: root.table("worker").field("language", (value) => value === null || isText(value)) },
  };
}

const noWeb: WebChoice = { allow_private_addresses: false, fetch: null, search: null };

function readWeb(web: FieldReader): WebChoice {
  return {
    allow_private_addresses: web.field("allow_private_addresses", isBoolean),
    fetch: web.nullableTable("fetch", (fetch) => ({
      timeout_secs: fetch.field("timeout_secs", isNumber),
      redirect_limit: fetch.field("redirect_limit", isNumber),
      max_response_bytes: fetch.field("max_response_bytes", isNumber),
      max_output_bytes: fetch.field("max_output_bytes", isNumber),
    })),
    search: web.nullableTable("search", (search) => ({
      provider: search.field("provider", (value) => isOneOf(value, searchProviders)),
      api_key_secret: search.field("api_key_secret", isText),
      base_url: search.field("base_url", isTextOrNull),
      timeout_secs: search.field("timeout_secs", isNumber),
    })),
  };
}

function readModel(model: FieldReader): ModelChoice {
  return {
    provider: model.field("provider", isText),
    id: model.field("id", isText),
    ...model.optional("base_url", isText),
    ...model.optional("context_window", (value) => isWholeNumber(value, 1)),
    ...model.optional("max_output_tokens", (value) => isWholeNumber(value, 1)),
    ...model.optional("temperature", isNumber),
    ...model.optional("reasoning", isText),
    ...model.optionalTable("provider_definition", readProvider),
    ...model.optionalTable("definition", readModelDefinition),
  };
}

function readProvider(provider: FieldReader): ProviderDefinition {
  return {
    name: provider.field("name", isText),
    kind: provider.field("kind", (value) => isOneOf(value, providerKinds)),
    base_url: provider.field("base_url", isText),
    label: provider.field("label", isText),
    key_variable: provider.field("key_variable", isTextOrNull),
    secret: provider.field("secret", isTextOrNull),
    origin: provider.field("origin", isText),
  };
}

function readModelDefinition(model: FieldReader): ModelDefinition {
  return {
    ref: model.field("ref", isText),
    ...model.optional("context_window", (value) => isWholeNumber(value, 1)),
    ...model.optional("max_output_tokens", (value) => isWholeNumber(value, 1)),
    ...model.optional("images", isBoolean),
    ...model.optional("mid_system", isBoolean),
    ...model.optionalTable("price", (price) => ({
      input: price.field("input", isNumber),
      output: price.field("output", isNumber),
      cache_read: price.field("cache_read", isNumber),
      cache_write: price.field("cache_write", isNumber),
    })),
    origin: model.field("origin", isText),
  };
}

function readScopeRule(rule: FieldReader): ScopeRule {
  return {
    target: rule.field("target", isAbsolutePath),
    permission: rule.field("permission", (value) => isOneOf(value, ["read", "write"])),
    recursive: rule.field("recursive", isBoolean),
  };
}

function readPermissionRule(rule: FieldReader): PermissionRule {
  return {
    tool: rule.field("tool", isText),
    ...rule.optional("argument", isText),
    pattern: rule.field("pattern", isText),
    action: rule.field("action", (value) => isOneOf(value, permissionActions)),
    origin: rule.field("origin", isText),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isAbsolutePath(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("/");
}
