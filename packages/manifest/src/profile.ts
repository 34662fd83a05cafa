/** A profile: how it is named, and what a Pod keeps of one. */
import type { ConfigLayer } from "./config-layer.ts";

export const profileSources = ["builtin", "user", "project"] as const;
export type ProfileSource = (typeof profileSources)[number];

/** Characters of a profile's name. */
export const profileNameCharsMax = 64;
/** Files that one profile can be made of: itself, and what it extends. */
export const profileDepthMax = 4;
/** Of one profile's file. */
export const profileBytesMax = 16_384;
/** Characters of `description`. */
export const descriptionCharsMax = 200;
/** UTF-8 bytes of one `worker.instruction`. */
export const instructionBytesMax = 8192;

/** What a profile came to when it was chosen. */
export interface ProfileChoice {
  /** With its source: `user:review`. */
  readonly selector: string;
  /** Its own and those that it extends, strongest first. */
  readonly layers: readonly ConfigLayer[];
}

export interface ProfileSelector {
  /** Null: not said. */
  readonly source: ProfileSource | null;
  readonly name: string;
}

/** Null: it is no `NAME`, `builtin:NAME`, `user:NAME` or `project:NAME`. Nothing like a path is one. */
export function parseProfileSelector(text: string): ProfileSelector | null {
  const colon = text.indexOf(":");
  const name = text.slice(colon + 1);
  if (!isProfileName(name)) return null;
  if (colon === -1) return { source: null, name };
  const source = profileSources.find((known) => known === text.slice(0, colon));
  return source === undefined ? null : { source, name };
}

/** A name that is a file's name, the same in every file system: lower-case letters, digits, "-" and "_". */
export function isProfileName(name: string): boolean {
  return name.length <= profileNameCharsMax && /^[a-z0-9][a-z0-9_-]*$/.test(name);
}
