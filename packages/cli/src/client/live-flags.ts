/** Flags of `yoi run` that a Pod in another process does not take: what it runs with was settled when it was started. */
import { YoiError } from "@yoi/base";
import type { PodAbout } from "@yoi/protocol";
import type { PodFlags } from "../compose/pod-flags.ts";

/** @param workspace the one that -C names, canonical; null: none was named. Throws usage. */
export function refuseLiveFlags(
  pod: string,
  about: PodAbout,
  flags: PodFlags,
  workspace: string | null,
): void {
  const { model, baseUrl, maxTurns, maxTokens, maxCost, permissionMode, sandbox, readOnly, write } = flags;
  const wants: readonly (readonly [string, string | undefined, string | null])[] = [
    ["-m", model, about.model],
    ["-C", workspace ?? undefined, about.workspace],
    ["--permission-mode", permissionMode, about.permission_mode],
    ["--sandbox", sandbox, about.sandbox],
    ["--base-url", baseUrl, null],
    ["--max-turns", maxTurns?.toString(), null],
    ["--max-tokens", maxTokens?.toString(), null],
    ["--max-cost", maxCost?.toString(), null],
    ["--write", write?.join(" --write "), null],
    ["--read-only", readOnly === true ? "" : undefined, null],
  ];
  for (const [flag, wanted, has] of wants) {
    if (wanted === undefined || wanted === has) continue;
    const instead = has === null ? "" : ` runs with ${has}, and`;
    throw new YoiError(
      "usage",
      `${wanted === "" ? flag : `${flag} ${wanted}`} cannot be given now: the Pod ${pod}${instead} was started by another process. Leave the flag out, or stop the Pod first with \`yoi pod stop ${pod}\`.`,
    );
  }
}
