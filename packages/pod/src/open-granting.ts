/** Who asks the user about calls, and what the answers let through later: joined as a Pod is opened. */
import { Approvals } from "./approval/approvals.ts";
import { KeptAnswers } from "./approval/kept-answers.ts";
import { ScopeGrants } from "./approval/scope-grants.ts";
import type { Extended } from "./extend.ts";
import type { OpenPodOptions, PodSetup } from "./pod-options.ts";
import type { OpenSession } from "./restore/open-session.ts";
import type { Allocated } from "./spawn/allocate.ts";
import type { CommandShell } from "./turn/user-commands.ts";

interface GrantsRequest {
  readonly options: OpenPodOptions;
  readonly setup: PodSetup;
  readonly allocated: Allocated;
  readonly isChild: boolean;
  readonly warn: (text: string) => void;
}

/** Nothing is granted before the session is open. */
export function openScopeGrants({ options, setup, allocated, isChild, warn }: GrantsRequest): ScopeGrants {
  return new ScopeGrants({
    scope: setup.scope,
    row: allocated,
    workspace: setup.manifest.workspace,
    granting: setup.granting ?? null,
    isNarrowed: setup.manifest.writes !== undefined,
    isChild,
    canAsk: options.canAsk ?? false,
    timers: options.ports.timers,
    warn,
  });
}

/** Commands of the user run in the scope of their moment, as calls do: what was taken back counts no more. */
export function inGrantedScope(shell: CommandShell, grants: Pick<ScopeGrants, "sync">): CommandShell {
  return {
    get missing() {
      return shell.missing;
    },
    run: async (command, context) => {
      await grants.sync();
      return shell.run(command, context);
    },
  };
}

interface ApprovalsRequest extends Omit<GrantsRequest, "allocated"> {
  readonly session: OpenSession;
  readonly extended: Extended;
  readonly grants: ScopeGrants;
}

/** What an earlier owner was about to grant is granted or gone, and what is granted counts. */
export async function openApprovals(request: ApprovalsRequest): Promise<Approvals> {
  const { options, setup, isChild, warn, session, extended, grants } = request;
  const { name: pod, canAsk = false, ports } = options;
  const { clock, timers, ids } = ports;
  const { gate } = session;
  const { permissions } = extended;
  const kept = new KeptAnswers({
    pod,
    workspace: setup.manifest.workspace,
    isChild,
    gate,
    permissions,
    grants: setup.granting?.grants ?? null,
    clock,
    ids,
    warn,
  });
  await kept.reconcile();
  const { record } = session;
  await grants.follow(kept, {
    store: (granted) => record.update({ granted }),
    stored: record.current.granted ?? [],
  });
  return new Approvals({ pod, gate, canAsk, asking: { permissions, kept, scope: grants }, clock, timers });
}
