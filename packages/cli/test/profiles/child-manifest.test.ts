/** The manifest of a child: its parent's model, its loan as its scope, its profile's choices, and nothing looser than its parent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type JsonObject, type Loan, podName, type ScopeRule } from "@yoi/base";
import { instructionBytesMax, type Manifest, parseManifest } from "@yoi/manifest";
import { type ChildManifestRequest, depthMax } from "@yoi/pod";
import { resolveConfiguration } from "../../src/compose/configuration.ts";
import { openStores } from "../../src/compose/stores.ts";
import { childManifest } from "../../src/profiles/child-manifest.ts";
import { machine } from "./machine.ts";

const write = (target: string): ScopeRule => ({ target, permission: "write", recursive: true });
const read = (target: string): ScopeRule => ({ target, permission: "read", recursive: true });

/** Of a parent that runs with today's configuration and flags. */
async function spawning(m: ReturnType<typeof machine>, flags = {}) {
  const { environment, workspace } = m;
  const { manifest: parent } = await resolveConfiguration(environment, workspace, flags);
  const loan: Loan = {
    id: "loan",
    scope: { allow: [read(workspace), write(`${workspace}/src`), read("/usr")], deny: [read("/usr/x")] },
  };
  const stores = openStores(environment);
  const ask = (changes: Partial<ChildManifestRequest>): Promise<JsonObject> =>
    childManifest(
      {
        name: podName("child"),
        lender: podName("lead"),
        depth: 1,
        parent,
        loan,
        profile: null,
        instruction: null,
        ...changes,
      },
      { environment, stores },
    );
  return {
    parent,
    loan,
    ask,
    child: async (changes: Partial<ChildManifestRequest> = {}): Promise<Manifest> =>
      parseManifest(await ask(changes), "metadata"),
  };
}

test("without a profile it has its parent's model, base URL, language and bounds; its scope is the loan", async () => {
  using m = machine();
  m.config('[[permissions.rule]]\ntool = "Bash"\npattern = "rm *"\naction = "deny"\n');
  const flags = {
    model: "openai-compatible/own",
    baseUrl: "http://127.0.0.1:9/v1",
    maxTurns: 7,
    permissionMode: "ask",
    sandbox: "off",
  };
  const { parent, loan, child } = await spawning(m, flags);
  const { permissions, ...rest } = await child();
  assert.deepEqual(rest, {
    ...rest,
    model: parent.model,
    workspace: parent.workspace,
    scope: loan.scope,
    sandbox: { mode: "off", network: false },
    limits: parent.limits,
    worker: parent.worker,
    profile: null,
  });
  assert.equal(rest.limits.max_turns, 7);
  assert.deepEqual(permissions, {
    ...parent.permissions,
    above: [{ pod: "lead", mode: "ask", rules: parent.permissions.rules }],
  });
  assert.equal(permissions.rules.length, 1);
});

test("W-32: the policies of all above it are kept, with the parent's as the last, and none of its bounds is left", async () => {
  using m = machine();
  m.user(
    "free",
    'permissions.mode = "allow-in-scope"\nworker.max_turns = 900\n[sandbox]\nmode = "off"\nnetwork = true\n[web]\nenabled = true\n[[permissions.rule]]\ntool = "Bash"\npattern = "*"\naction = "allow"\n',
  );
  const { parent, child } = await spawning(m, { permissionMode: "ask", maxTurns: 3 });
  const root = { pod: "root", mode: "deny-unlisted", rules: [] } as const;
  const below = { ...parent, permissions: { ...parent.permissions, above: [root] } };
  const made = await child({ parent: below, profile: "user:free" });
  assert.deepEqual(
    [made.permissions.mode, made.permissions.above?.map(({ pod, mode }) => [pod, mode])],
    [
      "deny-unlisted",
      [
        ["root", "deny-unlisted"],
        ["lead", "ask"],
      ],
    ],
  );
  assert.deepEqual(
    [made.sandbox, made.web.fetch, made.limits.max_turns],
    [{ mode: "on", network: false }, null, 3],
  );
  // Control: the profile alone would have given all of it.
  const { manifest } = await resolveConfiguration(m.environment, m.workspace, {}, made.profile);
  assert.deepEqual(
    [manifest.sandbox, manifest.web.fetch === null, manifest.limits.max_turns, manifest.permissions.mode],
    [{ mode: "off", network: true }, false, 900, "allow-in-scope"],
  );
});

test("a profile's choices stand on top: model, language, instructions, features", async () => {
  using m = machine();
  m.user("base", 'model.temperature = 0.5\nworker.instruction = "Be brief."\n');
  m.user("mine", 'extends = "base"\nworker.language = "Français"\n[features]\npods = false\n');
  m.user("other", 'model.ref = "google/gemini"\n');
  const { parent, child } = await spawning(m, { model: "anthropic/a", baseUrl: "http://127.0.0.1:9" });
  const { model, worker, features, profile } = await child({ profile: "mine", instruction: "Only src." });
  assert.deepEqual(
    [model, worker, features.pods.enabled, profile?.selector],
    [
      { ...parent.model, temperature: 0.5 },
      {
        language: "Français",
        instructions: [
          { text: "Be brief.", from: "the profile user:base" },
          { text: "Only src.", from: "the Pod lead, which started you" },
        ],
      },
      false,
      "user:mine",
    ],
  );
  // Another provider's model does not go to the parent's endpoint.
  assert.deepEqual((await child({ profile: "other" })).model, { provider: "google", id: "gemini" });
});

test("decision 4: a sandbox that is off for the parent's start is off for a child that it lends to, unless a file says anything of it", async () => {
  using m = machine();
  const modes = async (): Promise<readonly string[]> => {
    const off = await spawning(m, { sandbox: "off" });
    const on = await spawning(m, { sandbox: "on" });
    return [(await off.child()).sandbox.mode, (await on.child()).sandbox.mode];
  };
  assert.deepEqual(await modes(), ["off", "on"]);
  m.config('sandbox.mode = "on"\n');
  assert.deepEqual(await modes(), ["on", "on"]);
  m.config('sandbox.mode = "off"\n');
  assert.deepEqual(await modes(), ["off", "on"]);
  m.local('sandbox.mode = "on"\n');
  assert.deepEqual(await modes(), ["on", "on"]);
});

test("what the user denies today binds a child too, though its parent began before; its rules as well", async () => {
  using m = machine();
  const { loan, child } = await spawning(m);
  const file = m.config(
    '[[scope.deny]]\ntarget = "/usr/x"\npermission = "read"\n[[scope.deny]]\ntarget = "/usr/y"\npermission = "read"\n[[permissions.rule]]\ntool = "Glob"\npattern = "*"\naction = "deny"\n',
  );
  const { scope, permissions } = await child();
  assert.deepEqual(scope, { allow: loan.scope.allow, deny: [...loan.scope.deny, read("/usr/y")] });
  assert.deepEqual(permissions.rules, [{ tool: "Glob", pattern: "*", action: "deny", origin: file }]);
});

test("a profile of the workspace chooses no provider: its name comes from a model, and code and keys would go where the user did not choose", async () => {
  using m = machine();
  const url = "http://127.0.0.1:9";
  const { ask, child, parent } = await spawning(m, { model: "openai/own", baseUrl: url });
  const file = m.project("fast", 'model.ref = "anthropic/claude"\n');
  m.project("faster", 'extends = "fast"\n');
  for (const profile of ["fast", "project:faster"]) {
    await assert.rejects(ask({ profile }), {
      code: "config_invalid",
      message: `${file}:1: the profile ${profile === "fast" ? "project:fast" : profile} comes with the workspace, and its model anthropic/claude is of another provider than that of lead, which is openai: a profile of the workspace does not choose where code and keys are sent, so choose one of the user's, or none.`,
    });
  }
  // Another model of the same provider goes where the parent's goes.
  m.project("small", 'model.ref = "openai/small"\nmodel.context_window = 900\n');
  assert.deepEqual((await child({ profile: "small" })).model, {
    provider: "openai",
    id: "small",
    base_url: url,
    context_window: 900,
  });
  // The user's own may name any, and an endpoint with it.
  m.user("mine", 'model.ref = "anthropic/claude"\n');
  m.user("near", 'model.ref = "openai/near"\nmodel.base_url = "http://127.0.0.1:10"\n');
  assert.deepEqual((await child({ profile: "mine" })).model, { provider: "anthropic", id: "claude" });
  assert.deepEqual((await child({ profile: "near" })).model, {
    provider: "openai",
    id: "near",
    base_url: "http://127.0.0.1:10",
  });
  assert.equal(parent.model.base_url, url);
});

test("a loan that gives more than the profile lets a Pod have is refused, not cut", async () => {
  using m = machine();
  const { loan, ask, child } = await spawning(m);
  await assert.rejects(ask({ profile: "reader" }), {
    code: "config_invalid",
    message: `The profile builtin:reader lets no Pod write "${m.workspace}/src", which would be lent: lend less than that, or choose another profile.`,
  });
  const reading = { id: "loan", scope: { ...loan.scope, allow: [read(m.workspace), read("/usr")] } };
  assert.deepEqual((await child({ profile: "reader", loan: reading })).scope, {
    ...reading.scope,
    deny: [...reading.scope.deny, write("/")],
  });
  m.project("docs", '[[scope.allow]]\ntarget = "docs"\npermission = "write"\n');
  await assert.rejects(ask({ profile: "docs" }), /lets no Pod read ".*\/w", which would be lent/);
  m.project("top", '[[scope.allow]]\ntarget = "."\npermission = "read"\nrecursive = false\n');
  await assert.rejects(
    ask({ profile: "top", loan: reading }),
    /lets no Pod read all of ".*\/w", which would be lent/,
  );
});

test("a profile that cannot be had, and an instruction over its limit, are said", async () => {
  using m = machine();
  const { ask, child } = await spawning(m);
  await assert.rejects(ask({ profile: "raeder" }), {
    code: "config_invalid",
    message: "There is no profile raeder: did you mean builtin:reader?",
  });
  const fits = "i".repeat(instructionBytesMax);
  assert.equal((await child({ instruction: fits })).worker.instructions[0]?.text, fits);
  await assert.rejects(ask({ instruction: `${fits}i` }), {
    code: "usage",
    message: /^The instruction for child has 8193 bytes, and 8192 is the most: /,
  });
});

test("a feature that the profile switches on has to be there: as deep as a Pod can be it has no children", async () => {
  using m = machine();
  m.user("lead", "[features]\npods = true\n");
  m.user("lead2", 'extends = "lead"\n');
  m.user("quiet", 'extends = "lead"\n[features]\npods = false\n');
  const { ask, child } = await spawning(m);
  assert.equal((await child({ profile: "lead", depth: depthMax - 1 })).features.pods.enabled, true);
  for (const profile of ["lead", "lead2"]) {
    await assert.rejects(ask({ profile, depth: depthMax }), {
      code: "config_invalid",
      message: `The profile user:${profile} switches on the feature pods, which child could not have, as it would be 4 levels below a Pod without parent, and a Pod there can have no children: choose a profile that does not need it.`,
    });
  }
  // Without being asked for, it is no reason to refuse.
  for (const profile of [null, "default", "quiet"]) await child({ profile, depth: depthMax });
});
