/** Installed packages that say they hold a feature: their package.json is read as data, and nothing else of them. */
import { isUtf8 } from "node:buffer";
import { join, posix } from "node:path";
import { isDepthWithin, isJsonObject, jsonDepthMax, type JsonObject, YoiError } from "@yoi/base";
import type { ScopedFiles } from "@yoi/tools";
import { type FeatureContent, invalid, readFolder, shown } from "./content.ts";
import { featuresMax, type Findings, type FoundFeature, idOf } from "./found-feature.ts";

/** Packages of one workspace whose package.json is looked at. */
export const packagesMax = 5_000;
/** Of a package.json. */
export const packageJsonBytesMax = 1024 * 1024;
/** A longer version is none. */
const versionCharsMax = 64;
/** Linked packages that a warning names. */
const linksNamedMax = 3;

/** @param folder the workspace's `node_modules`. */
export async function findPackages(files: ScopedFiles, folder: string): Promise<Findings> {
  if (files.stat(folder) === null) return { features: [], warnings: [] };
  const { names, isCut } = await packageNames(files, folder);
  const features: FoundFeature[] = [];
  const elsewhere: string[] = [];
  for (const name of names.slice(0, packagesMax)) {
    if (features.length === featuresMax) break;
    const found = await foundPackage(files, folder, name);
    if (found === "elsewhere") elsewhere.push(name);
    else if (found !== null) features.push(found);
  }
  const cut = isCut || names.length > packagesMax || features.length === featuresMax;
  return {
    features,
    warnings: [
      ...(cut
        ? [
            `${folder} holds more than is looked at: at most ${packagesMax} packages, and ${featuresMax} with a feature.`,
          ]
        : []),
      ...(elsewhere.length === 0 ? [] : [linksSentence(elsewhere)]),
    ],
  };
}

function linksSentence(names: readonly string[]): string {
  const more = names.length > linksNamedMax ? ` and ${names.length - linksNamedMax} more` : "";
  const some = names.slice(0, linksNamedMax).map(shown).join(", ");
  return `Packages that lead out of the workspace are not looked at: ${some}${more}.`;
}

/** Names as npm says them, `@scope/name` where there is a scope. */
async function packageNames(
  files: ScopedFiles,
  folder: string,
): Promise<{ readonly names: readonly string[]; readonly isCut: boolean }> {
  const listed = await files.list(folder);
  let { isCut } = listed;
  const names: string[] = [];
  for (const { name, kind } of listed.entries) {
    if (name.startsWith(".") || (kind !== "directory" && kind !== "link")) continue;
    if (!name.startsWith("@")) names.push(name);
    else if (kind === "directory") {
      const inScope = await files.list(join(folder, name)).catch(unlessRefused);
      isCut ||= inScope?.isCut === true;
      for (const inner of inScope?.entries ?? [])
        if (inner.kind === "directory" || inner.kind === "link") names.push(`${name}/${inner.name}`);
    }
  }
  return { names, isCut };
}

/** Null: it says nothing of a feature. elsewhere: it is a link out of the workspace. */
async function foundPackage(
  files: ScopedFiles,
  folder: string,
  name: string,
): Promise<FoundFeature | "elsewhere" | null> {
  let place: ReturnType<ScopedFiles["stat"]>;
  try {
    // A link to a place in the workspace is followed, as workspaces and content stores of packages have them.
    place = files.stat(join(folder, name));
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return error.code === "out_of_scope" ? "elsewhere" : null;
  }
  if (place?.isDirectory !== true) return null;
  const json = await packageJson(files, place.path).catch(unlessRefused);
  const feature = isJsonObject(json?.["yoi"]) ? json["yoi"]["feature"] : undefined;
  if (feature === undefined) return null;
  const named = idOf("package", name);
  const { path } = place;
  const version = json?.["version"];
  return {
    ...named,
    name,
    source: "package",
    path,
    version: typeof version === "string" && version.length <= versionCharsMax ? version : null,
    read: () => readPackage(files, path, feature),
  };
}

async function readPackage(files: ScopedFiles, path: string, feature: unknown): Promise<FeatureContent> {
  const content = await readFolder(files, path);
  const entry = typeof feature === "string" ? posix.normalize(feature) : null;
  if (entry === null || !content.files.some((file) => file.path === entry)) {
    const said = typeof feature === "string" ? shown(feature) : "no text";
    throw invalid(`"yoi.feature" in its package.json is ${said}, and must name a file of the package`);
  }
  return content;
}

/** Null: there is none that could be used. */
async function packageJson(files: ScopedFiles, folder: string): Promise<JsonObject | null> {
  const path = join(folder, "package.json");
  const stat = files.stat(path);
  if (stat === null || stat.path !== path || stat.isDirectory || stat.bytes > packageJsonBytesMax)
    return null;
  const { bytes } = await files.read(path);
  if (bytes.byteLength > packageJsonBytesMax || !isUtf8(bytes)) return null;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isJsonObject(value) && isDepthWithin(value, jsonDepthMax) ? value : null;
  } catch {
    return null; // npm would not take it either
  }
}

function unlessRefused(error: unknown): null {
  if (error instanceof YoiError) return null;
  throw error;
}
