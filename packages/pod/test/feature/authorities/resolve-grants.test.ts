/** Who may do what: everything that ships with yoi, what the user approved for all others, and the sentences for the rest. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { type FeatureId, type HostAuthority, serviceId } from "@yoi/feature";
import { resolveGrants } from "../../../src/feature/authorities/resolve-grants.ts";
import { asks, descriptor } from "../services/descriptors.ts";

const digest = "d".repeat(64);
const redact = (text: string) => text.replaceAll("hunter2", "[redacted: pin]");

const all: readonly HostAuthority[] = [
  { kind: "filesystem", access: "write", path: "src" },
  { kind: "network", hosts: ["example.org", "*.example.org"] },
  { kind: "secret_ref", id: "web/key" },
  { kind: "model_notification" },
  { kind: "state_store", name: "notes" },
  { kind: "service_access", service: serviceId("user:notes") },
];

/** A host where exactly this was approved, for exactly this feature and digest. */
function approving(granted: readonly HostAuthority[], feature = "user:a") {
  const asked: string[] = [];
  return {
    asked,
    redact,
    managesPods: false,
    approvalOf: async (id: FeatureId, approvedDigest: string) => {
      asked.push(`${id} ${approvedDigest}`);
      return id === feature && approvedDigest === digest ? { granted } : null;
    },
  };
}

const nobody =
  "nobody has approved it as it is now; `yoi feature show user:a` shows it, and `yoi feature approve user:a` approves it.";

test("A2-47, F-03: what ships with yoi gets all that it asks for, and nobody is asked", async () => {
  const host = approving([]);
  const feature = descriptor("builtin:a", { authorities: all.map((authority) => asks(authority)) });
  assert.deepEqual(await resolveGrants(feature, digest, host), {
    grants: { granted: all, denied: [] },
    denials: [],
    blockedBy: [],
  });
  assert.deepEqual(host.asked, []);
});

test("A2-47, F-03: without an approval of exactly this feature and digest every other gets nothing", async () => {
  const authorities = [
    asks({ kind: "model_notification" }),
    asks({ kind: "secret_ref", id: "k" }, { optional: true }),
  ];
  const expected = {
    grants: {
      granted: [],
      denied: authorities.map(({ authority }) => ({ authority, reason: nobody })),
    },
    denials: authorities.map((request) => ({ ...request, denial: nobody })),
    blockedBy: [`user:a requires model_notification: ${nobody}`],
  };
  const feature = descriptor("user:a", { authorities });
  assert.deepEqual(await resolveGrants(feature, digest, approving(all, "user:b")), expected);
  assert.deepEqual(await resolveGrants(feature, "e".repeat(64), approving(all)), expected);
  // The runtime alone makes nobody a built-in, and neither does the name alone.
  for (const posing of [
    { ...feature, runtime: "builtin" as const },
    { ...descriptor("builtin:a", { authorities }), runtime: "external_plugin" as const },
  ]) {
    assert.deepEqual((await resolveGrants(posing, digest, approving(all, "user:b"))).grants.granted, []);
  }
});

test("A2-47, F-03: an approval gives what it names of what is asked for, and never more than either", async () => {
  const table: readonly {
    asked: HostAuthority;
    approved: readonly HostAuthority[];
    granted: readonly HostAuthority[];
  }[] = [
    ...all.map((authority) => ({ asked: authority, approved: all, granted: [authority] })),
    ...all.map((authority) => ({
      asked: authority,
      approved: all.filter((each) => each !== authority),
      granted: [],
    })),
    {
      asked: { kind: "filesystem", access: "write", path: "src" },
      approved: [
        { kind: "filesystem", access: "read", path: "." },
        { kind: "filesystem", access: "write", path: "src/gen" },
      ],
      granted: [
        { kind: "filesystem", access: "read", path: "src" },
        { kind: "filesystem", access: "write", path: "src/gen" },
      ],
    },
    {
      asked: { kind: "filesystem", access: "read", path: "src" },
      approved: [
        { kind: "filesystem", access: "write", path: "src/../.." },
        { kind: "filesystem", access: "write", path: "srcs" },
      ],
      granted: [],
    },
    {
      asked: { kind: "network", hosts: ["*.example.org", "b.net"] },
      approved: [{ kind: "network", hosts: ["a.example.org", "evil.net", "*"] }],
      granted: [{ kind: "network", hosts: ["a.example.org"] }],
    },
  ];
  for (const { asked, approved, granted } of table) {
    const feature = descriptor("user:a", { authorities: [asks(asked)] });
    const { grants, denials, blockedBy } = await resolveGrants(feature, digest, approving(approved));
    assert.deepEqual(grants.granted, granted, JSON.stringify({ asked, approved }));
    const denial = "its approval does not include it.";
    assert.deepEqual(grants.denied, granted.length > 0 ? [] : [{ authority: asked, reason: denial }]);
    assert.deepEqual(denials, granted.length > 0 ? [] : [{ ...asks(asked), denial }]);
    assert.equal(blockedBy.length, granted.length > 0 ? 0 : 1);
  }
});

const noClients =
  "this process takes no clients, so it has no children; a Pod that `yoi pod start` hosts can.";
const onlyBuiltIns = "only what ships with yoi gets it: an approval of it is without effect.";
const managing: readonly (readonly [feature: string, managesPods: boolean, denial: string | null])[] = [
  ["builtin:a", true, null],
  ["builtin:a", false, noClients],
  ["user:a", true, onlyBuiltIns],
  ["user:a", false, onlyBuiltIns],
];
test("F-03: pod_management is for what ships with yoi, in a process that can have children: required it blocks, optional it is gone without", async () => {
  const authority: HostAuthority = { kind: "pod_management" };
  for (const [name, managesPods, denial] of managing) {
    for (const optional of [false, true]) {
      const request = asks(authority, { optional });
      const feature = descriptor(name, { authorities: [request] });
      const resolution = await resolveGrants(feature, digest, {
        ...approving([authority], name),
        managesPods,
      });
      assert.deepEqual(
        resolution,
        denial === null
          ? { grants: { granted: [authority], denied: [] }, denials: [], blockedBy: [] }
          : {
              grants: { granted: [], denied: [{ authority, reason: denial }] },
              denials: [{ ...request, denial }],
              blockedBy: optional ? [] : [`${name} requires pod_management: ${denial}`],
            },
      );
    }
  }
});

test("F-03: approvals that cannot be read are none, and the sentence says why, without a secret", async () => {
  const feature = descriptor("user:a", { authorities: [asks({ kind: "model_notification" })] });
  const host = {
    redact,
    managesPods: true,
    approvalOf: () =>
      Promise.reject(new YoiError("keep_damaged", "The file /k/a.json is damaged near hunter2.")),
  };
  const denial = "its approval cannot be read: The file /k/a.json is damaged near [redacted: pin].";
  const { grants, blockedBy } = await resolveGrants(feature, digest, host);
  assert.deepEqual(grants, {
    granted: [],
    denied: [{ authority: { kind: "model_notification" }, reason: denial }],
  });
  assert.deepEqual(blockedBy, [`user:a requires model_notification: ${denial}`]);
});

test("what asks for nothing is asked about nowhere", async () => {
  const host = approving([]);
  assert.deepEqual(await resolveGrants(descriptor("user:a"), digest, host), {
    grants: { granted: [], denied: [] },
    denials: [],
    blockedBy: [],
  });
  assert.deepEqual(host.asked, []);
});

test("grants are a frozen copy: whoever holds them can widen nothing", async () => {
  const authority = { kind: "network" as const, hosts: ["a.org"] };
  const feature = descriptor("builtin:a", { authorities: [asks(authority)] });
  const { grants } = await resolveGrants(feature, digest, approving([]));
  authority.hosts.push("evil.net");
  assert.deepEqual(grants.granted, [{ kind: "network", hosts: ["a.org"] }]);
  const [granted] = grants.granted;
  for (const each of [
    grants,
    grants.granted,
    grants.denied,
    granted,
    granted?.kind === "network" && granted.hosts,
  ])
    assert.ok(Object.isFrozen(each));
});
