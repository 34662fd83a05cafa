/** `yoi demo`: a Pod on a scratch workspace is killed in the middle of a tool call, restored, finished and verified. */
import { join } from "node:path";
import { isKnown, YoiError } from "@yoi/base";
import { readActive } from "@yoi/pod";
import { sandboxStatus } from "../compose/sandbox.ts";
import { openStores } from "../compose/stores.ts";
import { type Claim, demoClaims, type DemoEvidence } from "../demo/claims.ts";
import { childYoi, processesWorkingIn, waitForLine } from "../demo/child.ts";
import { demoScenario, effectLine } from "../demo/scenario.ts";
import { type DemoFlags, showDemo, type Stage } from "../demo/show.ts";

const podOfDemo = "demo";

export function demo(flags: DemoFlags): Promise<number> {
  return showDemo(flags, { play, look: `pod log ${podOfDemo}` });
}

async function play({ root, inner, stopped, say }: Stage): Promise<readonly Claim[]> {
  const stores = openStores(inner);
  const { files } = stores.host;
  const workspace = join(root, "workspace");
  const sandbox = await sandboxStatus(inner, workspace, stores.host);
  const outside = join(root, "outside");
  const scenario = join(root, "scenario.yaml");
  const effects = join(workspace, "effects.log");
  await files.makeDirectory(workspace);
  await files.makeDirectory(outside);
  await files.replace(join(workspace, "greeting.txt"), Buffer.from("Hello, Pod.\n"));
  await files.replace(scenario, Buffer.from(demoScenario({ workspace, outside })));

  const yoi = childYoi(inner.variables, workspace, stopped);
  const run = ["run", "--pod", podOfDemo, "-m", `scripted/${scenario}`];
  if (sandbox.mode !== "bubblewrap") {
    say(
      `This machine has no working sandbox (${sandbox.mode === "missing" ? sandbox.reason : sandbox.mode}).`,
    );
    say("The demo runs its shell steps on its own scratch folder with the sandbox explicitly off.\n");
    run.push("--sandbox", "off");
  }

  say("1. A Pod starts to work with real tools, driven by a scripted model.");
  const first = yoi.start([...run, "Change the greeting."]);
  const waiting = new AbortController();
  try {
    await Promise.race([
      waitForLine(effects, effectLine, waiting.signal),
      first.ended.then(({ code, stderr }) => {
        const said = stderr.trim() === "" ? "" : ` (${stderr.trim()})`;
        throw new YoiError(
          "io_failed",
          `The demo's Pod ended with exit ${code} before its long command began${said}: see \`yoi doctor\`, or look into what \`yoi demo --keep\` leaves.`,
        );
      }),
    ]);
  } finally {
    // A watcher would hold the process.
    waiting.abort();
  }
  say("2. In the middle of a shell command, its process gets SIGKILL.");
  first.kill();
  await first.ended;
  const { view: killed } = await readActive(stores, podOfDemo);
  const before = Buffer.from((await files.read(killed.path)) ?? []);

  say("3. `yoi run --pod demo` restores the Pod, and it finishes its work.\n");
  const second = await yoi.start(run).ended;
  if (second.code !== 0) {
    throw new YoiError(
      "io_failed",
      `The restored Pod ended with exit ${second.code}: ${second.stderr.trim()}`,
    );
  }
  const verified = await yoi.start(["pod", "verify", podOfDemo, "--wire", "--json"]).ended;
  const { view } = await readActive(stores, podOfDemo);
  const results = view.entries
    .filter(isKnown)
    .flatMap((entry) => (entry.kind === "tool_result" ? [entry.item] : []));
  const refused = results.find((result) => result.name === "Write" && result.is_error);
  const closed = results.find((result) => result.name === "Bash" && result.is_error);
  return demoClaims({
    before: before.subarray(0, before.lastIndexOf(0x0a) + 1),
    after: Buffer.from((await files.read(view.path)) ?? []),
    effects: Buffer.from((await files.read(effects)) ?? [])
      .toString()
      .trimEnd()
      .split("\n"),
    effectLine,
    closedAs: closed?.summary ?? null,
    processesLeft: await processesWorkingIn(workspace),
    outside: await files.list(outside),
    refusal: refused?.summary ?? null,
    verify: verifyEvidence(verified.stdout),
  });
}

/** What verify reported; nothing where it failed itself. */
function verifyEvidence(stdout: string): DemoEvidence["verify"] {
  const report = JSON.parse(stdout) as Partial<DemoEvidence["verify"]>;
  return { ok: report.ok === true, requests: report.requests ?? 0, wire_checked: report.wire_checked ?? 0 };
}
