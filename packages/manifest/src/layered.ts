/** One key over the layers: who says what, and whose word counts. */
import type { BudgetSettings } from "./budget-keys.ts";
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

/** Strongest first: what is chosen, such as a model. */
export function byChoice({ profiles = [], local, project, user }: ConfigLayers): readonly ConfigLayer[] {
  return present([...profiles, local, project, user]);
}

/** Of the user's own, strongest first; a built-in profile counts as theirs. */
export function ofUser({ profiles = [], user }: ConfigLayers): readonly ConfigLayer[] {
  return present([...profiles, user]).filter(({ source }) => source.trust === "user");
}

/** What comes with the workspace, strongest first: its profiles, its files. */
function ofWorkspace({ profiles = [], local, project }: ConfigLayers): readonly ConfigLayer[] {
  return present([...profiles, local, project]).filter(({ source }) => source.trust === "project");
}

function present(layers: readonly (ConfigLayer | undefined)[]): readonly ConfigLayer[] {
  return layers.filter((layer) => layer !== undefined);
}

export function firstSaid<K extends keyof ConfigLayer["settings"]>(
  layers: readonly ConfigLayer[],
  key: K,
): Sourced<NonNullable<ConfigLayer["settings"][K]>> | null {
  for (const layer of layers) {
    const found = said(layer, key);
    if (found !== null) return found;
  }
  return null;
}

/** For keys that bound nothing. */
export function chosen<K extends keyof ConfigLayer["settings"], D>(
  layers: ConfigLayers,
  key: K,
  otherwise: D,
): Sourced<NonNullable<ConfigLayer["settings"][K]> | D> {
  return firstSaid(byChoice(layers), key) ?? { value: otherwise, origin: builtIn };
}

/** For keys where the reader of a file has already refused whatever would widen: what a workspace narrows, only a flag undoes. */
export function strongest<K extends keyof ConfigLayer["settings"], D>(
  layers: ConfigLayers,
  key: K,
  otherwise: D,
): Sourced<NonNullable<ConfigLayer["settings"][K]> | D> {
  return (
    firstSaid(ofWorkspace(layers), key) ??
    firstSaid(ofUser(layers), key) ?? { value: otherwise, origin: builtIn }
  );
}

/** What the workspace's profile and its files say: the stricter of the two. */
export function stricterOfWorkspace<K extends keyof ConfigLayer["settings"]>(
  layers: ConfigLayers,
  key: K,
  isStricter: (
    a: NonNullable<ConfigLayer["settings"][K]>,
    b: NonNullable<ConfigLayer["settings"][K]>,
  ) => boolean,
): Sourced<NonNullable<ConfigLayer["settings"][K]>> | null {
  const { profiles = [], local, project } = layers;
  const profile = firstSaid(ofWorkspace({ profiles }), key);
  const file = firstSaid(ofWorkspace({ local, project }), key);
  if (profile === null || file === null) return profile ?? file;
  return isStricter(file.value, profile.value) ? file : profile;
}

type NumberKey =
  | keyof BudgetSettings
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
  const users = firstSaid(ofUser(layers), key) ?? { value: otherwise, origin: builtIn };
  const wanted = stricterOfWorkspace(layers, key, (a, b) => a < b);
  if (wanted === null) return users;
  if (users.value === null || wanted.value <= users.value) return wanted;
  warnings.push(
    `${wanted.origin}: ${key} = ${wanted.value} has no effect: your limit is ${users.value} (${users.origin}).`,
  );
  return users;
}
