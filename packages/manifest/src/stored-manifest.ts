/** The manifest as JSON in a Pod's metadata: a Pod goes on under what was resolved when it began, not under today's files. */
import {
  type BudgetKey,
  isJsonObject,
  providerKinds,
  YoiError,
  type JsonObject,
  type JsonValue,
} from "@yoi/base";
import { compactionTokens, type CompactionTokensKey, compactionTokensKeys } from "./compaction-keys.ts";
import { fileUploadBytesDefault } from "./config-keys.ts";
import { isOneOf, isWholeNumber } from "./config-values.ts";
import { modelJson, providerJson, type ModelDefinition, type ProviderDefinition } from "./definitions.ts";
import { FieldReader } from "./field-reader.ts";
import { featureNames, type FeatureName } from "./feature-names.ts";
import { builtIn } from "./layered.ts";
import {
  manifestSchema,
  permissionModes,
  type CompactionChoice,
  type BudgetChoice,
  type FeatureToggle,
  type Instruction,
  type Manifest,
  type ModelChoice,
  type PermissionPolicy,
  type PolicyAbove,
  type WebChoice,
} from "./manifest.ts";
import { compactionDefault } from "./resolve-compaction.ts";
import { profileJson, readProfile } from "./stored-profile.ts";
import {
  isAbsolutePath,
  isBoolean,
  isNumber,
  isPathList,
  isText,
  isTextOrNull,
  readPermissionRule,
  readScopeRule,
} from "./stored-rules.ts";
import { skillsDefault } from "./skill-keys.ts";
import { type TicketChoice, ticketPodRoles, ticketsDefault } from "./ticket-keys.ts";
import { searchProviders } from "./web-keys.ts";

/** @param stored the snapshot that this one replaces: what a later yoi keeps in it beside what this one knows stays. */
export function manifestToJson(manifest: Manifest, stored: JsonObject = {}): JsonObject {
  return besideForeign(knownJson(manifest), foreignOf(stored));
}

function foreignOf(stored: JsonObject): JsonObject {
  if (Object.keys(stored).length === 0) return {};
  const root = new FieldReader(stored, { path: "the stored manifest", field: "manifest" });
  readManifest(root);
  return root.unasked;
}

function besideForeign(known: JsonObject, foreign: JsonObject): JsonObject {
  const tables = Object.entries(known).flatMap(([key, own]) => {
    const beside = foreign[key];
    return isJsonObject(own) && isJsonObject(beside) ? [[key, besideForeign(own, beside)] as const] : [];
  });
  return { ...foreign, ...known, ...Object.fromEntries(tables) };
}

function knownJson(manifest: Manifest): JsonObject {
  const { schema, workspace, model, scope, permissions, sandbox, limits, web, session, worker } = manifest;
  const { compaction, features, tickets, skills, profile } = manifest;
  return {
    schema,
    workspace,
    model: modelChoiceJson(model),
    scope: { allow: scope.allow.map((rule) => ({ ...rule })), deny: scope.deny.map((rule) => ({ ...rule })) },
    ...(manifest.writes !== undefined && { writes: [...manifest.writes] }),
    permissions: {
      ...policyJson(permissions),
      ...(permissions.above !== undefined && {
        above: permissions.above.map((policy) => ({ pod: policy.pod, ...policyJson(policy) })),
      }),
    },
    sandbox: { ...sandbox },
    limits: { ...limits },
    ...(manifest.budget !== undefined && { budget: budgetJson(manifest.budget) }),
    web: {
      ...web,
      fetch: web.fetch === null ? null : { ...web.fetch },
      search: web.search === null ? null : { ...web.search },
    },
    session: { ...session },
    compaction: { ...compaction },
    worker: { language: worker.language, instructions: worker.instructions.map((text) => ({ ...text })) },
    features: Object.fromEntries(featureNames.map((name) => [name, { ...features[name] }])),
    tickets: { ...tickets },
    skills: { ...skills },
    profile: profile === null ? null : profileJson(profile),
  };
}

function budgetJson({ typed, ...budget }: BudgetChoice): JsonObject {
  return { ...budget, ...(typed !== undefined && { typed: { ...typed } }) };
}

function policyJson({ mode, rules }: PermissionPolicy): JsonObject {
  return { mode, rules: rules.map((rule) => ({ ...rule })) };
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
 * Reads a snapshot back; fields that are not known are passed over, and kept by `manifestToJson`. Throws metadata_damaged, naming file and field, when one is missing or
 * wrong, and schema_newer for a snapshot of a later yoi.
 * @param path the file that it stands in, for messages.
 */
export function parseManifest(json: JsonObject, path: string): Manifest {
  return readManifest(new FieldReader(json, { path, field: "manifest" }), path);
}

function readManifest(root: FieldReader, path = "the stored manifest"): Manifest {
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
  const worker = root.table("worker");
  const workspace = root.field("workspace", isAbsolutePath);
  return {
    schema,
    workspace,
    model: readModel(root.table("model")),
    scope: { allow: scope.list("allow").map(readScopeRule), deny: scope.list("deny").map(readScopeRule) },
    ...root.optional("writes", isPathList),
    permissions: { ...readPolicy(permissions), ...permissions.optionalList("above", readPolicyAbove) },
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
    ...root.optionalTable("budget", readBudget),
    // A Pod of an earlier version has none.
    web: noWeb,
    ...root.optionalTable("web", readWeb),
    session: { record_event_trace: root.table("session").field("record_event_trace", isBoolean) },
    // A Pod of an earlier version has none.
    compaction: compactionDefault,
    ...root.optionalTable("compaction", readCompaction),
    worker: {
      language: worker.field("language", isTextOrNull),
      // A Pod of an earlier version has none.
      instructions: [],
      ...worker.optionalList("instructions", readInstruction),
    },
    // Of an earlier version none is switched off, and there are no tickets.
    features: {
      task: switchedOn,
      pods: switchedOn,
      tickets: { enabled: false, origin: builtIn },
      ...root.optionalTable("features", readFeatures).features,
    },
    tickets: ticketsDefault,
    ...root.optionalTable("tickets", readTickets),
    skills: skillsDefault,
    ...root.optionalTable("skills", (skills) => ({ enabled: skills.field("enabled", isBoolean) })),
    profile: null,
    ...root.optionalNullable("profile", (profile) => readProfile(profile, workspace)),
  };
}

const switchedOn: FeatureToggle = { enabled: true, origin: builtIn };

function readFeatures(features: FieldReader): { readonly [K in FeatureName]?: FeatureToggle } {
  const toggle = (table: FieldReader): FeatureToggle => ({
    enabled: table.field("enabled", isBoolean),
    origin: table.field("origin", isText),
  });
  return {
    ...features.optionalTable("task", toggle),
    ...features.optionalTable("pods", toggle),
    ...features.optionalTable("tickets", toggle),
  };
}

function readTickets(tickets: FieldReader): TicketChoice {
  return {
    role: tickets.field("role", (value) => isOneOf(value, ticketPodRoles)),
    close: tickets.field("close", isBoolean),
  };
}

/** What a later yoi bounds besides, this one does not know. */
function readBudget(budget: FieldReader): BudgetChoice {
  const whole = (key: BudgetKey) => budget.field(key, (value) => value === null || isWholeNumber(value, 0));
  const amount = (value: unknown): value is number => isNumber(value) && value >= 0;
  return {
    max_tokens: whole("max_tokens"),
    max_cost_usd: budget.field("max_cost_usd", (value) => value === null || amount(value)),
    max_turns: whole("max_turns"),
    max_seconds: budget.field("max_seconds", (value) => value === null || amount(value)),
    ...budget.optionalTable("typed", (typed) => ({
      ...typed.optional("max_tokens", (value) => isWholeNumber(value, 1)),
      ...typed.optional("max_cost_usd", isNumber),
    })),
  };
}

function readPolicy(policy: FieldReader): PermissionPolicy {
  return {
    mode: policy.field("mode", (value) => isOneOf(value, permissionModes)),
    rules: policy.list("rules").map(readPermissionRule),
  };
}

function readPolicyAbove(policy: FieldReader): PolicyAbove {
  return { pod: policy.field("pod", isText), ...readPolicy(policy) };
}

function readInstruction(instruction: FieldReader): Instruction {
  return { text: instruction.field("text", isText), from: instruction.field("from", isText) };
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

function readCompaction(compaction: FieldReader): CompactionChoice {
  const isTokens = (value: JsonValue | undefined): value is number => isWholeNumber(value, 1);
  const tokens = compactionTokensKeys.map((key) =>
    compaction.optional(key, isLeftOpen(key) ? (value) => value === null || isTokens(value) : isTokens),
  );
  return Object.assign(
    {
      ...compactionDefault,
      ...compaction.optional("enabled", isBoolean),
      ...compaction.optional("worker_max_turns", (value) => isWholeNumber(value, 1)),
      ...compaction.optional("model", isTextOrNull),
    },
    ...tokens,
  );
}

/** Null stands for what follows from the model. */
function isLeftOpen(key: CompactionTokensKey): boolean {
  return compactionTokens[key] === null;
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
