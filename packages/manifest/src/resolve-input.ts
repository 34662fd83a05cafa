/** What resolving takes and gives. */
import type { JsonValue, Scope } from "@yoi/base";
import type { ConfigLayer } from "./config-layer.ts";
import type { ModelDefinition, ProviderDefinition } from "./definitions.ts";
import type { Manifest, PermissionMode, TypedBudget } from "./manifest.ts";

/** What the user typed. Stronger than every file, and not bound by what a workspace says. */
export interface FlagLayer {
  /** `provider/id` */
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly maxTurns?: number | undefined;
  /** Typed now, or kept of an earlier start. */
  readonly budget?: TypedBudget | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly sandbox?: "on" | "off" | undefined;
  /** Canonical directories in the workspace outside of which nothing is written; typed, or kept of an earlier start. */
  readonly writes?: readonly string[] | undefined;
}

export interface ConfigLayers {
  /** The profile's own layer, then those that it extends. */
  readonly profiles?: readonly ConfigLayer[] | undefined;
  readonly user?: ConfigLayer | undefined;
  readonly project?: ConfigLayer | undefined;
  readonly local?: ConfigLayer | undefined;
}

export interface ResolveInput {
  readonly layers: ConfigLayers;
  /** Of `layers.profiles`, with its source. */
  readonly profile?: string | undefined;
  readonly flags: FlagLayer;
  /** Canonical absolute path. */
  readonly workspace: string;
  /** What a Pod may touch when no file says more: the user's rules are added to it. */
  readonly defaultScope: Scope;
  /** `provider/id`, for when neither a file nor a flag names a model. */
  readonly defaultModel?: string | undefined;
}

/** A value of the manifest and where it comes from: `<path>:<line>`, a flag, or `built-in`. */
export interface ConfigEntry {
  readonly key: string;
  readonly value: JsonValue;
  readonly origin: string;
}

export interface ResolvedManifest {
  readonly manifest: Manifest;
  /** For `config show`: every key, in a fixed order. */
  readonly sources: readonly ConfigEntry[];
  /** All that the user's file defines, whatever model is chosen. */
  readonly definitions: {
    readonly providers: readonly ProviderDefinition[];
    readonly models: readonly ModelDefinition[];
  };
  /** One sentence for each thing that a workspace asked for and does not get. */
  readonly warnings: readonly string[];
}
