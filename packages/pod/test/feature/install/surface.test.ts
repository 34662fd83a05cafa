/** What a module is handed, and what the rest of the Pod gets: these names, and no way to anything else. */
import assert from "node:assert/strict";
import test from "node:test";
import { taskFeature } from "@yoi/builtin";
import * as builtin from "@yoi/builtin";
import { type FeatureModule, type HostAuthority, sourceOf, toolContribution } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { storeOn, waitOn } from "../../../../builtin/test/tickets/support.ts";
import { faultsOf, reach } from "../../boundary/reach.ts";
import {
  type Context,
  declared,
  descriptorOf,
  install,
  installAlone,
  moduleOf,
  noPods,
  reportOf,
  thrownBy,
  toolOf,
} from "../features.ts";

const everything: readonly HostAuthority[] = [
  { kind: "filesystem", access: "write", path: "notes" },
  { kind: "network", hosts: ["example.org"] },
  { kind: "secret_ref", id: "pin" },
  { kind: "state_store", name: "notes" },
  { kind: "model_notification" },
  { kind: "pod_management" },
];

async function contextWith(authorities: readonly HostAuthority[]): Promise<Context> {
  let kept: Context | null = null;
  const asks = authorities.map((authority) => ({ authority, required: true, reason: "For a test." }));
  const descriptor = descriptorOf("builtin:asks", { authorities: asks });
  await installAlone(descriptor, (context) => void (kept = context), { pods: noPods });
  assert.ok(kept !== null);
  return kept;
}

test("A2-02, A2-04: an installation has typed registrars, sinks and handles, and these methods: none dispatches, none reaches the Pod", async () => {
  const context = await contextWith(everything);
  const names = Object.entries(context).flatMap(([name, value]) =>
    typeof value === "object" ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
  assert.deepEqual(names, [
    "featureId",
    "grants.granted",
    "grants.denied",
    "handles.files",
    "handles.fetch",
    "handles.secret",
    "handles.pods",
    "handles.state",
    "tools.register",
    "hooks.onPromptSubmit",
    "hooks.preLlmRequest",
    "hooks.preToolCall",
    "hooks.postToolCall",
    "hooks.onTurnEnd",
    "hooks.onAbort",
    "backgroundTasks.register",
    "services.provide",
    "services.require",
    "notifications.notifyModel",
    "notifications.position",
    "notifications.keepPosition",
    "alerts.alert",
    "diagnostics.info",
    "diagnostics.warning",
    "diagnostics.error",
  ]);
});

test("A2-05, F-15: everything that a module is handed with every grant is frozen plain values and bare functions", async () => {
  const context = await contextWith(everything);
  const handed = [context, context.handles.secret("pin"), context.handles.state("notes")];
  const reached = handed.flatMap((value, index) => reach(value, `handed[${index}]`));
  assert.ok(reached.length > 40, `only ${reached.length} objects were walked`);
  assert.deepEqual(faultsOf(reached), []);
});

test("A2-43: a feature asks, the host grants: what was decided is read-only, and no module can add to it", async () => {
  const wanted: HostAuthority = { kind: "secret_ref", id: "pin" };
  const tool = declared("Sign");
  const { report } = await installAlone(
    descriptorOf("project:wants", {
      authorities: [{ authority: wanted, required: false, reason: "Signs." }],
      tools: [tool],
    }),
    (context) => {
      const { granted } = context.grants;
      assert.notEqual(
        thrownBy(() => (granted as HostAuthority[]).push(wanted)),
        "nothing",
      );
      assert.notEqual(
        thrownBy(() => Object.assign(context, { grants: { granted: [wanted], denied: [] } })),
        "nothing",
      );
      assert.deepEqual([granted, context.grants.denied.map(({ authority }) => authority)], [[], [wanted]]);
      assert.equal(context.handles.secret("pin"), null);
      context.tools.register({ name: "Sign", create: () => toolOf(tool), requires: [wanted] });
    },
    { host: { approvalOf: async () => ({ granted: [] }) } },
  );
  assert.deepEqual([report.granted, report.tools], [[], []]);
});

test("A2-74, F-24: features are installed once, at the start: what comes of it has no way to add, enable or take away one", async () => {
  const { installed } = await install([moduleOf(descriptorOf("project:one"))]);
  assert.deepEqual(Object.keys(installed), [
    "tools",
    "reports",
    "states",
    "ownerOf",
    "about",
    "start",
    "stop",
    "end",
  ]);
  assert.ok(
    Object.isFrozen(installed) && Object.isFrozen(installed.tools) && Object.isFrozen(installed.reports),
  );
  assert.throws(() => Object.assign(installed, { tools: [toolOf(declared("Late"))] }), TypeError);
  assert.deepEqual(Object.getOwnPropertyNames(Object.getPrototypeOf(installed.states)).sort(), [
    "add",
    "constructor",
    "describeAll",
    "inForce",
    "problemOf",
    "restore",
    "snapshot",
  ]);
  installed.start();
  assert.throws(() => installed.start(), /once/);
  await installed.stop();
  installed.end();
});

const tickets = { author: "a", role: "coder" } as const;
/** Each that ships, as the composition makes it. */
const shipped: Readonly<Record<keyof typeof builtin, () => FeatureModule>> = {
  taskFeature,
  podsFeature: () => builtin.podsFeature({ profiles: [] }),
  ticketStoreFeature: () =>
    builtin.ticketStoreFeature({ store: storeOn(memoryHost({ seed: 1 })), actor: tickets }),
  ticketsFeature: () =>
    builtin.ticketsFeature({
      role: tickets.role,
      wait: waitOn(memoryHost({ seed: 1 })),
    }),
};
const neededBy = ({ descriptor }: FeatureModule): readonly FeatureModule[] =>
  descriptor.requires_services.length === 0 ? [] : [shipped.ticketStoreFeature()];
const isAccess = ({ authority }: FeatureModule["descriptor"]["authorities"][number]) =>
  authority.kind === "service_access";

test("A2-77: each feature that ships with yoi declares all that it uses, and uses all that it declares", async () => {
  const modules = Object.values(shipped).map((make) => make());
  assert.deepEqual(Object.keys(shipped).toSorted(), Object.keys(builtin).toSorted());
  const { installed } = await install(modules, { pods: noPods });
  for (const report of installed.reports) {
    const { descriptor } = modules.find((module) => module.descriptor.id === report.feature) ?? taskFeature();
    assert.equal(sourceOf(report.feature), "builtin");
    assert.deepEqual(
      [report.status, report.skipped, report.diagnostics, report.tools, report.hooks.length],
      ["installed", [], [], descriptor.tools.map(({ name }) => name), descriptor.hooks.length],
    );
  }
});

test("A2-77: without one line of its descriptor, no feature that ships with yoi can be installed (control)", async () => {
  for (const make of Object.values(shipped)) {
    const { descriptor } = make();
    for (const list of ["tools", "hooks", "authorities"] as const) {
      for (const [index] of descriptor[list].entries()) {
        const module = make();
        const less = { ...descriptor, [list]: descriptor[list].toSpliced(index, 1) };
        const state = module.state === undefined ? {} : { state: module.state };
        const without = {
          ...state,
          descriptor: less,
          install: (context: Context) => module.install(context),
        };
        const { installed } = await install([...neededBy(module), without], { pods: noPods });
        const { status } = reportOf(installed.reports, descriptor.id);
        // A service that carries authority and was not asked for is seen before anything is tried.
        const lacksAccess = descriptor[list][index] === descriptor.authorities.find(isAccess);
        assert.equal(status, lacksAccess ? "skipped" : "failed", `${descriptor.id} ${list}[${index}]`);
      }
    }
  }
});

test("A2-35: the tools in force are those of the reports", async () => {
  const tools = ["Note", "Read2"].map((name) => declared(name));
  const { installed } = await install([
    moduleOf(descriptorOf("project:one", { tools }), (context) => {
      for (const tool of tools) context.tools.register(toolContribution(toolOf(tool)));
    }),
    moduleOf(taskFeature().descriptor, (context) => taskFeature().install(context)),
  ]);
  assert.deepEqual(
    installed.tools.map(({ definition }) => definition.name),
    installed.reports.flatMap((report) => report.tools),
  );
});
