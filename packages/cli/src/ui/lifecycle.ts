/** What the terminal does to whole Pods: begins, restores, stops, forks, exports, titles and tells them. */
import { join } from "node:path";
import { parsePrompt, podName, type PodName, YoiError } from "@yoi/base";
import type { PermissionMode } from "@yoi/manifest";
import { findNamed, findPod, forkPod } from "@yoi/pod";
import type { StartChoices } from "@yoi/tui";
import { givePrompt } from "../client/give-prompt.ts";
import { type Reach, withPod } from "../client/pod-command.ts";
import { exportPod } from "../commands/pod-export.ts";
import { stopPod } from "../commands/pod-stop.ts";
import { setPodTitle } from "../commands/pod-title.ts";
import type { PodFlags } from "../compose/pod-flags.ts";
import { withFreshPodName } from "../fresh-pod-name.ts";
import { hostDetached } from "../hosting/host-detached.ts";
import { isHost, ownerOf } from "../hosting/owner-of.ts";
import { startDetachedUnless } from "../hosting/start-detached.ts";
import { isPermissionMode, permissionModes } from "../program/choices.ts";
import { version } from "../version.ts";

/** How many files of one name are looked past. */
const exportNamesMax = 100;

export interface StartedPod {
  readonly name: string;
  /** Sentences for the user. */
  readonly warnings: readonly string[];
}

export class Lifecycle {
  readonly #reach: Reach;
  readonly #workspace: string;
  #flags: PodFlags;
  readonly #signal: AbortSignal;

  /**
   * @param flags of the command line, for new Pods
   * @param signal ends a start that is waited for
   */
  constructor(
    reach: Reach,
    options: { readonly workspace: string; readonly flags: PodFlags; readonly signal: AbortSignal },
  ) {
    this.#reach = reach;
    this.#workspace = options.workspace;
    this.#flags = options.flags;
    this.#signal = options.signal;
  }

  /** What Pods that are begun from here on take besides. */
  take(flags: PodFlags): void {
    this.#flags = { ...this.#flags, ...flags };
  }

  /** A new one of this workspace. Throws pod_exists for a name that is taken. */
  async start(name: string | null, choices: StartChoices): Promise<StartedPod> {
    const flags = { ...this.#flags, ...flagsOf(choices) };
    if (name !== null) return await this.#begin(podName(name), flags);
    return await withFreshPodName(this.#workspace, this.#reach.stores.host.ids, (drawn) =>
      this.#begin(drawn, flags),
    );
  }

  async #begin(name: PodName, flags: PodFlags): Promise<StartedPod> {
    if ((await this.#reach.stores.pods.read(name)) !== null)
      throw new YoiError("pod_exists", `There is a Pod named ${name}: open that one, or give another name.`);
    return { name, warnings: await this.#host({ name, workspace: this.#workspace, flags }) };
  }

  /** One that is hosted goes on as it is; with other choices it is stopped first. */
  async restore(
    given: string,
    how: StartChoices & { readonly resume?: boolean },
  ): Promise<readonly string[]> {
    const { resume = false, ...choices } = how;
    const { lease, pods } = this.#reach.stores;
    const { name } = await findPod(pods, given);
    const flags = flagsOf(choices);
    const isChanged = Object.keys(flags).length > 0;
    const owner = await ownerOf(name, lease);
    if (owner !== null && isChanged) await this.stop(name);
    if (!isChanged && !isHost(owner))
      return await this.#host({ name, workspace: null, flags, restore: { resume } });
    const warnings = isChanged ? await this.#host({ name, workspace: null, flags }) : [];
    if (resume) await withPod(name, this.#reach, (pod) => pod.call("resume", {}));
    return warnings;
  }

  async #host(request: {
    readonly name: PodName;
    readonly workspace: string | null;
    readonly flags: PodFlags;
    readonly restore?: { readonly resume: boolean };
  }): Promise<readonly string[]> {
    const { environment, stores } = this.#reach;
    const ready = await hostDetached(
      // What it waits for, the terminal shows itself.
      { ...request, isPlaced: false, environment, stores, say: () => {} },
      (launched) => startDetachedUnless(launched, this.#signal),
    );
    return ready.warnings;
  }

  async stop(name: string): Promise<void> {
    await stopPod(name, this.#reach, () => {});
  }

  /** The name of the new one. */
  async fork(source: string, at: string | null): Promise<string> {
    const { stores } = this.#reach;
    const { ids } = stores.host;
    return await withFreshPodName(source, ids, async (name) => {
      const target = at === null ? null : ({ id: at, side: "behind" } as const);
      return (await forkPod(stores, { source, name, target, ids, version })).name;
    });
  }

  /** The path of the file, in the workspace. */
  async export(name: string): Promise<string> {
    const { environment, stores } = this.#reach;
    for (let number = 1; number <= exportNamesMax; number += 1) {
      const file = number === 1 ? `${podName(name)}.tar` : `${podName(name)}-${number}.tar`;
      const place = join(this.#workspace, file);
      if ((await stores.host.files.stat(place)) !== null) continue;
      return (await exportPod(name, place, { environment, stores, force: false })).path;
    }
    throw new YoiError(
      "usage",
      `There are ${exportNamesMax} exports of ${name} in ${this.#workspace}: move them away, or name a file with \`yoi pod export ${name} -o FILE\`.`,
    );
  }

  async send(name: string, text: string): Promise<void> {
    const { pods, host } = this.#reach.stores;
    const found = await findNamed(pods, name);
    const submission = host.ids.uuidV7();
    const parts = parsePrompt(text);
    await withPod(found.name, { ...this.#reach, again: "while_held" }, async (pod) => {
      await givePrompt(pod, parts, submission);
    });
  }

  async setTitle(name: string, title: string | null): Promise<void> {
    const found = await findPod(this.#reach.stores.pods, name);
    await setPodTitle(found.name, title, this.#reach);
  }
}

function flagsOf({ model, permissionMode, sandbox, profile, readOnly }: StartChoices): PodFlags {
  return {
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode: modeOf(permissionMode) }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(profile === undefined ? {} : { profile }),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
}

function modeOf(text: string): PermissionMode {
  if (isPermissionMode(text)) return text;
  throw new YoiError(
    "usage",
    `${JSON.stringify(text)} is no permission mode: use one of ${permissionModes.join(", ")}.`,
  );
}
