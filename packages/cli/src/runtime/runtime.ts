/** The runtime directory: where hosted Pods have their sockets and where the user's token lies. Ours alone, or not used at all. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { type PodName, YoiError } from "@yoi/base";
import { createPrivateFile, type Host, secureBytes } from "@yoi/host";
import type { Directories } from "@yoi/manifest";
import type { Environment } from "../environment.ts";
import { knownSecrets } from "../known-secrets.ts";
import { badToken, cannotBeMade, checkDirectories, checkToken, type Looker } from "./check.ts";
import { look } from "./way.ts";

export interface Runtime {
  readonly directory: string;
  /** Where the Pod's socket is while a process hosts it. The path may be longer than the system binds. */
  socketPath(pod: PodName): string;
  /** Reads it anew. Null when there is none or when others may have had a hand in it: then nobody gets in. Throws io_failed. */
  userToken(): Promise<string | null>;
}

/** Characters of a Pod's socket name: the beginning of the SHA-256 of its name. */
const socketNameCharsMax = 12;
const tokenRandomBytes = 32;
const tokenPattern = /^[0-9a-f]{64}$/;
const tokenBytes = 2 * tokenRandomBytes;

type Files = Pick<Host, "files">;

/** Where the socket of a Pod is that is hosted with this runtime directory. */
export function socketPathIn(directory: string, pod: PodName): string {
  return join(directory, "s", createHash("sha256").update(pod).digest("hex").slice(0, socketNameCharsMax));
}

/** For whoever connects. Makes nothing: where no Pod was hosted yet there is nothing. Throws runtime_unsafe. */
export async function checkedRuntime(
  { directories }: Pick<Environment, "directories">,
  { files }: Files,
): Promise<Runtime> {
  const looker = ownLooker();
  const directory = directories.runtime;
  const sockets = join(directory, "s");
  checkDirectories(directories, sockets, looker);
  return {
    directory,
    socketPath: (pod) => socketPathIn(directory, pod),
    userToken: async () => {
      try {
        checkDirectories(directories, sockets, looker);
        return await readToken(join(directory, "token"), looker, files);
      } catch (error) {
        if (error instanceof YoiError && error.code === "runtime_unsafe") return null;
        throw error;
      }
    },
  };
}

/** For whoever hosts: both directories and the token are there when it resolves. Throws runtime_unsafe, and what Files throws. */
export async function preparedRuntime(
  environment: Pick<Environment, "directories">,
  host: Files,
): Promise<Runtime> {
  const { directories } = environment;
  const { files } = host;
  const sockets = join(directories.runtime, "s");
  const looker = ownLooker();
  checkDirectories(directories, sockets, looker);
  await makePrivate([directories.runtime, sockets], directories, files);
  // Another user may have been faster where a directory on the way is everybody's.
  const runtime = await checkedRuntime(environment, host);
  const path = join(directories.runtime, "token");
  if (!checkToken(path, tokenBytes, looker))
    createPrivateFile(path, Buffer.from(Buffer.from(secureBytes(tokenRandomBytes)).toString("hex")));
  if ((await readToken(path, looker, files)) === null) throw badToken(path);
  return runtime;
}

/** Makes those that are missing, in this order. */
export async function makePrivate(
  paths: readonly string[],
  directories: Directories,
  files: Host["files"],
): Promise<void> {
  for (const path of paths) if (look(path) === null) await make(path, directories, files);
}

async function make(path: string, directories: Directories, files: Host["files"]): Promise<void> {
  try {
    await files.makeDirectory(path);
  } catch (error) {
    throw cannotBeMade(path, directories, error);
  }
}

/** The directory is ours alone, so between look and read nobody else gets at the file. Throws runtime_unsafe; null: there is none. */
async function readToken(path: string, looker: Looker, files: Host["files"]): Promise<string | null> {
  if (!checkToken(path, tokenBytes, looker)) return null;
  const bytes = await files.read(path);
  if (bytes === null) return null;
  const token = Buffer.from(bytes).toString("latin1");
  if (!tokenPattern.test(token)) throw badToken(path);
  knownSecrets.learn({ id: "token", value: token });
  return token;
}

export function ownLooker(): Looker {
  const uid = process.getuid?.();
  if (uid === undefined) throw new Error("this system has no users");
  return { uid, look };
}
