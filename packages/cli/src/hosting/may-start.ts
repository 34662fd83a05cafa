/** Whether a Pod could be started with these flags, tried before the process that holds it is ended for that. */
import { type PodName, YoiError } from "@yoi/base";
import { allocationOf, isUnreadable, lentTo } from "@yoi/pod";
import type { PodRecord } from "@yoi/pod-store";
import type { PodFlags } from "../compose/pod-flags.ts";
import { openStartModel, resolveStart } from "../compose/pod-setup.ts";
import { startedByParent } from "../compose/started-by-parent.ts";
import type { Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { socketPathIn } from "../runtime/runtime.ts";
import { isHost, ownerOf } from "./owner-of.ts";

export interface StartToTry {
  readonly name: PodName;
  readonly workspace: string | null;
  readonly flags: PodFlags;
  /** Those of the flags that were typed and a parent does not take, as typed. */
  readonly typed: readonly string[];
  readonly environment: Environment;
  readonly stores: Stores;
  readonly mustExist: boolean;
}

/** Reads only. Throws what the start would, as far as that can be told while another process holds the Pod. */
export async function mayStart(request: StartToTry): Promise<void> {
  const { name, typed, environment, stores } = request;
  const stored = await readable(name, stores);
  // Whoever holds a Pod can be ended, whatever became of its metadata.
  if (stored === "unreadable") return;
  const parent = stored?.parent?.pod;
  if (parent !== undefined && typed.length > 0 && isHost(await ownerOf(parent, stores.lease)))
    throw startedByParent(name, parent, typed);
  const lent = stored === null ? null : await loanOf(stored, stores);
  // Its parent lends to it anew, and starts it.
  if (lent === "missing") return;
  const setup = {
    ...request,
    stored,
    lent,
    mustBeNew: false,
    managesPods: true,
    // Said by the start itself.
    say: () => {},
    signal: new AbortController().signal,
  };
  const start = await resolveStart(setup);
  const { model } = await openStartModel(setup, start);
  await model.close?.();
  const socket = socketPathIn(environment.directories.runtime, name);
  const newcomer = { name, socket, ports: stores.host };
  await stores.registry.check(allocationOf(newcomer, start.manifest.scope, lent));
}

async function readable(name: PodName, { pods }: Stores): Promise<PodRecord | "unreadable" | null> {
  try {
    return await pods.read(name);
  } catch (error) {
    if (isUnreadable(error)) return "unreadable";
    throw error;
  }
}

async function loanOf(stored: PodRecord, { pods }: Stores) {
  try {
    return await lentTo(stored, pods);
  } catch (error) {
    if (error instanceof YoiError && error.code === "loan_missing") return "missing";
    throw error;
  }
}
