/** What every store of approvals must do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ErrorCode, YoiError } from "@yoi/base";
import {
  type ApprovalDecision,
  type ApprovalStore,
  approvalsMax,
  grantsBytesMax,
  grantsMax,
  idCharsMax,
  subjectBytesMax,
} from "../../src/index.ts";

/** A store, freshly made and empty, and the clock it was given. */
export interface ApprovalStoreParts extends AsyncDisposable {
  readonly store: ApprovalStore;
  /** A second store over the same approvals, as another process has it. */
  readonly other: ApprovalStore;
  now(): number;
}

const feature = "project:lint";
const digest = "0123456789abcdef".repeat(4);
const decision: ApprovalDecision = {
  feature,
  digest,
  granted: [
    { kind: "network", hosts: ["example.org", "*.example.org"] },
    { kind: "filesystem", access: "write", path: "out" },
  ],
  subject: "lint 1.0.0\n\ttöne \u2028 \u{1f511}\n",
};
/** JSON of `[{"kind":""}]`, into which the text of the kind goes. */
const aroundKind = '[{"kind":""}]'.length;

function nested(depth: number): object {
  let value: object = {};
  for (let at = 1; at < depth; at += 1) value = { kind: "x", value };
  return { kind: "x", value };
}

async function codeOf(attempt: Promise<unknown>): Promise<ErrorCode | "accepted"> {
  const outcome = await attempt.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome === null) return "accepted";
  assert.ok(outcome instanceof YoiError, String(outcome));
  return outcome.code;
}

export function approvalStoreConformance(
  implementation: string,
  open: () => Promise<ApprovalStoreParts>,
): void {
  const check = (what: string, run: (parts: ApprovalStoreParts) => Promise<void>): void => {
    const [, ids = "", rest = what] = /^((?:[AF][\d-]+, )*[AF][\d-]+: )(.*)$/.exec(what) ?? [];
    test(`${ids}${implementation}: ${rest}`, async () => {
      await using parts = await open();
      await run(parts);
    });
  };

  check("F-03: nothing is approved at first", async ({ store }) => {
    assert.equal(await store.get(feature), null);
    assert.deepEqual(await store.list(), []);
    assert.equal(await store.revoke(feature), false);
  });

  check("A2-42, F-05: the digest is kept with the approval, and all else that was decided", async (parts) => {
    const { store, other, now } = parts;
    const before = now();
    await store.approve(decision);
    const record = await other.get(feature);
    assert.ok(record !== null);
    const { decided_at, ...decided } = record;
    assert.deepEqual(decided, decision);
    assert.equal(new Date(decided_at).toISOString(), decided_at);
    assert.ok(Date.parse(decided_at) >= before && Date.parse(decided_at) <= now());
    assert.deepEqual(await other.list(), [record]);
  });

  check("A2-42: the latest decision about a feature is the one that stands", async ({ store, other }) => {
    await store.approve(decision);
    const changed = { ...decision, digest: "f".repeat(64), granted: [], subject: "" };
    await other.approve(changed);
    const { decided_at: _, ...decided } = (await store.get(feature)) ?? { decided_at: "" };
    assert.deepEqual(decided, changed);
    assert.equal((await store.list()).length, 1);
  });

  check("F-03: what was revoked is not approved", async ({ store, other }) => {
    await store.approve(decision);
    await store.approve({ ...decision, feature: "user:other" });
    assert.equal(await other.revoke(feature), true);
    assert.equal(await store.get(feature), null);
    assert.equal(await store.revoke(feature), false);
    assert.deepEqual(
      (await store.list()).map((record) => record.feature),
      ["user:other"],
    );
  });

  check("features that look alike have a decision each, in order", async ({ store }) => {
    const long = "package:".padEnd(idCharsMax, "x");
    const alike = [
      "package:@acme/lint",
      "package:@acme+lint",
      "package:acme/lint",
      "PACKAGE:acme/lint",
      "package:acme%2flint",
      "..",
      ".",
      "../../../escape",
      "/",
      "~",
      "grün",
      "gru\u0308n",
      long,
      `${long.slice(0, -1)}y`,
    ];
    for (const [index, id] of alike.entries())
      await store.approve({ ...decision, feature: id, subject: String(index) });
    for (const [index, id] of alike.entries())
      assert.equal((await store.get(id))?.subject, String(index), id);
    assert.deepEqual(
      (await store.list()).map((record) => record.feature),
      alike.toSorted(),
    );
  });

  const limits: readonly (readonly [
    string,
    Partial<ApprovalDecision>,
    Partial<ApprovalDecision>,
    ErrorCode,
  ])[] = [
    ["id", { feature: "x".repeat(idCharsMax) }, { feature: "x".repeat(idCharsMax + 1) }, "usage"],
    [
      "grants",
      { granted: Array.from({ length: grantsMax }, () => ({ kind: "x" })) },
      { granted: Array.from({ length: grantsMax + 1 }, () => ({ kind: "x" })) },
      "limit_exceeded",
    ],
    [
      "size of the grants",
      { granted: [{ kind: "x".repeat(grantsBytesMax - aroundKind) }] },
      { granted: [{ kind: "x".repeat(grantsBytesMax - aroundKind + 1) }] },
      "limit_exceeded",
    ],
    [
      "subject",
      { subject: "\u0001".repeat(subjectBytesMax) },
      { subject: `${"ö".repeat(subjectBytesMax / 2)}x` },
      "limit_exceeded",
    ],
    ["depth", { granted: [{ ...nested(126) }] }, { granted: [{ ...nested(127) }] }, "usage"],
  ];
  for (const [what, fits, isOver, code] of limits)
    check(`the limit of the ${what} holds at n and at n + 1`, async ({ store, other }) => {
      const whole = { ...decision, ...fits };
      await store.approve(whole);
      const { decided_at: _, ...kept } = (await other.get(whole.feature)) ?? { decided_at: "" };
      assert.deepEqual(kept, whole);
      assert.equal(await codeOf(store.approve({ ...decision, ...isOver })), code);
      assert.equal((await other.list()).length, 1);
    });

  check(`${approvalsMax} are kept and no more, and one of them can still be replaced`, async ({ store }) => {
    for (let n = 0; n < approvalsMax; n += 1) await store.approve({ ...decision, feature: `user:${n}` });
    assert.equal(await codeOf(store.approve(decision)), "limit_exceeded");
    await store.approve({ ...decision, feature: "user:0", subject: "anew" });
    assert.equal((await store.get("user:0"))?.subject, "anew");
    await store.revoke("user:1");
    await store.approve(decision);
  });

  const wrong: readonly (readonly [string, object])[] = [
    ["an empty id", { feature: "" }],
    ["an id with a control character", { feature: "user:a\u0000" }],
    ["an id that is no Unicode", { feature: "\ud800" }],
    ["an id that is no text", { feature: 7 }],
    ["no digest", { digest: "" }],
    ["a digest in capitals", { digest: "A".repeat(64) }],
    ["a digest of 63 digits", { digest: "a".repeat(63) }],
    ["a digest that is no text", { digest: { toString: () => digest } }],
    ["a grant without a kind", { granted: [{}] }],
    ["a grant that is no object", { granted: ["network"] }],
    ["a grant that is no JSON", { granted: [{ kind: "x", at: new Date(0) }] }],
    ["a subject that is no text", { subject: 7 }],
    ["a subject that is no Unicode", { subject: "\ud800" }],
  ];
  check(`F-03: ${wrong.length} decisions that say nothing whole are refused`, async ({ store }) => {
    for (const [what, fields] of wrong)
      assert.equal(
        await codeOf(store.approve({ ...decision, ...fields } as ApprovalDecision)),
        "usage",
        what,
      );
    assert.deepEqual(await store.list(), []);
    for (const id of ["", "a\nb"]) {
      assert.equal(await codeOf(store.get(id)), "usage");
      assert.equal(await codeOf(store.revoke(id)), "usage");
    }
  });
}
