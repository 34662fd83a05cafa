/** Third parties' features where they can be: found by name and place alone. Nothing of theirs is loaded, and finding one grants it nothing. */
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, YoiError } from "@yoi/base";
import type { ListedDirectory, ScopedFiles } from "@yoi/tools";
import { filesBelow, readFile, shown } from "./content.ts";
import { findPackages } from "./find-packages.ts";
import { featuresMax, type Findings, type FoundFeature, idOf } from "./found-feature.ts";

/** @param workspace canonical. @param config the user's config directory. @param named an id: it is found beyond every limit. */
export async function findFeatures(workspace: string, config: string, named?: string): Promise<Findings> {
  const files = filesBelow(workspace);
  const parts = [
    await guarded("project", () => findFiles("project", files, join(workspace, ".yoi", "features"), named)),
    await guarded("user", () => findOwn(join(config, "features"), named)),
    await guarded("package", () => findPackages(files, join(workspace, "node_modules"), named)),
  ];
  return {
    features: parts.flatMap(({ features }) => features),
    warnings: parts.flatMap(({ warnings }) => warnings),
  };
}

const placeNames = {
  project: "the workspace's .yoi/features",
  user: "features in your config directory",
  package: "the workspace's node_modules",
} as const;

/** One place that cannot be looked at does not hide the others. */
async function guarded(source: FoundFeature["source"], find: () => Promise<Findings>): Promise<Findings> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    const why = error.code === "out_of_scope" ? "it leads out of the workspace." : error.message;
    return { features: [], warnings: [`Features in ${placeNames[source]} are not shown: ${why}`] };
  }
}

async function findOwn(folder: string, wanted?: string): Promise<Findings> {
  const own = await realFolder(folder);
  return own === null
    ? { features: [], warnings: [] }
    : await findFiles("user", filesBelow(own), own, wanted);
}

/** The user's own folder may stand elsewhere, behind a link; null: there is none. */
async function realFolder(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : messageOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new YoiError("io_failed", `${path} cannot be looked at (${String(code)}).`, { cause: error });
  }
}

async function findFiles(
  source: "project" | "user",
  files: ScopedFiles,
  folder: string,
  wanted?: string,
): Promise<Findings> {
  if (files.stat(folder) === null) return { features: [], warnings: [] };
  const listed = await files.list(folder);
  const named = listed.entries.filter(({ name }) => name.endsWith(".ts") && !name.endsWith(".d.ts"));
  const features = named
    .filter(({ name }, index) => index < featuresMax || idOf(source, slugOf(name)).id === wanted)
    .map((entry): FoundFeature => foundFile(source, files, listed.path, entry));
  return { features, warnings: missedIn(listed, named.length) };
}

const slugOf = (name: string) => name.slice(0, -".ts".length);

function foundFile(
  source: "project" | "user",
  files: ScopedFiles,
  folder: string,
  { name, kind }: ListedDirectory["entries"][number],
): FoundFeature {
  const named = idOf(source, slugOf(name));
  return {
    ...named,
    name,
    source,
    path: join(folder, name),
    version: null,
    problem: kind === "file" ? named.problem : `${shown(name)} is ${kindNames[kind]}`,
    read: () => readFile(files, folder, name),
  };
}

const kindNames = {
  file: "a file",
  link: "a link",
  directory: "a directory",
  other: "not a regular file",
} as const;

function missedIn({ path, isCut, unnameable }: ListedDirectory, found: number): readonly string[] {
  return [
    ...(isCut || found > featuresMax
      ? [`${path} holds more than can be shown: the first ${featuresMax} features of it are.`]
      : []),
    ...(unnameable === 0
      ? []
      : [
          unnameable === 1
            ? `${path} holds a name that is not UTF-8: it is not shown.`
            : `${path} holds ${unnameable} names that are not UTF-8: they are not shown.`,
        ]),
  ];
}
