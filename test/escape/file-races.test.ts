/** The first cases of the race, and a control: a check that resolves the path first and opens it then lets the outside through. */
import assert from "node:assert/strict";
import { readFileSync, realpathSync } from "node:fs";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { fileRaces } from "./file-races.proof.ts";
import { startRace } from "./file-races.ts";
import { canary } from "./place.ts";

proofTest(fileRaces);

test("control: resolve, check, open leaks", async () => {
  const race = await startRace();
  let leaked = 0;
  for (let index = 0; index < 200_000 && leaked === 0; index += 1) {
    const path = `${race.workspace}/${index % 2 === 0 ? "flip/secret.txt" : "file"}`;
    try {
      const real = realpathSync.native(path);
      if (real.startsWith(`${race.workspace}/`) && readFileSync(path, "utf8").includes(canary)) leaked += 1;
    } catch {
      // It was not there at that moment.
    }
  }
  assert.ok(leaked > 0, "the swaps never met a check: this race proves nothing");
});
