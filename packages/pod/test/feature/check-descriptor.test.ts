/** Descriptors: what is valid, what is not and what is said of it, and every limit. */
import assert from "node:assert/strict";
import test from "node:test";
import { canonicalJson, type JsonValue } from "@yoi/base";
import { type FeatureDescriptor, sourceQualifiedCharsMax } from "@yoi/feature";
import { checkDescriptor, copyOfDescriptor } from "../../src/feature/check-descriptor.ts";
import * as limits from "../../src/feature/descriptor-limits.ts";
import { declared, descriptorOf, requires, service, thrownBy } from "./features.ts";

const read = (value: unknown): FeatureDescriptor => checkDescriptor(copyOfDescriptor(value));

/** Why it is refused; "valid" when it is not. */
function refusal(value: unknown): unknown {
  const thrown = thrownBy(() => read(value));
  if (thrown === "nothing") return "valid";
  return Array.isArray(thrown) && thrown[0] === "feature_invalid" ? thrown[1] : thrown;
}

const request = (authority: unknown) => ({ authority, required: true, reason: "For a test." });
const task = (name: string) => ({ name, description: "Runs." });
const full = descriptorOf("project:full", {
  authorities: [
    { authority: { kind: "filesystem", access: "write", path: "notes" }, required: true, reason: "Keeps." },
    {
      authority: { kind: "network", hosts: ["*.example.org", "localhost"] },
      required: false,
      reason: "Asks.",
    },
    { authority: { kind: "secret_ref", id: "providers/x" }, required: false, reason: "Signs." },
    { authority: { kind: "state_store", name: "notes" }, required: false, reason: "Keeps." },
    {
      authority: { kind: "service_access", service: service("user:x").id },
      required: false,
      reason: "Uses.",
    },
    { authority: { kind: "model_notification" }, required: false, reason: "Tells." },
    { authority: { kind: "pod_management" }, required: false, reason: "Leads." },
  ],
  tools: [declared("Note", { required: true })],
  hooks: [{ name: "count", point: "pre_llm_request", required: true }],
  background_tasks: [{ name: "sweep", description: "Sweeps." }],
  provides_services: [service("project:notes")],
  requires_services: [{ ...requires("user:x"), methods: ["get"] }],
  state: { domain: "notes", version: 1 },
});

test("A2-03: a descriptor is data: through JSON and back it is the same, and it can be shown as it is", () => {
  const checked = read(full);
  assert.deepEqual(checked, full);
  assert.deepEqual(read(JSON.parse(JSON.stringify(checked))), checked);
  assert.equal(canonicalJson(JSON.parse(JSON.stringify(checked))), canonicalJson(full));
});

test("F-28: the descriptor is a copy, frozen all the way down; what the module does with its own changes nothing", () => {
  const own = structuredClone(full);
  const checked = read(own);
  Object.assign(own.tools[0] ?? {}, { name: "Other" });
  Object.assign(own, { id: "builtin:task" });
  assert.deepEqual(checked, full);
  const seen: unknown[] = [checked];
  for (const each of seen) {
    if (typeof each !== "object" || each === null) continue;
    assert.ok(Object.isFrozen(each), JSON.stringify(each));
    seen.push(...Object.values(each));
  }
  assert.ok(seen.length > 50);
});

test("absent and false are the same promise", () => {
  const { tools, ...rest } = full;
  const written = { ...rest, tools: tools.map((tool) => ({ ...tool, required: false })) };
  assert.deepEqual(read(written).tools, [declared("Note")]);
});

test("what is not valid is refused in one sentence that says where", () => {
  const with_ = (fields: object) => ({ ...full, ...fields });
  const tool = (fields: object) => with_({ tools: [{ ...declared("Note"), ...fields }] });
  const asks = (authority: unknown) => with_({ authorities: [request(authority)] });
  const table: readonly [unknown, string][] = [
    [null, "descriptor is to be an object."],
    [[], "descriptor is to be an object."],
    [with_({ extra: 1 }), "descriptor.extra is not a field that is known here."],
    [with_({ version: undefined }), "descriptor.version is missing."],
    [with_({ version: "1.0" }), 'descriptor.version is "1.0": it is to be three numbers, as in 1.0.0.'],
    [with_({ version: "01.0.0" }), 'descriptor.version is "01.0.0": it is to be three numbers, as in 1.0.0.'],
    [
      with_({ runtime: "wasm" }),
      "descriptor.runtime is to be one of builtin, profile, external_plugin, protocol_provider.",
    ],
    [with_({ display_name: " " }), "descriptor.display_name is blank."],
    [with_({ display_name: "a\u001b[2J" }), "descriptor.display_name holds control characters."],
    [with_({ display_name: "a\u202eb" }), "descriptor.display_name holds control characters."],
    [with_({ description: 7 }), "descriptor.description is to be a text."],
    [with_({ tools: {} }), "descriptor.tools is to be a list."],
    [with_({ tools: [declared("Note"), declared("NOTE")] }), "descriptor.tools names note twice."],
    [
      with_({ hooks: [full.hooks[0], full.hooks[0]] }),
      "descriptor.hooks names count at pre_llm_request twice.",
    ],
    [with_({ background_tasks: [task("a"), task("a")] }), "descriptor.background_tasks names a twice."],
    [
      with_({ requires_services: [requires("user:x"), requires("user:x")] }),
      "descriptor.requires_services names user:x twice.",
    ],
    [
      with_({ provides_services: [service("user:x"), service("user:x", { version: "2.0.0" })] }),
      "descriptor.provides_services names user:x twice.",
    ],
    [
      with_({ provides_services: [service("user:x", { methods: ["a", "a"] })] }),
      "descriptor.provides_services[0].methods names a twice.",
    ],
    [
      with_({ provides_services: [service("builtin:x")] }),
      "descriptor.provides_services names builtin:x: builtin is for what ships with yoi.",
    ],
    [
      with_({ hooks: [{ name: "a b", point: "on_abort" }] }),
      'descriptor.hooks[0].name is "a b": it is to be letters, digits, "-", "_" or ".", and begin with a letter or digit.',
    ],
    [
      with_({ hooks: [{ name: "a", point: "on_start" }] }),
      "descriptor.hooks[0].point is to be one of on_prompt_submit, pre_llm_request, pre_tool_call, post_tool_call, on_turn_end, on_abort.",
    ],
    [
      with_({ state: { domain: "a/b", version: 1 } }),
      'descriptor.state.domain is "a/b": it is to be letters, digits, "-", "_" or ".", and begin with a letter or digit.',
    ],
    [
      with_({ state: { domain: "a", version: 0 } }),
      "descriptor.state.version is to be a whole number from 1.",
    ],
    [
      with_({ state: { domain: "a", version: 1, x: 1 } }),
      "descriptor.state.x is not a field that is known here.",
    ],
    [
      tool({ name: "no space" }),
      'descriptor.tools[0].name is "no space": it is to be ASCII letters, digits, "_" or "-".',
    ],
    [tool({ input_schema: [] }), "descriptor.tools[0].input_schema is to be an object."],
    [tool({ input_schema: { type: "array" } }), 'descriptor.tools[0].input_schema.type is to be "object".'],
    [tool({ input_schema: {} }), 'descriptor.tools[0].input_schema.type is to be "object".'],
    [tool({ read_only: 1 }), "descriptor.tools[0].read_only is to be true or false."],
    [tool({ required: "yes" }), "descriptor.tools[0].required is to be true or false."],
    [tool({ execute: "x" }), "descriptor.tools[0].execute is not a field that is known here."],
    [
      asks({ kind: "filesystem", access: "all", path: "/" }),
      "descriptor.authorities[0].authority.access is to be one of read, write.",
    ],
    [
      asks({ kind: "filesystem", access: "read", path: "a/../b" }),
      'descriptor.authorities[0].authority.path is "a/../b": it is to be a path without ".." and "~".',
    ],
    [
      asks({ kind: "filesystem", access: "read", path: "~/x" }),
      'descriptor.authorities[0].authority.path is "~/x": it is to be a path without ".." and "~".',
    ],
    [asks({ kind: "network", hosts: [] }), "descriptor.authorities[0].authority.hosts names no host."],
    [
      asks({ kind: "network", hosts: ["a*.org"] }),
      'descriptor.authorities[0].authority.hosts[0].host is "a*.org": it is to be a host name in lower case, or *. before one.',
    ],
    [
      asks({ kind: "network", hosts: ["*"] }),
      'descriptor.authorities[0].authority.hosts[0].host is "*": it is to be a host name in lower case, or *. before one.',
    ],
    [
      asks({ kind: "model_notification", all: true }),
      "descriptor.authorities[0].authority.all is not a field that is known here.",
    ],
    [
      with_({ authorities: [request({ kind: "pod_management" }), request({ kind: "pod_management" })] }),
      'descriptor.authorities names {"kind":"pod_management"} twice.',
    ],
    [
      asks({ kind: "service_access", service: "x" }),
      'The service id "x" is not valid: it is a source (builtin, project, user, package, plugin), a colon, and a name in lower-case letters, digits, "-", "_" or ".", at most 128 characters in all.',
    ],
  ];
  assert.deepEqual(
    table.map(([value]) => refusal(value)),
    table.map(([, message]) => message),
  );
});

test("A2-41: an authority to contribute something is none", () => {
  const kinds = [
    "contribute_tool",
    "contribute_hook",
    "run_background_task",
    "provide_service",
    "require_service",
    "emit_alert",
    "emit_diagnostic",
  ];
  assert.deepEqual(
    kinds.map((kind) => refusal({ ...full, authorities: [request({ kind })] })),
    kinds.map(
      () =>
        "descriptor.authorities[0].authority.kind is to be one of filesystem, network, secret_ref, model_notification, pod_management, state_store, service_access.",
    ),
  );
});

test("F-26: builtin as a source and builtin as a runtime belong together", () => {
  const table = [
    ["builtin:task", "builtin", "valid"],
    ["project:task", "external_plugin", "valid"],
    ["user:task", "profile", "valid"],
    ["builtin:task", "external_plugin", "refused"],
    ["builtin:task", "protocol_provider", "refused"],
    ["project:task", "builtin", "refused"],
  ] as const;
  assert.deepEqual(
    table.map(([id, runtime]) => (refusal(descriptorOf(id, { runtime })) === "valid" ? "valid" : "refused")),
    table.map(([, , outcome]) => outcome),
  );
  assert.equal(
    refusal(descriptorOf("builtin:task", { runtime: "profile" })),
    "descriptor.id is builtin:task with the runtime profile: the source builtin and the runtime builtin belong together.",
  );
});

test("every limit of a descriptor, at n and n + 1", () => {
  const many = <T>(count: number, make: (index: number) => T): readonly T[] =>
    Array.from({ length: count }, (_, i) => make(i));
  const nested = (levels: number): JsonValue => (levels === 0 ? 1 : { a: nested(levels - 1) });
  const asks = (authority: unknown) => ({ authorities: [request(authority)] });
  const host = (length: number) => `${"a.".repeat((length - 1) >> 1)}${length % 2 === 0 ? "aa" : "a"}`;
  const table: readonly [string, number, (n: number) => object][] = [
    ["displayNameCharsMax", limits.displayNameCharsMax, (n) => ({ display_name: "a".repeat(n) })],
    ["descriptionCharsMax", limits.descriptionCharsMax, (n) => ({ description: "a".repeat(n) })],
    ["toolsMax", limits.toolsMax, (n) => ({ tools: many(n, (i) => declared(`T${i}`)) })],
    ["hooksMax", limits.hooksMax, (n) => ({ hooks: many(n, (i) => ({ name: `h${i}`, point: "on_abort" })) })],
    [
      "backgroundTasksMax",
      limits.backgroundTasksMax,
      (n) => ({ background_tasks: many(n, (i) => task(`t${i}`)) }),
    ],
    [
      "servicesMax, provided",
      limits.servicesMax,
      (n) => ({ provides_services: many(n, (i) => service(`user:s${i}`)) }),
    ],
    [
      "servicesMax, required",
      limits.servicesMax,
      (n) => ({ requires_services: many(n, (i) => requires(`user:s${i}`)) }),
    ],
    [
      "methodsMax",
      limits.methodsMax,
      (n) => ({ provides_services: [service("user:s", { methods: many(n, (i) => `m${i}`) })] }),
    ],
    [
      "authoritiesMax",
      limits.authoritiesMax,
      (n) => ({ authorities: many(n, (i) => request({ kind: "secret_ref", id: `s${i}` })) }),
    ],
    ["hostsMax", limits.hostsMax, (n) => asks({ kind: "network", hosts: many(n, (i) => `h${i}.org`) })],
    ["hostCharsMax", limits.hostCharsMax, (n) => asks({ kind: "network", hosts: [host(n)] })],
    [
      "pathCharsMax",
      limits.pathCharsMax,
      (n) => asks({ kind: "filesystem", access: "read", path: "a".repeat(n) }),
    ],
    [
      "toolDescriptionCharsMax",
      limits.toolDescriptionCharsMax,
      (n) => ({ tools: [declared("T", { description: "a".repeat(n) })] }),
    ],
    ["nameCharsMax, of a tool", limits.nameCharsMax, (n) => ({ tools: [declared("T".repeat(n))] })],
    [
      "nameCharsMax, of a hook",
      limits.nameCharsMax,
      (n) => ({ hooks: [{ name: "h".repeat(n), point: "on_abort" }] }),
    ],
    [
      "nameCharsMax, of a state",
      limits.nameCharsMax,
      (n) => ({ state: { domain: "s".repeat(n), version: 1 } }),
    ],
    [
      "versionCharsMax",
      limits.versionCharsMax,
      (n) => ({ requires_services: [{ ...requires("user:s"), version: "1".repeat(n) }] }),
    ],
    [
      "sourceQualifiedCharsMax",
      sourceQualifiedCharsMax,
      (n) => ({ id: `project:${"a".repeat(n - "project:".length)}` }),
    ],
    // The schema's object is the third level.
    [
      "descriptorDepthMax",
      limits.descriptorDepthMax,
      (n) => ({ tools: [declared("T", { input_schema: { type: "object", a: nested(n - 4) } })] }),
    ],
  ];
  const outcomes = table.map(([what, max, fields]) => {
    const at = (n: number) => refusal({ ...descriptorOf("project:limits"), ...fields(n) });
    return [what, at(max), at(max + 1) === "valid" ? "valid too" : "refused"];
  });
  assert.deepEqual(
    outcomes,
    table.map(([what]) => [what, "valid", "refused"]),
  );
});

test("the whole of a descriptor has a limit, at n and n + 1", () => {
  const base = descriptorOf("project:limits", {
    tools: [declared("T", { input_schema: { type: "object", pad: "" } })],
  });
  const padded = (pad: number) => ({
    ...base,
    tools: [declared("T", { input_schema: { type: "object", pad: "a".repeat(pad) } })],
  });
  let [low, high] = [0, limits.descriptorCharsMax];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (refusal(padded(middle)) === "valid") low = middle;
    else high = middle;
  }
  const size = (value: unknown): number =>
    typeof value === "string"
      ? 1 + value.length
      : Array.isArray(value)
        ? 1 + value.length + value.map(size).reduce((a, b) => a + b, 0)
        : typeof value === "object" && value !== null
          ? Object.entries(value).reduce((sum, [key, field]) => sum + key.length + size(field), 1)
          : 1;
  assert.equal(size(padded(low)), limits.descriptorCharsMax);
  assert.match(String(refusal(padded(low + 1))), / is larger than 524288 characters in all\.$/);
});
