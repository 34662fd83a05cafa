/** The first cases of the race, and controls: a check that resolves the path first and opens it then lets the outside through, both ways. */
import assert from "node:assert/strict";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { fileRaces } from "./file-races.proof.ts";
import { startRace } from "./file-races.ts";
import { canary } from "./place.ts";

proofTest(fileRaces);

const triesMax = 200_000;

test("control: resolve, check, open leaks", async () => {
  using race = await startRace();
  let leaked = 0;
  for (let index = 0; index < triesMax && leaked === 0; index += 1) {
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

test("control: resolve, check, write writes outside", async () => {
  using race = await startRace();
  const writeSome = (): void => {
    for (let index = 0; index < triesMax; index += 1) {
      const path = `${race.workspace}/flip/${index % 2 === 0 ? "new.txt" : "deep/secret.txt"}`;
      try {
        const real = realpathSync.native(dirname(path));
        if (real.startsWith(`${race.workspace}/`)) writeFileSync(path, "written\n");
      } catch {
        // It was not there at that moment.
      }
      race.checkOutside();
    }
  };
  assert.throws(writeSome, /the outside was changed/);
});
