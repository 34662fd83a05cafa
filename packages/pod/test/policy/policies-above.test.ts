/** The policies of the Pods above a child: its verdict is the strictest of all, and says whose it is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import type { PermissionMode, PermissionPolicy, PermissionRule, PolicyAbove } from "@yoi/manifest";
import fc from "fast-check";
import { PermissionGate } from "../../src/policy/permission-gate.ts";
import { allow, ask, deny } from "./rules.ts";

const cases = 250;
const seed = 20_260_611;

interface Call {
  readonly name: string;
  readonly args: JsonObject;
  readonly readOnly: boolean;
}

function gateOf(own: PermissionPolicy, above: readonly PolicyAbove[] = []): PermissionGate {
  return new PermissionGate({
    permissions: { ...own, above },
    workspace: "/w",
    locate: (path) => path.replace("/w/link", "/w/secret"),
  });
}

function policy(mode: PermissionMode, ...rules: PermissionRule[]): PermissionPolicy {
  return { mode, rules };
}

function above(pod: string, its: PermissionPolicy): PolicyAbove {
  return { pod, ...its };
}

const push: Call = { name: "Bash", args: { command: "cd x && git push" }, readOnly: false };

test("W-32: an ancestor's word stands whatever the child's own policy allows, and the sentence names the Pod whose it is", async () => {
  const own = policy("allow-in-scope", allow("*"));
  const parent = above("lead", policy("allow-in-scope", deny("git push*")));
  const root = above("root", policy("ask", allow("git *"), allow("cd *")));
  const denied = await gateOf(own, [root, parent]).decide(push);
  assert.deepEqual(denied, {
    action: "deny",
    reason:
      "Refused by the rule deny Bash(git push*) of /home/u/config.toml (of the Pod lead above this one): the command holds git push. Nothing was done.",
  });
  const asked = await gateOf(own, [above("root", policy("ask"))]).decide(push);
  assert.deepEqual(asked, {
    action: "ask",
    wants: "the permission mode ask (of the Pod root above this one) wants a person to allow this",
  });
  const unlisted = await gateOf(own, [above("root", policy("deny-unlisted"))]).decide(push);
  assert.match(
    unlisted.action === "deny" ? unlisted.reason : "",
    /deny-unlisted \(of the Pod root above this one\), which refuses what no rule allows/,
  );
  // Without it the child would be let do it.
  assert.deepEqual(await gateOf(own).decide(push), { action: "allow" });
});

test("of two words that are as strict the child's own is said, then that of the nearest Pod", async () => {
  const said = async (own: PermissionPolicy, policies: readonly PolicyAbove[]) => {
    const decision = await gateOf(own, policies).decide(push);
    return decision.action === "ask" ? /\(of the Pod (\w+) /.exec(decision.wants)?.[1] : decision.action;
  };
  const asks = policy("ask");
  const policies = [above("root", asks), above("lead", asks)];
  assert.equal(await said(policy("allow-in-scope"), policies), "lead");
  assert.equal(await said(asks, policies), undefined);
});

const arbitraryRule: fc.Arbitrary<PermissionRule> = fc.record({
  tool: fc.constantFrom("Bash", "Read", "Write", "WebFetch", "Grep", "*"),
  pattern: fc.constantFrom(
    "*",
    "git *",
    "git push*",
    "/w/secret*",
    "/w/*",
    "rm *",
    "https://a.test/*",
    "cd *",
  ),
  action: fc.constantFrom("allow", "deny", "ask"),
  origin: fc.constantFrom("/c/config.toml", "/w/.yoi/config.toml"),
});
const arbitraryPolicy: fc.Arbitrary<PermissionPolicy> = fc.record({
  mode: fc.constantFrom("allow-in-scope", "ask", "deny-unlisted"),
  rules: fc.array(arbitraryRule, { maxLength: 4 }),
});
const arbitraryCall: fc.Arbitrary<Call> = fc.oneof(
  fc.record({
    name: fc.constant("Bash"),
    args: fc.record({
      command: fc.constantFrom("git push", "git status", "cd x && rm -rf y", "$x", "git $x", "ls", "eval $y"),
    }),
    readOnly: fc.constant(false),
  }),
  fc.record({
    name: fc.constantFrom("Read", "Write"),
    args: fc.record({ file_path: fc.constantFrom("/w/a", "/w/secret/k", "/w/link/k", "/etc/passwd") }),
    readOnly: fc.boolean(),
  }),
  fc.record({
    name: fc.constant("WebFetch"),
    args: fc.record({ url: fc.constantFrom("https://a.test/x", "https://b.test/") }),
    readOnly: fc.constant(false),
  }),
);
const strictness = { allow: 0, ask: 1, deny: 2 } as const;

test(`W-32: a child is never let do more than each Pod above it (${cases} cases, seed ${seed})`, async () => {
  let bound = 0;
  await fc.assert(
    fc.asyncProperty(
      arbitraryPolicy,
      fc.array(arbitraryPolicy, { minLength: 1, maxLength: 4 }),
      arbitraryCall,
      async (own, ancestors, call) => {
        const child = gateOf(
          own,
          ancestors.map((its, index) => above(`a${index}`, its)),
        );
        const alone = [own, ...ancestors].map((its) => gateOf(its));
        const verdicts = await Promise.all(alone.map(async (gate) => (await gate.decide(call)).action));
        const verdict = (await child.decide(call)).action;
        const strictest = Math.max(...verdicts.map((action) => strictness[action]));
        assert.equal(strictness[verdict], strictest);
        if (verdicts[0] !== verdict) bound += 1;
        for (const path of ["/w/a", "/w/secret/k"]) {
          for (const tool of ["Grep", "Glob"])
            assert.equal(
              child.mayShow(tool, path),
              alone.every((gate) => gate.mayShow(tool, path)),
            );
          assert.equal(
            child.denialOfReading(path) !== null,
            alone.some((gate) => gate.denialOfReading(path) !== null),
          );
        }
        assert.equal(
          child.refusalOfFetching("https://a.test/x") !== null,
          alone.some((gate) => gate.refusalOfFetching("https://a.test/x") !== null),
        );
      },
    ),
    { seed, numRuns: cases },
  );
  // Else nothing of what is above would have counted.
  assert.ok(bound > cases / 10, `${bound} of ${cases} verdicts came from above`);
  assert.equal((await gateOf(policy("allow-in-scope", ask("*"))).decide(push)).action, "ask");
});
