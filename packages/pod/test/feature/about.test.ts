/** What the host says about a feature in force: in its report, and to people as much as they can read, never with a secret or a control character. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type FeatureInstallContext, type FeatureModule, type HostAuthority, serviceId } from "@yoi/feature";
import { type MemoryHost, memoryHost } from "@yoi/host";
import { openSimulated } from "../../../../test/support/simulated-pod.ts";
import { diagnosticsMax } from "../../src/feature/sinks/feature-diagnostics.ts";
import {
  approving,
  declared,
  descriptorOf,
  install,
  moduleOf,
  requires,
  service,
  toolOf,
} from "./features.ts";

const say = [{ type: "text", text: "go" }] as const;
const done = "steps: [{ text: done }]";

function open(
  features: readonly FeatureModule[],
  scenario: string,
  host: MemoryHost = memoryHost({ seed: 1 }),
) {
  const granted: HostAuthority[] = [{ kind: "secret_ref", id: "pin" }, { kind: "model_notification" }];
  const featureHost = { ...approving, approvalOf: async () => ({ granted }) };
  const tools = [toolOf(declared("Own"), { execute: async () => ({ summary: "ran", alerts: [odd] }) })];
  return openSimulated({ host, leases: new Map(), scenario, tools, features, featureHost });
}
const odd = "\u001b[2Jthe pin is hunter2\nyoi: all is well";
const shown = "\\u001b[2Jthe pin is [redacted: pin]\\u000ayoi: all is well";

test("an observer that fails is skipped with a diagnostic, in its feature's report and as an alert", async () => {
  const failing = () => {
    throw new Error("no hunter2");
  };
  const pod = await open(
    [
      moduleOf(descriptorOf("user:watch", { hooks: [{ name: "end", point: "on_turn_end" }] }), ({ hooks }) =>
        hooks.onTurnEnd("end", failing),
      ),
    ],
    done,
  );
  assert.deepEqual((await pod.submit(say)).outcome, { kind: "finished", text: "done" });
  const message = "The hook end (on_turn_end) of user:watch failed: no [redacted: pin].";
  assert.deepEqual(pod.features[0]?.diagnostics, [{ severity: "warning", message }]);
  assert.deepEqual(
    pod.alerts.map(({ level, source, message: text }) => ({ level, source, message: text })),
    [{ level: "warn", source: "user:watch", message }],
  );
  await pod.close();
});

test("16 alerts about a feature in a minute, one that says so, and the report has the others; of the host there is no limit", async () => {
  const { installed, alerts, machine } = await install([
    moduleOf(descriptorOf("user:a")),
    moduleOf(descriptorOf("user:b")),
  ]);
  const of = (source: string) =>
    alerts.last.filter((alert) => alert.source === source).map(({ message }) => message);
  const more = "There is more about this feature than 16 alerts in a minute: see its report.";
  for (let n = 1; n <= 16; n += 1) installed.about("user:a", "warn", `${n}`);
  assert.deepEqual(
    of("user:a"),
    Array.from({ length: 16 }, (_, n) => `${n + 1}`),
  );
  installed.about("user:a", "error", "17");
  installed.about("user:a", "warn", "18");
  assert.deepEqual(of("user:a").slice(16), [more]);
  installed.about("user:b", "error", "of b");
  for (let n = 0; n < 20; n += 1) installed.about("host", "warn", "of the host");
  assert.deepEqual([of("user:b").length, of("host").length], [1, 20]);
  await machine.advance(60_000);
  installed.about("user:a", "warn", "19");
  assert.deepEqual(of("user:a").slice(16), [more, "19"]);
  const [a, b] = installed.reports;
  assert.deepEqual(
    a?.diagnostics.map(({ severity, message }) => `${severity}: ${message}`),
    Array.from({ length: 19 }, (_, n) => `${n === 16 ? "error" : "warning"}: ${n + 1}`),
  );
  assert.deepEqual(b?.diagnostics, [{ severity: "error", message: "of b" }]);
  for (let n = 0; n < 200; n += 1) installed.about("user:a", "warn", "again");
  assert.equal(installed.reports[0]?.diagnostics.length, diagnosticsMax + 1);
});

test("what a tool says for people is bounded, on one line and without secrets, and names the feature, or the tool that none brought", async () => {
  const said = declared("Said");
  const tool = toolOf(said, {
    execute: async () => ({ summary: "ran", alerts: [odd, ...Array<string>(40).fill("x".repeat(600))] }),
  });
  const pod = await open(
    [
      moduleOf(descriptorOf("user:said", { tools: [said] }), ({ tools }) =>
        tools.register({ name: "Said", create: () => tool }),
      ),
    ],
    "steps:\n  - tool_calls: [{ name: Said, arguments: {} }, { name: Own, arguments: {} }]\n  - text: done\n",
  );
  await pod.submit(say);
  const [first, ...others] = pod.alerts.filter(({ source }) => source === "user:said");
  assert.equal(first?.message, shown);
  assert.deepEqual(
    [others.length, new Set(others.map(({ message }) => message.length))],
    [31, new Set([512])],
  );
  assert.deepEqual(
    pod.alerts.filter(({ source }) => source !== "user:said").map(({ source, message }) => [source, message]),
    [["Own", shown]],
  );
  await pod.close();
});

/** Uses all that it was handed a while after its run has ended. */
function farewell(host: MemoryHost, trace: string[]) {
  const use = async ({ handles, notifications }: FeatureInstallContext, ask: () => Promise<unknown>) => {
    const uses = [
      ["secret", () => handles.secret("pin")?.read()],
      ["service", ask],
      ["notification", () => notifications.notifyModel("It was ended.")],
    ] as const;
    for (const [what, run] of uses) {
      try {
        await run();
        trace.push(`${what} used`);
      } catch (error) {
        trace.push(`${what}: ${String(Object(error)["code"])}`);
      }
    }
  };
  const provider = moduleOf(
    descriptorOf("user:store", { provides_services: [service("user:notes")] }),
    ({ services }) => services.provide(serviceId("user:notes"), "1.0.0", { get: async () => 1 }),
  );
  const descriptor = descriptorOf("user:farewell", {
    hooks: [{ name: "end", point: "on_abort" }],
    background_tasks: [{ name: "wait", description: "For a test." }],
    requires_services: [requires("user:notes")],
    authorities: [
      { authority: { kind: "secret_ref", id: "pin" }, required: true, reason: "For a test." },
      { authority: { kind: "model_notification" }, required: true, reason: "For a test." },
    ],
  });
  const consumer = moduleOf(descriptor, (context) => {
    const client = context.services.require(serviceId("user:notes"));
    const all = () => use(context, async () => client?.call("get", {}));
    context.hooks.onAbort("end", async ({ reason }) => {
      trace.push(reason);
      later.push(all);
      await host.timers.sleep(1_000);
      await all();
      return { action: "observed" };
    });
    context.backgroundTasks.register("wait", async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      trace.push("task stopped");
    });
  });
  const later: (() => Promise<void>)[] = [];
  return { features: [provider, consumer], later };
}

test("at the close handles, services and the inbox end last: hooks that hear of the run's end can use them", async () => {
  const host = memoryHost({ seed: 1 });
  const trace: string[] = [];
  const { features, later } = farewell(host, trace);
  const pod = await open(features, 'steps: [{ delay_ms: 60000, text: "late" }]', host);
  const running = pod.submit(say);
  await host.advance(100);
  const closing = pod.close();
  await host.advance(10_000);
  await closing;
  assert.equal((await running).outcome.kind, "paused");
  assert.deepEqual(trace.splice(0), [
    "cancelled",
    "task stopped",
    "secret used",
    "service used",
    "notification used",
  ]);
  await later[0]?.();
  assert.deepEqual(trace, [
    "secret: authority_denied",
    "service: service_failed",
    "notification: authority_denied",
  ]);
});
