/** The web tools that a configuration switches on. What they work with is loaded for them alone. */
import type { Timers, Tool } from "@yoi/base";
import type { SearchProviderName } from "./search-provider.ts";

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
  /** What refuses a redirect to a URL, to follow "is refused by"; null: nothing does. */
  readonly mayFollow: (url: string) => string | null;
  readonly timers: Timers;
}

export async function createWebTools(options: WebToolsOptions): Promise<readonly Tool[]> {
  const { allowPrivateAddresses, fetch, search, mayFollow, timers } = options;
  if (fetch === null && search === null) return [];
  const [{ isPublicAddress }, { webFetchTool }, { systemResolve }, { webSearchTool }] = await Promise.all([
    import("./address.ts"),
    import("./fetch-tool.ts"),
    import("./resolve.ts"),
    import("./search-tool.ts"),
  ]);
  const isAllowed = allowPrivateAddresses ? () => true : isPublicAddress;
  return [
    ...(fetch === null
      ? []
      : [webFetchTool({ rules: { resolve: systemResolve, isAllowed, mayFollow }, limits: fetch, timers })]),
    ...(search === null ? [] : [webSearchTool({ ...search, resolve: systemResolve, timers })]),
  ];
}
