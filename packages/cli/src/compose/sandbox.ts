/** The sandbox of one Pod, and what it protects whatever is granted. */
import { type CommandRunner, createCommandRunner, resolveProtection, type SandboxStatus } from "@yoi/sandbox";
import { type Protection, protectionOf } from "@yoi/scope";
import type { Host } from "@yoi/host";
import type { Environment } from "../environment.ts";
import { ownDirectories } from "./configuration.ts";

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

export function openRunner(
  mode: "on" | "off",
  protection: Protection,
  environment: Environment,
  { files, timers }: Pick<Host, "files" | "timers">,
): Promise<CommandRunner> {
  const { removeTree } = files;
  return createCommandRunner({ mode, protection, env: environment.variables, timers, removeTree });
}

/** Whether shell commands can run in a workspace, and if not, the one command that changes it. */
export async function sandboxStatus(
  environment: Environment,
  workspace: string,
  host: Pick<Host, "files" | "timers">,
): Promise<SandboxStatus> {
  const runner = await openRunner("on", protectionFor(environment, workspace, null), environment, host);
  await runner.close();
  return runner.status;
}
