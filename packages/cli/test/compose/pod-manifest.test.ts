/** What a Pod runs with when it is opened again: today's rules over the profile it keeps, and of a child what its parent gave it. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Loan, type PodName, podName, type SegmentId, type SessionId } from "@yoi/base";
import { type Manifest, manifestToJson, parseManifest } from "@yoi/manifest";
import type { PodRecord } from "@yoi/pod-store";
import type { PodFlags } from "../../src/compose/pod-flags.ts";
import { resolvePodManifest } from "../../src/compose/pod-manifest.ts";
import type { SetupRequest } from "../../src/compose/pod-setup.ts";
import { openStores } from "../../src/compose/stores.ts";
import { childManifest } from "../../src/profiles/child-manifest.ts";
import { machine } from "../profiles/machine.ts";

const name = podName("child");
const lead = podName("lead");
const model = "anthropic/claude-sonnet-4-5";

/** Opens the Pod as it would be opened, with the manifest it got last. */
function opening(m: ReturnType<typeof machine>) {
  const { environment, workspace } = m;
  const stores = openStores(environment);
  const said: string[] = [];
  const open = async (
    kept: Manifest | null,
    {
      flags = {},
      lent = null,
      above = [],
      isChild = false,
    }: {
      flags?: PodFlags;
      lent?: Loan | null;
      above?: readonly (readonly [PodName, Manifest])[];
      isChild?: boolean;
    } = {},
  ): Promise<Manifest> => {
    const stored: PodRecord = {
      name,
      pointer: { state: "active", session: "s" as SessionId, segment: "g" as SegmentId },
      closedHead: null,
      epoch: 1,
      manifest: {},
      parent: isChild ? { pod: lead, session: "t" as SessionId, depth: 1, token: "x" } : null,
      children: [],
      reclaimed: [],
      peers: [],
      revision: 1,
      createdMs: 0,
      updatedMs: 0,
    };
    const lenders = above.map(([pod, manifest]) => ({
      ...stored,
      name: pod,
      manifest: manifestToJson(manifest),
    }));
    const request: SetupRequest = {
      name,
      stored: kept === null ? null : stored,
      lent: lent === null ? null : { lender: lead, loan: lent, above: lenders },
      workspace,
      flags,
      environment,
      stores,
      mustExist: false,
      mustBeNew: false,
      managesPods: true,
      say: (text) => void said.push(text),
      signal: new AbortController().signal,
    };
    const { manifest } = await resolvePodManifest(request, kept, workspace);
    // As it is stored and read back.
    return parseManifest(manifestToJson(manifest), "metadata");
  };
  return { open, said, stores };
}

test("A3-12: what a profile said when the Pod began stands when its file says something else, and when it is gone", async () => {
  using m = machine();
  const base = m.user("base", 'worker.instruction = "Base."\n');
  const text = `extends = "base"\nmodel.ref = "${model}"\nworker.max_turns = 5\n[features]\ntask = false\n[[scope.deny]]\ntarget = "secret"\npermission = "read"\n`;
  const file = m.user("review", text);
  const { open } = opening(m);
  const first = await open(null, { flags: { profile: "review" } });
  assert.deepEqual(
    [first.limits.max_turns, first.features.task.enabled, first.profile?.selector],
    [5, false, "user:review"],
  );
  assert.deepEqual(first.worker.instructions, [{ text: "Base.", from: "the profile user:base" }]);
  m.user("review", 'model.ref = "google/other"\nworker.max_turns = 900\nworker.instruction = "New."\n');
  assert.deepEqual(await open(first), first);
  for (const path of [base, file]) rmSync(path);
  assert.deepEqual(await open(first, { flags: { profile: "user:review" } }), first);
  // Control: chosen anew it would be another one.
  m.user("review", "worker.max_turns = 900\n");
  assert.equal((await open(null, { flags: { profile: "review" } })).limits.max_turns, 900);
});

test("a rule and a limit of today bind a Pod that keeps a profile", async () => {
  using m = machine();
  m.user("review", `model.ref = "${model}"\nworker.max_turns = 50\n`);
  const { open } = opening(m);
  const first = await open(null, { flags: { profile: "review" } });
  const file = m.local(
    '[worker]\nmax_turns = 2\n[[permissions.rule]]\ntool = "Bash"\npattern = "*"\naction = "deny"\n',
  );
  const again = await open(first);
  assert.deepEqual(
    [again.limits.max_turns, again.permissions.rules.map(({ origin }) => origin)],
    [2, [file]],
  );
});

test("a child that is opened again has its loan as its scope and is never looser than it was, whatever configuration and flags say", async () => {
  using m = machine();
  const { open, said, stores } = opening(m);
  const parent = await open(null, { flags: { model, permissionMode: "ask", maxTurns: 9 } });
  const scope = {
    allow: [{ target: m.workspace, permission: "read" as const, recursive: true }],
    deny: [],
  };
  const loan: Loan = { id: "l", scope };
  const json = await childManifest(
    { name, lender: lead, depth: 1, parent, loan, profile: null, instruction: "Only read." },
    { environment: m.environment, stores },
  );
  const kept = parseManifest(json, "metadata");
  m.config(
    `worker.language = "Deutsch"\n[sandbox]\nmode = "off"\nnetwork = true\n[web]\nenabled = true\n[[scope.allow]]\ntarget = "/srv"\npermission = "write"\n[[permissions.rule]]\ntool = "Bash"\npattern = "rm *"\naction = "deny"\n[[scope.deny]]\ntarget = "${m.workspace}/secret"\npermission = "read"\n`,
  );
  const denied = { target: join(m.workspace, "secret"), permission: "read" as const, recursive: true };
  const narrower: Loan = { id: "n", scope: { allow: scope.allow, deny: scope.allow } };
  for (const lent of [loan, narrower, null]) {
    const again = await open(kept, { lent, above: [[lead, parent]], isChild: true });
    const { rules } = again.permissions;
    const { allow, deny } = lent?.scope ?? scope;
    assert.deepEqual(again, {
      ...kept,
      scope: { allow, deny: [...deny, denied] },
      permissions: { ...kept.permissions, rules },
    });
    assert.deepEqual(
      rules.map(({ action }) => action),
      ["deny"],
    );
  }
  assert.equal(said.length, 0);
  const flags: PodFlags = { permissionMode: "allow-in-scope", sandbox: "off", maxTurns: 100 };
  const forced = await open(kept, { lent: loan, above: [[lead, parent]], isChild: true, flags });
  assert.deepEqual(
    [forced.permissions.mode, forced.sandbox, forced.limits.max_turns, forced.web.fetch],
    ["ask", { mode: "on", network: false }, 9, null],
  );
  assert.deepEqual(
    said.map((text) => text.slice(0, text.indexOf(":"))),
    [
      "--permission-mode allow-in-scope has no effect",
      "--sandbox off has no effect",
      "--max-turns 100 has no effect",
    ],
  );
  // Control: the same Pod without a parent gets all of it.
  const own = await open(kept, { flags });
  assert.deepEqual([own.sandbox, own.permissions.mode], [{ mode: "off", network: true }, "allow-in-scope"]);
});

test("a child on its open loan is bounded by what all above it may now, whoever opens it", async () => {
  using m = machine();
  const { open, stores } = opening(m);
  const root = podName("root");
  const loose = await open(null, { flags: { model } });
  const strict = await open(null, { flags: { model, permissionMode: "deny-unlisted", maxTurns: 3 } });
  const loan: Loan = { id: "l", scope: { allow: [], deny: [] } };
  const json = await childManifest(
    { name, lender: lead, depth: 2, parent: loose, loan, profile: null, instruction: null },
    { environment: m.environment, stores },
  );
  const kept = parseManifest(json, "metadata");
  const { rules } = loose.permissions;
  for (const [ofRoot, ofLead, mode, turns] of [
    [loose, loose, "allow-in-scope", null],
    [loose, strict, "deny-unlisted", 3],
    [strict, loose, "deny-unlisted", 3],
  ] as const) {
    const above = [[root, ofRoot] as const, [lead, ofLead] as const];
    const again = await open(kept, { lent: loan, above, isChild: true });
    assert.deepEqual(
      [again.permissions, again.limits.max_turns],
      [
        {
          mode,
          rules,
          above: above.map(([pod, { permissions }]) => ({ pod, mode: permissions.mode, rules })),
        },
        turns,
      ],
    );
    // Once bounded it stays so, whatever those above may later.
    const later = await open(again, {
      lent: loan,
      above: [
        [root, loose],
        [lead, loose],
      ],
      isChild: true,
    });
    assert.equal(later.permissions.mode, mode);
  }
});

test("decision 4: a child's sandbox is off for the start that its lender says it of, and on once nobody says it any more", async () => {
  using m = machine();
  const { open, said, stores } = opening(m);
  const loan: Loan = { id: "l", scope: { allow: [], deny: [] } };
  const place = { environment: m.environment, stores };
  const lentBy = async (parent: Manifest): Promise<Manifest> =>
    parseManifest(
      await childManifest(
        { name, lender: lead, depth: 1, parent, loan, profile: null, instruction: null },
        place,
      ),
      "metadata",
    );
  const again = async (kept: Manifest, flags: PodFlags = {}): Promise<Manifest> =>
    open(kept, { lent: loan, isChild: true, flags });
  const off: PodFlags = { sandbox: "off" };
  const kept = await lentBy(await open(null, { flags: { model, ...off } }));
  const started = await again(kept, off);
  assert.deepEqual([kept.sandbox.mode, started.sandbox.mode, said], ["off", "off", []]);
  // By anybody who does not say it, and from then on.
  const restarted = await again(started);
  assert.equal(restarted.sandbox.mode, "on");
  assert.equal((await again(restarted, off)).sandbox.mode, "on");
  assert.match(said.join(), /^--sandbox off has no effect: it is on/);
  // The same of a configuration that said it.
  const config = m.config('sandbox.mode = "off"\n');
  const byConfig = await lentBy(await open(null, { flags: { model } }));
  assert.deepEqual([byConfig.sandbox.mode, (await again(byConfig)).sandbox.mode], ["off", "off"]);
  rmSync(config);
  assert.equal((await again(byConfig)).sandbox.mode, "on");
});

test("a child keeps the role among tickets that it was begun with, and has tickets only while those above it could give it", async () => {
  using m = machine();
  const { open, stores } = opening(m);
  const loan: Loan = { id: "l", scope: { allow: [], deny: [] } };
  const lender = async (profile: string): Promise<Manifest> => open(null, { flags: { model, profile } });
  const leading = await lender("orchestrator");
  const of = { name, lender: lead, depth: 1, parent: leading, loan, profile: "coder", instruction: null };
  const kept = parseManifest(await childManifest(of, { environment: m.environment, stores }), "metadata");
  const roleOf = ({ features, tickets }: Manifest) => (features.tickets.enabled ? tickets.role : null);
  const again = async (above: readonly Manifest[]): Promise<readonly unknown[]> => {
    const manifest = await open(kept, {
      lent: loan,
      above: above.map((one, index) => [podName(`above${index}`), one]),
      isChild: true,
    });
    return [roleOf(manifest), manifest.tickets.close];
  };
  assert.deepEqual(await again([leading]), ["coder", false]);
  // Whatever the configuration says by then.
  m.config('[features]\ntickets = true\n[tickets]\nrole = "orchestrator"\nclose = true\n');
  assert.deepEqual(await again([leading]), ["coder", false]);
  const plain = { ...kept, profile: null };
  const opened = await open(plain, { lent: loan, above: [[lead, leading]], isChild: true });
  assert.deepEqual([roleOf(opened), opened.tickets.close], ["coder", false]);
  // Who is above it now could not start it as that.
  assert.deepEqual(await again([await lender("reviewer")]), [null, false]);
  assert.deepEqual(await again([leading, await lender("intake")]), [null, false]);
  // Control: a Pod without parent has the role that its user gives it by now.
  assert.equal(roleOf(await open(plain, {})), "orchestrator");
});
