/** Approvals of third parties: for exactly the bytes that were shown, by a person or by a digest, kept and taken back. */
import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type ErrorCode, type JsonObject, YoiError } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createApprovalStore } from "@yoi/keep";
import { sealJson } from "../../../keep/src/sealed-json.ts";
import { inspect } from "../../src/compose/secrets.ts";
import { approveFeature, type ApproveOptions } from "../../src/features/approve.ts";
import { changesSince } from "../../src/features/difference.ts";
import { describeThirdParty } from "../../src/features/describe.ts";
import { findFeatures } from "../../src/features/find-features.ts";
import { findOne } from "../../src/features/find-one.ts";
import { standingOf } from "../../src/features/standing.ts";
import { place, type Place } from "./place.ts";

const id = "project:lint";

function scene(at: Place) {
  const { files, clock } = nodeHost();
  const approvals = createApprovalStore({ files, clock, dataDir: join(at.root, "data"), inspect });
  const find = async () => findOne(id, [], (await findFeatures(at.workspace, at.config)).features);
  const standing = async () => standingOf(await find(), approvals);
  const shown: string[] = [];
  const approve = async (options: Partial<ApproveOptions>) =>
    approveFeature(await find(), {
      approvals,
      digest: undefined,
      ask: null,
      show: (lines) => shown.push(...lines),
      ...options,
    });
  return { approvals, standing, approve, shown };
}

const refused = (code: ErrorCode, says: RegExp) => (error: unknown) =>
  error instanceof YoiError && error.code === code && says.test(error.message);

test("A2-47, F-03: nothing is approved by default; a person's yes is kept for the digest that was shown, and revoked", async () => {
  using at = place();
  at.plant("w/.yoi/features/lint.ts", "one\n");
  const { approvals, standing, approve, shown } = scene(at);
  assert.deepEqual([(await standing()).status, await approvals.list()], ["not_approved", []]);
  const questions: string[] = [];
  const digest = await approve({
    ask: async (question) => {
      questions.push(question);
      return " yes ";
    },
  });
  assert.deepEqual(questions, ["Approve project:lint as shown? Type yes: "]);
  assert.ok(shown.includes(`  digest   ${digest}`), shown.join("\n"));
  const approved = await standing();
  assert.equal(approved.status, "approved");
  assert.deepEqual(
    { ...approved.approval, decided_at: null, subject: null },
    { feature: id, digest, granted: [], decided_at: null, subject: null },
  );
  assert.match(
    describeThirdParty(approved, null).join("\n"),
    /^ {2}status {3}approved, not run by this version$/m,
  );
  assert.equal(await approve({ ask: null }), digest, "what is approved already is not asked about");
  assert.equal(await approvals.revoke(id), true);
  assert.equal((await standing()).status, "not_approved");
});

test("a changed feature is not approved any more, and what changed can be read before it is approved again", async () => {
  using at = place();
  const path = at.plant("w/.yoi/features/lint.ts", "one\ntwo\n");
  const { standing, approve, shown } = scene(at);
  await approve({ ask: async () => "yes" });
  writeFileSync(path, "one\n2\n");
  const changed = await standing();
  assert.equal(changed.status, "changed");
  const lines = await changesSince(changed);
  assert.deepEqual(lines, ['--- "lint.ts"', '+++ "lint.ts"', "@@ -1,2 +1,2 @@", " one", "-two", "+2"]);
  shown.length = 0;
  await approve({ ask: async () => "yes" });
  assert.deepEqual(shown.slice(-7), ["Changed since it was approved", ...(lines ?? [])]);
  assert.equal((await standing()).status, "approved");
});

test("what changes while the person reads is not approved", async () => {
  using at = place();
  const path = at.plant("w/.yoi/features/lint.ts", "shown\n");
  const { standing, approve } = scene(at);
  const before = (await standing()).content?.digest;
  const digest = await approve({
    ask: async () => {
      writeFileSync(path, "put in its place\n");
      return "yes";
    },
  });
  const after = await standing();
  assert.deepEqual([digest, after.status, after.approval?.digest], [before, "changed", before]);
});

test("without a yes, and without the whole digest where nobody can be asked, nothing is approved", async () => {
  using at = place();
  at.plant("w/.yoi/features/lint.ts", "one\n");
  const { approvals, standing, approve } = scene(at);
  const digest = (await standing()).content?.digest ?? "";
  const table: readonly (readonly [Partial<ApproveOptions>, ErrorCode, RegExp])[] = [
    [{}, "usage", /no terminal to ask at: .*`yoi feature show project:lint`.*--digest/],
    [{ digest: "" }, "usage", /does not have the digest that was given/],
    [{ digest: digest.slice(0, 12) }, "usage", /does not have the digest/],
    [{ digest: digest.toUpperCase() }, "usage", /does not have the digest/],
    [{ digest: `${digest} ` }, "usage", /does not have the digest/],
    [{ digest: "0".repeat(64), ask: async () => "yes" }, "usage", /does not have the digest/],
    [{ ask: async () => "y" }, "cancelled", /was not approved/],
    [{ ask: async () => "" }, "cancelled", /was not approved/],
    [{ ask: async () => null }, "cancelled", /was not approved/],
  ];
  for (const [options, code, says] of table) {
    await assert.rejects(approve(options), refused(code, says), JSON.stringify(options));
    assert.equal(await approvals.get(id), null);
  }
  assert.equal(await approve({ digest }), digest);
});

test("what cannot be shown cannot be approved, and says why", async () => {
  using at = place();
  const { approve } = scene(at);
  const path = at.plant("w/.yoi/features/lint.ts", "");
  writeFileSync(path, Buffer.alloc(16 * 1024 * 1024 + 1));
  await assert.rejects(
    approve({ ask: async () => "yes" }),
    refused("feature_invalid", /^project:lint cannot be approved: it has more than 16777216 bytes\.$/),
  );
});

test("an approval that cannot be read is none, is said, and is replaced by the next one", async () => {
  using at = place();
  at.plant("w/.yoi/features/lint.ts", "one\n");
  const { approvals, standing, approve, shown } = scene(at);
  await approve({ ask: async () => "yes" });
  const folder = join(at.root, "data/keep/approvals");
  const [name = ""] = readdirSync(folder);
  const path = join(folder, name);
  const { sum: _, ...fields } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const newer = `${sealJson({ ...(fields as JsonObject), schema: 2 })}\n`;
  const table: readonly (readonly [string, () => void, RegExp])[] = [
    ["damaged", () => writeFileSync(path, "{}\n"), /is damaged .*approves nothing: decide again/],
    [
      "of a later yoi",
      () => writeFileSync(path, newer),
      /written by a later yoi, so it approves nothing here/,
    ],
    ["open to others", () => chmodSync(path, 0o666), /may be used by others \(mode 666\)/],
    [
      "a link",
      () => {
        rmSync(path);
        symlinkSync("/dev/null", path);
      },
      /is a symbolic link/,
    ],
  ];
  for (const [what, spoil, says] of table) {
    spoil();
    const spoiled = await standing();
    assert.deepEqual([spoiled.status, spoiled.approval], ["not_approved", null], what);
    assert.match(spoiled.warning ?? "", says, what);
    shown.length = 0;
    await approve({ ask: async () => "yes" });
    assert.match(shown[0] ?? "", says, what);
    const decided = await standing();
    assert.deepEqual([decided.status, decided.warning], ["approved", null], what);
    spoil();
    assert.equal(await approvals.revoke(id), true, what);
    assert.deepEqual([(await standing()).status, (await standing()).warning], ["not_approved", null], what);
    await approve({ ask: async () => "yes" });
  }
});

test("an id that nothing has is unknown, with what may have been meant", async () => {
  using at = place();
  at.plant("w/.yoi/features/lint.ts", "");
  const { features } = await findFeatures(at.workspace, at.config);
  for (const [asked, says] of [
    ["lint", `There is no feature "lint" here: did you mean project:lint? See \`yoi feature list\`.`],
    [
      "project:lnit",
      `There is no feature "project:lnit" here: did you mean project:lint? See \`yoi feature list\`.`,
    ],
    [
      "builtin:tusk",
      `There is no feature "builtin:tusk" here: did you mean builtin:task? See \`yoi feature list\`.`,
    ],
    ["no\u001b[2J", `There is no feature "no\\u001b[2J" here: see \`yoi feature list\`.`],
  ] as const)
    assert.throws(() => findOne(asked, ["builtin:task"], features), {
      code: "feature_unknown",
      message: says,
    });
});
