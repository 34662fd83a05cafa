/** `yoi completion`: the script that makes a shell complete yoi's command lines, and what such a script asks for. */
import { YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import type { ResolvedManifest } from "@yoi/manifest";
import { models } from "@yoi/model";
import { listPods } from "@yoi/pod";
import type { Command } from "commander";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { type CommandShape, shapesOf } from "../completion/shape.ts";
import { zshScript } from "../completion/zsh.ts";
import { namedWorkspace, resolveConfiguration } from "../compose/configuration.ts";
import { providersInForce } from "../compose/providers.ts";
import { openSecretStore } from "../compose/secrets.ts";
import { openStores } from "../compose/stores.ts";
import { type Environment, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import type { CompletionList, CompletionShell } from "../program/choices.ts";

const scripts: Readonly<Record<CompletionShell, (shapes: readonly CommandShape[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export async function completion(shell: CompletionShell, program: Command): Promise<number> {
  process.stdout.write(scripts[shell](shapesOf(program)));
  return exitCode.done;
}

/** One candidate a line. Nothing is asked over a network, no log and no secret is opened. */
export async function complete(what: CompletionList): Promise<number> {
  const names = await candidates[what](readEnvironment());
  process.stdout.write(names.map((name) => `${name}\n`).join(""));
  return exitCode.done;
}

type Candidates = (environment: Environment) => Promise<readonly string[]>;

const candidates: Readonly<Record<CompletionList, Candidates>> = {
  pods: async (environment) => (await listPods(openStores(environment))).map(({ name }) => name),
  models: async (environment) => {
    const own = (await definitions(environment)).models.map(({ ref }) => ref);
    return [...new Set([...own, ...models.map(({ provider, id }) => `${provider}/${id}`)])];
  },
  providers: async (environment) =>
    providersInForce((await definitions(environment)).providers).map(({ entry }) => entry.name),
  secrets: async (environment) => {
    const kept = (await openSecretStore(environment, nodeHost()).list()).map(({ id }) => id);
    const usual = providersInForce((await definitions(environment)).providers).map(
      ({ entry }) => entry.secret,
    );
    return [...new Set([...kept, ...usual.filter((id) => id !== null)])];
  },
  grants: async () => (await import("./grant.ts")).grantIds(),
  features: async (environment) => {
    const { builtInDescriptors } = await import("../compose/built-in-features.ts");
    const { findFeatures } = await import("../features/find-features.ts");
    const workspace = await namedWorkspace(undefined, environment);
    const { features } = await findFeatures(workspace, environment.directories.config);
    const builtIns = (await builtInDescriptors()).map(({ id }) => id);
    return [...builtIns, ...features.flatMap(({ id }) => id ?? [])];
  },
  profiles: async (environment) => {
    const { listProfiles } = await import("../profiles/choose-profile.ts");
    const workspace = await namedWorkspace(undefined, environment);
    const usable = (await listProfiles(environment, workspace)).filter(
      ({ problem }) => problem === undefined,
    );
    return usable.map(({ selector }) => selector);
  },
  tickets: async () => (await import("./ticket-list.ts")).ticketIds(),
};

/** Of the user's own file, whatever the directory; what is wrong there, `yoi config check` says. */
async function definitions(environment: Environment): Promise<ResolvedManifest["definitions"]> {
  try {
    const workspace = await namedWorkspace(undefined, environment);
    return (await resolveConfiguration(environment, workspace, {})).definitions;
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return { providers: [], models: [] };
  }
}
