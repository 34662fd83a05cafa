/** Services: what features offer each other, through the host. Values are copied on the way; nobody holds the other's objects. */
import type { JsonObject, JsonValue } from "@yoi/base";
import type { ServiceId } from "./source-qualified.ts";

export interface ServiceDeclaration {
  readonly id: ServiceId;
  /** x.y.z */
  readonly version: string;
  readonly description: string;
  readonly methods: readonly string[];
  /** It acts with authorities of its provider: a consumer needs `service_access` for it. */
  readonly carries_authority: boolean;
}

export interface ServiceRequirement {
  readonly id: ServiceId;
  /** A semver range; `*` is any. */
  readonly version: string;
  /** Absent: all of its methods. */
  readonly methods?: readonly string[];
  /** Without it the feature is not installed; else it goes on with less. */
  readonly required: boolean;
  readonly reason: string;
}

/** One method a name. `input` is a frozen copy. What it throws reaches the caller as a service_failed with its bounded message. */
export type ServiceImplementation = Readonly<
  Record<string, (input: JsonObject) => Promise<JsonValue | undefined>>
>;

/**
 * What a consumer gets: made by the host, with the methods that it asked for and no others. Input and output are at most 64 KiB as JSON, a call
 * has 5 s, and at most 64 of a service wait for their answers. `call` throws feature_invalid, limit_exceeded or service_failed.
 */
export interface ServiceClient {
  readonly id: ServiceId;
  readonly version: string;
  readonly methods: readonly string[];
  call(method: string, input: JsonObject): Promise<JsonValue | undefined>;
}
