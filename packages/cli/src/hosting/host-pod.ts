/** A process that hosts one Pod: opened, served to whoever attaches, closed in order when it is told to end. */
import { lstatSync } from "node:fs";
import { messageOf, type PodName, YoiError } from "@yoi/base";
import { nodeSocketFiles } from "@yoi/host";
import { createAuthorizer, type Pod, type PodEvent, skillOffers } from "@yoi/pod";
import { hostPurpose, leaseLockPath } from "@yoi/pod-store";
import type { PodAbout } from "@yoi/protocol";
import { connectTo, listenAt } from "@yoi/protocol/node";
import { openConfiguredPod, type OpenedPod, sayFound } from "../compose/open-pod.ts";
import type { PodFlags } from "../compose/pod-flags.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { failureOf, writeFailure, writeFailureJson } from "../failure.ts";
import { knownSecrets } from "../known-secrets.ts";
import { scopeText } from "../output/scope-text.ts";
import { type RunStop, watchRunStop } from "../run-stop.ts";
import { checkedRuntime, preparedRuntime, type Runtime } from "../runtime/runtime.ts";
import { version } from "../version.ts";
import { childManifest } from "../profiles/child-manifest.ts";
import { childHost } from "./child-host.ts";
import { hostLine } from "./host-events.ts";
import { type HostLog, hostLogsOf, removeStartingLogs } from "./host-log.ts";
import { keptListen } from "./kept-listen.ts";
import { reachedBy } from "./owner-of.ts";
import type { Ready } from "./ready.ts";

export interface HostRequest {
  readonly name: PodName;
  /** Canonical; null: the stored one, or the current directory for a new Pod. */
  readonly workspace: string | null;
  readonly flags: PodFlags;
  readonly mustExist: boolean;
  /** Goes on with a run that is paused or was cut off, if there is one. */
  readonly resume: boolean;
  readonly environment: Environment;
  readonly stores: Stores;
  readonly log: HostLog;
  /** The file that takes this process's output for now; null: none, it is somebody's terminal or journal. */
  readonly output: string | null;
  /** Called once, when clients can connect. */
  readonly ready: (ready: Ready) => void;
}

/** The exit code: done after a client's shutdown, that of the signal after a signal. */
export async function hostPod(request: HostRequest): Promise<number> {
  const { environment, stores, log } = request;
  using stop = watchRunStop(
    stores.host,
    null,
    `Stopped by a signal before the Pod ${request.name} was up: nothing is hosted.`,
  );
  const runtime = await preparedRuntime(environment, stores.host);
  const warnings: string[] = [];
  const say = (text: string): void => {
    warnings.push(text);
    log.say(text);
  };
  const opened = await open(request, { stop, runtime, say });
  const { pod } = opened;
  let code: number;
  try {
    sayFound(pod, say);
    code = await serve(request, { ...opened, stop, runtime, say, warnings });
  } catch (error) {
    await pod
      .close()
      .catch((late: unknown) => log.say(`The Pod could not be closed in order: ${messageOf(late)}`));
    throw error;
  }
  await pod.close(stop.receivedAs ?? "asked by a client");
  return code;
}

interface Opening {
  readonly stop: RunStop;
  readonly runtime: Runtime;
  readonly say: (text: string) => void;
}

async function open(request: HostRequest, { stop, runtime, say }: Opening): Promise<OpenedPod> {
  const { name, log } = request;
  let isAbandoned = false;
  try {
    return await openConfiguredPod({
      ...request,
      purpose: hostPurpose,
      socket: runtime.socketPath(name),
      childHost: childHost({
        environment: request.environment,
        stores: request.stores,
        childManifest: (asked) => childManifest(asked, request),
        say: log.say,
      }),
      mustBeNew: false,
      canAsk: true,
      observer: (event: PodEvent) => {
        const line = hostLine(event, name);
        if (line !== null) log.say(line);
      },
      beginsOwnRuns: true,
      say,
      signal: stop.signal,
      abandoned: () => (isAbandoned = true),
    });
  } catch (error) {
    if (isAbandoned) {
      // What waits for something outside, and cannot be told to stop, ends with the process.
      const failure = failureOf(error);
      writeFailureJson(process.argv.slice(2), failure);
      writeFailure(failure);
      process.exit(failure.exitCode);
    }
    throw error;
  }
}

interface Serving extends OpenedPod, Opening {
  readonly warnings: readonly string[];
}

async function serve(request: HostRequest, serving: Serving): Promise<number> {
  const { name, stores, environment, log, output } = request;
  const { pod, setup, stop, runtime, say, warnings } = serving;
  const { timers } = stores.host;
  const socket = runtime.socketPath(name);
  const ended = Promise.withResolvers<void>();
  // Awaited only when the Pod is up.
  ended.promise.catch(() => {});
  stop.begin(() => ended.resolve());
  const logs = hostLogsOf(stores.dataDir, name);
  if (output !== null) await log.takePlace(output, logs);
  await removeStartingLogs(stores.host.files, stores.dataDir, name);
  await pod.serve({
    listen: keptListen({
      bind: listenAt(socket, nodeSocketFiles),
      identity: () => identityOf(socket),
      prepare: async () => {
        await preparedRuntime(environment, stores.host);
        await stores.lease.renewHint(name);
      },
      isThere: await standing(request),
      lost: () => ended.reject(goneFrom(request)),
      timers,
      say: log.say,
    }),
    authorize: createAuthorizer({
      userToken: runtime.userToken,
      childOf: (digest) => pod.childOf(digest),
    }),
    timers,
    redact: knownSecrets.redact,
    dropped: (client) => log.say(`the client ${client ?? "without a name"} was too slow and is dropped`),
    shutdown: () => ended.resolve(),
    about: aboutOf(pod, setup),
  });
  pod.reachParent({
    connect: async (parent) => {
      // Looked up anew each time: a parent may come back in another environment.
      const there = await reachedBy(parent, { environment, lease: stores.lease });
      const { socketPath } = await checkedRuntime(there, stores.host);
      return connectTo(socketPath(parent), nodeSocketFiles);
    },
    random: stores.host.random,
  });
  if (request.resume) await resume(pod, say);
  const { session, segment, state } = pod.snapshot;
  request.ready({
    pod: name,
    pid: process.pid,
    socket,
    state,
    session_id: session,
    segment_id: segment,
    log: output === null ? null : logs.last,
    warnings,
  });
  log.say(`${name} is up: pid ${process.pid}, ${state}, socket ${socket}`);
  await ended.promise;
  log.say(`${name} ends: ${stop.receivedAs ?? "asked by a client"}`);
  await endChildren(pod, request);
  return stop.received === null
    ? exitCode.done
    : stop.received === "SIGTERM"
      ? exitCode.terminated
      : exitCode.interrupted;
}

/** Asks whether what this process holds the Pod by is where it was: with another lock file, or none, another process could hold the Pod too. */
async function standing({ name, stores }: HostRequest): Promise<() => Promise<boolean>> {
  const { pods, dataDir } = stores;
  const { files } = stores.host;
  const lock = async () => (await files.stat(leaseLockPath(dataDir, name)))?.inode ?? null;
  const held = await lock();
  return async () =>
    held !== null && (await lock()) === held && (await files.stat(pods.pathOf(name))) !== null;
}

function goneFrom({ name, stores }: HostRequest): YoiError {
  return new YoiError(
    "io_failed",
    `The lock or the metadata of the Pod ${name} is no longer in ${stores.dataDir}, so nobody could tell that it runs, and its process ends: leave that directory alone while a Pod is up.`,
  );
}

/** Those that do not end in time are killed; what a child holds that could not be ended stays on loan to it. */
async function endChildren(pod: Pod, { name, log }: HostRequest): Promise<void> {
  if (pod.children.length > 0) log.say(`${name} waits for its children to end: ${pod.children.join(", ")}`);
  const { kept, killed } = await pod.stopChildren();
  for (const child of killed) log.say(`warn: the child ${child} did not end in time and was killed`);
  for (const { name: child, why } of kept) log.say(`warn: the child ${child} keeps its loan: ${why}`);
}

/** A run that somebody ended stays ended. Nothing to go on with is no failure: the Pod is up. */
async function resume(pod: Pod, say: (text: string) => void): Promise<void> {
  const { name, state } = pod.snapshot;
  if (state === "paused") {
    const { ended } = await pod.beginResume({ timeoutMs: null });
    // The observer tells how it ends.
    ended.catch(() => {});
  } else if (state === "idle")
    say(
      `No run of ${name} was paused or cut off, so none goes on. With one that was cancelled, failed or reached a limit, \`yoi pod resume ${name}\` goes on.`,
    );
}

function aboutOf({ snapshot }: Pod, { manifest, config, sandbox, skills }: OpenedPod["setup"]): PodAbout {
  return {
    version,
    model: config.model,
    workspace: manifest.workspace,
    sandbox,
    network: manifest.sandbox.network,
    permission_mode: manifest.permissions.mode,
    writes: scopeText(manifest.scope, manifest.workspace),
    tools: snapshot.tools,
    ...(skills.length === 0 ? {} : { skills: skillOffers(skills) }),
  };
}

function identityOf(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}:${found.ctimeMs}`;
}
