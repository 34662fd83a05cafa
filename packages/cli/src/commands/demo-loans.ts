/** `yoi demo loans`: a parent lends to two children; one is killed, the parent is killed and restored, and tree, logs and files agree. */
import { dirname, join, relative } from "node:path";
import { type Entry, isKnown, podName, YoiError } from "@yoi/base";
import { readActive } from "@yoi/pod";
import { sandboxStatus } from "../compose/sandbox.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { type ChildYoi, childYoi, processesWorkingIn } from "../demo/child.ts";
import type { Claim } from "../demo/claims.ts";
import { loansClaims, type LoansEvidence, type SeenChild } from "../demo/loans-claims.ts";
import {
  begunLine,
  finishedLine,
  goFile,
  lenderFiles,
  loansFiles,
  loansPods,
  workFile,
} from "../demo/loans-scenario.ts";
import { type DemoFlags, showDemo, type Stage } from "../demo/show.ts";
import { ownerOf } from "../hosting/owner-of.ts";

const { parent, killed, kept } = loansPods;
const parts = { killed: "src/a", kept: "src/b" };
const stepMs = 60_000;
const lookEveryMs = 50;
/** 10 s. */
const endLooksMax = 200;

export function demoLoans(flags: DemoFlags): Promise<number> {
  return showDemo(flags, { play, look: `tree ${parent}` });
}

async function play(stage: Stage): Promise<readonly Claim[]> {
  const stores = openStores(stage.inner);
  try {
    return loansClaims(await gather(stage, stores));
  } finally {
    await endAll(stores);
  }
}

async function gather({ root, inner, stopped, say }: Stage, stores: Stores): Promise<LoansEvidence> {
  const { files, processes, timers, clock } = stores.host;
  const workspace = join(root, "workspace");
  const yoi = childYoi(inner.variables, workspace, stopped);
  const sandbox = await sandboxStatus(inner, workspace, stores.host);
  const shells = sandbox.mode === "bubblewrap";
  for (const part of Object.values(parts)) await files.makeDirectory(join(workspace, part));
  for (const [name, text] of Object.entries(loansFiles({ workspace, root, shells }))) {
    await files.makeDirectory(dirname(join(root, name)));
    await files.replace(join(root, name), Buffer.from(text));
  }
  if (!shells) {
    say(
      `This machine has no working sandbox (${sandbox.mode === "missing" ? sandbox.reason : sandbox.mode}): shells are not shown, all three work with file tools.\n`,
    );
  }
  const workIn = async (part: string): Promise<readonly string[]> => {
    const bytes = await files.read(join(workspace, part, workFile));
    return bytes === null ? [] : Buffer.from(bytes).toString().trimEnd().split("\n");
  };
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    for (const startedMs = clock.monotonic(); !(await holds()); await timers.sleep(lookEveryMs, stopped)) {
      if (clock.monotonic() - startedMs > stepMs)
        throw new YoiError(
          "io_failed",
          `The demo waited ${stepMs / 1000} s for this: ${what}. See \`yoi doctor\`.`,
        );
    }
  };
  const isQuiet = async (): Promise<boolean> => {
    const { now } = await treeOf(yoi);
    return now?.state === "idle" && (await waiting(stores)) === 0;
  };

  say("1. A Pod starts, lends src/a to one child and src/b to another, and both work.");
  const model = `scripted/${join(root, `${parent}.yaml`)}`;
  await command(yoi, ["pod", "start", parent, "-m", model]);
  await command(yoi, ["pod", "send", parent, "Split the work."]);
  await until("both children begin", async () => {
    const begun = await Promise.all(Object.values(parts).map(workIn));
    return begun.every((lines) => lines.includes(begunLine));
  });
  await until("the parent's first run ends", isQuiet);
  const before = await treeOf(yoi);
  const refused = await writesRefused(stores);

  say("2. One child and the parent get SIGKILL. The other child goes on, and finishes.");
  for (const pod of [killed, parent]) {
    const owner = await ownerOf(podName(pod), stores.lease);
    if (owner === null)
      throw new YoiError("io_failed", `The demo's Pod ${pod} ended too early: see \`yoi doctor\`.`);
    processes.end(owner, "SIGKILL");
  }
  await files.replace(join(workspace, parts.kept, goFile), Buffer.from(""));
  await until("the other child finishes", async () => (await workIn(parts.kept)).includes(finishedLine));
  const finishedAlone = (await ownerOf(podName(parent), stores.lease)) === null;

  say("3. The parent is restored: it takes back what is lost, and stops the child that is done.\n");
  await command(yoi, ["pod", "restore", parent]);
  const restored = await treeOf(yoi);
  const processesLeft = await processesWorkingIn(join(workspace, parts.killed));
  await until("the parent writes everywhere again", async () => {
    const back = await Promise.all(
      Object.values(parts).map((part) => files.stat(join(workspace, part, lenderFiles.back))),
    );
    return back.every((found) => found !== null) && (await isQuiet());
  });
  const end = await treeOf(yoi);
  const told = await toldTo(stores, before);
  await command(yoi, ["pod", "stop", parent]);
  const verified = await Promise.all([parent, killed, kept].map((pod) => verify(yoi, pod)));
  const found = await Promise.all(
    Object.values(parts).map(async (part) =>
      (await files.list(join(workspace, part)))
        .filter((name) => name !== workFile && name !== goFile)
        .map((name) => relative(workspace, join(workspace, part, name))),
    ),
  );
  return {
    parts,
    working: { ...both(before), parentLends: before.lent.length },
    lenderRefused: refused,
    lenderFiles: found.flat(),
    work: { killed: await workIn(parts.killed), kept: await workIn(parts.kept) },
    finishedAlone,
    processesLeft,
    killedRestored: childOf(restored, killed),
    end: both(end),
    told,
    verified,
  };
}

/** As `yoi tree --json` has it, as far as it is looked at here. */
interface SeenPod {
  readonly name: string;
  readonly state: string;
  readonly now: { readonly state: string } | null;
  readonly loan: { readonly state: string; readonly id: string | null } | null;
  readonly scope: {
    readonly allow: readonly { readonly target: string; readonly permission: string }[];
  } | null;
  readonly lent: readonly unknown[];
  readonly children: readonly SeenPod[];
}

async function treeOf(yoi: ChildYoi): Promise<SeenPod> {
  const { pods } = JSON.parse(await command(yoi, ["tree", parent, "--json"])) as {
    readonly pods: readonly SeenPod[];
  };
  const [seen] = pods;
  if (seen === undefined) throw new Error("the tree is empty");
  return seen;
}

function both(seen: SeenPod): { readonly killed: SeenChild; readonly kept: SeenChild } {
  return { killed: childOf(seen, killed), kept: childOf(seen, kept) };
}

function childOf({ children }: SeenPod, name: string): SeenChild {
  const child = children.find((one) => one.name === name);
  const writes = (child?.scope?.allow ?? []).filter(({ permission }) => permission === "write");
  return {
    state: child?.state ?? "not in the tree",
    loan: child?.loan?.state ?? null,
    writes: writes.map(({ target }) => target),
  };
}

/** The stdout of a command that has to succeed. */
async function command(yoi: ChildYoi, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await yoi.start(args).ended;
  if (code === 0) return stdout;
  throw new YoiError(
    "io_failed",
    `\`yoi ${args.join(" ")}\` of the demo ended with exit ${code}: ${stderr.trim()}`,
  );
}

async function verify(yoi: ChildYoi, pod: string): Promise<LoansEvidence["verified"][number]> {
  const { stdout } = await yoi.start(["pod", "verify", pod, "--wire", "--json"]).ended;
  const report = JSON.parse(stdout) as { readonly ok?: boolean; readonly requests?: number };
  return { pod, ok: report.ok === true, requests: report.requests ?? 0 };
}

async function entriesOf(stores: Stores, pod: string): Promise<readonly Entry[]> {
  return (await readActive(stores, pod)).view.entries.filter(isKnown);
}

/** Notices of the parent that its model was not told of yet. */
async function waiting(stores: Stores): Promise<number> {
  const entries = await entriesOf(stores, parent);
  const accepted = entries.filter(({ kind }) => kind === "inbox_accepted").length;
  return (
    accepted - entries.filter((entry) => entry.kind === "system_item" && entry.delivers !== undefined).length
  );
}

async function writesRefused(stores: Stores): Promise<readonly boolean[]> {
  return (await entriesOf(stores, parent)).flatMap((entry) =>
    entry.kind === "tool_result" && entry.item.name !== "SpawnPod"
      ? [entry.item.is_error || /\(exit [1-9]/.test(entry.item.summary)]
      : [],
  );
}

/** What the parent's log says: how often each loan came back, and that the lender was refused a write where one was still lent before that. */
async function toldTo(stores: Stores, before: SeenPod): Promise<LoansEvidence["told"]> {
  const entries = await entriesOf(stores, parent);
  const accepted = entries.filter((entry) => entry.kind === "inbox_accepted");
  const backOf = (name: string): readonly number[] => {
    const loan = before.children.find((child) => child.name === name)?.loan?.id;
    return accepted.filter(({ submission }) => submission === `reclaim/${loan}`).map(({ seq }) => seq);
  };
  const finished = accepted.filter(
    ({ submission, item }) =>
      submission?.startsWith(`child/${kept}/`) === true && JSON.stringify(item).includes("finished its run"),
  );
  const refusedAt = entries.find(
    (entry) =>
      entry.kind === "tool_result" &&
      entry.item.is_error &&
      entry.item.summary.includes(`/${parts.kept}/${lenderFiles.kept}`),
  )?.seq;
  const [keptBackAt] = backOf(kept);
  return {
    killedBack: backOf(killed).length,
    keptBack: backOf(kept).length,
    keptFinished: finished.length,
    refusedBefore: refusedAt !== undefined && keptBackAt !== undefined && refusedAt < keptBackAt,
  };
}

/** The parent in order, which ends its children and what it was starting; then whatever is left. */
async function endAll(stores: Stores): Promise<void> {
  const { processes, timers } = stores.host;
  const lead = await ownerOf(podName(parent), stores.lease);
  if (lead !== null) processes.end(lead, "SIGTERM");
  for (let left = endLooksMax; lead !== null && processes.isAlive(lead) && left > 0; left -= 1)
    await timers.sleep(lookEveryMs);
  for (const pod of [parent, killed, kept]) {
    const owner = await ownerOf(podName(pod), stores.lease);
    if (owner === null) continue;
    processes.endGroup(owner, "SIGKILL");
    while (processes.isAlive(owner)) await timers.sleep(lookEveryMs);
  }
}
