/** FeatureDescriptor: what a feature is and contributes, as data. Read once, frozen, shown to people, and locked by its digest. */
import type { ToolDefinition } from "@yoi/base";
import type { AuthorityRequest } from "./authority.ts";
import type { HookPoint } from "./hook.ts";
import type { ServiceDeclaration, ServiceRequirement } from "./service.ts";
import type { FeatureId } from "./source-qualified.ts";
import type { StateDeclaration } from "./state.ts";

export const featureRuntimeKinds = ["builtin", "profile", "external_plugin", "protocol_provider"] as const;
export type FeatureRuntimeKind = (typeof featureRuntimeKinds)[number];

/** A declaration is a promise: what is declared and not registered is reported; where it is `required`, the feature is not installed. */
interface Declared {
  /** Absent: false. */
  readonly required?: boolean;
}

/** Exactly what the model will be told of the tool. */
export interface ToolDeclaration extends ToolDefinition, Declared {
  /** No effect outside the process: passes in permission mode `ask`. */
  readonly read_only: boolean;
}

/** Known by name and point together. */
export interface HookDeclaration extends Declared {
  readonly name: string;
  readonly point: HookPoint;
}

export interface BackgroundTaskDeclaration extends Declared {
  readonly name: string;
  readonly description: string;
}

/** As it is shown by `yoi feature show --json`. */
export interface FeatureDescriptor {
  readonly id: FeatureId;
  readonly runtime: FeatureRuntimeKind;
  readonly display_name: string;
  /** x.y.z */
  readonly version: string;
  readonly description: string;
  readonly authorities: readonly AuthorityRequest[];
  readonly tools: readonly ToolDeclaration[];
  readonly hooks: readonly HookDeclaration[];
  readonly background_tasks: readonly BackgroundTaskDeclaration[];
  readonly provides_services: readonly (ServiceDeclaration & Declared)[];
  readonly requires_services: readonly ServiceRequirement[];
  readonly state: StateDeclaration | null;
}
