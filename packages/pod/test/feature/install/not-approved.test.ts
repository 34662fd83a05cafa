/** What nobody approved: skipped, whatever it declares, and without a say in what becomes of the others. */
import assert from "node:assert/strict";
import test from "node:test";
import { type FeatureDescriptor, serviceId, toolContribution } from "@yoi/feature";
import {
  declared,
  descriptorOf,
  install,
  type Install,
  installAlone,
  moduleOf,
  reportOf,
  requires,
  service,
  toolOf,
} from "../features.ts";

const registerAll: Install = ({ tools, services }) => {
  tools.register(toolContribution(toolOf(declared("Clash"))));
  services.provide(serviceId("project:svc"), "1.0.0", { get: async () => 1 });
};
const claims: Partial<FeatureDescriptor> = {
  tools: [declared("Clash")],
  provides_services: [service("project:svc")],
  state: { domain: "d", version: 1 },
};
const claiming = (id: string, fields: Partial<FeatureDescriptor> = {}) => ({
  ...moduleOf(descriptorOf(id, { ...claims, ...fields }), registerAll),
  state: { restore: () => {}, snapshot: () => 1 },
});
const only = (approved: string) => ({
  approvalOf: async (feature: string) => (feature === approved ? { granted: [] } : null),
});

test("A2-47, F-03: the tools, services and states of what nobody approved are still there for what is approved", async () => {
  const modules = [
    claiming("project:unapproved"),
    claiming("user:approved", { requires_services: [requires("project:other", false)] }),
  ];
  const { installed, hooks } = await install(modules, { host: only("user:approved") });
  const [unapproved, approved] = installed.reports;
  assert.deepEqual(
    [unapproved?.status, unapproved?.tools, unapproved?.skipped],
    ["skipped", [], []],
    JSON.stringify(unapproved),
  );
  assert.match(
    unapproved?.diagnostics[0]?.message ?? "",
    /^Nobody has approved project:unapproved as it is now/,
  );
  assert.deepEqual(
    [approved?.status, approved?.tools, approved?.provides_services],
    ["degraded", ["Clash"], [{ id: "project:svc", version: "1.0.0" }]],
  );
  assert.deepEqual(installed.states.snapshot().states, { d: { version: 1, value: 1 } });
  hooks.close();
  // The control: when both are approved, each thing has one owner at most.
  const both = await install(modules);
  assert.deepEqual(
    both.installed.reports.map(({ status, tools }) => [status, tools]),
    [
      ["installed", ["Clash"]],
      ["failed", []],
    ],
  );
});

test("A2-31: of two features with one id the one that is approved is installed, also when it comes second", async () => {
  const approved = moduleOf(descriptorOf("user:same"));
  const { digest } = (await installAlone(approved.descriptor, () => {})).report;
  const twin = moduleOf(descriptorOf("user:same", { tools: [declared("Other")] }));
  const { installed } = await install([twin, approved], {
    host: { approvalOf: async (_, asked) => (asked === digest ? { granted: [] } : null) },
  });
  assert.deepEqual(
    installed.reports.map(({ status }) => status),
    ["skipped", "installed"],
  );
});

test("A2-47, F-03: what nobody approved provides nothing, and what requires it is told that nobody does", async () => {
  const consumer = descriptorOf("user:consumer", { requires_services: [requires("project:svc")] });
  const { installed } = await install([claiming("project:unapproved"), moduleOf(consumer)], {
    host: only("user:consumer"),
  });
  const { status, skipped } = reportOf(installed.reports, "user:consumer");
  assert.equal(status, "skipped");
  assert.deepEqual(
    skipped.map(({ reason }) => reason),
    ["user:consumer requires the service project:svc: no feature that can be installed provides it."],
  );
});
