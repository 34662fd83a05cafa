/** `yoi` without a command: the Pod of this directory in the terminal; on one that can only show lines, as those. */
import { parsePrompt, type ScreenMode, YoiError } from "@yoi/base";
import { findNamed, listPods } from "@yoi/pod";
import type { UiOpen } from "@yoi/tui";
import { givePrompt } from "../client/give-prompt.ts";
import { refuseLiveFlags } from "../client/live-flags.ts";
import { type Reach, reachAs, withPod } from "../client/pod-command.ts";
import { namedWorkspace } from "../compose/configuration.ts";
import type { PodFlags } from "../compose/pod-flags.ts";
import { type Environment, isRichTerminal, openQuestions } from "../environment.ts";
import { hostDetached } from "../hosting/host-detached.ts";
import { ownerOf } from "../hosting/owner-of.ts";
import { Lifecycle } from "../ui/lifecycle.ts";
import { attachLines } from "./attach-lines.ts";
import { chooseOpen } from "./choose-open.ts";
import { podsOf } from "./choose-pod.ts";
import { choosePodOnTerminal } from "./pod-picker.ts";

export interface UiFlags extends PodFlags {
  readonly pod?: string;
  readonly continue?: boolean;
  /** True: without a name. */
  readonly resume?: string | true;
  readonly cd?: string;
  readonly plain?: boolean;
  readonly screen?: ScreenMode;
}

/** Of the past, as lines. */
const tail = 20;

export async function ui(typed: string | undefined, flags: UiFlags): Promise<number> {
  const reach = reachAs("terminal");
  const { environment } = reach;
  const prompt = promptOf(typed);
  checkTerminal(environment);
  const workspace = await namedWorkspace(flags.cd, environment);
  const podFlags = podFlagsOf(flags);
  const startsAnew = Object.keys(podFlags).length > 0;
  const open = await chooseOpen({ ...flags, prompt, startsAnew }, workspace, reach);
  if (open.kind === "pod")
    await prepare(open.name, podFlags, flags.cd === undefined ? null : workspace, reach);
  if (flags.plain === true || !isRichTerminal(environment))
    return await asLines(open, { workspace, flags: podFlags, reach });
  const { openTerminal } = await import("./open-terminal.ts");
  const where = open.kind === "pod" ? null : workspace;
  return await openTerminal({ reach, open, workspace: where, flags: podFlags, screen: flags.screen });
}

function promptOf(typed: string | undefined): string | null {
  if (typed === undefined) return null;
  if (typed.trim() === "")
    throw new YoiError("prompt_empty", "The prompt is empty: say what the Pod should do.");
  return typed;
}

function checkTerminal({ stdin, stdoutIsTerminal }: Environment): void {
  if (stdin === "terminal" && stdoutIsTerminal) return;
  throw new YoiError(
    "usage",
    'The terminal UI needs a terminal for its input and its output: `yoi run "what to do"` needs none.',
  );
}

/** What says how a Pod is started; nothing where nothing of it was typed. */
function podFlagsOf(flags: UiFlags): PodFlags {
  const {
    pod: _pod,
    continue: _continue,
    resume: _resume,
    cd: _cd,
    plain: _plain,
    screen: _screen,
    ...rest
  } = flags;
  return rest;
}

/** One that is there already is started as the flags say; where it lives, they are what it runs with, or are refused. */
async function prepare(
  given: string,
  flags: PodFlags,
  workspace: string | null,
  reach: Reach,
): Promise<void> {
  const { environment, stores } = reach;
  const { name } = await findNamed(stores.pods, given);
  if (Object.keys(flags).length === 0 && workspace === null) return;
  if ((await ownerOf(name, stores.lease)) !== null) {
    const { about } = await withPod(name, reach, (pod) => pod.call("show", {}));
    refuseLiveFlags(name, about, flags, workspace);
    return;
  }
  const ready = await hostDetached({
    name,
    workspace,
    isPlaced: workspace !== null,
    flags,
    environment,
    stores,
    say,
  });
  for (const warning of ready.warnings) say(warning);
}

interface LinesRequest {
  readonly workspace: string;
  readonly flags: PodFlags;
  readonly reach: Reach;
}

async function asLines(open: UiOpen, request: LinesRequest): Promise<number> {
  const { reach, workspace, flags } = request;
  const signal = new AbortController().signal;
  const lifecycle = new Lifecycle(reach, { workspace, flags, signal });
  const name = await namedByLines(open, lifecycle, request);
  if (open.kind !== "picker" && open.prompt !== null) {
    const parts = parsePrompt(open.prompt);
    const submission = reach.stores.host.ids.uuidV7();
    await withPod(name, reach, (pod) => givePrompt(pod, parts, submission));
  }
  return await attachLines(name, { tail });
}

/** It takes clients then. */
async function namedByLines(
  open: UiOpen,
  lifecycle: Lifecycle,
  { reach, workspace }: LinesRequest,
): Promise<string> {
  const { lease } = reach.stores;
  const hosted = async (given: string): Promise<string> => {
    const { name } = await findNamed(reach.stores.pods, given);
    if ((await ownerOf(name, lease)) === null)
      for (const warning of await lifecycle.restore(name, {})) say(warning);
    return name;
  };
  switch (open.kind) {
    case "pod":
      return await hosted(open.name);
    case "new": {
      const { name, warnings } = await lifecycle.start(open.name, open.choices);
      for (const warning of warnings) say(warning);
      say(`The Pod ${name} is new.`);
      return name;
    }
    case "picker": {
      const pods = podsOf(workspace, await listPods(reach.stores));
      if (pods.length === 0)
        throw new YoiError("nothing_to_resume", `No Pod was used in ${workspace} yet: \`yoi\` begins one.`);
      using questions = await openQuestions(new AbortController().signal);
      return await hosted(await choosePodOnTerminal(pods, reach.stores, questions.ask));
    }
  }
}

function say(text: string): void {
  process.stderr.write(`yoi: ${text}\n`);
}
