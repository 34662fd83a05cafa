/** Reports: the whole of one as it is shown, live, and the alert of what is wrong. */
import assert from "node:assert/strict";
import test from "node:test";
import { type HostAuthority, serviceId, toolContribution } from "@yoi/feature";
import {
  type Context,
  declared,
  descriptorOf,
  install,
  installAlone,
  moduleOf,
  reportOf,
  requires,
  service,
  toolOf,
} from "../features.ts";

const pin: HostAuthority = { kind: "secret_ref", id: "pin" };
const store: HostAuthority = { kind: "state_store", name: "notes" };

test("A2-48: a report is this, field for field, as JSON", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const whole = descriptorOf("project:whole", {
    display_name: "Whole",
    version: "1.2.3",
    authorities: [
      { authority: pin, required: true, reason: "Signs." },
      { authority: store, required: false, reason: "Keeps." },
    ],
    tools: [declared("Note"), declared("Lost")],
    hooks: [{ name: "watch", point: "pre_tool_call", required: true }],
    background_tasks: [{ name: "sweep", description: "Sweeps." }],
    provides_services: [service("project:notes")],
    requires_services: [requires("user:clock"), requires("user:absent", false)],
  });
  const clock = descriptorOf("user:clock-feature", {
    provides_services: [service("user:clock", { version: "2.1.0" })],
  });
  const { installed, machine } = await install(
    [
      moduleOf(whole, (context) => {
        context.tools.register(toolContribution(toolOf(declared("Note"))));
        context.hooks.preToolCall("watch", () => ({ action: "continue" }));
        context.backgroundTasks.register("sweep", () => promise);
        context.services.provide(serviceId("project:notes"), "1.0.0", { get: async () => 1 });
        context.diagnostics.info("Found 3 notes; the pin is hunter2.");
      }),
      moduleOf(clock, ({ services }) =>
        services.provide(serviceId("user:clock"), "2.1.0", { get: async () => 1 }),
      ),
    ],
    { host: { approvalOf: async () => ({ granted: [pin] }) } },
  );
  const lost = "project:whole declares the tool Lost, and does not register it.";
  const absent =
    "project:whole requires the service user:absent: no feature that can be installed provides it.";
  const denial = "its approval does not include it.";
  const golden = {
    feature: "project:whole",
    runtime: "external_plugin",
    display_name: "Whole",
    version: "1.2.3",
    digest: "08c7879bf2348a9780749b44b09f4eb278a29c169da37f82bd5fb6f942949f3e",
    status: "degraded",
    granted: [{ kind: "secret_ref", id: "pin" }],
    denied: [
      { authority: { kind: "state_store", name: "notes" }, required: false, reason: "Keeps.", denial },
    ],
    tools: ["Note"],
    hooks: [{ name: "watch", point: "pre_tool_call", required: true }],
    background_tasks: [{ name: "sweep", state: "waiting" }],
    provides_services: [{ id: "project:notes", version: "1.0.0" }],
    uses_services: [{ id: "user:clock", version: "2.1.0" }],
    skipped: [
      { kind: "handle", name: "state_store (notes)", reason: denial },
      { kind: "service", name: "user:absent", reason: absent },
      { kind: "tool", name: "Lost", reason: lost },
    ],
    diagnostics: [
      { severity: "warning", message: denial },
      { severity: "warning", message: absent },
      { severity: "info", message: "Found 3 notes; the pin is [redacted: pin]." },
      { severity: "warning", message: lost },
    ],
  };
  const report = reportOf(installed.reports, "project:whole");
  assert.equal(JSON.stringify(report, null, 2), JSON.stringify(golden, null, 2));
  assert.throws(() => (report.tools as string[]).push("Other"), TypeError);

  // The states of background tasks are those of the moment.
  const state = () => reportOf(installed.reports, "project:whole").background_tasks;
  installed.start();
  await machine.advance(0);
  assert.deepEqual(state(), [{ name: "sweep", state: "running" }]);
  resolve();
  await machine.advance(0);
  assert.deepEqual(state(), [{ name: "sweep", state: "finished" }]);
  assert.deepEqual(report.background_tasks, [{ name: "sweep", state: "waiting" }]);
});

test("A2-52, F-12: a person is alerted of each feature with an error, once, and of no other", async () => {
  const { alerts } = await install([
    moduleOf(descriptorOf("project:good"), ({ diagnostics }) => diagnostics.warning("slow")),
    moduleOf(descriptorOf("project:says"), ({ diagnostics }) => {
      diagnostics.error("my index is damaged");
      diagnostics.error("and so is the other");
    }),
    moduleOf(descriptorOf("project:fails"), ({ diagnostics }) => {
      diagnostics.error("first my own words");
      throw new Error("no disk");
    }),
    moduleOf(descriptorOf("project:lacks", { requires_services: [requires("user:absent")] })),
    moduleOf(descriptorOf("project:degraded", { tools: [declared("Never")] })),
  ]);
  assert.deepEqual(
    alerts.last.map(({ level, source, message }) => [level, source, message]),
    [
      ["error", "project:says", "my index is damaged"],
      [
        "error",
        "project:fails",
        "The feature is not installed. project:fails could not be installed: no disk",
      ],
      [
        "error",
        "project:lacks",
        "The feature is not installed. project:lacks requires the service user:absent: no feature that can be installed provides it.",
      ],
    ],
  );
});

test("A2-46: a grant that is missing is the same everywhere: skipped, in the report with its reason, and the rest goes on", async () => {
  const asked = [
    pin,
    store,
    { kind: "model_notification" },
    { kind: "service_access", service: serviceId("builtin:s") },
  ] as const;
  const provider = descriptorOf("builtin:provider", {
    provides_services: [service("builtin:s", { carries_authority: true })],
  });
  const provide = ({ services }: Context) =>
    services.provide(serviceId("builtin:s"), "1.0.0", { get: async () => 1 });
  const descriptor = descriptorOf("project:asks", {
    authorities: asked.map((authority) => ({ authority, required: false, reason: "For a test." })),
    tools: [declared("Sign")],
    requires_services: [requires("builtin:s", false)],
  });
  const outcome = async (granted: readonly HostAuthority[]) => {
    const got: unknown[] = [];
    const { installed } = await install(
      [
        moduleOf(provider, provide),
        moduleOf(descriptor, async ({ tools, handles, services, notifications }) => {
          tools.register({ name: "Sign", create: () => toolOf(declared("Sign")), requires: [pin] });
          got.push(handles.secret("pin") !== null, handles.state("notes") !== null);
          got.push(services.require(serviceId("builtin:s")) !== null);
          const notified = await notifications.notifyModel("hello").then(
            () => "taken",
            (error: { code: string }) => error.code,
          );
          got.push(notified);
        }),
      ],
      { host: { approvalOf: async () => ({ granted }) } },
    );
    const report = reportOf(installed.reports, "project:asks");
    return {
      got,
      status: report.status,
      tools: report.tools,
      skipped: report.skipped.map(({ kind, name }) => `${kind} ${name}`),
      report,
    };
  };
  const all = await outcome(asked);
  assert.deepEqual([all.got, all.status, all.tools], [[true, true, true, "taken"], "installed", ["Sign"]]);
  const none = await outcome([]);
  assert.deepEqual(
    [none.got, none.status, none.tools],
    [[false, false, false, "authority_denied"], "degraded", []],
  );
  assert.deepEqual(none.skipped, [
    "handle secret_ref (pin)",
    "handle state_store (notes)",
    "handle model_notification",
    "handle service_access (builtin:s)",
    "service builtin:s",
    "tool Sign",
    "notification notifyModel",
  ]);
  assert.ok(none.report.skipped.every(({ reason }) => reason.length > 10));
  assert.ok(none.report.diagnostics.every(({ severity }) => severity === "warning"));
});

test("a notification in force reaches the Pod with the feature's id, and an alert of a good installation is raised at its end", async () => {
  let kept: Context | null = null;
  const { alerts, notified } = await installAlone(
    descriptorOf("builtin:tells", {
      authorities: [{ authority: { kind: "model_notification" }, required: true, reason: "Tells." }],
    }),
    (context) => {
      kept = context;
      context.alerts.alert("warn", "look here");
    },
  );
  assert.deepEqual(
    alerts.last.map(({ source, message }) => [source, message]),
    [["builtin:tells", "look here"]],
  );
  assert.ok(kept !== null);
  const { notifications }: Context = kept;
  await notifications.notifyModel("the build is green");
  assert.deepEqual(notified, [["builtin:tells", "the build is green"]]);
});
