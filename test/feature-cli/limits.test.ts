/** Limits of the search for features that take thousands of files and folders to reach. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { featureEntriesMax, filesBelow, readFolder } from "../../packages/cli/src/features/content.ts";
import { findFeatures } from "../../packages/cli/src/features/find-features.ts";
import { packagesMax } from "../../packages/cli/src/features/find-packages.ts";
import { featuresMax } from "../../packages/cli/src/features/found-feature.ts";
import { place } from "../../packages/cli/test/features/place.ts";

const packageJson = (name: string, feature: string) =>
  JSON.stringify({ name, version: "1.2.0", yoi: { feature } });
const invalid = (reason: RegExp) => (error: unknown) =>
  error instanceof YoiError && error.code === "feature_invalid" && reason.test(error.message);

test("as many packages as the limit, and one more", async () => {
  using at = place();
  const folder = join(at.workspace, "node_modules");
  for (let n = 1; n < packagesMax; n += 1) mkdirSync(join(folder, `p${n}`), { recursive: true });
  at.plant("w/node_modules/z/package.json", packageJson("z", "package.json"));
  const all = await findFeatures(at.workspace, at.config);
  assert.deepEqual([all.features.map(({ id }) => id), all.warnings], [["package:z"], []]);
  mkdirSync(join(folder, "p0"));
  const cut = await findFeatures(at.workspace, at.config);
  assert.deepEqual(
    [cut.features, cut.warnings],
    [
      [],
      [
        `${folder} holds more than is looked at: at most ${packagesMax} packages, and ${featuresMax} with a feature.`,
      ],
    ],
  );
  const named = await findFeatures(at.workspace, at.config, "package:z");
  assert.deepEqual(
    [named.features.map(({ id, path }) => [id, path]), named.warnings],
    [[["package:z", join(folder, "z")]], cut.warnings],
  );
});

test("as many files and folders as the limit, and one more", async () => {
  using at = place();
  const folder = join(at.workspace, "p");
  mkdirSync(join(folder, "d"), { recursive: true });
  for (let n = 0; n < featureEntriesMax - 1; n += 1) writeFileSync(join(folder, "d", String(n)), "");
  const files = filesBelow(at.workspace);
  assert.equal((await readFolder(files, folder)).files.length, featureEntriesMax - 1);
  mkdirSync(join(folder, "e"));
  await assert.rejects(readFolder(files, folder), invalid(/more than 2000 files and folders$/));
});
