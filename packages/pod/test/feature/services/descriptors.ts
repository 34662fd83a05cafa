/** Descriptors for tests: everything that is not said is empty. */
import {
  type AuthorityRequest,
  type FeatureDescriptor,
  featureId,
  type HostAuthority,
  type ServiceDeclaration,
  type ServiceRequirement,
  serviceId,
  sourceOf,
} from "@yoi/feature";

export interface Asked {
  readonly provides?: readonly ServiceDeclaration[];
  readonly requires?: readonly ServiceRequirement[];
  readonly authorities?: readonly AuthorityRequest[];
}

export function descriptor(
  name: string,
  { provides = [], requires = [], authorities = [] }: Asked = {},
): FeatureDescriptor {
  const id = featureId(name);
  return {
    id,
    runtime: sourceOf(id) === "builtin" ? "builtin" : "external_plugin",
    display_name: name,
    version: "1.0.0",
    description: "For a test.",
    authorities,
    tools: [],
    hooks: [],
    background_tasks: [],
    provides_services: provides,
    requires_services: requires,
    state: null,
  };
}

export function service(
  name: string,
  options: { version?: string; methods?: readonly string[]; carries?: boolean } = {},
): ServiceDeclaration {
  return {
    id: serviceId(name),
    version: options.version ?? "1.0.0",
    description: "For a test.",
    methods: options.methods ?? ["get"],
    carries_authority: options.carries ?? false,
  };
}

export function requires(
  name: string,
  options: { version?: string; methods?: readonly string[]; optional?: boolean } = {},
): ServiceRequirement {
  const { version = "*", methods, optional = false } = options;
  return {
    id: serviceId(name),
    version,
    ...(methods === undefined ? {} : { methods }),
    required: !optional,
    reason: "For a test.",
  };
}

export function asks(authority: HostAuthority, options: { optional?: boolean } = {}): AuthorityRequest {
  return { authority, required: !(options.optional ?? false), reason: "For a test." };
}
