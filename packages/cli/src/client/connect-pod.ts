/** connectPod: a client of a Pod that another process hosts, found by its name. */
import { type PodName, type SessionId, YoiError } from "@yoi/base";
import { nodeSocketFiles } from "@yoi/host";
import { findNamed, isUnreadable } from "@yoi/pod";
import {
  ConnectionLost,
  type Cursor,
  type MethodName,
  type Methods,
  openPodClient,
  type PodClient,
  submitOnce,
  type StreamListener,
} from "@yoi/protocol";
import { connectTo } from "@yoi/protocol/node";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { checkedRuntime, type Runtime } from "../runtime/runtime.ts";
import { endOf } from "./end-of.ts";
import { asYoiError } from "./request-error.ts";
import { whyUnreached } from "./why-unreached.ts";

/** Time for the process that hosts a Pod to answer a hello: it may be busy, or stopped. */
const helloAnswerMs = 10_000;

export interface ConnectOptions {
  readonly environment: Pick<Environment, "directories">;
  readonly stores: Pick<Stores, "host" | "lease" | "pods">;
  /** Which command it is, for people. */
  readonly client: string;
  /** Absent: the user. */
  readonly role?: "user" | "peer";
  /** Wants the stream of events, for `listener`. */
  readonly stream: boolean;
  readonly listener?: StreamListener;
  /** What was seen before. */
  readonly after?: Cursor;
  /** Time for the answer to the hello; absent: 10 s. */
  readonly answerMs?: number;
  /** Connects again when a connection is lost: as long as a process holds the Pod, or also while none does. */
  readonly again?: "while_held" | "for_ever";
}

/** A Pod that was reached. Every call fails as a YoiError. */
export interface ReachedPod {
  readonly name: PodName;
  call<M extends Exclude<MethodName, "hello">>(
    method: M,
    params: Methods[M]["params"],
  ): Promise<Methods[M]["result"]>;
  /** Repeats it over lost connections, where those are made again: it is accepted once. */
  submit<M extends "submit" | "notify" | "queue" | "run_command">(
    method: M,
    params: Methods[M]["params"],
  ): Promise<Methods[M]["result"]>;
  close(): void;
  /** Resolves with why there is no connection any more; null: it was closed here. */
  readonly closed: Promise<Error | null>;
}

/**
 * Resolves when the Pod has taken the hello; also where its metadata cannot be read, which its process, socket and token do without. Throws pod_unknown; pod_unreachable where no process hosts it, or one does that answers nobody; unauthorized;
 * protocol_unsupported; runtime_unsafe.
 */
export async function connectPod(name: string, options: ConnectOptions): Promise<ReachedPod> {
  const { environment, stores, listener, after, again } = options;
  const { name: pod, record, unreadable } = await findNamed(stores.pods, name);
  if (unreadable !== null && (await ownerOf(pod, stores.lease)) === null) throw unreadable;
  const session = record?.pointer.session ?? null;
  const runtime = await checkedRuntime(environment, stores.host);
  const path = runtime.socketPath(pod);
  const { timers, random } = stores.host;
  let isHeld = true;
  let isSame = true;
  const wanted = (): boolean => isSame && (again === "for_ever" || isHeld);
  let client: PodClient;
  try {
    client = await openPodClient({
      connect: async () => {
        const now = await sessionOf(stores.pods, pod);
        isSame = now === "unreadable" || (now !== null && (session === null || now === session));
        if (!isSame) throw otherPod(pod, now !== null);
        try {
          return await connectTo(path, nodeSocketFiles);
        } catch (error) {
          isHeld = (await ownerOf(pod, stores.lease)) !== null;
          throw error;
        }
      },
      hello: async () => ({
        role: options.role ?? "user",
        token: await tokenOf(runtime, pod, stores.lease),
        client: options.client,
        stream: options.stream,
      }),
      helloTimeout: { timers, ms: options.answerMs ?? helloAnswerMs },
      ...(listener === undefined ? {} : { listener }),
      ...(after === undefined ? {} : { after }),
      ...(again === undefined ? {} : { again: { timers, random, until: wanted } }),
    });
  } catch (error) {
    throw await whyUnreached(error, pod, options);
  }
  const orYoiError = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const why = error instanceof ConnectionLost ? await endOf(client) : null;
      throw why === null ? asYoiError(error, pod) : await whyUnreached(why, pod, options);
    }
  };
  return {
    name: pod,
    call: (method, params) => orYoiError(() => client.call(method, params)),
    submit: (method, params) => orYoiError(() => submitOnce(client, method, params)),
    close: () => client.close(),
    closed: client.closed.then(async (why) => (why === null ? null : whyUnreached(why, pod, options))),
  };
}

/** A name may be given anew: whoever followed the one Pod does not come to follow the other. */
function otherPod(pod: PodName, isAnother: boolean): YoiError {
  const now = isAnother ? `: another one has its name now, which \`yoi attach ${pod}\` shows` : "";
  return new YoiError("pod_unknown", `The Pod ${pod} was removed${now}.`);
}

/** Of the Pod that has the name now; null: there is none. */
async function sessionOf(
  pods: Pick<Stores["pods"], "read">,
  pod: PodName,
): Promise<SessionId | "unreadable" | null> {
  try {
    return (await pods.read(pod))?.pointer.session ?? null;
  } catch (error) {
    if (isUnreadable(error)) return "unreadable";
    throw error;
  }
}

async function tokenOf(runtime: Runtime, pod: PodName, lease: Stores["lease"]): Promise<string> {
  const token = await runtime.userToken();
  if (token !== null) return token;
  // No token is missing: there is nobody to show it to.
  if (!isHost(await ownerOf(pod, lease)))
    throw new YoiError("pod_unreachable", `The Pod ${pod} is not hosted.`);
  throw new YoiError(
    "unauthorized",
    `There is no token in ${runtime.directory} that opens the Pod ${pod}: use the environment in which it was started (YOI_HOME, XDG_RUNTIME_DIR).`,
  );
}
