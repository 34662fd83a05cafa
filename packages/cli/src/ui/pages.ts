/** The pages of text that the terminal shows: what the commands print, about this directory and about the open Pod. */
import { YoiError } from "@yoi/base";
import { type Manifest, parseManifest } from "@yoi/manifest";
import { cacheReport, findPod, isoTime, podUsage } from "@yoi/pod";
import type { Page, PageName } from "@yoi/tui";
import { type Reach, withPod } from "../client/pod-command.ts";
import { sourcesText } from "../commands/config.ts";
import { findingsText, lookAround } from "../commands/doctor.ts";
import { featuresText, listFeatures } from "../commands/feature-list.ts";
import { listKnownModels, modelsText } from "../commands/model-list.ts";
import { pricesOf } from "../commands/pod-cache.ts";
import { changesText, podChanges } from "../commands/pod-diff.ts";
import { allOf, totalOf } from "../commands/usage.ts";
import { resolveConfiguration } from "../compose/configuration.ts";
import { stdoutScreen } from "../environment.ts";
import type { FeatureJson } from "../features/feature-json.ts";
import { cacheText } from "../output/cache-text.ts";
import { scopeText } from "../output/scope-text.ts";
import { tableText } from "../output/table.ts";
import { usageText } from "../output/usage-text.ts";
import { openGrants } from "./grants.ts";
import { skillsPage } from "./skills-page.ts";
import { ticketsPage } from "./tickets-page.ts";

export interface PageParts {
  readonly reach: Reach;
  readonly workspace: string;
}

/** @param pod the open one; null: none is. Throws usage for a page that is about a Pod where none is open. */
export async function pageOf(name: PageName, pod: string | null, parts: PageParts): Promise<Page> {
  const { reach, workspace } = parts;
  const { environment, stores } = reach;
  switch (name) {
    case "usage":
      return { title: "Usage", text: await usagePage(pod, parts) };
    case "doctor":
      return { title: "Doctor", text: findingsText(await lookAround(environment)) };
    case "config": {
      const { sources, warnings } = await resolveConfiguration(environment, workspace, {});
      return { title: "Configuration", text: `${sourcesText(sources)}${linesOf(warnings)}` };
    }
    case "hooks": {
      const { features, warnings } = await listFeatures(workspace, environment);
      const text = [hooksText(features), featuresText(features, columnsNow()), linesOf(warnings)];
      return { title: "Features and their hooks", text: text.join("\n") };
    }
    case "permissions":
      return { title: "Permissions", text: await permissionsPage(pod, parts) };
    case "models": {
      const listed = await listKnownModels(environment, workspace);
      return { title: "Models", text: `${modelsText(listed, columnsNow())}${linesOf(listed.warnings)}` };
    }
    case "diff": {
      const { pod: of, changes, lost } = await podChanges(opened(pod), stores);
      return { title: `Files that ${of} changed`, text: changesText(of, changes, lost) };
    }
    case "context": {
      const of = opened(pod);
      const report = await cacheReport(stores, of, await pricesOf(stores, of));
      return { title: `Context of ${of}`, text: `${await roomText(of, reach)}${cacheText(report)}` };
    }
    case "skills":
      return await skillsPage(await manifestOf(pod, parts), environment);
    case "tickets":
      return await ticketsPage(await workspaceOf(pod, parts), reach);
  }
}

/** Of what yoi loads and knows: what each is called at. */
function hooksText(features: readonly FeatureJson[]): string {
  const rows = features.flatMap(({ id, name, report }) =>
    (report?.hooks ?? []).map((hook) => [hook.point, hook.name, id ?? name]),
  );
  return rows.length === 0
    ? "No feature has a hook here.\n"
    : tableText(["POINT", "HOOK", "FEATURE"], rows, columnsNow());
}

/** Of the terminal that shows it. */
function columnsNow(): number | undefined {
  return stdoutScreen()?.columns;
}

/** Of a Pod that answers; else "". */
async function roomText(pod: string, reach: Reach): Promise<string> {
  try {
    const { context } = await withPod(pod, reach, (one) => one.call("show", {}));
    if (context === undefined) return "";
    const { tokens, window } = context;
    const of = window === null ? "" : ` of ${window} (${Math.round((100 * tokens) / window)} %)`;
    return `The next request has about ${tokens} tokens${of}. What each had, and what of it should have been cached, and was:\n\n`;
  } catch (error) {
    if (error instanceof YoiError) return "";
    throw error;
  }
}

function opened(pod: string | null): string {
  if (pod !== null) return pod;
  throw new YoiError("usage", "No Pod is open: open one first.");
}

function linesOf(sentences: readonly string[]): string {
  return sentences.length === 0 ? "" : `\n${sentences.join("\n")}\n`;
}

async function usagePage(pod: string | null, { reach }: PageParts): Promise<string> {
  const pods = await podUsage(reach.stores, { name: pod, tree: true, verify: false });
  const problems = allOf(pods).flatMap(({ name, error, problems: own }) =>
    [...(error === null ? [] : [error]), ...own].map((sentence) => `${name}: ${sentence}`),
  );
  return `${usageText(pods, totalOf(pods), columnsNow())}${linesOf(problems)}`;
}

/** What the Pod keeps, or what a new one would have; then the rules that the user gave for good. */
async function permissionsPage(pod: string | null, parts: PageParts): Promise<string> {
  const { reach, workspace } = parts;
  const { environment, stores } = reach;
  const manifest = await manifestOf(pod, parts);
  const { permissions, sandbox, scope } = manifest;
  const above = (permissions.above ?? []).flatMap((one) =>
    one.rules.map((rule) => ({ ...rule, origin: `${rule.origin} (as ${one.pod} has it)` })),
  );
  const rules = [...permissions.rules, ...above];
  const grants = await openGrants(environment, stores.host).list();
  const facts = [
    `mode       ${permissions.mode}`,
    `sandbox    ${sandbox.mode}${sandbox.network ? ", with network" : ""}`,
    `writes     ${scopeText(scope, manifest.workspace)}`,
    `workspace  ${pod === null ? workspace : manifest.workspace}`,
  ];
  const listed = tableText(
    ["ACTION", "TOOL", "MATCHES", "FROM"],
    rules.map(({ action, tool, argument, pattern, origin }) => [
      action,
      tool,
      argument === undefined ? pattern : `${argument}: ${pattern}`,
      origin,
    ]),
    columnsNow(),
  );
  const given = tableText(
    ["ID", "RULE", "WHERE", "UNTIL"],
    grants.map(({ id, rule, workspace: where, expiresMs }) => [
      id,
      rule,
      where ?? "everywhere",
      expiresMs === null ? "revoked" : isoTime(expiresMs).slice(0, 16).replace("T", " "),
    ]),
    columnsNow(),
  );
  return [
    `${facts.join("\n")}\n`,
    rules.length === 0 ? "No rule of [permissions] is in force.\n" : listed,
    grants.length === 0 ? "No answer of yours counts for more than one session.\n" : given,
  ].join("\n");
}

/** Of the open Pod; of this terminal, where none is open. */
async function workspaceOf(pod: string | null, parts: PageParts): Promise<string> {
  return pod === null ? parts.workspace : (await manifestOf(pod, parts)).workspace;
}

async function manifestOf(pod: string | null, { reach, workspace }: PageParts): Promise<Manifest> {
  const { environment, stores } = reach;
  if (pod === null) return (await resolveConfiguration(environment, workspace, {})).manifest;
  const record = await findPod(stores.pods, pod);
  return parseManifest(record.manifest, stores.pods.pathOf(record.name));
}
