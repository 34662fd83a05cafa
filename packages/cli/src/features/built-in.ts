/** What a dry run of the installation of built-in features says: without a Pod, a model or a key. */
import { podName, type ToolDefinition } from "@yoi/base";
import type { FeatureDescriptor, FeatureInstallReport } from "@yoi/feature";
import type { Host } from "@yoi/host";
import type { Manifest } from "@yoi/manifest";
import { tryFeatures } from "@yoi/pod";
import { builtInFeatures } from "../compose/built-in-features.ts";
import { resolveConfiguration } from "../compose/configuration.ts";
import { makeFeatureHost } from "../compose/feature-host.ts";
import { makePodTools } from "../compose/pod-tools.ts";
import { openRunner, protectionFor } from "../compose/sandbox.ts";
import { openStores, quarantineDirectory } from "../compose/stores.ts";
import { LiveScope } from "@yoi/scope";
import type { Environment } from "../environment.ts";

export interface TriedBuiltIns {
  readonly builtIns: readonly {
    readonly descriptor: FeatureDescriptor;
    readonly report: FeatureInstallReport;
  }[];
  /** The program's own, and those that built-in features declare. */
  readonly tools: readonly ToolDefinition[];
  readonly manifest: Manifest;
  /** Of the configuration. */
  readonly warnings: readonly string[];
}

/** Against the tools that a Pod of this workspace would have. Throws what reading its configuration throws. */
export async function tryBuiltIns(
  workspace: string,
  environment: Environment,
  host: Host,
): Promise<TriedBuiltIns> {
  const { manifest, warnings } = await resolveConfiguration(environment, workspace, {});
  const stores = openStores(environment);
  const protection = protectionFor(environment, workspace, null);
  const name = podName("features");
  // Tools are only asked for their names: no command runs, so no sandbox is looked for.
  const runner = await openRunner(
    "off",
    protection,
    environment,
    quarantineDirectory(stores.dataDir, name),
    host,
  );
  const modules = builtInFeatures([]);
  const scope = new LiveScope(manifest.scope);
  try {
    const { tools } = await makePodTools({
      name,
      manifest,
      scope,
      protection,
      runner,
      seesImages: () => false,
      environment,
      stores,
    });
    const reports = await tryFeatures({
      modules,
      existingTools: tools,
      // As a hosted Pod would have them.
      managesPods: true,
      host: makeFeatureHost({ manifest, scope, protection, environment, stores }),
      clock: host.clock,
      timers: host.timers,
    });
    const builtIns = modules.flatMap(({ descriptor }, index) => {
      const report = reports[index];
      return report === undefined ? [] : [{ descriptor, report }];
    });
    const declared = builtIns.flatMap(({ descriptor }) => descriptor.tools);
    const definitions = [...tools.map(({ definition }) => definition), ...declared];
    return { builtIns, tools: definitions, manifest, warnings };
  } finally {
    await runner.close();
  }
}
