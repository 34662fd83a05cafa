/** No file tool, and no files handle of a feature, reads or writes outside the scope while another process swaps links, directories and parents under its path; and it does work meanwhile. */
import assert from "node:assert/strict";
import { YoiError } from "@yoi/base";
import type { Proof } from "../support/proof.ts";
import { type Race, startRace } from "./file-races.ts";
import { canary } from "./place.ts";

const readPaths = [
  "flip/secret.txt",
  "flip/deep/secret.txt",
  "parent/deep/secret.txt",
  "file",
  "away/deep/secret.txt",
];
const writePaths = [
  "flip/secret.txt",
  "flip/new.txt",
  "flip/new/deep.txt",
  "parent/deep/secret.txt",
  "file",
  "away/deep/secret.txt",
  "away/deep/new.txt",
];
/** One in this many is a write: it syncs, and takes twenty times as long. */
const writeEvery = 12;

/** How the reads, or the writes, of this process came out: a tool that refuses everything proves nothing. */
class Outcomes {
  readonly #doing: string;
  readonly #codes = new Map<string, number>();
  #asked = 0;
  #done = 0;

  constructor(doing: string) {
    this.#doing = doing;
  }

  async count(work: Promise<void>): Promise<void> {
    this.#asked += 1;
    try {
      await work;
      this.#done += 1;
    } catch (thrown) {
      // A refusal is an answer; anything else is a fault of the tool.
      if (!(thrown instanceof YoiError)) throw thrown;
      this.#codes.set(thrown.code, (this.#codes.get(thrown.code) ?? 0) + 1);
    }
  }

  check(): void {
    const codes = [...this.#codes].map(([code, times]) => `${times} ${code}`).join(", ");
    const all = `${this.#done} of ${this.#asked} ${this.#doing}s were done, refused were: ${codes}`;
    assert.ok(this.#done * 10 >= this.#asked, `the tools are of no use here: ${all}`);
    assert.ok(this.#codes.has("out_of_scope"), `the swaps met no ${this.#doing}: ${all}`);
  }
}

const tool = { reads: new Outcomes("read"), writes: new Outcomes("write"), read, write };
const handle = {
  reads: new Outcomes("read of a handle"),
  writes: new Outcomes("write of a handle"),
  read: async ({ handle: files }: Race, name: string): Promise<void> => {
    assert.ok(!(await files.read(name)).includes(canary), `${name} gave what is outside`);
  },
  write: ({ handle: files }: Race, name: string): Promise<void> => files.write(name, "written\n"),
};
const casesPerCheck = 3_000;
let cases = 0;
let started: Promise<Race> | null = null;

export const fileRaces: Proof = {
  name: "file tools and handles stay in scope while the paths are being swapped",
  cases: { test: 3_000, prove: 1_000_000 },
  check: async (index) => {
    started ??= startRace();
    const race = await started;
    const turn = Math.floor(index / writeEvery);
    const by = turn % 2 === 0 ? tool : handle;
    if (index % writeEvery === 0) {
      await by.writes.count(by.write(race, writePaths[Math.floor(turn / 2) % writePaths.length] ?? ""));
      race.checkOutside();
    } else await by.reads.count(by.read(race, readPaths[index % readPaths.length] ?? ""));
    cases += 1;
    if (cases % casesPerCheck === 0)
      for (const { reads, writes } of [tool, handle])
        for (const outcomes of [reads, writes]) outcomes.check();
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
