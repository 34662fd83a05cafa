/** The digest of a descriptor: what it covers, and what it leaves out. */
import assert from "node:assert/strict";
import test from "node:test";
import { canonicalJson } from "@yoi/base";
import type { FeatureDescriptor } from "@yoi/feature";
import { checkDescriptor, copyOfDescriptor } from "../../src/feature/check-descriptor.ts";
import { descriptorDigest } from "../../src/feature/digest.ts";
import { declared, descriptorOf, installAlone, requires, service } from "./features.ts";

const descriptor = descriptorOf("project:locked", {
  authorities: [{ authority: { kind: "secret_ref", id: "pin" }, required: false, reason: "Signs." }],
  tools: [declared("Note")],
  hooks: [{ name: "count", point: "pre_llm_request" }],
  background_tasks: [{ name: "sweep", description: "Sweeps." }],
  provides_services: [service("project:notes")],
  requires_services: [requires("user:x", false)],
  state: { domain: "notes", version: 1 },
});
const digest = (value: FeatureDescriptor) => descriptorDigest(checkDescriptor(copyOfDescriptor(value)));
const locked = "8ade0c793e6cd39be2a749c8bf664e5d2788939a111e16cd6b006901df846f8f";

test("A2-42, A2-55, F-05, F-06: the digest covers every contribution and authority, tool schema and description included", () => {
  assert.equal(digest(descriptor), locked);
  const [tool] = descriptor.tools;
  const [provided] = descriptor.provides_services;
  const [required] = descriptor.requires_services;
  const [asked] = descriptor.authorities;
  const changes: readonly [string, Partial<FeatureDescriptor> | object][] = [
    ["id", { id: "project:other" }],
    ["runtime", { runtime: "profile" }],
    ["no tool", { tools: [] }],
    ["tool name", { tools: [{ ...tool, name: "Notes" }] }],
    ["tool description", { tools: [{ ...tool, description: "What Note does" }] }],
    ["tool schema", { tools: [{ ...tool, input_schema: { type: "object" } }] }],
    ["tool read_only", { tools: [{ ...tool, read_only: true }] }],
    ["tool required", { tools: [{ ...tool, required: true }] }],
    ["hook name", { hooks: [{ name: "counts", point: "pre_llm_request" }] }],
    ["hook point", { hooks: [{ name: "count", point: "pre_tool_call" }] }],
    ["background task", { background_tasks: [{ name: "sweeps", description: "Sweeps." }] }],
    ["service version", { provides_services: [{ ...provided, version: "1.0.1" }] }],
    ["service methods", { provides_services: [{ ...provided, methods: ["get", "put"] }] }],
    ["service authority", { provides_services: [{ ...provided, carries_authority: true }] }],
    ["requirement", { requires_services: [{ ...required, version: "^1.0.0" }] }],
    ["requirement required", { requires_services: [{ ...required, required: true }] }],
    ["state domain", { state: { domain: "note", version: 1 } }],
    ["state version", { state: { domain: "notes", version: 2 } }],
    ["no state", { state: null }],
    ["authority", { authorities: [{ ...asked, authority: { kind: "secret_ref", id: "key" } }] }],
    ["authority required", { authorities: [{ ...asked, required: true }] }],
    ["authority reason", { authorities: [{ ...asked, reason: "Signs it." }] }],
  ];
  const digests = changes.map(([what, fields]) => [
    what,
    digest({ ...descriptor, ...fields } as FeatureDescriptor),
  ]);
  assert.deepEqual(
    digests.filter(([, each]) => each === locked),
    [],
  );
  assert.equal(new Set(digests.map(([, each]) => each)).size, changes.length);
});

test("names and texts of a release, the order of fields, and a flag that is written out change no digest", () => {
  const same: readonly Partial<FeatureDescriptor>[] = [
    { display_name: "Another name" },
    { version: "2.0.0" },
    { description: "Another text." },
    { tools: [{ ...declared("Note"), required: false }] },
  ];
  assert.deepEqual(
    same.map((fields) => digest({ ...descriptor, ...fields })),
    same.map(() => locked),
  );
  const turned = Object.fromEntries(Object.entries(descriptor).toReversed()) as unknown as FeatureDescriptor;
  assert.equal(canonicalJson(turned), canonicalJson(descriptor));
  assert.equal(digest(turned), locked);
});

test("A2-42, F-05: an approval is for one digest: with another, the feature is not installed, also where it asks for nothing", async () => {
  const plain = descriptorOf("project:plain", { tools: [declared("Note")] });
  const asked: (readonly [string, string])[] = [];
  const approvalOf = async (feature: string, each: string) => {
    asked.push([feature, each]);
    return each === digest(plain) ? { granted: [] } : null;
  };
  const changed = { ...plain, tools: [declared("Note", { description: "Another." })] };
  const outcomes = [];
  for (const each of [plain, changed]) {
    const { report } = await installAlone(
      each,
      (context) => {
        const [tool] = each.tools;
        if (tool === undefined) return;
        const { name, description, input_schema } = tool;
        const made = {
          definition: { name, description, input_schema },
          readOnly: false,
          execute: async () => ({ summary: "" }),
        };
        context.tools.register({ name, create: () => made });
      },
      { host: { approvalOf } },
    );
    outcomes.push([report.status, report.tools, report.diagnostics]);
  }
  assert.deepEqual(outcomes, [
    ["installed", ["Note"], []],
    [
      "skipped",
      [],
      [
        {
          severity: "error",
          message:
            "Nobody has approved project:plain as it is now: `yoi feature show project:plain` shows it, and `yoi feature approve project:plain` approves it.",
        },
      ],
    ],
  ]);
  assert.deepEqual(asked, [
    ["project:plain", digest(plain)],
    ["project:plain", digest(changed)],
  ]);
});
