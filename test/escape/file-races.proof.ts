/** No file tool reads or writes outside the scope while another process swaps links, directories and parents under its path. */
import assert from "node:assert/strict";
import { YoiError } from "@yoi/base";
import type { Proof } from "../support/proof.ts";
import { type Race, startRace } from "./file-races.ts";
import { canary } from "./place.ts";

let started: Promise<Race> | null = null;

const readPaths = ["flip/secret.txt", "flip/deep/secret.txt", "parent/deep/secret.txt", "file"];
const writePaths = ["flip/secret.txt", "flip/new.txt", "flip/new/deep.txt", "parent/deep/secret.txt", "file"];
/** One in this many is a write: it syncs, and takes twenty times as long. */
const writeEvery = 16;

export const fileRaces: Proof = {
  name: "file tools stay in scope while the paths are being swapped",
  cases: { test: 20_000, prove: 1_000_000 },
  check: async (index) => {
    started ??= startRace();
    const race = await started;
    const turn = Math.floor(index / writeEvery);
    try {
      if (index % writeEvery === 0) await write(race, writePaths[turn % writePaths.length] ?? "");
      else await read(race, readPaths[index % readPaths.length] ?? "");
    } catch (thrown) {
      // A refusal is an answer; anything else is a fault of the tool.
      if (!(thrown instanceof YoiError)) throw thrown;
    }
    if (index % writeEvery === 0) race.checkOutside();
  },
};

async function read(race: Race, name: string): Promise<void> {
  const { path, bytes } = await race.files.read(`${race.workspace}/${name}`);
  assert.ok(path.startsWith(`${race.workspace}/`), path);
  assert.ok(!bytes.includes(canary), `${name} gave what is outside`);
}

async function write(race: Race, name: string): Promise<void> {
  const path = `${race.workspace}/${name}`;
  const there = race.files.stat(path) !== null;
  const expected = there
    ? ({ kind: "same", identity: (await race.files.read(path)).identity } as const)
    : ({ kind: "missing" } as const);
  await race.files.write(path, Buffer.from("written\n"), expected);
}
