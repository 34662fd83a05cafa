/** One config file, read: typed values with the lines they stand on. */
import type { ScopeRule, YoiError } from "@yoi/base";
import type { ListKey, SettingKey, Settings } from "./config-keys.ts";
import type { ModelDefinition, ProviderDefinition } from "./definitions.ts";
import type { PermissionRule } from "./manifest.ts";

export interface ConfigSource {
  /** Absolute path of the file: for messages, and what relative scope targets are relative to. */
  readonly path: string;
  /** `user`: the user's own file. `project`: one of the two in `.yoi`, which come with the workspace and may only narrow. */
  readonly trust: "user" | "project";
  /**
   * Of a profile: its name with its source, and the workspace that it is read for, which relative scope targets are relative to. A profile only narrows the
   * scope, whosever it is. Absent: the file is no profile.
   */
  readonly profile?: { readonly selector: string; readonly workspace: string };
  /** What `~` in a scope target stands for; without it `~` is refused. */
  readonly home?: string;
}

export interface ConfigLayer {
  readonly source: ConfigSource;
  readonly settings: Partial<Settings>;
  readonly rules: readonly PermissionRule[];
  /** Targets are absolute and normalised; links in them are not followed here. */
  readonly scope: { readonly allow: readonly ScopeRule[]; readonly deny: readonly ScopeRule[] };
  /** Of the user's file only. */
  readonly providers: readonly ProviderDefinition[];
  readonly models: readonly ModelDefinition[];
  /** `<path>:<line>` of each key that is set; a list has that of its first element. */
  readonly origins: ReadonlyMap<SettingKey | ListKey, string>;
}

/** What reading finds: a layer, or every problem in the order of lines. */
export type ConfigReading =
  | { readonly layer: ConfigLayer; readonly problems: readonly [] }
  | { readonly layer: null; readonly problems: readonly [YoiError, ...YoiError[]] };
