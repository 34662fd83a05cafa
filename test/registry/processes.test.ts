/** Many processes at one registry: never two that could write one path, and nothing is left broken by those that are killed. */
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { moveTree, nodeHost } from "@yoi/host";
import { openRegistry } from "@yoi/scope/registry";

const worker = fileURLToPath(new URL("./registry-worker.ts", import.meta.url));

async function crew(count: number, path: string): Promise<readonly ChildProcess[]> {
  const processes = Array.from({ length: count }, () =>
    fork(worker, [path], { stdio: ["ignore", "ignore", "inherit", "ipc"] }),
  );
  await Promise.all(processes.map((each) => once(each, "message")));
  return processes;
}

async function told(
  process: ChildProcess,
  verb: "register" | "churn",
  name: string,
  target: string,
): Promise<unknown> {
  const answer = once(process, "message");
  process.send({ verb, name, target });
  const [said] = (await answer) as [unknown];
  return said;
}

async function end(processes: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    processes.map(async (each) => {
      if (each.exitCode !== null || each.signalCode !== null) return;
      const exited = once(each, "exit");
      each.kill("SIGKILL");
      await exited;
    }),
  );
}

/** As this process sees it. */
function lookAt(path: string) {
  return openRegistry({
    ...nodeHost(),
    path,
    move: moveTree,
    isHeld: async () => false,
    isLent: async () => false,
    holders: async () => [],
    rebuild: async () => [],
  });
}

const count = 32;
const seats = 4;
test(`${count} processes register at once: of those that could write one path one gets in, all others do`, async () => {
  const directory = mkdtempSync(join(tmpdir(), "yoi-registry-race-"));
  const path = join(directory, "registry.sqlite");
  const processes = await crew(count, path);
  try {
    // The first half wants the same few places, one above the other; each of the second half its own.
    const target = (index: number): string =>
      index < count / 2 ? `/ws/${index % seats}${index % 8 < seats ? "" : "/below"}` : `/own/${index}`;
    const said = await Promise.all(
      processes.map((each, index) => told(each, "register", `p${index}`, target(index))),
    );
    const winners = said.flatMap((answer, index) => (answer === "ok" ? [target(index)] : []));
    assert.deepEqual([...new Set(said)].sort(), ["ok", "scope_conflict"]);
    for (const seat of Array.from({ length: seats }, (_, index) => `/ws/${index}`)) {
      assert.equal(
        winners.filter((won) => won === seat || won.startsWith(`${seat}/`)).length,
        1,
        `${seat}: ${winners.join(" ")}`,
      );
    }
    assert.equal(winners.filter((won) => won.startsWith("/own/")).length, count / 2);
    const rows = await lookAt(path).list();
    assert.deepEqual(
      rows.flatMap(({ scope }) => scope.allow.map((rule) => rule.target)).toSorted(),
      winners.toSorted(),
    );
  } finally {
    await end(processes);
    rmSync(directory, { recursive: true });
  }
});

const kills = 5;
test(`W-33: SIGKILL in any verb leaves a good registry, without those who died (${kills} kills at random, seed 7)`, async () => {
  const directory = mkdtempSync(join(tmpdir(), "yoi-registry-kill-"));
  const path = join(directory, "registry.sqlite");
  try {
    let random = 7;
    const next = (): number => (random = (random * 48_271) % 2_147_483_647) / 2_147_483_647;
    const processes = await crew(kills, path);
    for (const [index, each] of processes.entries()) {
      assert.equal(await told(each, "churn", `p${index}`, "/ws"), "ok", `the one before is swept (${index})`);
      await new Promise((resolve) => setTimeout(resolve, 5 + next() * 40));
      await end([each]);
      assert.deepEqual(await lookAt(path).list(), []);
    }
    const database = new DatabaseSync(path);
    assert.deepEqual({ ...database.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
    database.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
