/** Makes of what a module says about itself a FeatureDescriptor: a checked, frozen copy of its own. Nothing else of it is ever looked at. */
import { canonicalJson, deepFreeze, type JsonValue, toolNamePattern } from "@yoi/base";
import {
  type AuthorityRequest,
  type BackgroundTaskDeclaration,
  type FeatureDescriptor,
  featureId,
  featureRuntimeKinds,
  type HookDeclaration,
  hookPoints,
  type ServiceDeclaration,
  type ServiceRequirement,
  serviceId,
  sourceOf,
  sourceQualifiedCharsMax,
  type StateDeclaration,
  type ToolDeclaration,
} from "@yoi/feature";
import { checkAuthority } from "./check-authority.ts";
import {
  authoritiesMax,
  backgroundTasksMax,
  descriptionCharsMax,
  descriptorCharsMax,
  descriptorDepthMax,
  displayNameCharsMax,
  hooksMax,
  methodsMax,
  nameCharsMax,
  servicesMax,
  toolDescriptionCharsMax,
  toolsMax,
  versionCharsMax,
} from "./descriptor-limits.ts";
import { Fields, problem } from "./fields.ts";
import { plainCopy } from "./plain-copy.ts";

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const nameRule = `letters, digits, "-", "_" or ".", and begin with a letter or digit`;
const versionPattern = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

/** The copy that is checked. Throws feature_invalid: what could be read only in part, or holds what JSON does not, is nothing. */
export function copyOfDescriptor(value: unknown): JsonValue {
  return plainCopy(value, "descriptor", { depthMax: descriptorDepthMax, charsMax: descriptorCharsMax });
}

/** `copy` is what `copyOfDescriptor` gave. Throws feature_invalid: one sentence on the first thing that is wrong. */
export function checkDescriptor(copy: JsonValue): FeatureDescriptor {
  const fields = new Fields(copy, "descriptor");
  const id = featureId(fields.text("id", sourceQualifiedCharsMax));
  const runtime = fields.oneOf("runtime", featureRuntimeKinds);
  if ((sourceOf(id) === "builtin") !== (runtime === "builtin")) {
    throw problem(
      fields.at("id"),
      `is ${id} with the runtime ${runtime}: the source builtin and the runtime builtin belong together`,
    );
  }
  const descriptor: FeatureDescriptor = {
    id,
    runtime,
    display_name: fields.text("display_name", displayNameCharsMax),
    version: version(fields),
    description: fields.text("description", descriptionCharsMax, "block"),
    authorities: fields.list("authorities", authoritiesMax, authorityRequest, ({ authority }) =>
      canonicalJson(authority),
    ),
    // Without regard to case, as the worker's tool table has it.
    tools: fields.list("tools", toolsMax, tool, ({ name }) => name.toLowerCase()),
    hooks: fields.list("hooks", hooksMax, hook, ({ name, point }) => `${name} at ${point}`),
    background_tasks: fields.list("background_tasks", backgroundTasksMax, backgroundTask, ({ name }) => name),
    provides_services: fields.list("provides_services", servicesMax, service, (each) => each.id),
    requires_services: fields.list("requires_services", servicesMax, requirement, (each) => each.id),
    state: state(fields),
  };
  fields.end();
  for (const provided of descriptor.provides_services) {
    if (sourceOf(provided.id) === "builtin" && runtime !== "builtin") {
      throw problem(
        fields.at("provides_services"),
        `names ${provided.id}: builtin is for what ships with yoi`,
      );
    }
  }
  return deepFreeze(descriptor);
}

function authorityRequest(value: JsonValue, place: string): AuthorityRequest {
  const fields = new Fields(value, place);
  const request = {
    authority: checkAuthority(fields.take("authority"), `${place}.authority`),
    required: fields.flag("required"),
    reason: fields.text("reason", descriptionCharsMax),
  };
  fields.end();
  return request;
}

function tool(value: JsonValue, place: string): ToolDeclaration {
  const fields = new Fields(value, place);
  const declaration = {
    name: fields.matching("name", nameCharsMax, toolNamePattern, `ASCII letters, digits, "_" or "-"`),
    description: fields.text("description", toolDescriptionCharsMax, "block"),
    input_schema: fields.object("input_schema"),
    read_only: fields.flag("read_only"),
    ...required(fields),
  };
  if (declaration.input_schema["type"] !== "object") {
    throw problem(`${place}.input_schema.type`, `is to be "object"`);
  }
  fields.end();
  return declaration;
}

function hook(value: JsonValue, place: string): HookDeclaration {
  const fields = new Fields(value, place);
  const declaration = {
    name: name(fields),
    point: fields.oneOf("point", hookPoints),
    ...required(fields),
  };
  fields.end();
  return declaration;
}

function backgroundTask(value: JsonValue, place: string): BackgroundTaskDeclaration {
  const fields = new Fields(value, place);
  const declaration = {
    name: name(fields),
    description: fields.text("description", descriptionCharsMax),
    ...required(fields),
  };
  fields.end();
  return declaration;
}

function service(value: JsonValue, place: string): ServiceDeclaration & { readonly required?: boolean } {
  const fields = new Fields(value, place);
  const declaration = {
    id: serviceId(fields.text("id", sourceQualifiedCharsMax)),
    version: version(fields),
    description: fields.text("description", descriptionCharsMax),
    methods: methods(fields),
    carries_authority: fields.flag("carries_authority"),
    ...required(fields),
  };
  fields.end();
  return declaration;
}

function requirement(value: JsonValue, place: string): ServiceRequirement {
  const fields = new Fields(value, place);
  const declaration = {
    id: serviceId(fields.text("id", sourceQualifiedCharsMax)),
    version: fields.text("version", versionCharsMax),
    ...(fields.has("methods") ? { methods: methods(fields) } : {}),
    required: fields.flag("required"),
    reason: fields.text("reason", descriptionCharsMax),
  };
  fields.end();
  return declaration;
}

function state(fields: Fields): StateDeclaration | null {
  const value = fields.take("state");
  if (value === null) return null;
  const inner = new Fields(value, fields.at("state"));
  const declaration = {
    domain: inner.matching("domain", nameCharsMax, namePattern, nameRule),
    version: inner.count("version"),
  };
  inner.end();
  return declaration;
}

function name(fields: Fields): string {
  return fields.matching("name", nameCharsMax, namePattern, nameRule);
}

function version(fields: Fields): string {
  return fields.matching("version", versionCharsMax, versionPattern, "three numbers, as in 1.0.0");
}

function methods(fields: Fields): readonly string[] {
  const method = (value: JsonValue, place: string) =>
    new Fields({ method: value }, place).matching("method", nameCharsMax, namePattern, nameRule);
  return fields.list("methods", methodsMax, method, (each) => each);
}

/** Absent and false are the same promise, so they are written the same way. */
function required(fields: Fields): { readonly required?: true } {
  return fields.has("required") && fields.flag("required") ? { required: true } : {};
}
