/** A feature in full, as text for a person: nothing in it can disturb a terminal. */
import { escapeControls } from "@yoi/base";
import type { FeatureDescriptor, FeatureInstallReport, HostAuthority } from "@yoi/feature";
import type { FeatureFile } from "./content.ts";
import { type Standing, standingTexts } from "./standing.ts";

/** Files that are listed by name; JSON has all of them. */
export const filesShownMax = 100;

/** Without a line end behind the last line. */
export function describeBuiltIn(
  descriptor: FeatureDescriptor,
  report: FeatureInstallReport,
): readonly string[] {
  return clean([
    `${report.feature}  ${report.display_name} ${report.version}`,
    `  ${descriptor.description}`,
    `  runtime  ${report.runtime}`,
    `  digest   ${report.digest ?? "-"}`,
    `  status   ${report.status}`,
    ...section(
      "Tools",
      descriptor.tools.map(
        ({ name, description, read_only }) =>
          `${name}${read_only ? " (no effect outside)" : ""}: ${firstLine(description)}`,
      ),
    ),
    ...section(
      "Hooks",
      descriptor.hooks.map(({ name, point }) => `${point}: ${name}`),
    ),
    ...section(
      "Background tasks",
      descriptor.background_tasks.map(({ name, description }) => `${name}: ${firstLine(description)}`),
    ),
    ...section(
      "Authorities",
      descriptor.authorities.map(
        ({ authority, required, reason }) =>
          `${authorityText(authority)} (${required ? "required" : "optional"}): ${reason}`,
      ),
    ),
    ...section(
      "Services it provides",
      descriptor.provides_services.map(
        ({ id, version, description }) => `${id} ${version}: ${firstLine(description)}`,
      ),
    ),
    ...section(
      "Services it uses",
      descriptor.requires_services.map(
        ({ id, version, required, reason }) =>
          `${id} ${version} (${required ? "required" : "optional"}): ${reason}`,
      ),
    ),
    ...section(
      "State",
      descriptor.state === null ? [] : [`${descriptor.state.domain}, version ${descriptor.state.version}`],
    ),
    ...section(
      "Denied",
      report.denied.map(({ authority, denial }) => `${authorityText(authority)}: ${denial}`),
    ),
    ...section(
      "Not in force",
      report.skipped.map(({ kind, name, reason }) => `${kind} ${name}: ${reason}`),
    ),
    ...section(
      "Diagnostics",
      report.diagnostics.map(({ severity, message }) => `${severity}: ${message}`),
    ),
  ]);
}

/** @param difference lines as `differenceOf` gives them; null: there is nothing to compare with. */
export function describeThirdParty(
  { found, status, content, problem, approval }: Standing,
  difference: readonly string[] | null,
): readonly string[] {
  const decided =
    approval === null ? [] : [`  decided  ${approval.decided_at}, for the digest ${approval.digest}`];
  return [
    ...clean([
      `${found.id ?? found.name}${found.version === null ? "" : `  ${found.version}`}`,
      `  runtime  external_plugin`,
      `  source   ${found.path}`,
      `  digest   ${content?.digest ?? "-"}`,
      `  status   ${standingTexts[status]}${problem === null ? "" : `: ${problem}`}`,
      ...decided,
      ...(content === null ? [] : fileLines(content.files, content.bytes)),
    ]),
    ...(difference === null ? [] : ["", "Changed since it was approved", ...difference]),
  ];
}

function fileLines(files: readonly FeatureFile[], bytes: number): readonly string[] {
  const lines = files
    .slice(0, filesShownMax)
    .map(({ path, sha256, content }) => `${sha256}  ${content.byteLength} bytes  ${path}`);
  const more = files.length - lines.length;
  return section(`Files (${files.length}, ${bytes} bytes)`, [
    ...lines,
    ...(more === 0 ? [] : [`and ${more} more: --json has all`]),
  ]);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

function authorityText({ kind, ...rest }: HostAuthority): string {
  const values = Object.values(rest).flat().map(String);
  return [kind, ...values].join(" ");
}

function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? "";
}

function clean(lines: readonly string[]): readonly string[] {
  return lines.map((line) => escapeControls(line));
}
