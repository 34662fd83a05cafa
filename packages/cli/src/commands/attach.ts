/** `yoi attach`: a Pod in the terminal, or as lines. */
import { podName, type ScreenMode } from "@yoi/base";
import { findNamed } from "@yoi/pod";
import { reachAs } from "../client/pod-command.ts";
import { isRichTerminal, readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { FailedAs, failureOf } from "../failure.ts";
import { hostDetached } from "../hosting/host-detached.ts";
import { ownerOf } from "../hosting/owner-of.ts";
import { attachLines, type LineFlags } from "./attach-lines.ts";

export interface AttachFlags extends Omit<LineFlags, "tail"> {
  readonly tail?: number;
  readonly plain?: boolean;
  /** Begins its process again where none hosts it. */
  readonly restore?: boolean;
  readonly screen?: ScreenMode;
}

/** What attaching shows of the past, as lines. */
const tailDefault = 20;

export async function attach(given: string, flags: AttachFlags): Promise<number> {
  if (flags.restore === true) await asAttaching(() => restoreUnlessHosted(given));
  if (wantsLines(flags)) return await attachLines(given, { ...flags, tail: flags.tail ?? tailDefault });
  return await asAttaching(async () => {
    const reach = reachAs("attach");
    const { name } = await findNamed(reach.stores.pods, given);
    // No other command pays for loading it.
    const { openTerminal } = await import("./open-terminal.ts");
    const open = { kind: "pod", name, restores: false, prompt: null } as const;
    return await openTerminal({ reach, open, workspace: null, flags: {}, screen: flags.screen });
  });
}

/** What only lines can do was asked for, or there is no terminal for more. */
function wantsLines({ plain, json, once, all, tail }: AttachFlags): boolean {
  const isAsked = [plain, json, once, all].includes(true) || tail !== undefined;
  return isAsked || !isRichTerminal(readEnvironment());
}

/** Whatever keeps it from being attached to is a failure to attach. */
async function asAttaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new FailedAs({ ...failureOf(error), exitCode: exitCode.attachFailed });
  }
}

async function restoreUnlessHosted(given: string): Promise<void> {
  const { environment, stores } = reachAs("attach");
  const name = podName(given);
  if ((await ownerOf(name, stores.lease)) !== null) return;
  const say = (text: string): void => void process.stderr.write(`yoi: ${text}\n`);
  const request = { name, workspace: null, isPlaced: false, flags: {}, environment, stores, say };
  const ready = await hostDetached({ ...request, restore: { resume: false } });
  for (const warning of ready.warnings) say(warning);
}
