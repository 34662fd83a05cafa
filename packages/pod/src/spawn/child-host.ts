/** ChildHost: what the composition gives a Pod so that it can have children: how their processes begin, are reached and end. */
import type { JsonObject, Loan, PodName } from "@yoi/base";
import type { ProcessIdentity } from "@yoi/host";
import type { Manifest } from "@yoi/manifest";
import type { MethodName, Methods } from "@yoi/protocol";

export interface ChildManifestRequest {
  readonly name: PodName;
  readonly lender: PodName;
  /** Of the child: 1 where the lender has no parent. */
  readonly depth: number;
  /** Of the lender, as it is in force. */
  readonly parent: Manifest;
  readonly loan: Loan;
  /** Null: none but the parent's model, mode and rules. */
  readonly profile: string | null;
  /** Null: none. */
  readonly instruction: string | null;
}

/** A Pod that was reached. Every call fails as a YoiError: pod_unreachable where the connection is lost. */
export interface ReachedPod {
  call<M extends Exclude<MethodName, "hello">>(
    method: M,
    params: Methods[M]["params"],
  ): Promise<Methods[M]["result"]>;
  close(): void;
}

export interface StartedChild {
  readonly pid: number;
  readonly socket: string;
  /** Sentences for the user. */
  readonly warnings: readonly string[];
}

export interface ChildHost {
  /**
   * The child's manifest, never looser than its parent's: its scope is the loan's, its permissions are bounded by all of its parent's. Throws config_invalid,
   * also where a feature that the profile selects could not be installed in the child.
   */
  childManifest(request: ChildManifestRequest): Promise<JsonObject>;
  /**
   * Starts a process, in a group of its own, that hosts the existing Pod under the manifest that its lender has just stored for it; resolves when it takes clients. Throws what that process failed with; when the signal
   * aborts, once the process that was started is gone.
   */
  start(name: PodName, signal: AbortSignal): Promise<StartedChild>;
  /** Throws pod_unreachable, also after 10 s without an answer. */
  reach(name: PodName, role: "user" | "peer"): Promise<ReachedPod>;
  /** Where the Pod takes clients when it is hosted. @param runtime that of the process which hosts it, as it says; absent or null: as this one's. */
  socketOf(name: PodName, runtime?: string | null): string;
  /** Kills exactly this process with its group, unless it is gone: then false. */
  endGroup(process: ProcessIdentity): boolean;
  /** So many bytes that nobody can guess, for the token of a child. */
  secureBytes(count: number): Uint8Array;
}
