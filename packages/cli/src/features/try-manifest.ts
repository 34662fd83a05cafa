/** A dry run of what a Pod with a manifest would install of the features that ship with yoi. */
import { podName, type ToolDefinition } from "@yoi/base";
import type { FeatureDescriptor, FeatureInstallReport } from "@yoi/feature";
import type { Manifest } from "@yoi/manifest";
import { switchedOffBy, tryFeatures } from "@yoi/pod";
import { LiveScope } from "@yoi/scope";
import { builtInFeatures } from "../compose/built-in-features.ts";
import { makeFeatureHost } from "../compose/feature-host.ts";
import { makePodTools } from "../compose/pod-tools.ts";
import { openRunner, protectionFor } from "../compose/sandbox.ts";
import { quarantineDirectory, type Stores } from "../compose/stores.ts";
import type { Environment } from "../environment.ts";
import { listProfiles } from "../profiles/choose-profile.ts";
import { startable } from "../profiles/ticket-role.ts";

export interface TriedManifest {
  readonly builtIns: readonly {
    readonly descriptor: FeatureDescriptor;
    readonly report: FeatureInstallReport;
  }[];
  /** The program's own, and those that built-in features declare. */
  readonly tools: readonly ToolDefinition[];
}

export interface TryPlace {
  readonly environment: Environment;
  readonly stores: Stores;
  /** Whether the Pod could begin children. */
  readonly managesPods: boolean;
}

/** Against the tools that such a Pod would have. Nothing is started, and nothing stays. */
export async function tryManifest(
  manifest: Manifest,
  { environment, stores, managesPods }: TryPlace,
): Promise<TriedManifest> {
  const { host } = stores;
  const protection = protectionFor(environment, manifest.workspace, null);
  const name = podName("features");
  // Tools are only asked for their names: no command runs, so no sandbox is looked for.
  const runner = await openRunner(
    { mode: "off", protection, unixSockets: true },
    environment,
    quarantineDirectory(stores.dataDir, name),
    host,
  );
  const modules = await builtInFeatures({
    profiles: startable(await listProfiles(environment, manifest.workspace), manifest),
    tickets: { name, manifest, host },
  });
  const scope = new LiveScope(manifest.scope);
  try {
    const { tools } = await makePodTools({
      name,
      manifest,
      scope,
      protection,
      runner,
      skills: null,
      seesImages: () => false,
      environment,
      stores,
    });
    const reports = await tryFeatures({
      modules,
      switchedOff: switchedOffBy(manifest.features),
      existingTools: tools,
      managesPods,
      host: makeFeatureHost({ manifest, scope, protection, environment, stores }),
      clock: host.clock,
      timers: host.timers,
    });
    const builtIns = modules.flatMap(({ descriptor }, index) => {
      const report = reports[index];
      return report === undefined ? [] : [{ descriptor, report }];
    });
    const declared = builtIns.flatMap(({ descriptor }) => descriptor.tools);
    return { builtIns, tools: [...tools.map(({ definition }) => definition), ...declared] };
  } finally {
    await runner.close();
  }
}
