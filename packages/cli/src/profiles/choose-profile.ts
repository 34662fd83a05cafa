/** A profile chosen by name: its file and those that it extends, read once and kept with the Pod. */
import { nearest, YoiError } from "@yoi/base";
import {
  type ConfigLayer,
  parseProfileSelector,
  type ProfileChoice,
  profileDepthMax,
  type ProfileSource,
  type TicketPodRole,
} from "@yoi/manifest";
import { withRealTargets } from "../compose/configuration.ts";
import type { Environment } from "../environment.ts";
import { findProfiles, type FoundProfile } from "./find-profiles.ts";
import { roleOf } from "./ticket-role.ts";

/** What SpawnPod's description and `yoi profile list` show of one. */
export interface ProfileListing {
  readonly selector: string;
  readonly description: string;
  /** Among tickets, where it is for one. */
  readonly role?: TicketPodRole;
  /** Why it cannot be used, as one sentence; absent: it can. */
  readonly problem?: string;
}

export interface ProfileFile {
  readonly path: string;
  /** Sentences. */
  readonly problems: readonly string[];
}

/**
 * A user's profile is the same in every workspace, so it extends none of one. A workspace's does not extend the user's: a file of a stranger would choose
 * what the user allows.
 */
const extendable: Readonly<Record<ProfileSource, readonly ProfileSource[]>> = {
  builtin: ["builtin"],
  user: ["builtin", "user"],
  project: ["builtin", "project"],
};

const whatItExtends: Readonly<Record<ProfileSource, string>> = {
  builtin: "a built-in profile extends built-in ones only",
  user: "a profile of yours extends built-in ones and yours only",
  project: "a profile of a workspace extends built-in ones and the workspace's only",
};

/**
 * Throws usage for what is no selector, config_invalid for a name that is not there or is in two places, and for the first problem of a file.
 * @param workspace canonical.
 */
export async function chooseProfile(
  selector: string,
  environment: Environment,
  workspace: string,
): Promise<ProfileChoice> {
  if (parseProfileSelector(selector) === null) {
    throw new YoiError(
      "usage",
      `${JSON.stringify(selector)} names no profile: say NAME, builtin:NAME, user:NAME or project:NAME, and no path; \`yoi profile list\` shows them.`,
    );
  }
  const { profiles } = await findProfiles(environment, workspace);
  const first = pick(selector, profiles);
  const layers = await layersOf(first, profiles);
  return { selector: first.selector, layers: await Promise.all(layers.map(withRealTargets)) };
}

/** All that could be chosen in a workspace, and what is wrong with those that could not. In the order of sources, then by name. */
export async function listProfiles(
  environment: Environment,
  workspace: string,
): Promise<readonly ProfileListing[]> {
  const { profiles, problems } = await findProfiles(environment, workspace);
  const listed = await Promise.all(profiles.map((profile) => listingOf(profile, profiles)));
  return [...listed, ...problems.map(({ selector, problem }) => ({ selector, description: "", problem }))];
}

/** Of every file where profiles are: all that is wrong in it, or with what it extends. */
export async function checkProfiles(
  environment: Environment,
  workspace: string,
): Promise<readonly ProfileFile[]> {
  const { profiles, problems } = await findProfiles(environment, workspace);
  const checked = profiles.flatMap((profile) => {
    const { path, read } = profile;
    if (path === null) return [];
    const check = async (): Promise<ProfileFile> => {
      const own = (await read())?.problems.map(({ message }) => message) ?? [];
      if (own.length > 0) return { path, problems: own };
      const { problem } = await listingOf(profile, profiles);
      return { path, problems: problem === undefined ? [] : [problem] };
    };
    return [check()];
  });
  return [
    ...(await Promise.all(checked)),
    ...problems.map(({ path, problem }) => ({ path, problems: [problem] })),
  ];
}

async function listingOf(profile: FoundProfile, all: readonly FoundProfile[]): Promise<ProfileListing> {
  const { selector } = profile;
  try {
    const layers = await layersOf(profile, all);
    const role = roleOf(layers);
    return {
      selector,
      description: layers[0]?.settings.description ?? "",
      ...(role === null ? {} : { role }),
    };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { selector, description: "", problem: error.message };
  }
}

/** Its own layer, then those that it extends. */
async function layersOf(first: FoundProfile, all: readonly FoundProfile[]): Promise<readonly ConfigLayer[]> {
  const layers: ConfigLayer[] = [];
  const names: string[] = [];
  for (let next: FoundProfile | null = first; next !== null;) {
    const layer = await layerOf(next);
    layers.push(layer);
    names.push(next.selector);
    const { extends: base } = layer.settings;
    if (base === undefined) return layers;
    const origin = layer.origins.get("extends") ?? layer.source.path;
    next = pick(base, all, { origin, source: next.source });
    const chain = [...names, next.selector].join(" extends ");
    if (names.includes(next.selector))
      throw invalid(`${origin}: the profile ${chain}, which has no end: take one of them out.`);
    if (names.length === profileDepthMax) {
      throw invalid(
        `${origin}: the profile ${chain}, and one may be made of ${profileDepthMax} files: write some of them as one.`,
      );
    }
  }
  return layers;
}

async function layerOf({ read, selector }: FoundProfile): Promise<ConfigLayer> {
  const reading = await read();
  if (reading === null) throw invalid(`The file of the profile ${selector} is gone: choose another profile.`);
  if (reading.layer === null) throw reading.problems[0];
  return reading.layer;
}

/** @param by the file that extends it, with its source and the place of the word in it. Absent: it was asked for. */
function pick(
  text: string,
  all: readonly FoundProfile[],
  by?: { readonly origin: string; readonly source: ProfileSource },
): FoundProfile {
  const wanted = parseProfileSelector(text);
  const isMeant = ({ source, name }: FoundProfile): boolean =>
    name === wanted?.name && (wanted.source === null || wanted.source === source);
  const among = by === undefined ? all : all.filter(({ source }) => extendable[by.source].includes(source));
  const found = among.filter(isMeant);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const at = by === undefined ? "" : `${by.origin}: `;
  const foreign = by === undefined || only !== undefined ? undefined : all.find(isMeant);
  if (by !== undefined && foreign !== undefined)
    throw invalid(`${at}${whatItExtends[by.source]}, and ${foreign.selector} is neither.`);
  const names = found.map(({ selector }) => selector);
  if (names.length > 0)
    throw invalid(`${at}There are ${names.length} profiles ${text}: say ${names.join(" or ")}.`);
  const near = nearest(wanted?.name ?? text, [...new Set(among.map(({ name }) => name))]);
  const meant = among.filter(({ name }) => name === near).map(({ selector }) => selector);
  throw invalid(
    `${at}There is no profile ${text}: ${meant.length > 0 ? `did you mean ${meant.join(" or ")}?` : "`yoi profile list` shows those that there are."}`,
  );
}

function invalid(sentence: string): YoiError {
  return new YoiError("config_invalid", sentence);
}
