/** A manifest bounded by another is nowhere looser than it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Manifest, mayGiveRole, permissionModes, ticketPodRoles } from "../src/index.ts";
import fc from "fast-check";
import { manifestOf } from "../../../test/support/simulated-pod.ts";
import { boundedBy, isLooser, policiesBelow } from "../src/bounded-by.ts";

const cases = 200;
const seed = 611;

const limit = fc.integer({ min: 1, max: 9 });
const arbitrary: fc.Arbitrary<Manifest> = fc
  .record({
    permissions: fc.record({ mode: fc.constantFrom(...permissionModes), rules: fc.constant([]) }),
    sandbox: fc.record({ mode: fc.constantFrom("on", "off"), network: fc.boolean() }),
    limits: fc.record({
      max_turns: fc.option(limit),
      tool_output_bytes: limit,
      file_upload_bytes: limit,
    }),
    web: fc.record({
      allow_private_addresses: fc.boolean(),
      fetch: fc.option(
        fc.record({
          timeout_secs: limit,
          redirect_limit: limit,
          max_response_bytes: limit,
          max_output_bytes: limit,
        }),
      ),
      search: fc.option(
        limit.map((timeout_secs) => ({
          provider: "brave" as const,
          api_key_secret: "a/b",
          base_url: null,
          timeout_secs,
        })),
      ),
    }),
    tickets: fc.record({ role: fc.constantFrom(...ticketPodRoles), close: fc.boolean() }),
    hasTickets: fc.boolean(),
  })
  .map(({ hasTickets, ...of }) =>
    manifestOf({
      ...of,
      features: { ...manifestOf().features, tickets: { enabled: hasTickets, origin: "/c/config.toml:1" } },
    }),
  );

/** Who may start which role, as it is written for people. */
const givenBy = {
  intake: ["intake"],
  orchestrator: ["orchestrator", "coder", "reviewer"],
  coder: ["coder"],
  reviewer: ["reviewer"],
};

/** What a could do that b could not. */
function looser(a: Manifest, b: Manifest): readonly string[] {
  const strictness = (mode: Manifest["permissions"]["mode"]) => permissionModes.indexOf(mode);
  const more = (x: number | null, y: number | null) => (x ?? Infinity) > (y ?? Infinity);
  const fetched = Object.entries(a.web.fetch ?? {}).some(
    ([key, value]) =>
      b.web.fetch === null || value > (Object.entries(b.web.fetch).find(([k]) => k === key)?.[1] ?? 0),
  );
  return Object.entries({
    mode: strictness(a.permissions.mode) < strictness(b.permissions.mode),
    sandbox: a.sandbox.mode === "off" && b.sandbox.mode === "on",
    network: a.sandbox.network && !b.sandbox.network,
    turns: more(a.limits.max_turns, b.limits.max_turns),
    output: more(a.limits.tool_output_bytes, b.limits.tool_output_bytes),
    uploads: more(a.limits.file_upload_bytes, b.limits.file_upload_bytes),
    private_addresses: a.web.allow_private_addresses && !b.web.allow_private_addresses,
    fetch: fetched,
    search: a.web.search !== null && b.web.search === null,
    tickets: a.features.tickets.enabled && !b.features.tickets.enabled,
    role:
      a.features.tickets.enabled &&
      b.features.tickets.enabled &&
      !givenBy[b.tickets.role].includes(a.tickets.role),
    close: a.tickets.close && !b.tickets.close,
    search_time:
      a.web.search !== null && b.web.search !== null && a.web.search.timeout_secs > b.web.search.timeout_secs,
  }).flatMap(([what, isLooser]) => (isLooser ? [what] : []));
}

test(`W-32: nothing that is bounded is looser than its bound, nor than what was resolved (${cases} cases, seed ${seed})`, () => {
  const found = new Set<string>();
  fc.assert(
    fc.property(arbitrary, arbitrary, (manifest, bound) => {
      const bounded = boundedBy(manifest, bound, []);
      assert.deepEqual([looser(bounded, bound), looser(bounded, manifest)], [[], []]);
      for (const what of looser(manifest, bound)) found.add(what);
    }),
    { seed, numRuns: cases },
  );
  // Control: unbounded, each of them was looser in some case.
  assert.equal(found.size, 13, [...found].join(", "));
});

test(`W-32: a child is looser than its lender is now exactly where it could do more; bound anew it never is (${cases} cases, seed ${seed})`, () => {
  const found = new Set<boolean>();
  fc.assert(
    fc.property(arbitrary, arbitrary, (manifest, bound) => {
      const above = policiesBelow("lead", bound);
      const lender = { pod: "lead", manifest: bound };
      const child = { ...manifest, permissions: { ...manifest.permissions, above } };
      const isMore = looser(manifest, bound).length > 0;
      assert.deepEqual(
        [isLooser(child, lender), isLooser(boundedBy(manifest, bound, above), lender)],
        [isMore, false],
      );
      found.add(isMore);
    }),
    { seed, numRuns: cases, examples: [[manifestOf(), manifestOf()]] },
  );
  assert.equal(found.size, 2);
});

test("a mode above binds as the nearest one does; a sandbox is on where either is", () => {
  const on = manifestOf();
  const off = manifestOf({ sandbox: { mode: "off", network: false } });
  const strict = { pod: "root", mode: "deny-unlisted", rules: [] } as const;
  assert.deepEqual(boundedBy(on, off, [strict]).permissions, {
    mode: "deny-unlisted",
    rules: [],
    above: [strict],
  });
  assert.deepEqual(
    [
      [on, off],
      [off, on],
      [off, off],
    ].map(([manifest = on, bound = on]) => boundedBy(manifest, bound, []).sandbox.mode),
    ["on", "on", "off"],
  );
});

test("to a child the policies of all above its lender are handed on, and the lender's own as the last", () => {
  const root = { pod: "root", mode: "ask", rules: [] } as const;
  const rule = { tool: "Bash", pattern: "*", action: "deny", origin: "/c" } as const;
  const lead = manifestOf({ permissions: { mode: "deny-unlisted", rules: [rule], above: [root] } });
  assert.deepEqual(policiesBelow("lead", lead), [
    root,
    { pod: "lead", mode: "deny-unlisted", rules: [rule] },
  ]);
  assert.deepEqual(policiesBelow("lone", manifestOf()), [{ pod: "lone", ...manifestOf().permissions }]);
});

test("who may start a Pod of which role: an orchestrator coders and reviewers, else each its own", () => {
  for (const giver of ticketPodRoles)
    assert.deepEqual(
      ticketPodRoles.filter((role) => mayGiveRole(giver, role)).toSorted(),
      givenBy[giver].toSorted(),
      giver,
    );
});
