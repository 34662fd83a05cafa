/** A place to escape from: a workspace with git, and around it what nobody in the workspace may reach. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Scope } from "@yoi/base";
import { findToolchains, resolveProtection } from "@yoi/sandbox";
import { defaultScope, type Protection, protectionOf, scopeRule } from "@yoi/scope";

/** What is in every file that must not be seen. */
export const canary = "CANARY-7f3a";

export interface EscapePlace {
  readonly root: string;
  readonly workspace: string;
  readonly outside: string;
  readonly home: string;
  readonly data: string;
  readonly runtime: string;
  readonly protection: Protection;
  /** As a new Pod gets it. */
  readonly scope: Scope;
  /** All of the place is granted: what is still out of reach is so whatever is granted. */
  readonly wideScope: Scope;
  /** Everything that may not change, as text. */
  snapshot(): string;
  remove(): void;
}

export function makePlace(path: string): EscapePlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-escape-")));
  chmodSync(root, 0o755);
  const at = (name: string) => join(root, name);
  const put = (name: string, content: string): void => {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  };
  put("outside/secret.txt", `${canary}\n`);
  put("outside/deep/secret.txt", `${canary}\n`);
  put("home/.ssh/id_ed25519", `${canary}\n`);
  put("home/.aws/credentials", `${canary}\n`);
  put("home/.netrc", `${canary}\n`);
  put("home/.config/gh/hosts.yml", `${canary}\n`);
  put("home/.bashrc", `echo ${canary}\n`);
  put("home/.profile", `echo ${canary}\n`);
  put("home/notes.txt", "notes\n");
  put("data/locks/p.sqlite", `${canary}\n`);
  put("data/sessions/s/x.jsonl", `${canary}\n`);
  put("data/spill/other/1.0.log", `${canary}\n`);
  put("data/spill/p/1.0.log", "kept output\n");
  put("data/config/config.toml", `${canary}\n`);
  put("run/token", `${canary}\n`);
  put("ws/.git/HEAD", "ref: refs/heads/main\n");
  put("ws/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  put("ws/.git/hooks/pre-commit.sample", "#!/bin/sh\n");
  put("ws/.git/worktrees/w/commondir", "../..\n");
  put("ws/.git/modules/m/hooks/pre-commit.sample", "#!/bin/sh\n");
  mkdirSync(at("ws/.git/objects"));
  mkdirSync(at("ws/.git/refs/heads"), { recursive: true });
  put("ws/.yoi/config.toml", "[permissions]\n");
  put("ws/.yoi/profiles/x.toml", "a = 1\n");
  put("ws/.yoi/notes/1.md", "note\n");
  put("ws/.yoi/tickets/0000000000001/item.md", "---\ntitle: T\nstate: ready\n---\n");
  put("ws/.yoi/tickets/0000000000001/thread.md", "thread\n");
  put("ws/.yoi/tickets/.lock", `${canary}\n`);
  put("ws/lent/file.txt", "lent\n");
  put("ws/denied/deep/secret.txt", `${canary}\n`);
  put("ws/src/a.ts", "export {};\n");
  const workspace = at("ws");
  const home = at("home");
  const protection = resolveProtection(
    protectionOf({ workspace, home, own: [at("data"), at("run")], spill: at("data/spill/p") }),
  );
  const standard = defaultScope({ workspace, home, toolchains: findToolchains({ path, workspace, home }) });
  const deny = [scopeRule(at("ws/lent"), "write"), scopeRule(at("ws/denied/deep"), "read")];
  return {
    root,
    workspace,
    outside: at("outside"),
    home,
    data: at("data"),
    runtime: at("run"),
    protection,
    scope: { allow: standard.allow, deny },
    wideScope: { allow: [...standard.allow, scopeRule(root, "write")], deny },
    snapshot: () =>
      [
        ...["outside", "home", "data", "run", "ws/lent", "ws/denied"].flatMap((name) => treeLines(at(name))),
        ...["hooks", "config", "config.worktree", "commondir", "worktrees", "modules"].flatMap((name) =>
          treeLines(at(`ws/.git/${name}`)),
        ),
        ...["config.toml", "config.local.toml", "features", "profiles", "tickets"].flatMap((name) =>
          treeLines(at(`ws/.yoi/${name}`)),
        ),
      ].join("\n"),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A tree as lines: kind, mode and content. Something empty counts as missing: a held place is an empty file. */
export function treeLines(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
  if (stat.isFile())
    return stat.size === 0 ? [] : [`${path} ${mode} ${JSON.stringify(readFileSync(path, "latin1"))}`];
  if (!stat.isDirectory()) return [`${path} special`];
  const below = readdirSync(path)
    .toSorted()
    .flatMap((name) => treeLines(join(path, name)));
  return below.length === 0 ? [] : [`${path}/ ${mode}`, ...below];
}
