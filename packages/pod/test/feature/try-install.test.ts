/** A dry run of an installation: the reports that a Pod would have, with nothing started, told or left in force. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import type { FeatureInstallContext } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import { tryFeatures } from "../../src/feature/try-install.ts";
import { approving, declared, descriptorOf, install, moduleOf, toolOf } from "./features.ts";

test("A2-52, F-12: the reports are those of a real installation, in the order of the modules", async () => {
  const machine = memoryHost({ seed: 1 });
  const look = declared("Look");
  const modules = () => [
    moduleOf(descriptorOf("builtin:clash", { tools: [look] }), ({ tools }) =>
      tools.register({ name: "Look", create: () => toolOf(look) }),
    ),
    moduleOf(descriptorOf("builtin:broken"), () => {
      throw new Error("It broke.");
    }),
    moduleOf(descriptorOf("builtin:good")),
  ];
  const existingTools = [toolOf(look)];
  const reports = await tryFeatures({ ...machine, modules: modules(), existingTools, host: approving });
  assert.deepEqual(
    reports.map(({ feature, status }) => [feature, status]),
    [
      ["builtin:clash", "failed"],
      ["builtin:broken", "failed"],
      ["builtin:good", "installed"],
    ],
  );
  const real = await install(modules(), { existingTools });
  assert.deepEqual(reports, real.installed.reports);
});

test("no background task runs, nobody is told anything, and what was handed out is dead afterwards", async () => {
  const machine = memoryHost({ seed: 1 });
  let ran = false;
  let kept: FeatureInstallContext | undefined;
  const descriptor = descriptorOf("builtin:kept", {
    authorities: [
      { authority: { kind: "model_notification" }, required: true, reason: "For a test." },
      { authority: { kind: "secret_ref", id: "pin" }, required: true, reason: "For a test." },
    ],
    background_tasks: [{ name: "wait", description: "For a test." }],
  });
  const module = moduleOf(descriptor, (context) => {
    kept = context;
    context.backgroundTasks.register("wait", async () => {
      ran = true;
    });
  });
  const [report] = await tryFeatures({ ...machine, modules: [module], existingTools: [], host: approving });
  assert.deepEqual(
    [report?.status, report?.background_tasks],
    ["installed", [{ name: "wait", state: "waiting" }]],
  );
  assert.equal(ran, false);
  assert.ok(kept !== undefined);
  const { handles, notifications } = kept;
  await assert.rejects(async () => handles.secret("pin")?.read(), YoiError);
  await assert.rejects(notifications.notifyModel("hello"), YoiError);
});

test("what is tried for a Pod that could have children gets pod_management, and there is nobody behind it", async () => {
  const machine = memoryHost({ seed: 1 });
  const outcomes: unknown[] = [];
  for (const managesPods of [true, false]) {
    let asked: Promise<unknown> = Promise.resolve("not installed");
    const descriptor = descriptorOf("builtin:leads", {
      authorities: [{ authority: { kind: "pod_management" }, required: true, reason: "For a test." }],
    });
    const module = moduleOf(descriptor, ({ handles }) => {
      const call = { call: "1.0", signal: new AbortController().signal };
      asked = handles.pods?.list(call).catch((error: unknown) => error) ?? asked;
    });
    const tried = { ...machine, modules: [module], existingTools: [], host: approving, managesPods };
    const [report] = await tryFeatures(tried);
    const answer = await asked;
    outcomes.push([report?.status, answer instanceof YoiError ? answer.code : answer]);
  }
  assert.deepEqual(outcomes, [
    ["installed", "authority_denied"],
    ["skipped", "not installed"],
  ]);
});
