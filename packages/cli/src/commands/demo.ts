/** `yoi demo`: a Pod on a scratch workspace is killed in the middle of a tool call, restored, finished and verified. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isKnown, YoiError } from "@yoi/base";
import { readActive } from "@yoi/pod";
import { sandboxStatus } from "../compose/sandbox.ts";
import { openStores } from "../compose/stores.ts";
import { type Claim, demoClaims, type DemoEvidence } from "../demo/claims.ts";
import { childYoi, processesWorkingIn, waitForLine } from "../demo/child.ts";
import { demoScenario, effectLine } from "../demo/scenario.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import type { JsonFlag } from "../program/act.ts";
import { onStopSignals } from "../signals.ts";

export interface DemoFlags extends JsonFlag {
  readonly keep?: boolean;
}

const podOfDemo = "demo";

export async function demo(flags: DemoFlags): Promise<number> {
  const environment = readEnvironment();
  const { files, ids } = openStores(environment).host;
  const root = join(tmpdir(), `yoi-demo-${ids.uuidV7()}`);
  const say = (text: string): void => {
    if (flags.json !== true) process.stdout.write(`${text}\n`);
  };
  const stopping = new AbortController();
  const signals = onStopSignals(() => stopping.abort());
  try {
    const claims = await play(root, environment, stopping.signal, say);
    const good = claims.every((claim) => claim.holds);
    const folder = flags.keep === true ? { folder: root } : {};
    if (flags.json === true) process.stdout.write(jsonLine({ ok: good, claims, ...folder }));
    for (const { claim, holds, evidence } of claims) say(`${holds ? "✔" : "✘"} ${claim}\n    ${evidence}`);
    return good ? exitCode.done : exitCode.failed;
  } catch (error) {
    if (signals.received === null) throw error;
    return signals.received === "SIGINT" ? exitCode.interrupted : exitCode.terminated;
  } finally {
    signals.dispose();
    if (flags.keep === true)
      say(`\nThe folder is kept: YOI_HOME=${join(root, "home")} yoi pod log ${podOfDemo}`);
    else await files.removeTree(root);
  }
}

async function play(
  root: string,
  environment: Environment,
  stopped: AbortSignal,
  say: (text: string) => void,
): Promise<readonly Claim[]> {
  const home = join(root, "home");
  const inner: Environment = {
    ...environment,
    directories: { data: home, config: join(home, "config"), runtime: join(home, "run") },
  };
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

  const yoi = childYoi({ ...environment.variables, YOI_HOME: home }, workspace, stopped);
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
