/** The arguments of bubblewrap for a plan. */
import { pathComponents } from "@yoi/scope";
import type { Mounts } from "./mount.ts";

export interface BubblewrapFlags {
  readonly network: boolean;
  /** Needs bubblewrap 0.8. */
  readonly disableUserNamespaces: boolean;
}

/** What every sandbox starts with. As root bubblewrap keeps its capabilities unless told otherwise, and a remount would be an escape. */
export function isolationArgs({ network, disableUserNamespaces }: BubblewrapFlags): string[] {
  return [
    "--die-with-parent",
    "--new-session",
    "--unshare-all",
    "--unshare-user",
    ...(disableUserNamespaces ? ["--disable-userns"] : []),
    "--cap-drop",
    "ALL",
    ...(network ? ["--share-net"] : []),
  ];
}

export interface MountArgs {
  readonly args: readonly string[];
  /** How many descriptors, from `firstFd` on, must be open on an empty file. */
  readonly emptyFds: number;
}

/** The mounts from the top down, each over what lies above it; then what was filled is closed to new names. */
export function mountArgs(mounts: Mounts, firstFd: number): MountArgs {
  const ordered = [...mounts].toSorted(
    ([a], [b]) => pathComponents(a).length - pathComponents(b).length || (a < b ? -1 : 1),
  );
  const args: string[] = [];
  const closed: string[] = [];
  let emptyFds = 0;
  for (const [path, mount] of ordered) {
    switch (mount.kind) {
      case "bind":
        args.push(mount.access === "write" ? "--bind-try" : "--ro-bind-try", path, path);
        break;
      case "private":
        args.push("--tmpfs", path);
        break;
      case "fixed":
        args.push("--tmpfs", path);
        closed.push("--remount-ro", path);
        break;
      case "masked_file":
        args.push("--ro-bind", "/dev/null", path);
        break;
      case "empty_file":
        args.push("--ro-bind-data", String(firstFd + emptyFds), path);
        emptyFds += 1;
        break;
      case "link":
        args.push("--symlink", mount.target, path);
        break;
      case "proc":
      case "dev":
        args.push(`--${mount.kind}`, path);
        break;
    }
  }
  if (!mounts.has("/")) closed.push("--remount-ro", "/");
  return { args: [...args, ...closed], emptyFds };
}
