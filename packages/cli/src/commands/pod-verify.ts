/** `yoi pod verify`: rebuilds every request ever sent from the log alone and compares digests. */
import { escapeControls, YoiError } from "@yoi/base";
import { verifyPod, type VerifyProblem, type VerifyReport, type VerifyStores } from "@yoi/pod";
import { openBundle } from "../bundle/bundle-stores.ts";
import { openForVerify } from "../compose/model.ts";
import { openStores, type Stores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { segmentNamed } from "./segment-named.ts";

export interface VerifyFlags {
  /** True: the default number of requests. */
  readonly wire?: boolean | number;
  readonly head?: boolean;
  readonly json?: boolean;
  /** Its id: that one alone. */
  readonly segment?: string;
  /** A file of `pod export`, instead of a Pod of this machine. */
  readonly bundle?: string;
}

export const wireRequestsDefault = 500;

export async function podVerify(name: string | undefined, flags: VerifyFlags): Promise<number> {
  const stores = openStores(readEnvironment());
  const { from, pod } = await whatToVerify(name, flags, stores);
  const wireRequestsMax =
    flags.wire === undefined ? 0 : typeof flags.wire === "number" ? flags.wire : wireRequestsDefault;
  const report = await verifyPod(from, pod, {
    wireRequestsMax,
    ...(flags.segment === undefined ? {} : { segment: segmentNamed(flags.segment) }),
    openModel: (config, adapter) => openForVerify(config, adapter, stores.host),
  });
  if (flags.json === true) process.stdout.write(jsonLine(jsonReport(report)));
  else if (flags.head !== true) writeReport(report);
  if (flags.head === true && flags.json !== true)
    for (const { segment, head } of report.segments)
      if (head !== null) process.stdout.write(`${report.pod} ${segment} ${head.seq} ${head.sum}\n`);
  for (const problem of report.problems)
    process.stderr.write(
      `yoi: ${escapeControls(withAdvice(problem, flags.bundle === undefined ? report.pod : null))}\n`,
    );
  return report.problems.length === 0 ? exitCode.done : exitCode.failed;
}

async function whatToVerify(
  name: string | undefined,
  { bundle }: VerifyFlags,
  stores: Stores,
): Promise<{ readonly from: VerifyStores; readonly pod: string }> {
  if ((name === undefined) === (bundle === undefined))
    throw new YoiError("usage", "Name one Pod, or one bundle with --bundle FILE, to verify.");
  if (name !== undefined) return { from: stores, pod: name };
  const { workingDirectory: directory, stdin: kind } = readEnvironment();
  if (bundle === "-" && kind === "terminal")
    throw new YoiError("usage", "A bundle is not typed: send it through a pipe, or name its file.");
  const from = await openBundle({ path: bundle ?? "", directory, stdin: process.stdin }, stores.host.clock);
  return { from, pod: from.pod };
}

/** Where the damage is said, what to do with it is not the same at home and elsewhere. */
function withAdvice({ kind, message }: VerifyProblem, pod: string | null): string {
  if (kind !== "damage") return message;
  return pod === null
    ? `${message} Export the Pod again where it is.`
    : `${message} \`yoi pod log ${pod}\` shows them.`;
}

function jsonReport(report: VerifyReport): object {
  return {
    pod: report.pod,
    segment_id: report.segment,
    log: report.path,
    ok: report.problems.length === 0,
    entries: report.entries,
    requests: report.requests,
    wire_checked: report.wireChecked,
    wire_other_version: report.wireOtherVersion,
    other_versions: report.otherVersions,
    wire_unavailable: report.wireUnavailable,
    head: report.head,
    segments: report.segments.map(({ segment, path, wireChecked, ...others }) => ({
      segment_id: segment,
      log: path,
      ...others,
      wire_checked: wireChecked,
    })),
    left_over: report.leftOvers,
    problems: report.problems,
  };
}

function writeReport(report: VerifyReport): void {
  process.stdout.write(`${report.pod}: ${verdictOf(report)}\n`);
  const { length } = report.segments;
  const where = length === 1 ? "" : ` in ${length} segments`;
  process.stdout.write(`  ${report.entries} entries${where}, every checksum chained\n`);
  process.stdout.write(
    `  ${report.requests} requests rebuilt from the log and compared with the digest recorded before each was sent\n`,
  );
  if (report.wireChecked > 0)
    process.stdout.write(
      `  ${report.wireChecked} request bodies rebuilt and compared byte for byte (by SHA-256)\n`,
    );
  if (report.wireOtherVersion > 0) {
    process.stdout.write(
      `  ${report.wireOtherVersion} request bodies were made by another adapter or lowering version, as the log says, and could not be compared\n`,
    );
    for (const versions of report.otherVersions)
      process.stdout.write(`    made by ${escapeControls(versions)}\n`);
  }
  if (report.wireUnavailable > 0)
    process.stdout.write(`  ${report.wireUnavailable} request bodies cannot be rebuilt here\n`);
  if (length > 1) for (const segment of report.segments) process.stdout.write(`  ${segmentLine(segment)}\n`);
  if (report.leftOvers.length > 0)
    process.stdout.write(
      `  not verified, because the history of this Pod does not name them: ${report.leftOvers.join(", ")}\n`,
    );
}

function segmentLine({ segment, role, entries, requests }: VerifyReport["segments"][number]): string {
  return `${segment} ${role.replace("_", " ").padEnd(9)} ${entries} entries, ${requests} requests`;
}

/** What cannot be looked at is not verified, and not wrong either. */
function verdictOf({ problems }: VerifyReport): string {
  if (problems.length === 0) return "verified";
  return problems.every(({ kind }) => kind === "wire_unavailable")
    ? "NOT verified to the last byte: nothing differs, but some request bodies cannot be rebuilt here"
    : "NOT verified";
}
