/** Reading a bundle that may come from anybody: everything in it is checked before anything of it is used, and nothing is written. */
import { isDepthWithin, jsonDepthMax, type JsonValue, messageOf, YoiError } from "@yoi/base";
import { type ParsedTarEntryWithData, unpackTar } from "modern-tar";
import {
  type BundleManifest,
  bundleBytesMax,
  bundleFilesMax,
  isPlaceOf,
  manifestName,
  metadataName,
  parseBundleManifest,
  sha256Of,
} from "./bundle-format.ts";

export interface Bundle {
  readonly manifest: BundleManifest;
  /** By path relative to the data directory. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

type Refuse = (what: string) => YoiError;

/** @param file its name, for messages. Throws bundle_invalid, or schema_newer. */
export async function unpackBundle(bytes: Uint8Array, file: string): Promise<Bundle> {
  const refuse: Refuse = (what) =>
    new YoiError(
      "bundle_invalid",
      `${file} is not a whole bundle (${what}): nothing of it was used; export the Pod again.`,
      { place: { path: file } },
    );
  if (bytes.byteLength > bundleBytesMax) throw refuse(`it has more than ${bundleBytesMax} bytes`);
  const [first, ...rest] = await entriesOf(bytes, refuse);
  if (first?.header.name !== manifestName) throw refuse(`it does not begin with ${manifestName}`);
  const manifest = parseBundleManifest(jsonOf(first.data, refuse), file, refuse);
  const files = new Map<string, Uint8Array>();
  for (const { header, data } of rest) {
    const name = JSON.stringify(header.name);
    if (!isPlaceOf(manifest, header.name)) throw refuse(`it holds ${name}, which is no part of a Pod`);
    if (files.has(header.name)) throw refuse(`it holds ${name} twice`);
    files.set(header.name, data ?? new Uint8Array());
  }
  compare(manifest, files, refuse);
  return { manifest, files };
}

async function entriesOf(bytes: Uint8Array, refuse: Refuse): Promise<readonly ParsedTarEntryWithData[]> {
  let count = 0;
  let entries: readonly ParsedTarEntryWithData[];
  try {
    entries = await unpackTar(bytes, {
      strict: true,
      filter: ({ name, type }) => {
        count += 1;
        if (count > bundleFilesMax + 1) throw new Error(`it holds more than ${bundleFilesMax} files`);
        if (type !== "file") throw new Error(`${JSON.stringify(name)} is a ${type}, not a file`);
        return true;
      },
    });
  } catch (error) {
    throw refuse(messageOf(error).replace(/\.$/, ""));
  }
  // A reader of tar files may leave out an entry without a name.
  if (entries.length !== count) throw refuse("it holds an entry without a name");
  return entries;
}

function jsonOf(data: Uint8Array | undefined, refuse: Refuse): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data)) as JsonValue;
  } catch {
    throw refuse("its manifest is not JSON");
  }
  if (!isDepthWithin(value, jsonDepthMax)) throw refuse("its manifest nests too deep");
  return value;
}

/** What is there is what the manifest lists, to the byte. */
function compare(manifest: BundleManifest, files: Bundle["files"], refuse: Refuse): void {
  const listed = new Set<string>();
  for (const { path, bytes, sha256 } of manifest.files) {
    const name = JSON.stringify(path);
    if (listed.has(path)) throw refuse(`its manifest lists ${name} twice`);
    listed.add(path);
    const found = files.get(path);
    if (found === undefined) throw refuse(`${name} is missing`);
    if (found.byteLength !== bytes || sha256Of(found) !== sha256)
      throw refuse(`${name} is not what its manifest lists`);
  }
  for (const path of files.keys())
    if (!listed.has(path)) throw refuse(`its manifest does not list ${JSON.stringify(path)}`);
  const { pod, session_id, segment_id } = manifest;
  for (const path of [metadataName(pod), `sessions/${session_id}/${segment_id}.jsonl`])
    if (!listed.has(path)) throw refuse(`${JSON.stringify(path)} is missing`);
}
