/** The surface of the contract: every type that it promises is there, and nothing at run time that is not listed here. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Tool } from "@yoi/base";
import type {
  AlertSink,
  AuthorityGrants,
  AuthorityRequest,
  BackgroundTaskDeclaration,
  BackgroundTaskRegistrar,
  DiagnosticSink,
  FeatureDescriptor,
  FeatureDiagnostic,
  FeatureHandles,
  FeatureId,
  FeatureInstallContext,
  FeatureInstallReport,
  FeatureModule,
  FeatureRuntimeKind,
  FeatureState,
  HookDeclaration,
  HookRegistrar,
  HostAuthority,
  NotificationSink,
  ServiceClient,
  ServiceDeclaration,
  ServiceId,
  ServiceImplementation,
  ServiceRegistrar,
  ServiceRequirement,
  SkippedContribution,
  StateDeclaration,
  ToolContribution,
  ToolDeclaration,
  ToolRegistrar,
} from "../src/index.ts";
import * as feature from "../src/index.ts";

/** A line for each type: the file does not compile without one of them, or when the shape of the outer ones is another. */
interface Snapshot {
  readonly featureId: FeatureId;
  readonly runtimeKind: FeatureRuntimeKind;
  readonly descriptor: FeatureDescriptor;
  readonly module: FeatureModule;
  readonly context: FeatureInstallContext;
  readonly report: FeatureInstallReport;
  readonly diagnostic: FeatureDiagnostic;
  readonly skipped: SkippedContribution;
  readonly authority: HostAuthority;
  readonly authorityRequest: AuthorityRequest;
  readonly grants: AuthorityGrants;
  readonly handles: FeatureHandles;
  readonly tool: ToolDeclaration;
  readonly contribution: ToolContribution;
  readonly tools: ToolRegistrar;
  readonly hook: HookDeclaration;
  readonly hooks: HookRegistrar;
  readonly backgroundTask: BackgroundTaskDeclaration;
  readonly backgroundTasks: BackgroundTaskRegistrar;
  readonly serviceId: ServiceId;
  readonly service: ServiceDeclaration;
  readonly requirement: ServiceRequirement;
  readonly implementation: ServiceImplementation;
  readonly client: ServiceClient;
  readonly services: ServiceRegistrar;
  readonly state: StateDeclaration;
  readonly featureState: FeatureState;
  readonly notifications: NotificationSink;
  readonly alerts: AlertSink;
  readonly diagnostics: DiagnosticSink;
}
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const shapes: readonly true[] = [
  true satisfies Same<
    keyof FeatureInstallContext,
    | "featureId"
    | "grants"
    | "handles"
    | "tools"
    | "hooks"
    | "backgroundTasks"
    | "services"
    | "notifications"
    | "alerts"
    | "diagnostics"
  >,
  true satisfies Same<keyof FeatureModule, "descriptor" | "state" | "install">,
  true satisfies Same<keyof ToolRegistrar, "register">,
  true satisfies Same<keyof NotificationSink, "notifyModel" | "position" | "keepPosition">,
  true satisfies Same<keyof AlertSink, "alert">,
  true satisfies Same<keyof ServiceRegistrar, "provide" | "require">,
  true satisfies Same<keyof Snapshot extends never ? false : true, true>,
];

test("A2-08: the types of the contract exist, and at run time it is these names and no others", () => {
  assert.equal(shapes.length, 7);
  assert.deepEqual(
    Object.entries(feature)
      .map(([name, value]) => `${name}: ${typeof value}`)
      .sort(),
    [
      "authorityKinds: object",
      "childInstructionBytesMax: number",
      "childMessageBytesMax: number",
      "describedBytesMax: number",
      "featureId: function",
      "featureRuntimeKinds: object",
      "featureSources: object",
      "hookPoints: object",
      "lentRulesMax: number",
      "peerMessageBytesMax: number",
      "podOutputBytesMax: number",
      "podsListedMax: number",
      "serviceId: function",
      "sourceOf: function",
      "sourceQualifiedCharsMax: number",
      "toolContribution: function",
    ],
  );
});

test("A2-40: an authority is a dangerous handle of the host, and there are these seven", () => {
  assert.deepEqual(feature.authorityKinds, [
    "filesystem",
    "network",
    "secret_ref",
    "model_notification",
    "pod_management",
    "state_store",
    "service_access",
  ]);
  true satisfies Same<HostAuthority["kind"], (typeof feature.authorityKinds)[number]>;
});

test("A2-41: no authority stands for a contribution", () => {
  const contributions = /tool|hook|task|provide|require|alert|diagnostic|contribut/;
  assert.deepEqual(
    feature.authorityKinds.filter((kind) => contributions.test(kind)),
    [],
  );
  // @ts-expect-error: there is no authority to contribute a tool.
  const none: HostAuthority = { kind: "contribute_tool" };
  assert.equal(
    feature.authorityKinds.some((kind) => kind === none.kind),
    false,
  );
});

test("A2-56, F-16: the helper makes a contribution of one tool, and nobody calls a factory for its name", () => {
  let reads = 0;
  const tool: Tool = {
    get definition() {
      reads += 1;
      return { name: "Notes", description: "Keeps notes.", input_schema: { type: "object" } };
    },
    readOnly: true,
    execute: async () => ({ summary: "" }),
  };
  const contribution = feature.toolContribution(tool);
  assert.equal(reads, 1);
  assert.deepEqual(
    [contribution.name, contribution.create() === tool, contribution.create() === tool],
    ["Notes", true, true],
  );
  assert.ok(Object.isFrozen(contribution));
});
