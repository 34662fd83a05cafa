/** Roles among tickets: what the profiles of yoi's own are, and who may start whom. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type Loan, podName } from "@yoi/base";
import { type Manifest, parseManifest, type TicketPodRole, ticketPodRoles } from "@yoi/manifest";
import { scopeRule } from "@yoi/scope";
import { ticketRoles } from "@yoi/tickets";
import { resolveConfiguration } from "../../src/compose/configuration.ts";
import { openStores } from "../../src/compose/stores.ts";
import { builtInProfiles } from "../../src/profiles/built-in-profiles.ts";
import { childManifest } from "../../src/profiles/child-manifest.ts";
import { chooseProfile, listProfiles } from "../../src/profiles/choose-profile.ts";
import { startable } from "../../src/profiles/ticket-role.ts";
import { machine } from "./machine.ts";

type Machine = ReturnType<typeof machine>;

/** As a Pod without parent runs with a profile; null: with the configuration alone. */
async function manifestOf(m: Machine, profile: string | null): Promise<Manifest> {
  const chosen = profile === null ? null : await chooseProfile(profile, m.environment, m.workspace);
  return (await resolveConfiguration(m.environment, m.workspace, {}, chosen)).manifest;
}

/** A child of `parent` with a profile, as it is kept. Its loan reads the workspace. */
async function childOf(m: Machine, parent: Manifest, profile: string | null): Promise<Manifest> {
  const { environment, workspace } = m;
  const loan: Loan = { id: "loan", scope: { allow: [scopeRule(workspace, "read")], deny: [] } };
  const request = { name: podName("child"), lender: podName("lead"), depth: 1, parent, loan };
  const place = { environment, stores: openStores(environment) };
  return parseManifest(await childManifest({ ...request, profile, instruction: null }, place), "metadata");
}

/** Null: no tickets. */
function roleOf({ features, tickets }: Manifest): TicketPodRole | null {
  return features.tickets.enabled ? tickets.role : null;
}

test("the roles of a Pod are those of tickets, but for the user's", () => {
  assert.deepEqual(
    ticketRoles.filter((role) => role !== "user"),
    ticketPodRoles,
  );
});

test("each role is a profile; who only plans or judges writes no file, and only an orchestrator starts Pods", async () => {
  using m = machine();
  const table = await Promise.all(
    ticketPodRoles.map(async (role) => {
      const manifest = await manifestOf(m, role);
      const writes = !manifest.scope.deny.some(
        ({ target, permission }) => target === "/" && permission === "write",
      );
      const skill = /skill\s+(ticket-[a-z]+)/.exec(manifest.worker.instructions[0]?.text ?? "")?.[1];
      return [roleOf(manifest), manifest.tickets.close, manifest.features.pods.enabled, writes, skill];
    }),
  );
  assert.deepEqual(table, [
    ["intake", false, false, false, "ticket-intake"],
    ["orchestrator", false, true, true, "ticket-orchestration"],
    ["coder", false, false, true, "ticket-implementation"],
    ["reviewer", false, false, false, "ticket-review"],
  ]);
  assert.equal(roleOf(await manifestOf(m, null)), null);
  for (const [, , , , skill] of table)
    assert.ok(existsSync(new URL(`../../skills/${String(skill)}/SKILL.md`, import.meta.url)), String(skill));
});

test("docs/profiles.md says of each profile what it is", async () => {
  using m = machine();
  const page = readFileSync(new URL("../../../../docs/profiles.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` +\|[^|]+\| (yes|no) +\| (yes|no) +\| (\w*) *\|$/gm)].map(
    ([, ...cells]) => cells,
  );
  const yes = (is: boolean): string => (is ? "yes" : "no");
  const expected = await Promise.all(
    Object.keys(builtInProfiles).map(async (name) => {
      const manifest = await manifestOf(m, name);
      const writes = !manifest.scope.deny.some(({ permission }) => permission === "write");
      return [name, yes(writes), yes(manifest.features.pods.enabled), roleOf(manifest) ?? ""];
    }),
  );
  assert.deepEqual(rows, expected);
});

test("who may start whom with a role: an orchestrator coders and reviewers, any other its own; else it is refused before anything is lent", async () => {
  using m = machine();
  const starts: Record<string, readonly string[]> = {};
  for (const giver of [null, ...ticketPodRoles]) {
    const parent = await manifestOf(m, giver);
    const given: string[] = [];
    for (const role of ticketPodRoles) {
      try {
        assert.equal(roleOf(await childOf(m, parent, role)), role);
        given.push(role);
      } catch (error) {
        assert.equal((error as { code?: string }).code, "config_invalid", String(error));
      }
    }
    starts[String(giver)] = given;
    const offered = startable(await listProfiles(m.environment, m.workspace), parent);
    assert.deepEqual(
      offered.flatMap(({ role }) => role ?? []),
      given,
      "what is offered is what can be had",
    );
    assert.deepEqual(
      offered.slice(0, 3).map(({ selector }) => selector),
      ["builtin:default", "builtin:reader", "builtin:solo"],
    );
  }
  assert.deepEqual(starts, {
    null: [],
    intake: ["intake"],
    orchestrator: ["orchestrator", "coder", "reviewer"],
    coder: ["coder"],
    reviewer: ["reviewer"],
  });
  await assert.rejects(childOf(m, await manifestOf(m, "coder"), "orchestrator"), {
    code: "config_invalid",
    message:
      'The profile builtin:orchestrator makes a Pod "orchestrator" among tickets, and lead is "coder" itself and starts only Pods that are "coder": choose another profile, or let the user start that Pod with --profile builtin:orchestrator.',
  });
  await assert.rejects(childOf(m, await manifestOf(m, null), "intake"), {
    code: "config_invalid",
    message:
      'The profile builtin:intake makes a Pod "intake" among tickets, and lead has none itself and starts none that has: choose another profile, or let the user start that Pod with --profile builtin:intake.',
  });
});

test("a profile of the workspace may stand on one of yoi's, and is bound as that one is", async () => {
  using m = machine();
  m.project("ours", 'extends = "builtin:orchestrator"\nworker.instruction = "Be quick."\n');
  m.project("none", 'extends = "builtin:coder"\n[features]\ntickets = false\n');
  assert.equal(roleOf(await manifestOf(m, "ours")), "orchestrator");
  assert.equal(roleOf(await manifestOf(m, "none")), null);
  await assert.rejects(childOf(m, await manifestOf(m, "coder"), "project:ours"), { code: "config_invalid" });
  // What wants no tickets is no reason to refuse.
  assert.equal(roleOf(await childOf(m, await manifestOf(m, null), "project:none")), null);
});

test("what only the configuration says of tickets is taken from a child in silence; closing goes no further than its parent's", async () => {
  using m = machine();
  m.config('[features]\ntickets = true\n[tickets]\nrole = "orchestrator"\nclose = true\n');
  const lead = await manifestOf(m, null);
  const again = await childOf(m, lead, null);
  assert.deepEqual([roleOf(again), again.tickets.close], ["orchestrator", true]);
  const parentOf = (changes: Partial<Manifest>): Manifest => ({ ...lead, ...changes });
  const coder = parentOf({ tickets: { role: "coder", close: false } });
  const below = await childOf(m, coder, "solo");
  assert.deepEqual(
    [roleOf(below), below.tickets.close, below.features.tickets.origin],
    [null, false, "the bounds of its parent"],
  );
  const open = parentOf({ tickets: { role: "orchestrator", close: false } });
  const bounded = await childOf(m, open, "builtin:orchestrator");
  assert.deepEqual([roleOf(bounded), bounded.tickets.close], ["orchestrator", false]);
});
