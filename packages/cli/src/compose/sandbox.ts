/** The sandbox of one Pod, and what it protects whatever is granted. */
import { join } from "node:path";
import { type Host, moveTree } from "@yoi/host";
import {
  type CommandRunner,
  createCommandRunner,
  resolveProtection,
  type RunnerOptions,
  type SandboxStatus,
} from "@yoi/sandbox";
import { type Protection, protectionOf } from "@yoi/scope";
import type { Environment } from "../environment.ts";
import { ownDirectories } from "./configuration.ts";
import { quarantineDirectory } from "./stores.ts";

/** The one value that file tools and sandbox both obey. */
export function protectionFor(environment: Environment, workspace: string, spill: string | null): Protection {
  const { home, variables } = environment;
  return resolveProtection(
    protectionOf({
      workspace,
      home,
      own: ownDirectories(environment),
      spill,
      programs: (variables["PATH"] ?? "").split(":").filter((entry) => entry.startsWith("/")),
    }),
  );
}

/** @param quarantine where hooks go that a command left for git to run: below it stands which call, and the path that it had. */
export function openRunner(
  bounds: Pick<RunnerOptions, "mode" | "protection" | "unixSockets">,
  environment: Environment,
  quarantine: string,
  { files, timers, clock }: Pick<Host, "files" | "timers" | "clock">,
): Promise<CommandRunner> {
  return createCommandRunner({
    ...bounds,
    env: environment.variables,
    timers,
    clock,
    quarantine: async (call, path, at) => {
      let to = join(quarantine, call, path);
      // Another segment, or an earlier Pod of this name, had a call of this number.
      for (let again = 2; (await files.stat(to)) !== null; again += 1)
        to = join(quarantine, `${call}-${again}`, path);
      await moveTree(at, to);
      return to;
    },
  });
}

/** Whether shell commands can run in a workspace, and if not, the one command that changes it. */
export async function sandboxStatus(
  environment: Environment,
  workspace: string,
  host: Pick<Host, "files" | "timers" | "clock">,
): Promise<SandboxStatus> {
  const protection = protectionFor(environment, workspace, null);
  const quarantine = quarantineDirectory(environment.directories.data, "none");
  const runner = await openRunner(
    { mode: "on", protection, unixSockets: true },
    environment,
    quarantine,
    host,
  );
  await runner.close();
  return runner.status;
}
