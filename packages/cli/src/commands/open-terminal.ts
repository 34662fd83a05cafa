/** The terminal UI, from the command line: what it is handed, and what its end comes to. */
import { escapeControls, type ScreenMode, type TerminalSettings, YoiError } from "@yoi/base";
import { resolveTerminal } from "@yoi/manifest";
import { findNamed } from "@yoi/pod";
import type { UiOpen } from "@yoi/tui";
import type { Reach } from "../client/pod-command.ts";
import { configSources, namedWorkspace, readConfig } from "../compose/configuration.ts";
import type { PodFlags } from "../compose/pod-flags.ts";
import { exitCode } from "../exit-code.ts";
import { makeUiHost } from "../ui/host.ts";

export interface TerminalRequest {
  readonly reach: Reach;
  readonly open: UiOpen;
  /** Canonical; null: that of the Pod that is opened. */
  readonly workspace: string | null;
  /** For Pods that are begun. */
  readonly flags: PodFlags;
  readonly screen: ScreenMode | undefined;
}

/** The exit code, once it is left. Throws what kept it from showing anything. */
export async function openTerminal(request: TerminalRequest): Promise<number> {
  const { reach, open, flags } = request;
  const workspace = request.workspace ?? (await workspaceOf(open, reach));
  const [{ runTerminalUi }, { takeThisTerminal }, settings] = await Promise.all([
    import("@yoi/tui"),
    import("../ui/this-terminal.ts"),
    settingsOf(workspace, request),
  ]);
  const leaving = new AbortController();
  const host = makeUiHost({ reach, workspace, flags, signal: leaving.signal });
  try {
    const end = await runTerminalUi({
      host,
      settings,
      open,
      io: { terminal: () => takeThisTerminal(host.timers) },
    });
    if (end.kind === "failed") throw new YoiError("io_failed", end.message);
    return exitCode.done;
  } finally {
    leaving.abort(new YoiError("cancelled", "The terminal was left."));
  }
}

/** What is typed is kept for where the Pod works; of one that cannot be read, where this was started. */
async function workspaceOf(open: UiOpen, { stores, environment }: Reach): Promise<string> {
  if (open.kind === "pod") {
    const { record } = await findNamed(stores.pods, open.name);
    const workspace = record?.manifest["workspace"];
    if (typeof workspace === "string") return workspace;
  }
  return await namedWorkspace(undefined, environment);
}

/** As the user's own file has them. A file that is wrong keeps nobody from a Pod that lives: it is said, and the terminal is as usual. */
async function settingsOf(workspace: string, { reach, screen }: TerminalRequest): Promise<TerminalSettings> {
  const reading = await readConfig(configSources(reach.environment, workspace).user);
  if (reading !== null && reading.layer === null)
    process.stderr.write(`yoi: ${escapeControls(reading.problems[0].message)}\n`);
  const { settings } = resolveTerminal({ user: reading?.layer ?? undefined });
  return screen === undefined ? settings : { ...settings, screen };
}
