/** Ways to change what git or yoi runs later, or what only people decide: the project's git directory, configuration and tickets. */
import type { Attempt } from "./sandbox-attempts.ts";

export const projectFiles: readonly Attempt[] = [
  {
    name: "a git hook",
    script: () => "printf '#!/bin/sh\\necho x\\n' > .git/hooks/pre-commit",
    control: true,
  },
  { name: "git's configuration, written", script: () => "echo '[core]' >> .git/config", control: true },
  { name: "git's configuration, by git", script: () => "git config core.fsmonitor ./evil", control: true },
  {
    name: "git's configuration, replaced by a rename",
    script: () => "echo evil > c; mv -f c .git/config",
    control: true,
  },
  { name: "git's configuration, removed", script: () => "rm -f .git/config", control: true },
  { name: "a worktree configuration", script: () => "echo evil > .git/config.worktree", control: true },
  {
    name: "the hooks directory, moved and made anew",
    script: () => "mv .git/hooks .git/h; mkdir .git/hooks && echo x > .git/hooks/post-checkout",
    control: true,
  },
  {
    name: "the hooks directory, a link",
    script: () => "rm -rf .git/hooks; mkdir evil; echo x > evil/pre-commit; ln -s ../evil .git/hooks",
    control: true,
  },
  {
    name: "a worktree's redirect",
    script: () => "echo ../../evil > .git/worktrees/w/commondir",
    control: true,
  },
  {
    name: "a submodule's hook",
    script: () =>
      "printf '#!/bin/sh\\n' > .git/modules/m/hooks/post-checkout; mv .git/modules .git/m && mkdir .git/modules",
    control: true,
  },
  {
    name: "the git directory, moved and made anew",
    script: () => "mv .git g; mkdir .git; cp -r g/. .git/; echo evil >> .git/config",
    control: true,
  },
  {
    name: "the git directory, removed",
    script: () => "rm -rf .git; mkdir -p .git; echo evil > .git/config",
    control: true,
  },
  { name: "yoi's project configuration", script: () => "echo x >> .yoi/config.toml", control: true },
  { name: "yoi's local configuration, made", script: () => "echo x > .yoi/config.local.toml", control: true },
  {
    name: "a feature, made",
    script: () => "mkdir -p .yoi/features/x && echo x > .yoi/features/x/index.ts",
    control: true,
  },
  { name: "a profile, changed", script: () => "echo x > .yoi/profiles/x.toml", control: true },
  {
    name: "yoi's project directory, moved and made anew",
    script: () => "mv .yoi y; mkdir .yoi && echo x > .yoi/config.toml",
    control: true,
  },
  {
    name: "a ticket's state",
    script: () => "sed -i s/ready/queued/ .yoi/tickets/0000000000001/item.md",
    control: true,
  },
  {
    name: "an event of a thread",
    script: () => "echo x >> .yoi/tickets/0000000000001/thread.md",
    control: true,
  },
  {
    name: "the tickets, moved and made anew",
    script: () =>
      "mv .yoi/tickets .yoi/t; mkdir -p .yoi/tickets/0000000000001 && echo x > .yoi/tickets/0000000000001/thread.md",
    control: true,
  },
  {
    name: "a ticket, through a link and a hard link",
    script: () => "ln -s .yoi/tickets/0000000000001 l; ln l/thread.md h; echo x >> l/thread.md; echo x >> h",
    control: true,
  },
  {
    name: "a ticket, removed",
    script: () => "rm -rf .yoi/tickets/0000000000001",
    control: true,
  },
  { name: "the lock of the tickets, read", script: () => "cat .yoi/tickets/.lock", control: true },
  {
    name: "yoi's local configuration, a link",
    script: () => "echo x > evil; ln -s ../evil .yoi/config.local.toml",
    control: true,
  },
];
