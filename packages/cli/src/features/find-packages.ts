/** Installed packages that say they hold a feature: their package.json is read as data, and nothing else of them. */
import { isUtf8 } from "node:buffer";
import { join, posix } from "node:path";
import { isDepthWithin, isJsonObject, jsonDepthMax, type JsonObject, YoiError } from "@yoi/base";
import type { ListedDirectory, ScopedFiles } from "@yoi/tools";
import { type FeatureContent, invalid, readFolder, shown } from "./content.ts";
import { featuresMax, type Findings, type FoundFeature, idOf } from "./found-feature.ts";

/** Packages of one workspace whose package.json is looked at. */
export const packagesMax = 4_000;
/** Of a package.json. */
export const packageJsonBytesMax = 1024 * 1024;
/** A longer version is none. */
const versionCharsMax = 64;
/** Linked packages that a warning names. */
const linksNamedMax = 3;

/** @param folder the workspace's `node_modules`. @param named an id: if it is a package's, that one is looked at whatever the limits leave out. */
export async function findPackages(files: ScopedFiles, folder: string, named?: string): Promise<Findings> {
  if (files.stat(folder) === null) return { features: [], warnings: [] };
  const { installed, isCut } = await installedIn(files, folder);
  const features: FoundFeature[] = [];
  const elsewhere: string[] = [];
  for (const one of installed.slice(0, packagesMax)) {
    if (features.length > featuresMax) break;
    const found = await foundPackage(files, one);
    if (found === "elsewhere") elsewhere.push(one.name);
    else if (found !== null) features.push(found);
  }
  const cut = isCut || installed.length > packagesMax || features.length > featuresMax;
  const listed = features.slice(0, featuresMax);
  const one =
    named === undefined || listed.some(({ id }) => id === named)
      ? null
      : await packageById(files, folder, named);
  return {
    features: [...listed, ...(one === null ? [] : [one])],
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

/** Null: the id is none of a package, or there is none in the workspace that holds a feature. */
async function packageById(files: ScopedFiles, folder: string, id: string): Promise<FoundFeature | null> {
  const name = id.startsWith("package:") ? id.slice("package:".length) : "";
  // What would not be listed is not found either: neither `..` nor a folder inside a package.
  if (idOf("package", name).id === null || !/^(@[^/]+\/)?[^@/]+$/.test(name)) return null;
  const found = await foundPackage(files, { name, path: join(folder, name), isLink: true });
  return found === "elsewhere" ? null : found;
}

function linksSentence(names: readonly string[]): string {
  const more = names.length > linksNamedMax ? ` and ${names.length - linksNamedMax} more` : "";
  const some = names.slice(0, linksNamedMax).map(shown).join(", ");
  return `Packages that lead out of the workspace are not looked at: ${some}${more}.`;
}

interface Installed {
  /** As npm says it, `@scope/name` where there is a scope. */
  readonly name: string;
  readonly path: string;
  readonly isLink: boolean;
}

/** One more than are looked at says that there are more. */
async function installedIn(
  files: ScopedFiles,
  folder: string,
): Promise<{ readonly installed: readonly Installed[]; readonly isCut: boolean }> {
  const listed = await files.list(folder);
  let { isCut } = listed;
  const installed: Installed[] = [];
  for (const entry of listed.entries) {
    if (installed.length > packagesMax) break;
    if (entry.name.startsWith(".")) continue;
    if (!entry.name.startsWith("@")) installed.push(...packageOf(listed, entry, ""));
    else if (entry.kind === "directory") {
      const inScope = await files.list(join(listed.path, entry.name)).catch(unlessRefused);
      if (inScope === null) continue;
      isCut ||= inScope.isCut;
      for (const inner of inScope.entries) installed.push(...packageOf(inScope, inner, `${entry.name}/`));
    }
  }
  return { installed, isCut };
}

/** [] for what is no folder. */
function packageOf(
  { path }: ListedDirectory,
  { name, kind }: ListedDirectory["entries"][number],
  scope: string,
): readonly Installed[] {
  if (kind !== "directory" && kind !== "link") return [];
  return [{ name: `${scope}${name}`, path: join(path, name), isLink: kind === "link" }];
}

/** Null: it says nothing of a feature. elsewhere: it is a link out of the workspace. */
async function foundPackage(
  files: ScopedFiles,
  installed: Installed,
): Promise<FoundFeature | "elsewhere" | null> {
  const path = installed.isLink ? linkedFolder(files, installed.path) : installed.path;
  if (path === null || path === "elsewhere") return path;
  const json = await packageJson(files, path).catch(unlessRefused);
  const feature = isJsonObject(json?.["yoi"]) ? json["yoi"]["feature"] : undefined;
  if (feature === undefined) return null;
  const version = json?.["version"];
  return {
    ...idOf("package", installed.name),
    name: installed.name,
    source: "package",
    path,
    version: typeof version === "string" && version.length <= versionCharsMax ? version : null,
    read: () => readPackage(files, path, feature),
  };
}

/** A link to a place in the workspace is followed, as workspaces and content stores of packages have them. */
function linkedFolder(files: ScopedFiles, link: string): string | "elsewhere" | null {
  try {
    const place = files.stat(link);
    return place?.isDirectory === true ? place.path : null;
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return error.code === "out_of_scope" ? "elsewhere" : null;
  }
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
