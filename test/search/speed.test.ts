/** How long a search takes, beside bare ripgrep on the same files: nothing is started for each file. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { makeSearchPlace, searcher } from "./places.ts";

const directories = 40;
const filesEach = 50;
const rounds = 3;
/** Generous: the machine does other things too. A process for each file would take a hundred times as long. */
const ratioMax = 40;

async function best(work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round += 1) {
    const from = performance.now();
    await work();
    least = Math.min(least, performance.now() - from);
  }
  return least;
}

test(`Grep of ${directories * filesEach} files`, async (t) => {
  const place = makeSearchPlace();
  try {
    const text = "some line of text that does not match\n".repeat(50);
    for (let index = 0; index < directories * filesEach; index += 1)
      place.put(`d${index % directories}/f${index}.txt`, `${text}needle ${index}\n`);
    const bare = await best(() =>
      spawnSync(rgPath, ["--no-config", "-l", "needle 1[0-9]$", place.workspace]),
    );
    for (const mode of noBubblewrap() === false ? (["on", "off"] as const) : (["off"] as const)) {
      const search = await searcher(place, mode);
      try {
        let found = "";
        const took = await best(async () => {
          found = await search.call("Grep", { pattern: "needle 1[0-9]$" });
        });
        assert.match(found, /: 10 files\n/);
        t.diagnostic(
          `sandbox ${mode}: ${took.toFixed(0)} ms, bare ripgrep ${bare.toFixed(0)} ms, ratio ${(took / bare).toFixed(1)}`,
        );
        assert.ok(took / bare < ratioMax);
      } finally {
        await search.close();
      }
    }
  } finally {
    place.remove();
  }
});
