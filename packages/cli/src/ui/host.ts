/** makeUiHost: this machine as the terminal is handed it. */
import { stopOwnGroup } from "@yoi/host";
import { createInputHistory } from "@yoi/keep";
import { findNamed } from "@yoi/pod";
import { YoiError } from "@yoi/base";
import type { UiHost } from "@yoi/tui";
import type { Reach } from "../client/pod-command.ts";
import type { PodFlags } from "../compose/pod-flags.ts";
import { inspect } from "../compose/secrets.ts";
import { knownSecrets } from "../known-secrets.ts";
import { version } from "../version.ts";
import { attachLink } from "./attach.ts";
import { entriesBefore } from "./entries-before.ts";
import { openGrants } from "./grants.ts";
import { PodRows } from "./pod-rows.ts";
import { suspend } from "./suspend.ts";

export interface UiHostParts {
  readonly reach: Reach;
  /** Canonical. */
  readonly workspace: string;
  /** Of the command line, for Pods that are begun. */
  readonly flags: PodFlags;
  /** Ends what is waited for when the terminal is left. */
  readonly signal: AbortSignal;
}

export function makeUiHost({ reach, workspace, flags, signal }: UiHostParts): UiHost {
  const { environment, stores } = reach;
  const { host, dataDir, sessions, pods } = stores;
  const rows = new PodRows(reach);
  // What is not on the way to the first frame is loaded when it is wanted.
  const lifecycle = once(async () => {
    const { Lifecycle } = await import("./lifecycle.ts");
    return new Lifecycle(reach, { workspace, flags, signal });
  });
  const firstRun = once(async () => {
    const { makeFirstRun } = await import("./first-run.ts");
    const begun = await lifecycle();
    return makeFirstRun({ reach, workspace, flags, chosen: (model) => begun.take({ model }) });
  });
  const history = createInputHistory({
    files: host.files,
    clock: host.clock,
    dataDir,
    inspect,
    redact: knownSecrets.redact,
  })(workspace);
  return {
    workspace,
    version,
    newId: () => host.ids.uuidV7(),
    now: () => host.clock.now(),
    timers: host.timers,
    pods: {
      list: () => rows.list(),
      tree: async () => {
        const { treeRows } = await import("./tree-rows.ts");
        return treeRows(stores, await rows.list());
      },
      attach: (name, listener, from) => attachLink(name, listener, from, reach),
      before: async (name, place, count) => {
        const { record, unreadable } = await findNamed(pods, name);
        if (record === null) throw unreadable ?? new YoiError("pod_unknown", `There is no Pod ${name}.`);
        return entriesBefore(sessions, record.pointer.session, place, count);
      },
      start: async (name, choices) => (await lifecycle()).start(name, choices),
      restore: async (name, how) => (await lifecycle()).restore(name, how),
      stop: async (name) => (await lifecycle()).stop(name),
      fork: async (name, at) => (await lifecycle()).fork(name, at),
      export: async (name) => (await lifecycle()).export(name),
      send: async (name, text) => (await lifecycle()).send(name, text),
      setTitle: async (name, title) => (await lifecycle()).setTitle(name, title),
    },
    history: { load: () => history.load(), add: (text) => history.add(text) },
    grants: openGrants(environment, host),
    firstRun: {
      needed: async () => (await firstRun()).needed(),
      providers: async () => (await firstRun()).providers(),
      keepKey: async (provider, key) => (await firstRun()).keepKey(provider, key),
      test: async (model, key, testing) => (await firstRun()).test(model, key, testing),
      keepModel: async (model) => (await firstRun()).keepModel(model),
    },
    skills: async () => {
      const { offeredSkills } = await import("./skills-page.ts");
      return offeredSkills(environment, workspace, flags.profile);
    },
    page: async (name, pod) => (await import("./pages.ts")).pageOf(name, pod, { reach, workspace }),
    edit: async (text) => {
      const { editorOf, editText } = await import("./edit.ts");
      const editor = editorOf(environment);
      return editText(text, { host, directory: environment.directories.data, editor });
    },
    suspend: () => suspend(stopOwnGroup, host.timers),
  };
}

/** Made when it is first wanted. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => (made ??= make());
}
