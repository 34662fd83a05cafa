/** `yoi doctor`: what this machine offers, one line a check, with what to do where something is missing. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { escapeControls, messageOf, YoiError } from "@yoi/base";
import type { Host } from "@yoi/host";
import { type SecretEntry, whyNotSought } from "@yoi/keep";
import { providers } from "@yoi/model";
import { bubblewrapVersion } from "@yoi/sandbox";
import { namedWorkspace, resolveConfiguration } from "../compose/configuration.ts";
import { sandboxStatus } from "../compose/sandbox.ts";
import { openSecretStore } from "../compose/secrets.ts";
import { openStores } from "../compose/stores.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { tableText } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";
import { checkedRuntime } from "../runtime/runtime.ts";
import { version } from "../version.ts";

/** good; missing: works without, with less; bad: a run, or hosting a Pod, would fail. */
type Verdict = "good" | "missing" | "bad";

export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly detail: string;
}

const syncSamples = 20;

export async function doctor(flags: JsonFlag): Promise<number> {
  const findings = await lookAround(readEnvironment());
  const bad = findings.some((finding) => finding.verdict === "bad");
  if (flags.json === true)
    process.stdout.write(jsonLine({ ok: !bad, version, node: process.versions.node, checks: findings }));
  else process.stdout.write(findingsText(findings));
  return bad ? exitCode.failed : exitCode.done;
}

export async function lookAround(environment: Environment): Promise<readonly Finding[]> {
  const { host, dataDir } = openStores(environment);
  return [
    { check: "yoi", verdict: "good", detail: `${version} on Node ${process.versions.node}` },
    await procMounted(),
    await sandbox(environment, dataDir, host),
    await dataDirectory(host, dataDir),
    await runtimeDirectory(environment, host),
    await configuration(environment),
    await credentials(environment, host),
  ];
}

export function findingsText(findings: readonly Finding[]): string {
  return tableText(
    ["CHECK", "STATE", "DETAIL"],
    findings.map((f) => [f.check, f.verdict, escapeControls(f.detail)]),
  );
}

/** The file tools walk through /proc/self/fd. */
async function procMounted(): Promise<Finding> {
  try {
    await readFile("/proc/self/stat");
    return { check: "proc", verdict: "good", detail: "/proc is mounted" };
  } catch {
    return {
      check: "proc",
      verdict: "bad",
      detail: "/proc is not mounted: file tools refuse to work without it, mount it",
    };
  }
}

/** Looked for outside the data directory, which no workspace leads to: the answer must not depend on where this is asked. */
async function sandbox(environment: Environment, dataDir: string, host: Host): Promise<Finding> {
  const status = await sandboxStatus(environment, dataDir, host);
  switch (status.mode) {
    case "bubblewrap":
      return {
        check: "sandbox",
        verdict: "good",
        detail: `bubblewrap ${(await bubblewrapVersion(status.file)) ?? status.file}`,
      };
    case "missing":
      return { check: "sandbox", verdict: "missing", detail: status.reason };
    case "off":
      return { check: "sandbox", verdict: "missing", detail: "off" };
  }
}

/** Writes where runs write, and says what a durable record costs here. */
async function dataDirectory({ files, clock, ids }: Host, dataDir: string): Promise<Finding> {
  // A name of its own: another doctor may be at work, or have been killed at it.
  const probe = join(dataDir, `doctor-${ids.uuidV7()}`);
  try {
    await files.makeDirectory(probe);
    const file = await files.createAppend(join(probe, "probe"));
    const line = Buffer.alloc(200, "x");
    const times: number[] = [];
    try {
      for (let sample = 0; sample < syncSamples; sample += 1) {
        const started = clock.monotonic();
        await file.append(line);
        await file.sync();
        times.push(clock.monotonic() - started);
      }
    } finally {
      await file.close();
      await files.removeTree(probe);
    }
    const median = times.toSorted((a, b) => a - b)[syncSamples / 2] ?? 0;
    return {
      check: "data",
      verdict: "good",
      detail: `${dataDir} is writable; a durable record takes ${median.toFixed(2)} ms`,
    };
  } catch (error) {
    return { check: "data", verdict: "bad", detail: messageOf(error) };
  }
}

/** Where hosted Pods take clients. Makes nothing. */
async function runtimeDirectory(environment: Environment, host: Host): Promise<Finding> {
  const check = "runtime";
  try {
    const { directory } = await checkedRuntime(environment, host);
    return { check, verdict: "good", detail: `${directory} is for hosted Pods, and nobody else's` };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { check, verdict: "bad", detail: `no Pod can be hosted: ${error.message}` };
  }
}

async function configuration(environment: Environment): Promise<Finding> {
  try {
    const { manifest, warnings } = await resolveConfiguration(
      environment,
      await namedWorkspace(undefined, environment),
      {},
    );
    const model = `${manifest.model.provider}/${manifest.model.id}`;
    return { check: "configuration", verdict: "good", detail: [`model ${model}`, ...warnings].join("; ") };
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { check: "configuration", verdict: "bad", detail: error.message };
  }
}

/** Which keys are set or kept; never their values. */
async function credentials(environment: Environment, host: Host): Promise<Finding> {
  const variables = providers.flatMap((provider) => provider.keyVariables);
  const set = variables.filter((variable) => (environment.variables[variable] ?? "") !== "");
  let kept: readonly SecretEntry[];
  try {
    kept = await openSecretStore(environment, host).list();
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { check: "credentials", verdict: "bad", detail: error.message };
  }
  const found = [
    ...set.map((variable) => {
      const why = whyNotSought((environment.variables[variable] ?? "").trim());
      return `${variable} is set${why === null ? "" : ` (not taken out of logs and output: ${why})`}`;
    }),
    ...kept.map(({ id, protection }) =>
      protection === "damaged" ? `the secret ${id} is damaged` : `the secret ${id} is kept`,
    ),
  ];
  if (found.length > 0) return { check: "credentials", verdict: "good", detail: found.join(", ") };
  return {
    check: "credentials",
    verdict: "missing",
    detail: `no key is set: export ${variables.join(" or ")}, or keep one with \`yoi secret set\`; \`yoi demo\` needs none`,
  };
}
