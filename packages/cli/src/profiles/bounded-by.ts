/** A manifest bounded by another: of a child by its parent's, and of a child that is opened again by the one that it keeps. Pure. */
import {
  builtIn,
  type Manifest,
  type PolicyAbove,
  type ResolvedManifest,
  stricterMode,
  type WebChoice,
} from "@yoi/manifest";

/** What is resolved, nowhere looser than `bound`. @param above the policies of all Pods above, as they were when each lent. */
export function boundedBy(
  { manifest, sources }: Pick<ResolvedManifest, "manifest" | "sources">,
  bound: Manifest,
  above: readonly PolicyAbove[],
): Manifest {
  const { permissions, sandbox, limits } = manifest;
  const modes = [bound.permissions.mode, ...above.map((policy) => policy.mode)];
  return {
    ...manifest,
    permissions: { mode: modes.reduce(stricterMode, permissions.mode), rules: permissions.rules, above },
    sandbox: {
      mode: bound.sandbox.mode === "off" && !saysSandbox(sources) ? "off" : boundSandbox(sandbox, bound),
      network: sandbox.network && bound.sandbox.network,
    },
    limits: {
      max_turns: lower(limits.max_turns, bound.limits.max_turns),
      tool_output_bytes: Math.min(limits.tool_output_bytes, bound.limits.tool_output_bytes),
      file_upload_bytes: Math.min(limits.file_upload_bytes, bound.limits.file_upload_bytes),
    },
    web: boundedWeb(manifest.web, bound.web),
  };
}

/** Without anybody's word on it a child is bounded as its parent is, whose sandbox the user switched off for this one start. */
function saysSandbox(sources: ResolvedManifest["sources"]): boolean {
  return sources.some(({ key, origin }) => key === "sandbox.mode" && origin !== builtIn);
}

function boundSandbox({ mode }: Manifest["sandbox"], bound: Manifest): "on" | "off" {
  return bound.sandbox.mode === "on" ? "on" : mode;
}

/** Null is no limit. */
function lower(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function boundedWeb(web: WebChoice, bound: WebChoice): WebChoice {
  const { fetch, search } = web;
  return {
    allow_private_addresses: web.allow_private_addresses && bound.allow_private_addresses,
    fetch:
      fetch === null || bound.fetch === null
        ? null
        : {
            timeout_secs: Math.min(fetch.timeout_secs, bound.fetch.timeout_secs),
            redirect_limit: Math.min(fetch.redirect_limit, bound.fetch.redirect_limit),
            max_response_bytes: Math.min(fetch.max_response_bytes, bound.fetch.max_response_bytes),
            max_output_bytes: Math.min(fetch.max_output_bytes, bound.fetch.max_output_bytes),
          },
    search: bound.search === null ? null : search,
  };
}
