/** Handles: what a granted authority is, in use. Made by the host, which checks every call; dead after the Pod has closed. */
import type { JsonValue } from "@yoi/base";
import type { PodManagement } from "./pod-management.ts";

/** Within what was granted and the Pod's scope, whichever is narrower. Each method throws a YoiError: out_of_scope, limit_exceeded, io_failed. */
export interface FeatureFiles {
  /** The text of a regular file of at most 1 MiB; invalid UTF-8 is refused. */
  read(path: string): Promise<string>;
  /** Replaces or creates a file, as a whole. Needs a write grant. */
  write(path: string, text: string): Promise<void>;
  /** Names in a directory, sorted, directories with a `/` at the end; at most 1,000. */
  list(path: string): Promise<readonly string[]>;
}

export interface FeatureResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string };
  /** At most 64 KiB. */
  readonly text: string;
  readonly truncated: boolean;
}

/** GET only, no redirects to a host that is not granted, public addresses only. Throws web_refused or web_failed. */
export interface FeatureFetch {
  get(url: string, options?: { readonly signal?: AbortSignal }): Promise<FeatureResponse>;
}

export interface FeatureSecret {
  readonly id: string;
  /** Throws secret_unknown when nothing is stored under the id. Taken out of everything that is logged from then on. */
  read(): Promise<string>;
}

export interface StoredState {
  /** Of the value's format, as the feature counts it. */
  readonly version: number;
  /** Counts writes, from 1. */
  readonly revision: number;
  readonly value: JsonValue;
}

/** One JSON value of at most 1 MiB that outlives Pods. */
export interface FeatureStateStore {
  read(): Promise<StoredState | null>;
  /** `expected` is the revision that was read, null for none; throws state_conflict when another write came first. Resolves with the new revision, durable. */
  write(
    value: JsonValue,
    options: { readonly version: number; readonly expected: number | null },
  ): Promise<number>;
}

/** Null: not granted. */
export interface FeatureHandles {
  readonly files: FeatureFiles | null;
  readonly fetch: FeatureFetch | null;
  secret(id: string): FeatureSecret | null;
  state(name: string): FeatureStateStore | null;
  readonly pods: PodManagement | null;
}
