/** `yoi pod export`: a Pod as one file that `yoi pod verify --bundle` accepts elsewhere. */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { escapeControls, podName, YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import { isWithin } from "@yoi/scope";
import { packBundle } from "../bundle/pack-bundle.ts";
import { ownDirectories } from "../compose/configuration.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";

export interface ExportFlags {
  /** -: standard output. */
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

export async function podExport(name: string, flags: ExportFlags): Promise<number> {
  const environment = readEnvironment();
  const stores = openStores(environment);
  if (flags.output === "-") {
    refuseStdout(flags, environment);
    const { bytes } = await packBundle(stores, podName(name));
    process.stdout.write(bytes);
    return exitCode.done;
  }
  const asked = flags.output ?? `${podName(name)}.tar`;
  if (asked === "" || asked.endsWith("/")) {
    const what = asked === "" ? "-o names nothing" : `${asked} is the name of a directory`;
    throw new YoiError("usage", `${what}: name the file with -o, - for standard output.`);
  }
  const place = resolve(environment.workingDirectory(), asked);
  const force = flags.force === true;
  const { path, bundle } = await exportPod(name, place, { environment, stores, force });
  const { bytes, manifest, entries, segments, blobs } = bundle;
  if (flags.json === true) {
    const { pod, session_id, segment_id } = manifest;
    const said = { pod, session_id, segment_id, path, bytes: bytes.byteLength, entries, segments, blobs };
    process.stdout.write(jsonLine(said));
  } else {
    const of = segments === 1 ? "" : ` in ${segments} segments`;
    const what = `${entries} entries${of}, ${blobs} blob${blobs === 1 ? "" : "s"}, ${bytes.byteLength} bytes`;
    process.stdout.write(`${name}: ${what} in ${escapeControls(path)}\n`);
  }
  return exitCode.done;
}

export interface ExportTo {
  readonly environment: Environment;
  readonly stores: Stores;
  /** Replaces a file that is there. */
  readonly force: boolean;
}

/** Into the file of that path, which is absolute. */
export async function exportPod(
  name: string,
  place: string,
  { environment, stores, force }: ExportTo,
): Promise<{ readonly path: string; readonly bundle: Awaited<ReturnType<typeof packBundle>> }> {
  const path = await placeFor(place, environment);
  await refuseTaken(stores.host.files, path, force);
  const bundle = await packBundle(stores, podName(name));
  await stores.host.files.replace(path, bundle.bytes);
  return { path, bundle };
}

function refuseStdout(flags: ExportFlags, environment: Environment): void {
  if (flags.json === true)
    throw new YoiError(
      "usage",
      "-o - sends the bundle to standard output, where --json would be too: give one of them.",
    );
  if (environment.stdoutIsTerminal)
    throw new YoiError(
      "usage",
      "A bundle is not for a terminal: send it to a file or a pipe, or name a file with -o.",
    );
}

/** The directory made canonical, so that no link leads into yoi's own. */
async function placeFor(path: string, environment: Environment): Promise<string> {
  let directory: string;
  try {
    directory = await realpath(dirname(path));
  } catch (error) {
    throw new YoiError("usage", `The directory of ${path} cannot be opened: name another file with -o.`, {
      cause: error,
    });
  }
  for (const own of ownDirectories(environment)) {
    const canonical = await realpath(own).catch(() => own);
    if (isWithin(canonical, directory)) {
      throw new YoiError(
        "usage",
        `The bundle cannot be written into ${canonical}, which holds yoi's own files: name another file with -o.`,
      );
    }
  }
  return join(directory, basename(path));
}

/** A link is what is there, whatever it leads to or not: with --force the bundle takes its place. */
async function refuseTaken(files: Files, path: string, force: boolean): Promise<void> {
  const link = await lstat(path).catch(() => null);
  const found = await files.stat(path);
  if (link === null && found === null) return;
  if (found !== null && found.kind !== "file") {
    const what = found.kind === "directory" ? "a directory" : "not a regular file";
    throw new YoiError("usage", `${path} is ${what}: name another file with -o.`);
  }
  if (!force)
    throw new YoiError("usage", `${path} exists: name another file with -o, or replace it with --force.`);
}
