/** Layers resolved: who wins, and that what comes with a workspace only narrows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scope } from "@yoi/base";
import { isSubset, permissionAt } from "@yoi/scope";
import fc from "fast-check";
import { compactionTokensKeys } from "../src/compaction-keys.ts";
import {
  compactionDefault,
  fileUploadBytesDefault,
  manifestToJson,
  parseManifest,
  toolOutputBytesMax,
  type FlagLayer,
  type ResolvedManifest,
} from "../src/index.ts";
import { defaultScope, resolve, type Texts } from "./resolve-texts.ts";

const originOf = ({ sources }: ResolvedManifest, key: string): string | undefined =>
  sources.find((entry) => entry.key === key)?.origin;

test("without any file the built-in values hold, and say so", () => {
  const { manifest, sources, warnings } = resolve({});
  assert.deepEqual(manifest, {
    schema: 1,
    workspace: "/w",
    model: { provider: "built", id: "in" },
    scope: defaultScope,
    permissions: { mode: "allow-in-scope", rules: [] },
    sandbox: { mode: "on", network: false },
    limits: {
      max_turns: null,
      tool_output_bytes: toolOutputBytesMax,
      file_upload_bytes: fileUploadBytesDefault,
    },
    web: { allow_private_addresses: false, fetch: null, search: null },
    session: { record_event_trace: false },
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
  });
  assert.deepEqual(
    sources.map(({ key }) => key),
    [
      "model.ref",
      "model.base_url",
      "model.context_window",
      "model.max_output_tokens",
      "model.temperature",
      "model.reasoning",
      "permissions.mode",
      "scope.allow",
      "scope.deny",
      "sandbox.mode",
      "sandbox.network",
      "worker.max_turns",
      "worker.language",
      "worker.tool_output.default_max_bytes",
      "worker.file_upload.max_bytes",
      "budget.max_tokens",
      "budget.max_cost_usd",
      "budget.max_turns",
      "budget.max_seconds",
      "web.enabled",
      "web.allow_private_addresses",
      "web.fetch.enabled",
      "web.fetch.timeout_secs",
      "web.fetch.redirect_limit",
      "web.fetch.max_response_bytes",
      "web.fetch.max_output_bytes",
      "web.search.provider",
      "web.search.api_key_secret",
      "web.search.base_url",
      "web.search.timeout_secs",
      "session.record_event_trace",
      "compaction.enabled",
      ...compactionTokensKeys.map((key) => `compaction.${key}`),
      "compaction.worker_max_turns",
      "compaction.model",
      "features.task",
      "features.pods",
      "features.tickets",
      "tickets.role",
      "tickets.close",
      "skills.enabled",
      "terminal.screen",
      "terminal.theme",
      "terminal.bell",
      "terminal.keys",
    ],
  );
  assert.deepEqual(new Set(sources.map(({ origin }) => origin)), new Set(["built-in"]));
  assert.deepEqual(warnings, []);
});

test("flag, then local, project, user, built-in", () => {
  const user =
    'model.ref = "u/m"\nworker.language = "u"\npermissions.mode = "ask"\nworker.max_turns = 50\nsandbox.mode = "off"';
  const project =
    'model.ref = "p/m"\nworker.language = "p"\npermissions.mode = "deny-unlisted"\nworker.max_turns = 40\nsandbox.mode = "on"';
  const local = 'model.ref = "l/m"\nworker.language = "l"\nworker.max_turns = 45';
  const flags: FlagLayer = { model: "f/m", maxTurns: 99, permissionMode: "allow-in-scope", sandbox: "off" };
  const cases: readonly (readonly [texts: Texts, flags: FlagLayer, expected: readonly unknown[]])[] = [
    [{ user }, {}, ["u", "u", "ask", 50, "off"]],
    [{ user, project }, {}, ["p", "p", "deny-unlisted", 40, "on"]],
    [{ user, project, local }, {}, ["l", "l", "deny-unlisted", 45, "on"]],
    [{ project, local }, {}, ["l", "l", "deny-unlisted", 45, "on"]],
    [{ user, project, local }, flags, ["f", "l", "allow-in-scope", 99, "off"]],
    [{}, flags, ["f", null, "allow-in-scope", 99, "off"]],
  ];
  for (const [texts, given, expected] of cases) {
    const { manifest, warnings } = resolve(texts, given);
    const { model, worker, permissions, limits, sandbox } = manifest;
    assert.deepEqual(
      [model.provider, worker.language, permissions.mode, limits.max_turns, sandbox.mode],
      expected,
    );
    assert.deepEqual(warnings, []);
  }
  const all = resolve({ user, project, local }, { model: "f/m" });
  assert.equal(originOf(all, "model.ref"), "--model");
  assert.equal(originOf(all, "worker.language"), "/w/.yoi/config.local.toml:2");
  assert.equal(originOf(all, "permissions.mode"), "/w/.yoi/config.toml:3");
  assert.equal(originOf(resolve({ user }), "sandbox.mode"), "/c/config.toml:5");
});

test("a workspace that asks for more than the user allows gets the user's value and a warning", () => {
  const cases: readonly (readonly [
    user: string,
    project: string,
    read: (r: ResolvedManifest) => unknown,
    value: unknown,
    says: string,
  ])[] = [
    [
      "worker.max_turns = 5",
      "worker.max_turns = 6",
      ({ manifest }) => manifest.limits.max_turns,
      5,
      "/w/.yoi/config.toml:1: worker.max_turns = 6 has no effect: your limit is 5 (/c/config.toml:1).",
    ],
    [
      "worker.tool_output.default_max_bytes = 300",
      "worker.tool_output.default_max_bytes = 301",
      ({ manifest }) => manifest.limits.tool_output_bytes,
      300,
      "/w/.yoi/config.toml:1: worker.tool_output.default_max_bytes = 301 has no effect: your limit is 300 (/c/config.toml:1).",
    ],
    [
      "worker.file_upload.max_bytes = 2000",
      "worker.file_upload.max_bytes = 2001",
      ({ manifest }) => manifest.limits.file_upload_bytes,
      2000,
      "/w/.yoi/config.toml:1: worker.file_upload.max_bytes = 2001 has no effect: your limit is 2000 (/c/config.toml:1).",
    ],
    [
      "model.max_output_tokens = 100",
      "model.max_output_tokens = 200",
      ({ manifest }) => manifest.model.max_output_tokens,
      100,
      "/w/.yoi/config.toml:1: model.max_output_tokens = 200 has no effect: your limit is 100 (/c/config.toml:1).",
    ],
    [
      'permissions.mode = "deny-unlisted"',
      'permissions.mode = "ask"',
      ({ manifest }) => manifest.permissions.mode,
      "deny-unlisted",
      '/w/.yoi/config.toml:1: permissions.mode = "ask" has no effect: your mode is "deny-unlisted" (/c/config.toml:1), which is stricter.',
    ],
  ];
  for (const [user, project, read, value, says] of cases) {
    const wide = resolve({ user, project });
    assert.deepEqual([read(wide), wide.warnings], [value, [says]]);
    const same = resolve({ user, project: user });
    assert.deepEqual([read(same), same.warnings], [value, []]);
  }
});

test("no model and wrong flags are refused", () => {
  assert.throws(() => resolve({}, {}, null), {
    code: "config_invalid",
    message:
      'No model is chosen: pass --model provider/id, or write ref = "provider/id" below [model] in your config.toml.',
  });
  assert.throws(() => resolve({ user: "" }, {}, null), /below \[model\] in \/c\/config\.toml/);
  const cases: readonly (readonly [flags: FlagLayer, says: RegExp])[] = [
    [{ model: "claude" }, /^--model is "claude", but must be a model as provider\/id\.$/],
    [{ baseUrl: "ftp://x" }, /^--base-url must be an http or https URL/],
    [{ baseUrl: "https://me:secret@x" }, /^--base-url must be (?!.*secret)/],
    [{ maxTurns: 0 }, /^--max-turns is 0, but must be a whole number/],
    [{ maxTurns: 1.5 }, /^--max-turns is 1\.5/],
    [{ maxTurns: Number.NaN }, /^--max-turns is NaN/],
  ];
  for (const [flags, says] of cases)
    assert.throws(() => resolve({}, flags), { code: "usage", message: says });
});

test("rules of all files stand, strongest file first, each with the file it stands in", () => {
  const rule = (tool: string, action: string) =>
    `[[permissions.rule]]\ntool = "${tool}"\npattern = "*"\naction = "${action}"\n`;
  const { manifest, sources } = resolve({
    user: rule("U", "allow") + rule("V", "ask"),
    project: `${rule("P", "deny")}argument = "path"\n`,
    local: rule("L", "ask"),
  });
  assert.deepEqual(
    manifest.permissions.rules.map(({ tool, action, origin }) => [tool, action, origin]),
    [
      ["L", "ask", "/w/.yoi/config.local.toml"],
      ["P", "deny", "/w/.yoi/config.toml"],
      ["U", "allow", "/c/config.toml"],
      ["V", "ask", "/c/config.toml"],
    ],
  );
  assert.deepEqual(
    sources.find(({ key }) => key === "permissions.rule[1]"),
    {
      key: "permissions.rule[1]",
      value: { tool: "P", argument: "path", pattern: "*", action: "deny" },
      origin: "/w/.yoi/config.toml",
    },
  );
});

const scopeText = (
  key: "allow" | "deny",
  ...rules: readonly (readonly [target: string, permission: string])[]
) =>
  rules
    .map(([target, permission]) => `[[scope.${key}]]\ntarget = "${target}"\npermission = "${permission}"\n`)
    .join("");

test("the user's scope is added to the default one; a workspace's is cut with both", () => {
  const user = scopeText("allow", ["/srv", "write"]) + scopeText("deny", ["/w/keys", "read"]);
  const cases: readonly (readonly [texts: Texts, permissions: Record<string, string>])[] = [
    [{}, { "/w/a": "write", "/usr/bin": "read", "/srv": "none" }],
    [{ user }, { "/w/a": "write", "/w/keys/k": "none", "/usr/bin": "read", "/srv/x": "write" }],
    [
      { user, project: scopeText("deny", ["docs", "write"], ["/usr/local", "read"]) },
      { "/w/a": "write", "/w/docs/d": "read", "/usr/local/x": "none", "/usr/bin": "read", "/srv/x": "write" },
    ],
    // An allow list speaks of the workspace: what the user gives elsewhere stays, or no shell would start.
    [
      { user, project: scopeText("allow", [".", "read"], ["src", "write"], ["keys", "write"]) },
      { "/w/a": "read", "/w/src/s": "write", "/w/keys/k": "none", "/usr/bin": "read", "/srv/x": "write" },
    ],
    [
      {
        user,
        project: scopeText("allow", ["src", "write"]),
        local: scopeText("allow", ["src/lib", "write"]),
      },
      { "/w/a": "none", "/w/src/s": "none", "/w/src/lib/l": "write", "/usr/bin": "read" },
    ],
    [{ project: "scope.allow = []" }, { "/w/a": "none", "/usr/bin": "read" }],
    [
      {
        user: scopeText("deny", [".", "read"], ["/w", "write"]),
        project: scopeText("allow", [".", "write"]),
      },
      { "/w/a": "read", "/c/config.toml": "none" },
    ],
  ];
  for (const [texts, permissions] of cases) {
    const { scope } = resolve(texts).manifest;
    const found = Object.fromEntries(
      Object.keys(permissions).map((path) => [path, permissionAt(scope, path)]),
    );
    assert.deepEqual(found, permissions);
  }
  const { sources } = resolve({ user, project: scopeText("deny", ["docs", "write"]) });
  assert.deepEqual(
    sources.filter(({ key }) => key.startsWith("scope.")).map(({ origin }) => origin),
    ["built-in, /c/config.toml:1", "built-in, /c/config.toml:4, /w/.yoi/config.toml:1"],
  );
});

test("directories to write in narrow what the files give, never widen it, and are kept", () => {
  const texts = {
    user: scopeText("allow", ["/srv", "write"]),
    project: scopeText("allow", ["src", "write"]),
  };
  const ask = {
    "/w/src/a": "write",
    "/w/src/b": "write",
    "/w/docs/d": "none",
    "/srv/x": "write",
    "/usr/bin": "read",
  };
  const cases: readonly [readonly string[] | undefined, object, string][] = [
    [undefined, ask, ""],
    [["/w/src/a"], { ...ask, "/w/src/b": "read", "/srv/x": "read" }, "--write"],
    [["/w/src/a", "/w/docs"], { ...ask, "/w/src/b": "read", "/srv/x": "read" }, "--write"],
    [[], { ...ask, "/w/src/a": "read", "/w/src/b": "read", "/srv/x": "read" }, "--read-only"],
  ];
  for (const [writes, expected, origin] of cases) {
    const { manifest, sources } = resolve(texts, { writes });
    const found = Object.keys(ask).map((path) => [path, permissionAt(manifest.scope, path)]);
    assert.deepEqual(Object.fromEntries(found), expected);
    assert.deepEqual(
      sources.find(({ key }) => key === "scope.writes"),
      writes === undefined ? undefined : { key: "scope.writes", value: writes, origin },
    );
    assert.deepEqual(parseManifest(manifestToJson(manifest), "/p").writes, writes);
  }
});

test("a user's rule for a folder above the workspace is cut too, and that is said", () => {
  const { manifest, warnings } = resolve({
    user: scopeText("allow", ["/", "read"]),
    project: scopeText("allow", ["src", "read"]),
  });
  assert.equal(permissionAt(manifest.scope, "/w/secret"), "none");
  assert.equal(permissionAt(manifest.scope, "/usr/bin"), "read");
  assert.deepEqual(warnings, [
    "/w/.yoi/config.toml:1: the allow list of this workspace also takes away what / gives around it.",
  ]);
});

test("whatever a workspace's scope says, it never gives more than the user does (1,000 cases, seed 5)", () => {
  const rule = fc.record({
    target: fc.constantFrom(".", "a", "a/b", "/w/a/b/c", "c", "/w"),
    permission: fc.constantFrom("read", "write"),
    recursive: fc.boolean(),
  });
  const anywhere = fc.record({
    target: fc.constantFrom("/", "/w", "/w/a", "/w/a/b", "/usr", "/srv", "/w/c"),
    permission: fc.constantFrom("read", "write"),
    recursive: fc.boolean(),
  });
  const text = (key: string, rules: readonly { target: string; permission: string; recursive: boolean }[]) =>
    rules
      .map(
        (r) =>
          `[[scope.${key}]]\ntarget = "${r.target}"\npermission = "${r.permission}"\nrecursive = ${r.recursive}\n`,
      )
      .join("");
  const some = <T>(of: fc.Arbitrary<T>) => fc.array(of, { maxLength: 3 });
  fc.assert(
    fc.property(
      some(anywhere),
      some(anywhere),
      some(rule),
      some(anywhere),
      some(rule),
      (allow, deny, asks, denies, locals) => {
        const user = text("allow", allow) + text("deny", deny);
        const nothing: Scope = { allow: [], deny: [] };
        const wide = resolve({ user }, {}, "a/b", nothing).manifest.scope;
        const narrow = resolve(
          {
            user,
            project: text("allow", asks) + text("deny", denies),
            local: text("allow", locals),
          },
          {},
          "a/b",
          nothing,
        ).manifest.scope;
        assert.ok(isSubset(narrow, wide));
      },
    ),
    { numRuns: 1_000, seed: 5 },
  );
});
