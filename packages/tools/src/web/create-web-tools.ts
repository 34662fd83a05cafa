/** The web tools that a configuration switches on. */
import type { Timers, Tool } from "@yoi/base";
import { isPublicAddress } from "./address.ts";
import { webFetchTool } from "./fetch-tool.ts";
import { systemResolve } from "./resolve.ts";
import type { SearchProviderName } from "./search-provider.ts";
import { webSearchTool } from "./search-tool.ts";

export interface WebToolsOptions {
  readonly allowPrivateAddresses: boolean;
  /** Null: no WebFetch. */
  readonly fetch: {
    readonly timeoutMs: number;
    readonly redirectsMax: number;
    readonly bytesMax: number;
    readonly outputBytesMax: number;
  } | null;
  /** Null: no WebSearch. */
  readonly search: {
    readonly provider: SearchProviderName;
    /** Null: the provider's own. */
    readonly baseUrl: string | null;
    readonly key: () => Promise<string | null>;
    readonly timeoutMs: number;
  } | null;
  readonly timers: Timers;
}

export function createWebTools(options: WebToolsOptions): readonly Tool[] {
  const { allowPrivateAddresses, fetch, search, timers } = options;
  const isAllowed = allowPrivateAddresses ? () => true : isPublicAddress;
  return [
    ...(fetch === null
      ? []
      : [webFetchTool({ rules: { resolve: systemResolve, isAllowed }, limits: fetch, timers })]),
    ...(search === null ? [] : [webSearchTool({ ...search, resolve: systemResolve, timers })]),
  ];
}
