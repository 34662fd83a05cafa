/** Several processes count up one number in the state of a feature: what each was told it wrote is what is there. */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openRaced } from "./state-race.ts";

const processes = 4;
const countsEach = 40;
const worker = fileURLToPath(new URL("./state-race-worker.ts", import.meta.url));

test(`F-25: ${processes} processes that count up one number ${countsEach} times each lose none and make none twice`, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "yoi-state-race-"));
  try {
    const crew = Array.from({ length: processes }, () =>
      fork(worker, [dataDir, String(countsEach)], { stdio: ["ignore", "ignore", "inherit", "ipc"] }),
    );
    await Promise.all(crew.map((each) => once(each, "message")));
    for (const each of crew) each.send("go");
    const results = await Promise.all(
      crew.map(async (each) => {
        const exited = once(each, "exit");
        const dead = exited.then(([code]) => assert.fail(`a process ended with ${String(code)}`));
        const [message] = (await Promise.race([once(each, "message"), dead])) as [
          { won: number[]; conflicts: number },
        ];
        dead.catch(() => {});
        await exited;
        return message;
      }),
    );
    const total = processes * countsEach;
    assert.deepEqual(
      results.flatMap(({ won }) => won).toSorted((a, b) => a - b),
      Array.from({ length: total }, (_, index) => index + 1),
      "each revision was won once",
    );
    // Control: they were at it at the same time.
    assert.ok(
      results.some(({ conflicts }) => conflicts > 0),
      "no write met another one",
    );
    assert.deepEqual(await openRaced(dataDir).read(), { version: 1, revision: total, value: total });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
