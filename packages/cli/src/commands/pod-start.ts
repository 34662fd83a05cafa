/** `yoi pod start` and `yoi pod restore`: a Pod in a process of its own, to attach to. */
import { basename, dirname, join } from "node:path";
import { type PodName, podName, YoiError } from "@yoi/base";
import { findNamed, findPod } from "@yoi/pod";
import { namedWorkspace } from "../compose/configuration.ts";
import type { PodFlags } from "../compose/pod-flags.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { hostDetached, typedFlags } from "../hosting/host-detached.ts";
import { HostLog, hostLogsOf, isStartingLog } from "../hosting/host-log.ts";
import { hostPod } from "../hosting/host-pod.ts";
import { readyJson, readyLine, readySentence } from "../hosting/ready.ts";
import { mayStart } from "../hosting/may-start.ts";
import { ownerOf } from "../hosting/owner-of.ts";
import { refusedStart } from "../hosting/silent-owner.ts";
import { takeOver } from "../hosting/take-over.ts";

export interface StartFlags extends PodFlags {
  readonly cd?: string;
  readonly foreground?: boolean;
  readonly json?: boolean;
  /** Ends the process that holds the Pod, if there is one. */
  readonly takeOver?: boolean;
  /** Set by yoi itself when it starts the hosting process: the file that has its output. */
  readonly outputFile?: string;
}

export interface RestoreFlags extends StartFlags {
  readonly resume?: boolean;
}

export async function podStart(given: string, flags: StartFlags): Promise<number> {
  const environment = readEnvironment();
  const stores = openStores(environment);
  const name = podName(given);
  const workspace = await workspaceOf(name, flags, environment, stores);
  return host({ name, workspace, flags, environment, stores, mustExist: false });
}

export async function podRestore(given: string, flags: RestoreFlags): Promise<number> {
  const environment = readEnvironment();
  const stores = openStores(environment);
  // Whoever holds a Pod can be ended, whatever became of its metadata.
  const { name } = await (flags.takeOver === true ? findNamed : findPod)(stores.pods, given);
  return host({ name, workspace: null, flags, environment, stores, mustExist: true });
}

/** Null: the Pod keeps one. A new one works where it is started, which the process that hosts it does not see any more. */
async function workspaceOf(
  name: PodName,
  { cd }: StartFlags,
  environment: Environment,
  { pods }: Stores,
): Promise<string | null> {
  if (cd === undefined && (await pods.read(name)) !== null) return null;
  return namedWorkspace(cd, environment);
}

interface HostCommand {
  readonly name: PodName;
  readonly workspace: string | null;
  readonly flags: RestoreFlags;
  readonly environment: Environment;
  readonly stores: Stores;
  readonly mustExist: boolean;
}

async function host(request: HostCommand): Promise<number> {
  const { name, flags, workspace, environment, stores } = request;
  const say = (text: string): void => void process.stderr.write(`yoi: ${text}\n`);
  if (flags.takeOver === true) {
    const owner = await ownerOf(name, stores.lease);
    if (owner !== null)
      await mayStart({ ...request, typed: typedFlags({ flags, isPlaced: flags.cd !== undefined }) });
    await takeOver({ name, environment, stores, say });
  }
  if (flags.foreground === true) return hostHere(request, say);
  const ready = await hostDetached({
    name,
    workspace,
    isPlaced: flags.cd !== undefined,
    flags,
    environment,
    stores,
    say,
    ...(request.mustExist ? { restore: { resume: flags.resume === true } } : {}),
  });
  for (const warning of ready.warnings) say(warning);
  process.stdout.write(flags.json === true ? readyJson(ready) : readySentence(ready));
  return exitCode.done;
}

async function hostHere(request: HostCommand, say: (text: string) => void): Promise<number> {
  const { name, flags, stores } = request;
  const { files, clock } = stores.host;
  const output = flags.outputFile === undefined ? null : outputOf(flags.outputFile, name, stores.dataDir);
  try {
    return await hostPod({
      ...request,
      resume: flags.resume === true,
      log: new HostLog({ files, clock, write: (line) => void process.stderr.write(line) }),
      output,
      ready: (ready) => void process.stdout.write(flags.json === true ? readyJson(ready) : readyLine(ready)),
    });
  } catch (error) {
    // Whoever started this may be gone. Of a Pod that was held, it has its name by now.
    if (output !== null) await files.removeFile(output);
    if (output === null && isLoanMissing(error)) throw onlyDetached(error);
    throw await refusedStart(error, { ...request, say });
  }
}

function isLoanMissing(error: unknown): error is YoiError {
  return error instanceof YoiError && error.code === "loan_missing";
}

/** Its parent starts it, in a process of its own. */
function onlyDetached(cause: YoiError): YoiError {
  return new YoiError(
    "loan_missing",
    `${cause.message} It is started by that one, in a process of its own: leave out --foreground.`,
    { cause },
  );
}

/** It is moved, so it has to be one that `start` made. */
function outputOf(path: string, name: PodName, dataDir: string): string {
  const own = join(dirname(hostLogsOf(dataDir, name).last), basename(path));
  if (path === own && isStartingLog(basename(path), name)) return path;
  throw new YoiError("usage", "--output-file is set by `yoi pod start` itself: leave it out.");
}
