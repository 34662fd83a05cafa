/** The manifest in a Pod's metadata: it comes back whole, or is refused by the name of the field. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError, type JsonObject, type JsonValue } from "@yoi/base";
import {
  compactionDefault,
  manifestSchema,
  manifestToJson,
  parseManifest,
  type Manifest,
} from "../src/index.ts";

const full: Manifest = {
  schema: manifestSchema,
  workspace: "/w",
  model: {
    provider: "anthropic",
    id: "a/b",
    base_url: "http://localhost:1",
    context_window: 10,
    max_output_tokens: 20,
    temperature: 0.5,
    reasoning: "high",
  },
  scope: {
    allow: [{ target: "/w", permission: "write", recursive: true }],
    deny: [{ target: "/w/x", permission: "read", recursive: false }],
  },
  permissions: {
    mode: "ask",
    rules: [
      { tool: "Bash", pattern: "*", action: "deny", origin: "/c/config.toml" },
      { tool: "Grep", argument: "path", pattern: "/w/*", action: "ask", origin: "/c/config.toml" },
    ],
  },
  sandbox: { mode: "off", network: true },
  limits: { max_turns: 5, tool_output_bytes: 1024, file_upload_bytes: 2048 },
  web: {
    allow_private_addresses: true,
    fetch: { timeout_secs: 1, redirect_limit: 2, max_response_bytes: 3000, max_output_bytes: 4000 },
    search: { provider: "searxng", api_key_secret: "a/b", base_url: "http://s.test", timeout_secs: 5 },
  },
  session: { record_event_trace: true },
  compaction: {
    ...compactionDefault,
    enabled: false,
    threshold: 1,
    retained_tokens: 2,
    worker_max_turns: 3,
    model: "p/small",
  },
  worker: {
    language: "fr",
    instructions: [{ text: "Be brief.", from: "the profile user:review" }],
  },
  features: {
    task: { enabled: false, origin: "/c/config.toml:3" },
    pods: { enabled: true, origin: "built-in" },
    tickets: { enabled: true, origin: "builtin:coder:4" },
  },
  tickets: { role: "coder", close: true },
  skills: { enabled: false },
  profile: {
    selector: "user:review",
    layers: [
      {
        source: {
          path: "/c/profiles/review.toml",
          trust: "user",
          profile: { selector: "user:review", workspace: "/w" },
        },
        settings: { "model.ref": "anthropic/a", "features.pods": false, "worker.max_turns": 3 },
        rules: [{ tool: "Bash", pattern: "*", action: "ask", origin: "/c/profiles/review.toml" }],
        scope: {
          allow: [{ target: "/w/src", permission: "write", recursive: true }],
          deny: [{ target: "/", permission: "write", recursive: true }],
        },
        providers: [],
        models: [],
        origins: new Map([["model.ref", "/c/profiles/review.toml:2"]]),
      },
    ],
  },
};
const bare: Manifest = {
  ...full,
  model: { provider: "p", id: "m" },
  scope: { allow: [], deny: [] },
  permissions: { mode: "allow-in-scope", rules: [] },
  limits: { max_turns: null, tool_output_bytes: 1, file_upload_bytes: 262_144 },
  web: { allow_private_addresses: false, fetch: null, search: null },
  compaction: compactionDefault,
  worker: { language: null, instructions: [] },
  features: {
    task: { enabled: true, origin: "built-in" },
    pods: { enabled: true, origin: "built-in" },
    tickets: { enabled: false, origin: "built-in" },
  },
  tickets: { role: "intake", close: false },
  skills: { enabled: true },
  profile: null,
};

const path = "/data/pods/p/metadata.json";

const throughText = (json: JsonObject): JsonObject => JSON.parse(JSON.stringify(json)) as JsonObject;

test("a manifest comes back from its JSON", () => {
  for (const manifest of [full, bare])
    assert.deepEqual(parseManifest(throughText(manifestToJson(manifest)), path), manifest);
});

test("a manifest of a version without a limit on attached files has the usual one", () => {
  const { limits, ...json } = throughText(manifestToJson(full));
  const { file_upload_bytes: _, ...older } = limits as JsonObject;
  const read = parseManifest({ ...json, limits: older }, path);
  assert.deepEqual(read, { ...full, limits: { ...full.limits, file_upload_bytes: 262_144 } });
});

test("a manifest of a version without compaction has what holds when nobody says", () => {
  const { compaction: _, ...older } = throughText(manifestToJson(full));
  assert.deepEqual(parseManifest(older, path), { ...full, compaction: compactionDefault });
});

test("a manifest of a version without tickets has none", () => {
  const { tickets: _, features, ...json } = throughText(manifestToJson(full));
  const { tickets: __, ...older } = features as JsonObject;
  assert.deepEqual(parseManifest({ ...json, features: older }, path), {
    ...full,
    features: { ...full.features, tickets: { enabled: false, origin: "built-in" } },
    tickets: { role: "intake", close: false },
  });
});

/** The JSON with another value (or none) at a path. */
function changed(path: readonly (string | number)[], value: JsonValue | undefined): JsonObject {
  const root = throughText(manifestToJson(full));
  let at: Record<string | number, unknown> = root;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1) ?? "";
  if (value === undefined) delete at[last];
  else at[last] = value;
  return root;
}

test("fields that are not known are passed over", () => {
  for (const at of [
    ["future"],
    ["model", "future"],
    ["scope", "allow", 0, "future"],
    ["limits", "__proto__x"],
  ]) {
    assert.deepEqual(parseManifest(changed(at, { any: 1 }), path), full);
  }
  assert.deepEqual(
    parseManifest(
      JSON.parse(`{"__proto__": {"x": 1}, ${JSON.stringify(manifestToJson(full)).slice(1)}`) as JsonObject,
      path,
    ),
    full,
  );
});

test("a wrong field is named", () => {
  const cases: readonly (readonly [
    path: readonly (string | number)[],
    value: JsonValue | undefined,
    named: string,
  ])[] = [
    [["schema"], 0, "manifest.schema"],
    [["schema"], undefined, "manifest.schema"],
    [["workspace"], "w", "manifest.workspace"],
    [["model"], undefined, "manifest.model"],
    [["model"], [], "manifest.model"],
    [["model", "provider"], undefined, "manifest.model.provider"],
    [["model", "context_window"], "10", "manifest.model.context_window"],
    [["model", "temperature"], null, "manifest.model.temperature"],
    [["scope", "allow"], {}, "manifest.scope.allow"],
    [["scope", "allow", 0], null, "manifest.scope.allow[0]"],
    [["scope", "allow", 0, "target"], "relative", "manifest.scope.allow[0].target"],
    [["scope", "deny", 0, "permission"], "rw", "manifest.scope.deny[0].permission"],
    [["scope", "deny", 0, "recursive"], undefined, "manifest.scope.deny[0].recursive"],
    [["permissions", "mode"], "yolo", "manifest.permissions.mode"],
    [["permissions", "rules", 0, "action"], "no", "manifest.permissions.rules[0].action"],
    [["permissions", "rules", 1, "argument"], 1, "manifest.permissions.rules[1].argument"],
    [["permissions", "rules", 0, "pattern"], 1, "manifest.permissions.rules[0].pattern"],
    [["sandbox", "mode"], "", "manifest.sandbox.mode"],
    [["sandbox", "network"], 0, "manifest.sandbox.network"],
    [["limits", "max_turns"], 0, "manifest.limits.max_turns"],
    [["limits", "max_turns"], undefined, "manifest.limits.max_turns"],
    [["limits", "tool_output_bytes"], -1, "manifest.limits.tool_output_bytes"],
    [["limits", "file_upload_bytes"], 0, "manifest.limits.file_upload_bytes"],
    [["session", "record_event_trace"], "true", "manifest.session.record_event_trace"],
    [["features", "tickets", "enabled"], "yes", "manifest.features.tickets.enabled"],
    [["tickets", "role"], "user", "manifest.tickets.role"],
    [["tickets", "close"], undefined, "manifest.tickets.close"],
    [["skills", "enabled"], "no", "manifest.skills.enabled"],
    [["worker", "language"], 1, "manifest.worker.language"],
  ];
  for (const [at, value, named] of cases) {
    assert.throws(
      () => parseManifest(changed(at, value), path),
      (error) => {
        assert.ok(error instanceof YoiError && error.code === "metadata_damaged", named);
        assert.ok(
          error.message.startsWith(
            `The metadata in ${path} is damaged (its field ${named} is missing or of the wrong type): `,
          ),
          error.message,
        );
        assert.deepEqual(error.place, { path });
        return true;
      },
    );
  }
});

test("a snapshot of a later yoi is refused as newer", () => {
  assert.throws(() => parseManifest(changed(["schema"], manifestSchema + 1), path), { code: "schema_newer" });
});

test("W-52: what a later yoi keeps beside what this one knows stays when the manifest is written again", () => {
  const json = manifestToJson(full);
  const table = (key: string) => json[key] as JsonObject;
  const stored: JsonObject = {
    ...json,
    later: { a: 1 },
    sandbox: { ...table("sandbox"), later: 1 },
    web: { ...table("web"), later: {}, search: { ...full.web.search, later: [2] } },
    model: { ...table("model"), later: null },
    writes: ["/w/a"],
  };
  const again = { ...parseManifest(stored, "p"), sandbox: { mode: "on", network: false } } as const;
  const { writes: _, ...unwritten } = again;
  assert.deepEqual(manifestToJson(unwritten, stored), {
    ...json,
    later: { a: 1 },
    sandbox: { mode: "on", network: false, later: 1 },
    web: { ...full.web, later: {}, search: { ...full.web.search, later: [2] } },
    model: { ...full.model, later: null },
  });
  // A table that is gone takes what was in it along.
  const offline: Manifest = { ...unwritten, web: { ...full.web, search: null } };
  assert.deepEqual(manifestToJson(offline, stored)["web"], { ...full.web, search: null, later: {} });
});
