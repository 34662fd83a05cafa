/** Config files given as texts, resolved for the workspace /w. */
import type { Scope } from "@yoi/base";
import {
  type ConfigLayers,
  type FlagLayer,
  parseConfig,
  resolveManifest,
  type ResolvedManifest,
} from "../src/index.ts";

export const defaultScope: Scope = {
  allow: [
    { target: "/w", permission: "write", recursive: true },
    { target: "/usr", permission: "read", recursive: true },
  ],
  deny: [],
};

export interface Texts {
  readonly user?: string;
  readonly project?: string;
  readonly local?: string;
}

const places = {
  user: { path: "/c/config.toml", trust: "user", home: "/home/me" },
  project: { path: "/w/.yoi/config.toml", trust: "project", home: "/home/me" },
  local: { path: "/w/.yoi/config.local.toml", trust: "project", home: "/home/me" },
} as const;

export function resolve(
  texts: Texts,
  flags: FlagLayer = {},
  defaultModel: string | null = "built/in",
  scope: Scope = defaultScope,
): ResolvedManifest {
  const layers: ConfigLayers = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, parseConfig(text, places[name as keyof Texts])]),
  );
  return resolveManifest({
    layers,
    flags,
    workspace: "/w",
    defaultScope: scope,
    defaultModel: defaultModel ?? undefined,
  });
}
