/** Flags that say what a Pod runs with, of every command that opens one. */
import type { PermissionMode } from "@yoi/manifest";

export interface PodFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly maxTurns?: number;
  /** Of the Pod and its children, for their whole life; it keeps them. */
  readonly maxTokens?: number;
  /** In US dollars. */
  readonly maxCost?: number;
  readonly permissionMode?: PermissionMode;
  readonly sandbox?: "on" | "off";
  /** Of a new Pod, or the one that it has. */
  readonly profile?: string;
  /** It writes nothing. */
  readonly readOnly?: boolean;
  /** Directories of the workspace, or of what the user's rules let it write: it writes nowhere else. */
  readonly write?: readonly string[];
}
