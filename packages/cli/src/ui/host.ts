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
import { editorOf, editText } from "./edit.ts";
import { entriesBefore } from "./entries-before.ts";
import { makeFirstRun } from "./first-run.ts";
import { openGrants } from "./grants.ts";
import { Lifecycle } from "./lifecycle.ts";
import { pageOf } from "./pages.ts";
import { PodRows } from "./pod-rows.ts";
import { suspend } from "./suspend.ts";
import { treeRows } from "./tree-rows.ts";

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
  const lifecycle = new Lifecycle(reach, { workspace, flags, signal });
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
      tree: async () => treeRows(stores, await rows.list()),
      attach: (name, listener, from) => attachLink(name, listener, from, reach),
      before: async (name, place, count) => {
        const { record, unreadable } = await findNamed(pods, name);
        if (record === null) throw unreadable ?? new YoiError("pod_unknown", `There is no Pod ${name}.`);
        return entriesBefore(sessions, record.pointer.session, place, count);
      },
      start: (name, choices) => lifecycle.start(name, choices),
      restore: (name, how) => lifecycle.restore(name, how),
      stop: (name) => lifecycle.stop(name),
      fork: (name, at) => lifecycle.fork(name, at),
      export: (name) => lifecycle.export(name),
      send: (name, text) => lifecycle.send(name, text),
      setTitle: (name, title) => lifecycle.setTitle(name, title),
    },
    history: { load: () => history.load(), add: (text) => history.add(text) },
    grants: openGrants(environment, host),
    firstRun: makeFirstRun({ reach, workspace, flags, chosen: (model) => lifecycle.take({ model }) }),
    page: (name, pod) => pageOf(name, pod, { reach, workspace }),
    edit: (text) =>
      editText(text, { host, directory: environment.directories.data, editor: editorOf(environment) }),
    suspend: () => suspend(stopOwnGroup, host.timers),
  };
}
