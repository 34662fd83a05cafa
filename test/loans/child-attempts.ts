/** What a child may try besides writing its lender's files: the lender's repository, its process, its socket, and what yoi keeps. */
import type { EscapePlace } from "../escape/place.ts";
import { attempts as sandboxAttempts } from "../escape/sandbox-attempts.ts";

export interface ChildAttempt {
  readonly name: string;
  readonly script: (place: EscapePlace & { readonly lent: string }) => string;
  /** With the lender's scope it works: what the child lacks is the loan, not the sandbox. */
  readonly lenderCan: boolean;
}

export const childAttempts: readonly ChildAttempt[] = [
  {
    name: "the lender's index",
    script: ({ workspace }) => `echo x > ${workspace}/.git/index`,
    lenderCan: true,
  },
  {
    name: "the lender's head",
    script: ({ workspace }) => `echo x > ${workspace}/.git/HEAD`,
    lenderCan: true,
  },
  {
    name: "a branch of the lender",
    script: ({ workspace }) => `echo x > ${workspace}/.git/refs/heads/evil`,
    lenderCan: true,
  },
  {
    name: "an object of the lender's repository",
    script: ({ workspace }) =>
      `mkdir -p ${workspace}/.git/objects/aa && echo x > ${workspace}/.git/objects/aa/x`,
    lenderCan: true,
  },
  {
    name: "a rebase for the lender to go on with",
    script: ({ workspace }) =>
      `mkdir ${workspace}/.git/rebase-merge && echo exec evil > ${workspace}/.git/rebase-merge/git-rebase-todo`,
    lenderCan: true,
  },
  {
    name: "a redirect of the lender's repository",
    script: ({ workspace }) => `echo ../b/lent > ${workspace}/.git/commondir`,
    lenderCan: true,
  },
  {
    name: "a ticket of the lender's project",
    script: ({ workspace }) => `echo x >> ${workspace}/.yoi/tickets/1.md`,
    lenderCan: false,
  },
  {
    name: "a hook of the lender",
    script: ({ workspace }) => `echo x > ${workspace}/.git/hooks/pre-commit`,
    lenderCan: false,
  },
  {
    name: "the lender's project configuration",
    script: ({ workspace }) => `echo x > ${workspace}/.yoi/config.toml`,
    lenderCan: false,
  },
  {
    name: "a file of the workspace itself",
    script: ({ workspace }) => `echo x > ${workspace}/new.txt`,
    lenderCan: true,
  },
  { name: "beside what is lent", script: ({ lent }) => `echo x > ${lent}/../beside.txt`, lenderCan: true },
  {
    name: "a sibling with the same start",
    script: ({ lent }) => `mkdir ${lent}2 && echo x > ${lent}2/x`,
    lenderCan: true,
  },
  {
    name: "what is lent, exchanged for a link to the lender's",
    script: ({ lent, workspace }) => `mv ${lent} ${lent}-old; ln -s ${workspace}/a/kept ${lent}`,
    lenderCan: true,
  },
  {
    name: "W-38: what the lender is denied to write",
    script: ({ workspace }) => `echo x > ${workspace}/lent/file.txt`,
    lenderCan: false,
  },
  {
    name: "W-38: what the lender is denied to read",
    script: ({ workspace }) => `cat ${workspace}/denied/deep/secret.txt`,
    lenderCan: false,
  },
  {
    name: "a directory that only the lender was granted",
    script: ({ outside }) => `cat ${outside}/secret.txt; echo x > ${outside}/x`,
    lenderCan: false,
  },
  {
    name: "the metadata of the lender",
    script: ({ data }) => `cat ${data}/pods/parent/metadata.json; echo x > ${data}/pods/parent/metadata.json`,
    lenderCan: false,
  },
  {
    name: "the registry",
    script: ({ data }) => `cat ${data}/registry.sqlite; echo x > ${data}/registry.sqlite`,
    lenderCan: false,
  },
  {
    name: "the lender's lock",
    script: ({ data }) => `cat ${data}/locks/p.sqlite; exec 7<${data}/locks/p.sqlite`,
    lenderCan: false,
  },
  {
    name: "the lender's log",
    script: ({ data }) => `cat ${data}/sessions/s/x.jsonl; echo x >> ${data}/sessions/s/x.jsonl`,
    lenderCan: false,
  },
];

/** Of the ways out of any sandbox those that lead to the lender's process, its socket and what yoi keeps; each with its control without a sandbox. */
const kept: ReadonlySet<string> = new Set([
  "the token in the runtime directory",
  "yoi's configuration",
  "another Pod's spilled output",
  "a socket in the runtime directory",
  "an abstract socket",
  "loopback",
  "a signal to a process of the user",
  "the environment of a process of the user",
  "the root of a process of the user",
  "the environments of all processes",
  "ptrace",
]);
export const peerAttempts = sandboxAttempts.filter(({ name }) => kept.has(name));
