/** Ways out of the scope through a file tool's path argument. */
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import type { JsonValue } from "@yoi/base";
import type { EscapePlace } from "./place.ts";

export interface FileAttempt {
  readonly name: string;
  readonly path: (place: EscapePlace) => JsonValue;
  readonly prepare?: (place: EscapePlace) => void;
  /** Tried with this much granted: `place` is all around the workspace, `everything` the whole machine. What stops it holds whatever is granted. */
  readonly granted?: "place" | "everything";
  /** An odd name that is a name in the workspace and nothing else: a file of that name may come to be. */
  readonly onlyOdd?: true;
}

const link = (target: (place: EscapePlace) => string, at = "link") => ({
  prepare: (place: EscapePlace) => symlinkSync(target(place), `${place.workspace}/${at}`),
});
const ws =
  (name: string) =>
  ({ workspace }: EscapePlace): string =>
    `${workspace}/${name}`;
const out =
  (name = "secret.txt") =>
  ({ outside }: EscapePlace): string =>
    `${outside}/${name}`;

const texts: readonly FileAttempt[] = [
  { name: "absolute", path: out() },
  { name: "absolute, deep", path: out("deep/secret.txt") },
  { name: "absolute, new", path: out("new.txt") },
  { name: "absolute, new directory", path: out("new/deep/file.txt") },
  { name: "the directory itself", path: ({ outside }) => outside },
  { name: "the root", path: () => "/" },
  { name: "the directory above", path: ({ root }) => root },
  { name: "dot dot", path: ws("../outside/secret.txt") },
  { name: "dot dot in the middle", path: ws("src/../../outside/secret.txt") },
  { name: "dot dot after a missing directory", path: ws("none/../../outside/secret.txt") },
  { name: "dot dot that stays inside", path: ws("src/../.git/config") },
  { name: "dot dot at the end", path: ws("..") },
  { name: "dot dot with slashes", path: ws("..//..///outside/secret.txt") },
  { name: "dots and slashes", path: ({ outside }) => `//${outside}/.//secret.txt` },
  {
    name: "a sibling with the same start",
    path: ({ workspace }) => `${workspace}2/secret.txt`,
    prepare: ({ workspace }) => {
      mkdirSync(`${workspace}2`);
      writeFileSync(`${workspace}2/secret.txt`, "CANARY-7f3a");
    },
  },
  { name: "upper case", path: ({ workspace }) => `${workspace.toUpperCase()}/../outside/secret.txt` },
  { name: "relative", path: () => "../outside/secret.txt" },
  { name: "relative name", path: () => "secret.txt" },
  { name: "tilde", path: () => "~/.ssh/id_ed25519" },
  { name: "variable", path: () => "$HOME/.ssh/id_ed25519" },
  { name: "file URL", path: ({ outside }) => `file://${outside}/secret.txt` },
  { name: "percent", path: ws("%2e%2e/outside/secret.txt"), onlyOdd: true },
  { name: "percent slash", path: ws("..%2foutside%2fsecret.txt"), onlyOdd: true },
  { name: "backslash", path: ws("..\\outside\\secret.txt"), onlyOdd: true },
  { name: "full-width dots", path: ws("．．/outside/secret.txt"), onlyOdd: true },
  { name: "one-dot leader", path: ws("\u2024\u2024/outside/secret.txt"), onlyOdd: true },
  { name: "zero width in dots", path: ws(".\u200b./outside/secret.txt"), onlyOdd: true },
  { name: "newline", path: ws("a\n/../outside/secret.txt") },
  { name: "a newline as name", path: ws("\n"), onlyOdd: true },
  {
    name: "NUL after the workspace",
    path: ({ workspace, outside }) => `${workspace}/a\0${outside}/secret.txt`,
  },
  { name: "NUL at the end", path: ({ outside }) => `${outside}/secret.txt\0.md` },
  { name: "half a surrogate pair", path: ws("\ud800") },
  { name: "empty", path: () => "" },
  { name: "spaces", path: ({ outside }) => ` ${outside}/secret.txt` },
  { name: "4,096 bytes", path: ws(`${"a/".repeat(2040)}${"../".repeat(2041)}outside/secret.txt`) },
  { name: "a long name", path: ws("n".repeat(256)) },
  { name: "an array", path: ({ outside }) => [`${outside}/secret.txt`] },
  {
    name: "an object",
    path: ({ outside }) => ({ href: `file://${outside}/secret.txt`, protocol: "file:", toString: "x" }),
  },
  {
    name: "bytes as an object",
    path: ({ outside }) => ({ type: "Buffer", data: [...Buffer.from(`${outside}/secret.txt`)] }),
  },
  { name: "a number", path: () => 0 },
  { name: "null", path: () => null },
];

const kernel: readonly FileAttempt[] = [
  { name: "root of this process", path: ({ outside }) => `/proc/self/root${outside}/secret.txt` },
  { name: "root of process 1", path: ({ outside }) => `/proc/1/root${outside}/secret.txt` },
  { name: "directory of this process", path: () => "/proc/self/cwd/package.json" },
  { name: "descriptor of this process", path: () => "/proc/self/fd/0" },
  { name: "environment of this process", path: () => "/proc/self/environ" },
  { name: "memory of this process", path: () => "/proc/self/mem" },
  { name: "thread's root", path: ({ outside }) => `/proc/thread-self/root${outside}/secret.txt` },
  { name: "kernel setting", path: () => "/proc/sys/kernel/core_pattern" },
  { name: "a device", path: () => "/dev/zero" },
  { name: "standard input", path: () => "/dev/stdin" },
  { name: "descriptor directory of /dev", path: () => "/dev/fd/0" },
  { name: "shared memory", path: () => "/dev/shm/yoi-escape-probe" },
  { name: "system file for writing only", path: () => "/etc/yoi-escape-probe" },
  { name: "password hashes", path: () => "/etc/shadow" },
  {
    name: "link to a root",
    ...link(() => "/proc/self/root"),
    path: ({ workspace, outside }) => `${workspace}/link${outside}/secret.txt`,
  },
  {
    name: "link to a directory of a process",
    ...link(() => "/proc/self/cwd"),
    path: ws("link/package.json"),
  },
  { name: "link to the environment", ...link(() => "/proc/self/environ"), path: ws("link") },
  { name: "link to a device", ...link(() => "/dev/zero"), path: ws("link") },
  {
    name: "FIFO",
    prepare: ({ workspace }) => void execFileSync("mkfifo", [`${workspace}/fifo`]),
    path: ws("fifo"),
  },
  {
    name: "link to a FIFO",
    prepare: ({ workspace }) => {
      execFileSync("mkfifo", [`${workspace}/fifo`]);
      symlinkSync("fifo", `${workspace}/link`);
    },
    path: ws("link"),
  },
];

const kernelFiles = [
  "/proc/self/environ",
  "/proc/self/mem",
  "/proc/self/fd/0",
  "/proc/1/environ",
  "/proc/sys/kernel/core_pattern",
  "/dev/zero",
  "/dev/stdin",
  "/dev/shm/yoi-escape-probe",
  "/etc/shadow",
];

const links: readonly FileAttempt[] = [
  { name: "link to a file", ...link(out()), path: ws("link") },
  { name: "link to a directory", ...link(({ outside }) => outside), path: ws("link/secret.txt") },
  { name: "link to a directory, new file", ...link(({ outside }) => outside), path: ws("link/new.txt") },
  {
    name: "link to a directory, new directory",
    ...link(({ outside }) => outside),
    path: ws("link/new/file.txt"),
  },
  { name: "relative link", ...link(() => "../outside/secret.txt"), path: ws("link") },
  {
    name: "relative link in a directory",
    ...link(() => "../../outside", "src/link"),
    path: ws("src/link/secret.txt"),
  },
  { name: "dangling link to outside", ...link(out("new.txt")), path: ws("link") },
  { name: "dangling link into a missing directory outside", ...link(out("none/new.txt")), path: ws("link") },
  { name: "dangling link with dot dot", ...link(() => "none/../../outside/secret.txt"), path: ws("link") },
  { name: "link to itself", ...link(() => "link"), path: ws("link") },
  {
    name: "loop of two",
    prepare: ({ workspace }) => {
      symlinkSync("b", `${workspace}/a`);
      symlinkSync("a", `${workspace}/b`);
    },
    path: ws("a/secret.txt"),
  },
  {
    name: "chain of links",
    prepare: ({ workspace, outside }) => {
      for (let index = 0; index < 30; index += 1) symlinkSync(`l${index + 1}`, `${workspace}/l${index}`);
      symlinkSync(outside, `${workspace}/l30`);
    },
    path: ws("l0/secret.txt"),
  },
  {
    name: "link to the root",
    ...link(() => "/"),
    path: ({ workspace, outside }) => `${workspace}/link${outside}/secret.txt`,
  },
  { name: "link above the workspace", ...link(() => ".."), path: ws("link/outside/secret.txt") },
  {
    name: "link to a link outside",
    prepare: ({ workspace, outside }) => {
      symlinkSync("secret.txt", `${outside}/inner`);
      symlinkSync(`${outside}/inner`, `${workspace}/link`);
    },
    path: ws("link"),
  },
  {
    name: "link through the outside and back",
    prepare: ({ workspace, outside }) => {
      symlinkSync(workspace, `${outside}/back`);
      symlinkSync(`${outside}/back/.git/config`, `${workspace}/link`);
    },
    path: ws("link"),
  },
];

const protectedPlaces: readonly Omit<FileAttempt, "granted">[] = [
  { name: "key", path: ({ home }) => `${home}/.ssh/id_ed25519` },
  { name: "cloud credentials", path: ({ home }) => `${home}/.aws/credentials` },
  { name: "new key", path: ({ home }) => `${home}/.ssh/authorized_keys` },
  { name: "yoi's lock", path: ({ data }) => `${data}/locks/p.sqlite` },
  { name: "yoi's log", path: ({ data }) => `${data}/sessions/s/x.jsonl` },
  { name: "another Pod's spill", path: ({ data }) => `${data}/spill/other/1.0.log` },
  { name: "out of this Pod's spill", path: ({ data }) => `${data}/spill/p/../other/1.0.log` },
  { name: "token", path: ({ runtime }) => `${runtime}/token` },
  { name: "link to yoi's lock", ...link(({ data }) => `${data}/locks/p.sqlite`), path: ws("link") },
  { name: "link to a key", ...link(({ home }) => `${home}/.ssh/id_ed25519`), path: ws("link") },
  { name: "denied", path: ws("denied/deep/secret.txt") },
  { name: "link to denied", ...link(() => "../denied/deep", "src/d"), path: ws("src/d/secret.txt") },
];

/** These may be read, and not changed. */
export const readableOnly: readonly FileAttempt[] = [
  { name: "git hook", path: ws(".git/hooks/pre-commit") },
  { name: "git configuration", path: ws(".git/config") },
  { name: "worktree configuration", path: ws(".git/config.worktree") },
  { name: "redirect of a worktree", path: ws(".git/worktrees/w/commondir") },
  { name: "hook of a submodule", path: ws(".git/modules/m/hooks/post-checkout") },
  { name: "what a rebase will run", path: ws(".git/rebase-merge/git-rebase-todo") },
  { name: "git redirect", path: ws(".git/commondir") },
  { name: "a .git that is a file, which leads git elsewhere", path: ws("src/.git") },
  { name: "the same in a directory that is not there yet", path: ws("made/.git") },
  { name: "the same two directories down", path: ws("made/below/.git") },
  { name: "the same in another case", path: ws("made/.GIT") },
  { name: "hook of a repository that is not there yet", path: ws("made/below/.git/hooks/pre-commit") },
  { name: "nested git hook", path: ws("vendor/x/.git/hooks/post-checkout") },
  { name: "nested git configuration", path: ws("vendor/x/.git/config") },
  { name: "project configuration", path: ws(".yoi/config.toml") },
  { name: "local configuration", path: ws(".yoi/config.local.toml") },
  { name: "feature", path: ws(".yoi/features/x/index.ts") },
  { name: "a new name beside the project configuration", path: ws(".yoi/new") },
  { name: "a new directory beside it", path: ws(".yoi/new/x.md") },
  { name: "profile", path: ws(".yoi/profiles/x.toml") },
  { name: "a ticket", path: ws(".yoi/tickets/0000000000001/item.md") },
  { name: "a ticket, in another case", path: ws(".YOI/TICKETS/0000000000001/item.md") },
  { name: "an event of a thread that is not there yet", path: ws(".yoi/tickets/0000000000002/thread.md") },
  { name: "a ticket of a clone", path: ws(".yoi-work/0000000000001/.yoi/tickets/0000000000001/thread.md") },
  { name: "link to the tickets", ...link(() => ".yoi/tickets"), path: ws("link/0000000000001/thread.md") },
  { name: "link to git configuration", ...link(() => ".git"), path: ws("link/config") },
  {
    name: "link as hooks",
    prepare: ({ workspace }) => symlinkSync(".git/hooks", `${workspace}/h`),
    path: ws("h/pre-commit"),
  },
  { name: "on loan", path: ws("lent/file.txt") },
  { name: "on loan, new", path: ws("lent/new.txt") },
  { name: "this Pod's spill", path: ({ data }) => `${data}/spill/p/1.0.log` },
  {
    name: "hard link to outside",
    prepare: ({ workspace, outside }) => linkSync(`${outside}/plain.txt`, `${workspace}/hard`),
    path: ws("hard"),
  },
  { name: "program", path: () => "/usr/bin/env" },
];

export const attempts: readonly FileAttempt[] = [
  ...texts,
  ...kernel,
  ...links,
  ...protectedPlaces,
  ...protectedPlaces.map((attempt) => ({
    ...attempt,
    name: `${attempt.name}, the place granted`,
    granted: "place" as const,
  })),
  ...kernelFiles.map((path) => ({
    name: `${path}, everything granted`,
    path: () => path,
    granted: "everything" as const,
  })),
];

/** What a glob may say to get out, as Glob's pattern and as Grep's glob and type. */
export const globAttempts: readonly ((place: EscapePlace) => string)[] = [
  () => "../**",
  () => "../*",
  () => "../outside/*",
  () => "**/../**",
  () => "src/../../outside/**",
  () => "./../**",
  () => "/**",
  () => "/etc/*",
  ({ outside }) => `${outside}/**`,
  ({ workspace }) => `${workspace}/../outside/**`,
  ({ outside }) => `//${outside}/*`,
  ({ outside }) => `{${outside}/**,**}`,
  () => "{..,src}/**",
  () => "{../outside,src}/**",
  () => "{.,..}/{outside,src}/**",
  () => "{.,}./outside/*",
  () => ".{.,}/outside/*",
  () => "[.][.]/outside/*",
  () => "[.].[/]outside/*",
  () => "?./outside/*",
  () => "??/outside/*",
  () => "\\.\\./outside/*",
  () => ".\\./outside/*",
  () => "..\\outside\\*",
  () => "link/*",
  () => "link/**",
  () => "*/secret.txt",
  () => "**/secret.txt",
  () => "secret.txt",
  () => "src/root/**",
  ({ outside }) => `src/root${outside}/*`,
  () => "denied/deep/*",
  () => "denied/**",
  () => "**",
  () => "**/*",
  () => "**/.ssh/*",
  () => "~/**",
  () => "$HOME/**",
  () => "%2e%2e/**",
  () => "．．/**",
  () => "!src",
  () => "!../**",
  () => "!**",
  () => "-g=../**",
  () => "--follow",
  () => "--pre=cat",
  () => "\0",
  () => "**\0../**",
  () => "\n../**",
  () => "\ud800",
  () => "",
  () => "[",
  () => "{",
  () => "*".repeat(1024),
  () => "{a,b}".repeat(200),
  () => "**/".repeat(300),
  () => "*a".repeat(500),
  () => "{".repeat(100),
  () => "x".repeat(5000),
  () => "all",
];
