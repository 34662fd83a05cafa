/** Protection: what no scope grants. One list, obeyed by the file tools and by the sandbox. */
import type { Scope } from "@yoi/base";
import { childOf, isBelow, isWithin, pathComponents } from "./path.ts";
import { covers, permissionAt, type Permission } from "./permission.ts";

export interface Protection {
  /** Neither read nor written, whatever is granted: credentials, and yoi's own directories. */
  readonly hidden: readonly string[];
  /** Read as the scope says, never written, in any case: what runs or configures something outside the sandbox later. */
  readonly readOnly: readonly string[];
  /** Below `hidden` and readable all the same: where this Pod's long tool output is kept. */
  readonly spill: string | null;
  /** The workspace, whose `.git` and `.yoi` need more than a list of names. */
  readonly workspace: string;
  /** A grant that contains the home directory does not make its dot files and `programs` writable: they run at the next login. */
  readonly home: string | null;
  /** Directories of PATH. */
  readonly programs: readonly string[];
}

/** Credential files and directories, relative to the home directory. */
const credentials = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".netrc",
  "_netrc",
  ".azure",
  ".config/gcloud",
  ".kube",
  ".docker",
  ".config/containers/auth.json",
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".config/op",
  ".config/rclone",
  ".config/doctl",
  ".config/fly",
  ".fly",
  ".config/heroku",
  ".config/configstore",
  ".config/git/credentials",
  ".git-credentials",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".config/pip/pip.conf",
  ".pip/pip.conf",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".bundle/config",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".composer/auth.json",
  ".config/composer/auth.json",
  ".nuget/NuGet",
  ".terraform.d",
  ".terraformrc",
  ".vault-token",
  ".databrickscfg",
  ".snowflake",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".boto",
  ".s3cfg",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".pki",
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".thunderbird",
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".config/goose",
  ".local/share/opencode/auth.json",
  ".config/github-copilot",
  ".huggingface/token",
  ".cache/huggingface/token",
  ".bash_history",
  ".zsh_history",
  ".node_repl_history",
  ".python_history",
  ".psql_history",
] as const;

/** Credential files of the machine, readable only when yoi runs as root. */
const machineCredentials = [
  "/etc/shadow",
  "/etc/shadow-",
  "/etc/gshadow",
  "/etc/gshadow-",
  "/etc/ssl/private",
  "/etc/sudoers",
  "/etc/sudoers.d",
];

/** Not files: nothing here is granted as one. The sandbox puts its own in their place. */
const kernelDirectories = ["/proc", "/dev"];

/** In a `.yoi`: what configures yoi or is run by it, what Pods are told of how work is done, and the tickets, on which a Pod has only the say that its role gives it. */
export const projectProtected: readonly string[] = [
  "config.toml",
  "config.local.toml",
  "features",
  "profiles",
  "skills",
  "tickets",
];
const ticketsEnd = "/.yoi/tickets";
/** Who opened and closed it in the process that holds it would give the lock away; who locks it elsewhere would hold everybody up. */
const ticketLockEnd = `${ticketsEnd}/.lock`;

/** What whoever changes tickets of the workspace locks. */
export function ticketLockOf(workspace: string): string {
  return `${workspace === "/" ? "" : workspace}${ticketLockEnd}`;
}

/** In a git directory: what makes git run programs, or look for its configuration somewhere else. */
export const gitProtected: readonly { readonly name: string; readonly kind: "file" | "directory" }[] = [
  { name: "hooks", kind: "directory" },
  { name: "config", kind: "file" },
  { name: "config.worktree", kind: "file" },
];
/** The same, where an empty one would break git: held when it is there. */
export const gitRedirects: readonly string[] = ["commondir", "gitdir"];
/** The git directories of worktrees and submodules, each with hooks, configuration and redirects of its own: read-only as wholes. */
export const gitWholes: readonly string[] = ["worktrees", "modules"];
/** What git runs when a rebase goes on. Git writes it itself, so it is kept from file tools and not from shells. */
const gitTodos: readonly string[] = ["rebase-merge", "rebase-apply"];

/**
 * The protection of one Pod. All paths canonical; `own` are yoi's data, config and runtime directories, `spill` this Pod's
 * `<data>/spill/<pod>`.
 */
export function protectionOf(places: {
  readonly workspace: string;
  readonly home: string | null;
  readonly own: readonly string[];
  readonly spill: string | null;
  readonly programs?: readonly string[];
}): Protection {
  const { workspace, home } = places;
  const git = childOf(workspace, ".git");
  const project = childOf(workspace, ".yoi");
  const inHome = home === null ? [] : credentials.map((name) => childOf(home, name));
  return {
    hidden: [...places.own, ...inHome, ...machineCredentials, ...kernelDirectories, ticketLockOf(workspace)],
    readOnly: [
      "/sys",
      ...gitProtected.map(({ name }) => childOf(git, name)),
      ...gitRedirects.map((name) => childOf(git, name)),
      ...projectProtected.map((name) => childOf(project, name)),
    ],
    spill: places.spill,
    workspace,
    home,
    programs: places.programs ?? [],
  };
}

/** What a tool may do at `path`, the real path of a file: the scope's answer, less the protection. */
export function permittedAt(scope: Scope, protection: Protection, path: string): Permission {
  if (protection.spill !== null && isWithin(protection.spill, path)) return "read";
  const permission = permissionAt(scope, path);
  if (permission === "none" || protection.hidden.some((hidden) => isWithin(hidden, path))) return "none";
  const folded = path.toLowerCase();
  if (folded.endsWith(ticketLockEnd)) return "none";
  if (permission === "read") return "read";
  const held =
    protection.readOnly.some((held) => isWithin(held.toLowerCase(), folded)) ||
    folded === childOf(protection.workspace, ".git").toLowerCase() ||
    isGitProtected(path) ||
    isProjectProtected(folded) ||
    isHomeProtected(scope, protection, path);
  return held ? "read" : "write";
}

/** In any case: some file systems take `.GIT` for `.git`. */
export function isGitName(name: string): boolean {
  return name.toLowerCase() === ".git";
}

/** At any depth: `.git/hooks/...`, `.git/config` and their like. */
function isGitProtected(path: string): boolean {
  const names = pathComponents(path);
  return names.some((name, index) => {
    const next = names[index + 1]?.toLowerCase();
    return (
      isGitName(name) &&
      next !== undefined &&
      (gitProtected.some((held) => held.name === next) ||
        [...gitRedirects, ...gitWholes, ...gitTodos].includes(next))
    );
  });
}

/** At any depth, for what is a directory now is somebody's workspace later: `.yoi/config.toml` and its like. */
function isProjectProtected(folded: string): boolean {
  const names = pathComponents(folded);
  return names.some((name, index) => name === ".yoi" && projectProtected.includes(names[index + 1] ?? ""));
}

/** At any depth, for a clone of a workspace has tickets too: the directory of all, or what is in it. */
export function isOfTickets(path: string): boolean {
  return `${path.toLowerCase()}/`.includes(`${ticketsEnd}/`);
}

/** True for a dot file or a PATH directory of the home directory that is writable only through a rule that contains the home directory, or one that an answer gave. */
function isHomeProtected(scope: Scope, { home, programs }: Protection, path: string): boolean {
  if (home === null || !isBelow(home, path)) return false;
  const first = pathComponents(path.slice(home === "/" ? 0 : home.length))[0];
  if (!first?.startsWith(".") && !programs.some((directory) => isWithin(directory, path))) return false;
  return !scope.allow.some(
    (rule) =>
      rule.permission === "write" &&
      rule.granted !== true &&
      isBelow(home, rule.target) &&
      covers(rule, path),
  );
}
