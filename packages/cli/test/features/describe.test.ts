/** Features in full, as text: every part of a descriptor and a report is there, and nothing in it disturbs a terminal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type FeatureDescriptor, featureId, type FeatureInstallReport, serviceId } from "@yoi/feature";
import { describeBuiltIn, describeThirdParty, filesShownMax } from "../../src/features/describe.ts";
import type { Standing } from "../../src/features/standing.ts";

const id = featureId("builtin:all");
const service = serviceId("builtin:all");
const descriptor: FeatureDescriptor = {
  id,
  runtime: "builtin",
  display_name: "All",
  version: "1.2.3",
  description: "Has all.",
  authorities: [
    { authority: { kind: "network", hosts: ["a.test", "b.test"] }, required: true, reason: "To ask." },
    { authority: { kind: "model_notification" }, required: false, reason: "To tell." },
  ],
  tools: [{ name: "Look", description: "Looks.\nAnd more.", input_schema: {}, read_only: true }],
  hooks: [{ name: "h", point: "on_abort" }],
  background_tasks: [{ name: "b", description: "Waits." }],
  provides_services: [
    { id: service, version: "1.0.0", description: "Serves.", methods: ["m"], carries_authority: false },
  ],
  requires_services: [{ id: service, version: "^1.0.0", required: false, reason: "To use." }],
  state: { domain: "d", version: 7 },
};
const report: FeatureInstallReport = {
  feature: id,
  runtime: "builtin",
  display_name: "All\u001b[2J",
  version: "1.2.3",
  digest: "0".repeat(64),
  status: "degraded",
  granted: [],
  denied: [
    { authority: { kind: "model_notification" }, required: false, reason: "To tell.", denial: "Not now." },
  ],
  tools: ["Look"],
  hooks: [],
  background_tasks: [],
  provides_services: [],
  uses_services: [],
  skipped: [{ kind: "tool", name: "Other", reason: "It clashes." }],
  diagnostics: [{ severity: "error", message: "one\ntwo" }],
};

test("A2-52: a built-in, with everything that became of it", () => {
  assert.equal(
    describeBuiltIn(descriptor, report).join("\n"),
    `builtin:all  All\\u001b[2J 1.2.3
  Has all.
  runtime  builtin
  digest   ${"0".repeat(64)}
  status   degraded

Tools
  Look (no effect outside): Looks.

Hooks
  on_abort: h

Background tasks
  b: Waits.

Authorities
  network a.test b.test (required): To ask.
  model_notification (optional): To tell.

Services it provides
  builtin:all 1.0.0: Serves.

Services it uses
  builtin:all ^1.0.0 (optional): To use.

State
  d, version 7

Denied
  model_notification: Not now.

Not in force
  tool Other: It clashes.

Diagnostics
  error: one\\u000atwo`,
  );
});

test("a third party's: as many files as the limit, and one more", () => {
  const standing = (count: number): Standing => ({
    found: {
      id: featureId("package:p"),
      name: "p",
      source: "package",
      path: "/w/\u001b",
      version: "1.0.0\u0007",
      problem: null,
      read: () => Promise.reject(new Error("it is not read again")),
    },
    status: "not_approved",
    problem: null,
    approval: null,
    warning: null,
    content: {
      files: Array.from({ length: count }, (_, n) => ({
        path: `${n}`,
        sha256: "s",
        content: Buffer.from("x"),
      })),
      bytes: count,
      digest: "d",
    },
  });
  const all = describeThirdParty(standing(filesShownMax), null);
  assert.deepEqual(all.slice(0, 8), [
    "package:p  1.0.0\\u0007",
    "  runtime  external_plugin",
    "  source   /w/\\u001b",
    "  digest   d",
    "  status   not approved",
    "",
    `Files (${filesShownMax}, ${filesShownMax} bytes)`,
    "  s  1 bytes  0",
  ]);
  assert.equal(all.at(-1), `  s  1 bytes  ${filesShownMax - 1}`);
  assert.equal(describeThirdParty(standing(filesShownMax + 1), null).at(-1), "  and 1 more: --json has all");
});
