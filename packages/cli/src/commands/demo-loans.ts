/** `yoi demo loans`: a parent lends to two children; one is killed, the parent is killed and restored, and tree, logs and files agree. */
import { dirname, join, relative } from "node:path";
import { podName } from "@yoi/base";
import { sandboxStatus } from "../compose/sandbox.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { childYoi, processesWorkingIn } from "../demo/child.ts";
import type { Claim } from "../demo/claims.ts";
import { loansClaims, type LoansEvidence } from "../demo/loans-claims.ts";
import { both, childOf, parts, toldTo, treeOf, waiting, writesRefused } from "../demo/loans-evidence.ts";
import {
  begunLine,
  finishedLine,
  goFile,
  lenderFiles,
  loansFiles,
  loansPods,
  workFile,
} from "../demo/loans-scenario.ts";
import { command, endPods, killPod, until, verify } from "../demo/pods.ts";
import { type DemoFlags, showDemo, type Stage } from "../demo/show.ts";
import { ownerOf } from "../hosting/owner-of.ts";

const { parent, killed, kept } = loansPods;

export function demoLoans(flags: DemoFlags): Promise<number> {
  return showDemo(flags, { play, look: `tree ${parent}` });
}

async function play(stage: Stage): Promise<readonly Claim[]> {
  const stores = openStores(stage.inner);
  try {
    return loansClaims(await gather(stage, stores));
  } finally {
    await endPods(stores, parent, [killed, kept]);
  }
}

async function gather({ root, inner, stopped, say }: Stage, stores: Stores): Promise<LoansEvidence> {
  const { files } = stores.host;
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
  const awaited = { stores, parent, stopped };
  const isQuiet = async (): Promise<boolean> => {
    const { now } = await treeOf(yoi);
    return now?.state === "idle" && (await waiting(stores)) === 0;
  };

  say("1. A Pod starts, lends src/a to one child and src/b to another, and both work.");
  const model = `scripted/${join(root, `${parent}.yaml`)}`;
  await command(yoi, ["pod", "start", parent, "-m", model]);
  await command(yoi, ["pod", "send", parent, "Split the work."]);
  await until(
    "both children begin",
    async () => {
      const begun = await Promise.all(Object.values(parts).map(workIn));
      return begun.every((lines) => lines.includes(begunLine));
    },
    awaited,
  );
  await until("the parent's first run ends", isQuiet, awaited);
  const before = await treeOf(yoi);
  const refused = await writesRefused(stores);

  say("2. One child and the parent get SIGKILL. The other child goes on, and finishes.");
  for (const pod of [killed, parent]) await killPod(pod, stores);
  await files.replace(join(workspace, parts.kept, goFile), Buffer.from(""));
  await until(
    "the other child finishes",
    async () => (await workIn(parts.kept)).includes(finishedLine),
    awaited,
  );
  const finishedAlone = (await ownerOf(podName(parent), stores.lease)) === null;

  say("3. The parent is restored: it takes back what is lost, and stops the child that is done.\n");
  await command(yoi, ["pod", "restore", parent]);
  const restored = await treeOf(yoi);
  const processesLeft = await processesWorkingIn(join(workspace, parts.killed));
  await until(
    "the parent writes everywhere again",
    async () => {
      const back = await Promise.all(
        Object.values(parts).map((part) => files.stat(join(workspace, part, lenderFiles.back))),
      );
      return back.every((found) => found !== null) && (await isQuiet());
    },
    awaited,
  );
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
