/** In what a Pod's safeguards differ from the usual ones: nobody is to overlook it. */
import type { PermissionMode } from "@yoi/manifest";
import type { PodAbout } from "@yoi/protocol";

const usualMode: PermissionMode = "allow-in-scope";

export type Safeguards = Pick<PodAbout, "sandbox" | "network" | "permission_mode">;

/** Commands reach more than the workspace; null: they do not. */
export function looser({ sandbox, network }: Safeguards): string | null {
  if (sandbox !== "on") return `sandbox ${sandbox}`;
  return network ? "sandbox with network" : null;
}

/** Empty: in nothing. */
export function unusual(about: Safeguards): readonly string[] {
  const { permission_mode: mode } = about;
  return [looser(about) ?? [], mode === usualMode ? [] : `permission mode ${mode}`].flat();
}
