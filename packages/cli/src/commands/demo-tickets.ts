/** `yoi demo tickets`: a ticket is queued, done by a coder, sent back by a reviewer, done again and left to a person; the orchestrator is killed on the way. */
import { delimiter, dirname, join } from "node:path";
import { podName, YoiError } from "@yoi/base";
import type { Ticket } from "@yoi/tickets";
import { sandboxStatus } from "../compose/sandbox.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { childYoi } from "../demo/child.ts";
import type { Claim } from "../demo/claims.ts";
import { type Git, gitIn, ran, withoutGit } from "../demo/git.ts";
import { command, endPods, killPod, until, verify } from "../demo/pods.ts";
import { type DemoFlags, showDemo, type Stage } from "../demo/show.ts";
import { saidByLead } from "../demo/tickets-about.ts";
import { ticketsClaims, type TicketsEvidence } from "../demo/tickets-claims.ts";
import {
  hasSaid,
  loansOf,
  overreachOf,
  refusalOf,
  toldOf,
  writesRefusedOf,
} from "../demo/tickets-evidence.ts";
import { projectFiles, ticketBody, ticketTitle } from "../demo/tickets-project.ts";
import { ticketsFiles } from "../demo/tickets-scenario.ts";
import { branchOf, ticketPods } from "../demo/tickets-steps.ts";
import { ownerOf } from "../hosting/owner-of.ts";
import { openTicketStore } from "../tickets/open-ticket-store.ts";

const { lead, coder, reviewer } = ticketPods;

export function demoTickets(flags: DemoFlags): Promise<number> {
  return showDemo(flags, { play, look: `tree ${lead}` });
}

async function play(stage: Stage): Promise<readonly Claim[]> {
  const stores = openStores(stage.inner);
  try {
    return ticketsClaims(await gather(stage, stores));
  } finally {
    await endPods(stores, lead, [coder, reviewer]);
  }
}

async function gather({ root, inner, stopped, say }: Stage, stores: Stores): Promise<TicketsEvidence> {
  const { files } = stores.host;
  const workspace = join(root, "workspace");
  // Somebody without skills and settings of their own, and with the Node that runs this.
  const variables = {
    ...withoutGit(inner.variables),
    HOME: join(root, "user"),
    PATH: [dirname(process.execPath), inner.variables["PATH"]].filter(Boolean).join(delimiter),
  };
  const yoi = childYoi(variables, workspace, stopped);
  const git = gitIn(workspace, variables, stopped);
  const write = async (path: string, text: string): Promise<void> => {
    await files.makeDirectory(dirname(path));
    await files.replace(path, Buffer.from(text));
  };
  const awaited = { stores, parent: lead, stopped };
  await files.makeDirectory(variables.HOME);
  await files.makeDirectory(workspace);
  await git("--version");
  await checkSandbox(inner, workspace, stores);

  say("1. A person queues a ticket. An orchestrator takes it, and lends a clone to a coder.");
  await makeProject(workspace, git, write);
  await write(join(root, "ticket.md"), ticketBody);
  const create = ["ticket", "create", "--title", ticketTitle, "--file", join(root, "ticket.md"), "--json"];
  const { id } = JSON.parse(await command(yoi, create)) as Ticket;
  const branch = branchOf(id);
  const { config } = inner.directories;
  const waits = { in: "work", file: join(workspace, "go") } as const;
  const scenario = { workspace, root, config, ticket: id, waits, held: null, closes: false };
  for (const [path, text] of Object.entries(ticketsFiles(scenario))) await write(path, text);
  await command(yoi, ["ticket", "status", id, "ready"]);
  await command(yoi, ["pod", "start", lead, "--profile", lead]);
  const main = await git("rev-parse", "main");
  const testsIn = async (cwd: string): Promise<boolean> =>
    (await ran(process.execPath, ["--test"], { cwd, variables, stopped })).code === 0;
  const before = await testsIn(workspace);
  await command(yoi, ["ticket", "status", id, "queued"]);
  await until("the coder works", () => hasSaid(stores, saidByLead.coderWorks), awaited);

  say("2. The orchestrator gets SIGKILL. The coder goes on, commits, and reports.");
  await killPod(lead, stores);
  await write(waits.file, "");
  const tickets = openTicketStore(stores.host, workspace);
  const events = async (): Promise<Ticket["events"]> => (await tickets.show(id)).events;
  const isReported = async () => (await events()).some(({ kind }) => kind === "implementation_report");
  await until("the coder reports", isReported, awaited);
  const reportedAlone = (await ownerOf(podName(lead), stores.lease)) === null;

  say("3. It is restored: a reviewer asks for changes, gets them, and the branch is fetched.");
  await command(yoi, ["pod", "restore", lead, "--resume"]);
  await until("the work is left to a person", () => hasSaid(stores, saidByLead.left), awaited);
  await command(yoi, ["pod", "stop", lead]);
  const done = await tickets.show(id);
  const behindPods = await git("rev-parse", "main");
  const commits = (await git("log", "--reverse", "--format=%s", `main..${branch}`)).split("\n");
  const copy = join(root, "copy");
  await git("clone", "--quiet", "--branch", branch, workspace, copy);
  const onBranch = await testsIn(copy);

  say("4. The person merges the branch, and closes the ticket.\n");
  await git("merge", "--quiet", branch);
  await command(yoi, ["ticket", "close", id, "--resolution", `Merged from ${branch}.`]);
  const doctor = await yoi.start(["ticket", "doctor"]).ended;
  return {
    events: done.events,
    refused: await refusalOf(stores),
    writesRefused: await writesRefusedOf(stores),
    commits,
    main: { before: main, behindPods },
    tests: { before, onBranch, merged: await testsIn(workspace) },
    reportedAlone,
    told: await toldOf(stores),
    clones: (await files.list(join(workspace, ".yoi-work"))).filter((name) => !name.startsWith(".")),
    overreach: await overreachOf(stores),
    states: { behindPods: done.state, end: (await tickets.show(id)).state },
    loans: loansOf(await command(yoi, ["tree", lead, "--json"])),
    whole: doctor.code === 0,
    verified: await Promise.all([lead, coder, reviewer].map((pod) => verify(yoi, pod))),
  };
}

/** Throws sandbox_missing: the coder and the reviewer run tests, and a Pod runs no command without a sandbox unasked. */
async function checkSandbox(environment: Stage["inner"], workspace: string, stores: Stores): Promise<void> {
  const sandbox = await sandboxStatus(environment, workspace, stores.host);
  if (sandbox.mode === "bubblewrap") return;
  const why = sandbox.mode === "missing" ? sandbox.reason : "it is switched off.";
  throw new YoiError(
    "sandbox_missing",
    `This demo runs git and tests in the sandbox, and there is none: ${why}`,
  );
}

async function makeProject(
  workspace: string,
  git: Git,
  write: (path: string, text: string) => Promise<void>,
): Promise<void> {
  for (const [name, text] of Object.entries(projectFiles)) await write(join(workspace, name), text);
  await git("init", "--quiet");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "Begin");
}
