/** Metadata that is wrong: refused with its place, listed, and removed with its Pod when that is asked. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { canonicalJson, type JsonObject } from "@yoi/base";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { assertFails, assertUntouched, plant, sentenceOf, treeOf, yoi } from "./machine.ts";

const pod = "p";
const scripted = ["--pod", pod, "-m", "scripted/s.yaml"];

/** A machine with a Pod that has run once; where its metadata is. */
async function withPod(home: TempHome): Promise<string> {
  plant(join(home.workspace, "s.yaml"), "steps:\n  - text: One.\n  - text: Two.\n");
  const ran = await yoi(home, ["run", "first", ...scripted]);
  assert.deepEqual([ran.code, ran.stdout], [0, "One.\n"], ran.stderr);
  return join(home.home, "pods", pod, "metadata.json");
}

/** The metadata with other fields and the checksum that belongs to them. */
function resealed(text: string, change: (fields: JsonObject) => JsonObject): string {
  const { checksum: _, ...fields } = JSON.parse(text) as JsonObject;
  const changed = change(fields);
  const checksum = createHash("sha256").update(canonicalJson(changed)).digest("hex");
  return JSON.stringify({ ...changed, checksum });
}

const damages: readonly (readonly [string, (text: string) => string, number, string])[] = [
  ["cut short", (text) => text.slice(0, 100), 1, "metadata_damaged"],
  ["empty", () => "", 1, "metadata_damaged"],
  ["with another byte", (text) => text.replace('"epoch": 1', '"epoch": 2'), 1, "metadata_damaged"],
  ["of a later schema", (text) => resealed(text, (fields) => ({ ...fields, schema: 9 })), 3, "schema_newer"],
];
for (const [what, damage, code, errorCode] of damages) {
  test(`metadata ${what} is refused with file and place, listed, and left alone`, async () => {
    using home = tempHome();
    const metadata = await withPod(home);
    const whole = readFileSync(metadata, "utf8");
    assert.notEqual(damage(whole), whole);
    writeFileSync(metadata, damage(whole));
    const says =
      errorCode === "schema_newer"
        ? `The metadata of the Pod p in ${metadata} has schema 9, and this yoi knows 2: use a newer yoi.`
        : new RegExp(
            `^The metadata of the Pod p is damaged at byte \\d+ of ${metadata} \\(.*\\): put back a good copy`,
          );
    await assertFails(home, { args: ["run", "more", ...scripted], code, errorCode, says });
    const before = treeOf(home.home);
    const listed = await yoi(home, ["pod", "list"]);
    assert.equal(listed.code, 0);
    assert.match(listed.stdout, errorCode === "schema_newer" ? /^p +newer /m : /^p +damaged /m);
    sentenceOf(listed.stderr);
    for (const verb of ["show", "log", "verify"])
      assert.equal((await yoi(home, ["pod", verb, pod])).code, code, verb);
    assertUntouched(before, treeOf(home.home));
    const removal = await yoi(home, ["pod", "rm", pod]);
    if (errorCode === "schema_newer") {
      assert.equal(removal.code, code, "what a later yoi wrote is not damaged, so it stays");
      assertUntouched(before, treeOf(home.home));
      return;
    }
    assert.deepEqual(
      [removal.code, removal.stdout, removal.stderr],
      [
        0,
        "Removed the Pod p.\n",
        `Its log is left below ${home.home}/sessions: its damaged metadata no longer said which one it is.\n`,
      ],
    );
    const left = [...treeOf(home.home).keys()];
    assert.deepEqual(
      left.filter((path) => /^(pods|spill)\//.test(path)),
      [],
    );
    assert.ok(left.some((path) => /^sessions\/.*\.jsonl$/.test(path)));
  });
}

test("metadata whose manifest is not one is refused with the file and the field", async () => {
  using home = tempHome();
  const metadata = await withPod(home);
  const broken = resealed(readFileSync(metadata, "utf8"), (fields) => ({
    ...fields,
    manifest: { ...(fields["manifest"] as JsonObject), limits: {} },
  }));
  writeFileSync(metadata, broken);
  await assertFails(home, {
    args: ["run", "more", ...scripted],
    code: 1,
    errorCode: "metadata_damaged",
    says: `The metadata in ${metadata} is damaged (its field manifest.limits.max_turns is missing or of the wrong type): put back a good copy of that file, or start a new Pod; the session logs are untouched.`,
  });
});

test("A3-04: what lies under sessions/pods is no Pod to any command, and stays as it is", async () => {
  using home = tempHome();
  const metadata = await withPod(home);
  const decoys = join(home.home, "sessions/pods");
  const whole = readFileSync(metadata, "utf8");
  const ghost = resealed(whole, (fields) => ({ ...fields, name: "ghost", manifest: { decoy: true } }));
  plant(join(decoys, "ghost/metadata.json"), ghost);
  plant(
    join(decoys, "p/metadata.json"),
    resealed(whole, (fields) => ({ ...fields, manifest: { decoy: true } })),
  );
  const before = treeOf(decoys);
  const unknown = async (args: readonly string[]): Promise<void> => {
    const { code, stdout, stderr } = await yoi(home, args);
    assert.deepEqual([code, stdout], [1, ""], args.join(" "));
    assert.match(stderr, new RegExp(`^yoi: There is no Pod named ${args.at(-1)}: `));
  };
  for (const args of [
    ["pod", "list", "--json"],
    ["tree", "--json"],
  ]) {
    const { pods } = JSON.parse((await yoi(home, args)).stdout) as { pods: readonly { name: string }[] };
    assert.deepEqual(
      pods.map(({ name }) => name),
      [pod],
      args.join(" "),
    );
  }
  for (const args of [
    ["pod", "show", "ghost"],
    ["pod", "rm", "ghost"],
    ["tree", "ghost"],
  ])
    await unknown(args);
  const more = await yoi(home, ["run", "more", ...scripted]);
  assert.deepEqual([more.code, more.stdout], [0, "Two.\n"], more.stderr);
  // A Pod of the decoy's name is a new one, and one that lost its metadata is not found again.
  const made = await yoi(home, ["run", "anew", "--pod", "ghost", "-m", "scripted/s.yaml"]);
  assert.deepEqual([made.code, made.stdout], [0, "One.\n"], made.stderr);
  rmSync(metadata);
  await unknown(["pod", "show", pod]);
  assert.deepEqual(treeOf(decoys), before);
});
