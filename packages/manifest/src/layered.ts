/** One key over the layers: who says what, and whose word counts. */
import type { ConfigLayer } from "./config-layer.ts";
import type { ConfigLayers } from "./resolve-input.ts";

/** The origin of what nobody says. */
export const builtIn = "built-in";

/** A value and where it comes from. */
export interface Sourced<T> {
  readonly value: T;
  readonly origin: string;
}

/** What one layer says of a key. */
export function said<K extends keyof ConfigLayer["settings"]>(
  layer: ConfigLayer | undefined,
  key: K,
): Sourced<NonNullable<ConfigLayer["settings"][K]>> | null {
  const value = layer?.settings[key];
  if (layer === undefined || value === undefined) return null;
  return { value, origin: layer.origins.get(key) ?? layer.source.path };
}

/** For keys where the reader of a file has already refused whatever would widen. */
export function strongest<K extends keyof ConfigLayer["settings"], D>(
  layers: ConfigLayers,
  key: K,
  otherwise: D,
): Sourced<NonNullable<ConfigLayer["settings"][K]> | D> {
  return (
    said(layers.local, key) ??
    said(layers.project, key) ??
    said(layers.user, key) ?? { value: otherwise, origin: builtIn }
  );
}

type NumberKey =
  | "worker.max_turns"
  | "worker.file_upload.max_bytes"
  | "worker.tool_output.default_max_bytes"
  | "model.max_output_tokens";

/** The workspace's number where it is within the user's, else the user's. */
export function lowest(
  layers: ConfigLayers,
  key: NumberKey,
  otherwise: number | null,
  warnings: string[],
): Sourced<number | null> {
  const users = said(layers.user, key) ?? { value: otherwise, origin: builtIn };
  const wanted = said(layers.local, key) ?? said(layers.project, key);
  if (wanted === null) return users;
  if (users.value === null || wanted.value <= users.value) return wanted;
  warnings.push(
    `${wanted.origin}: ${key} = ${wanted.value} has no effect: your limit is ${users.value} (${users.origin}).`,
  );
  return users;
}
