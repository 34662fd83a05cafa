/** One module, one transaction: all of it is in force, or nothing, and who depends on it is told. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  type FeatureDescriptor,
  type FeatureModule,
  hookPoints,
  serviceId,
  toolContribution,
} from "@yoi/feature";
import { installMsMax } from "../../../src/feature/install/install-one.ts";
import {
  type Context,
  declared,
  descriptorOf,
  install,
  installAlone,
  type Install,
  moduleOf,
  reportOf,
  requires,
  service,
  startInstall,
  thrownBy,
  toolOf,
} from "../features.ts";

const notes = serviceId("user:notes");
const provider = descriptorOf("user:store", {
  tools: [declared("Note")],
  hooks: [{ name: "watch", point: "on_abort" }],
  background_tasks: [{ name: "sweep", description: "Sweeps." }],
  provides_services: [service("user:notes")],
  state: { domain: "notes", version: 1 },
});
const everything = (context: Context): void => {
  context.tools.register(toolContribution(toolOf(declared("Note"))));
  context.hooks.onAbort("watch", () => ({ action: "observed" }));
  context.backgroundTasks.register("sweep", async () => {});
  context.services.provide(notes, "1.0.0", { get: async () => "a note" });
};
const storeWith = (run: Install): FeatureModule => ({
  descriptor: provider,
  state: { restore: () => {}, snapshot: () => 1 },
  install: run,
});
const consumer = (id: string, required: boolean, after: (context: Context) => void = () => {}) =>
  moduleOf(descriptorOf(id, { requires_services: [requires("user:notes", required)] }), after);

/** All that could be left of the provider. */
function leftOf({ installed, hooks }: Awaited<ReturnType<typeof install>>) {
  const report = reportOf(installed.reports, "user:store");
  return {
    status: report.status,
    reported: [...report.tools, ...report.hooks, ...report.background_tasks, ...report.provides_services],
    tools: installed.tools.length,
    hooks: hookPoints.flatMap((point) => [...hooks.at(point)]).length,
    states: installed.states.snapshot().states,
  };
}
const nothing = { status: "failed", reported: [], tools: 0, hooks: 0, states: {} };

test("A2-53, F-07: an error at the end of an installation takes back all that was registered before it", async () => {
  const whole = leftOf(await install([storeWith(everything)]));
  assert.deepEqual([whole.status, whole.reported.length, whole.tools, whole.hooks], ["installed", 4, 1, 1]);
  let ran = 0;
  const failing: readonly Install[] = [
    (context) => {
      everything(context);
      throw new Error("no disk");
    },
    async (context) => {
      everything(context);
      context.alerts.alert("warn", "never raised");
      await Promise.reject(new Error("no disk"));
    },
    (context) => {
      everything({
        ...context,
        backgroundTasks: {
          register: (name) => context.backgroundTasks.register(name, async () => void (ran += 1)),
        },
      });
      throw new Error("no disk");
    },
  ];
  for (const run of failing) {
    const around = await install([storeWith(run)]);
    assert.deepEqual(leftOf(around), nothing);
    const message = "user:store could not be installed: no disk";
    assert.deepEqual(
      reportOf(around.installed.reports, "user:store").diagnostics.filter(
        ({ severity }) => severity === "error",
      ),
      [{ severity: "error", message }],
    );
    assert.deepEqual(
      around.alerts.last.map((alert) => alert.message),
      [`The feature is not installed. ${message}`],
    );
    around.installed.start();
    await around.installed.stop();
  }
  assert.equal(ran, 0);
});

test("F-08, A2-24, A2-25: who requires a service of a failed provider is not installed, who can do without goes on, and both name it", async () => {
  let clients: unknown[] = [];
  const modules = (run: Install) => [
    consumer("project:needs", true),
    consumer("project:uses", false, ({ services }) => void clients.push(services.require(notes))),
    storeWith(run),
    moduleOf(descriptorOf("project:apart")),
  ];
  const good = await install(modules(everything));
  assert.deepEqual(
    good.installed.reports.map(({ status }) => status),
    ["installed", "installed", "installed", "installed"],
  );
  assert.deepEqual(reportOf(good.installed.reports, "project:needs").uses_services, [
    { id: "user:notes", version: "1.0.0" },
  ]);
  assert.equal(clients.length === 1 && clients[0] !== null, true);
  clients = [];
  const bad = await install(
    modules((context) => {
      everything(context);
      throw new Error("no disk");
    }),
  );
  const why = (id: string) =>
    `${id} requires the service user:notes of user:store, which is not there: see the report of user:store.`;
  assert.deepEqual(
    bad.installed.reports.map(({ feature, status, skipped, uses_services }) => [
      feature,
      status,
      skipped,
      uses_services,
    ]),
    [
      [
        "project:needs",
        "skipped",
        [{ kind: "service", name: "user:notes", reason: why("project:needs") }],
        [],
      ],
      [
        "project:uses",
        "degraded",
        [{ kind: "service", name: "user:notes", reason: why("project:uses") }],
        [],
      ],
      ["user:store", "failed", [], []],
      ["project:apart", "installed", [], []],
    ],
  );
  assert.deepEqual(clients, [null]);
});

test("F-08: failure goes on along a chain, and a provider that does not register its service has none", async () => {
  const chain = ["user:b", "user:c"].map((id, index) =>
    moduleOf(
      descriptorOf(id, {
        requires_services: [requires(index === 0 ? "user:notes" : "user:of-b")],
        ...(index === 0 ? { provides_services: [service("user:of-b")] } : {}),
      }),
    ),
  );
  const { installed } = await install([...chain.toReversed(), storeWith(() => {})]);
  assert.deepEqual(
    installed.reports.map(({ feature, status }) => [feature, status]),
    [
      ["user:c", "skipped"],
      ["user:b", "skipped"],
      ["user:store", "degraded"],
    ],
  );
});

test("an installation has its time: what does not settle is taken back, and what it does later is nobody's", async () => {
  let kept: Context | null = null;
  const { promise, reject } = Promise.withResolvers<void>();
  const { installing, machine, hooks } = startInstall([
    storeWith(async (context) => {
      kept = context;
      everything(context);
      await promise;
    }),
    moduleOf(descriptorOf("project:apart")),
  ]);
  let settled = false;
  void installing.then(() => (settled = true));
  await machine.advance(installMsMax - 1);
  assert.equal(settled, false);
  await machine.advance(1);
  const installed = await installing;
  const report = reportOf(installed.reports, "user:store");
  assert.deepEqual([report.status, report.tools, installed.tools], ["failed", [], []]);
  assert.deepEqual(report.diagnostics, [
    { severity: "error", message: "user:store could not be installed: it did not end within 5000 ms." },
  ]);
  assert.equal(reportOf(installed.reports, "project:apart").status, "installed");
  assert.ok(kept !== null);
  const late: Context = kept;
  assert.match(
    String(thrownBy(() => late.tools.register(toolContribution(toolOf(declared("Note")))))),
    /too late/,
  );
  reject(new Error("later"));
  await machine.advance(1);
  assert.deepEqual([installed.tools, hooks.at("on_abort").length], [[], 0]);
  assert.deepEqual(reportOf(installed.reports, "user:store"), report);
});

test("registrars close when the installation is over: a later use throws, and changes no report", async () => {
  for (const fails of [false, true]) {
    let kept: Context | null = null;
    const { installed, alerts: told } = await install([
      storeWith((context) => {
        kept = context;
        everything(context);
        if (fails) throw new Error("no disk");
      }),
    ]);
    const before = JSON.stringify(installed.reports);
    assert.ok(kept !== null);
    const { tools, hooks, backgroundTasks, services, alerts, diagnostics, notifications }: Context = kept;
    const late: readonly [string, () => unknown][] = [
      ["registers a tool", () => tools.register(toolContribution(toolOf(declared("Note"))))],
      ["registers a hook", () => hooks.onAbort("watch", () => ({ action: "observed" }))],
      ["registers a background task", () => backgroundTasks.register("sweep", async () => {})],
      ["registers a service", () => services.provide(notes, "1.0.0", { get: async () => 1 })],
      ["asks for a service", () => services.require(notes)],
    ];
    assert.deepEqual(
      late.map(([, use]) => thrownBy(use)),
      late.map(([what]) => [
        "feature_invalid",
        `user:store ${what} too late: that is done while it is installed.`,
      ]),
    );
    assert.equal(JSON.stringify(installed.reports), before);
    if (!fails) continue;
    const raised = told.last.length;
    for (let n = 0; n < 100; n += 1) {
      alerts.alert("error", "Look at me.");
      diagnostics.error("And at me.");
    }
    await assert.rejects(notifications.notifyModel("And me."), {
      code: "authority_denied",
      message: "user:store can notify nobody any more: what was granted to it has ended.",
    });
    assert.equal(
      JSON.stringify(installed.reports),
      before,
      "a feature that failed has said all that it will say",
    );
    assert.equal(told.last.length, raised);
  }
});

test("a feature that was taken back has dead handles; one in force has them until the Pod stops", async () => {
  const asks = descriptorOf("builtin:asks", {
    authorities: [{ authority: { kind: "secret_ref", id: "pin" }, required: true, reason: "Signs." }],
  });
  for (const fails of [false, true]) {
    let kept: Context | null = null;
    const { installed } = await installAlone(asks, async (context) => {
      kept = context;
      assert.equal(await context.handles.secret("pin")?.read(), "hunter2");
      if (fails) throw new Error("no disk");
    });
    assert.ok(kept !== null);
    const { handles }: Context = kept;
    const read = () =>
      handles
        .secret("pin")
        ?.read()
        .then(
          () => "read",
          (error: { code?: string }) => error.code,
        );
    assert.equal(await read(), fails ? "authority_denied" : "read");
    await installed.stop();
    assert.equal(await read(), fails ? "authority_denied" : "read", "its hooks may still be asked");
    installed.end();
    assert.equal(await read(), "authority_denied");
  }
});

test("A2-31: of two features with one id the first is kept, and the report of the second names both", async () => {
  let ran = 0;
  const { installed, alerts } = await install([
    moduleOf(descriptorOf("project:one")),
    moduleOf(
      descriptorOf("project:one", { display_name: "Another", version: "2.0.0" }),
      () => void (ran += 1),
    ),
  ]);
  const message =
    "Two features have the id project:one, The feature project:one 1.0.0 and Another 2.0.0: the first is kept, this one is not installed.";
  assert.deepEqual(
    installed.reports.map(({ display_name, status, diagnostics }) => [display_name, status, diagnostics]),
    [
      ["The feature project:one", "installed", []],
      ["Another", "failed", [{ severity: "error", message }]],
    ],
  );
  assert.equal(ran, 0);
  assert.deepEqual(
    alerts.last.map((alert) => alert.message),
    [`The feature is not installed. ${message}`],
  );
});

test("A2-30: two providers of one service are both left out, each naming both, and nothing of either is tried", async () => {
  let ran = 0;
  const provides = (id: string) =>
    moduleOf(descriptorOf(id, { provides_services: [service("user:notes")] }), () => void (ran += 1));
  const { installed } = await install([provides("user:a"), provides("user:b")]);
  assert.equal(ran, 0);
  for (const { status, diagnostics } of installed.reports) {
    assert.equal(status, "skipped");
    assert.match(diagnostics[0]?.message ?? "", /user:a.*user:b|user:b.*user:a/);
  }
});

test("F-04: without a required authority a feature is not tried, without an optional one it goes on, and the report names it", async () => {
  const outcomes = [];
  for (const required of [true, false]) {
    let ran = false;
    const { report } = await installAlone(
      descriptorOf("project:asks", {
        authorities: [{ authority: { kind: "state_store", name: "notes" }, required, reason: "Keeps." }],
      } satisfies Partial<FeatureDescriptor>),
      () => void (ran = true),
    );
    outcomes.push([report.status, ran, report.skipped, report.diagnostics.map(({ severity }) => severity)]);
  }
  const entry = { kind: "handle", name: "state_store (notes)", reason: "its approval does not include it." };
  assert.deepEqual(outcomes, [
    ["skipped", false, [entry], ["error"]],
    ["degraded", true, [entry], ["warning"]],
  ]);
});

test("what was decided and cannot be read is no decision", async () => {
  const { report } = await installAlone(descriptorOf("project:asks"), () => {}, {
    host: { approvalOf: async () => Promise.reject(new Error("damaged")) },
  });
  assert.deepEqual(
    [report.status, report.diagnostics],
    [
      "skipped",
      [{ severity: "error", message: "What was decided about project:asks cannot be read: damaged" }],
    ],
  );
});
