/** What every provider adapter is opened with, and what opening one is. */
import type { Clock, Price } from "@yoi/base";
import type { Endpoint } from "./failure.ts";
import type { Model, ModelCapabilities, ModelLimits } from "./model.ts";

export interface AdapterOptions {
  /** The provider's name: its model and its stored data are known by it. Two providers of one kind share no data. */
  readonly provider: string;
  readonly id: string;
  /** Null: there is none to send. */
  readonly apiKey: string | null;
  /** Checked, with the version of the protocol in its path; without a slash at its end. */
  readonly baseUrl: URL;
  readonly limits: ModelLimits;
  readonly capabilities: ModelCapabilities;
  /** At this moment. */
  readonly price: () => Price | null;
  readonly endpoint: Endpoint;
  readonly clock: Clock;
}

/** Nothing is sent before the first request; the provider's library begins to load at once. */
export type OpenAdapter = (options: AdapterOptions) => Model;
