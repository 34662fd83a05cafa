/** What somebody takes away beside a Pod that is up: who holds it is said again, it can be ended all the same, and nothing is made anew where its data was. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../support/processes.ts";
import { Hosting } from "./hosted.ts";

async function hosted(hosting: Hosting): Promise<{ readonly hint: string }> {
  const { home, workspace } = hosting.home;
  writeFileSync(join(workspace, "s.yaml"), "steps:\n  - text: done\n");
  const started = await hosting.yoi("pod", "start", "p", "-m", "scripted/s.yaml", "--sandbox", "off");
  assert.equal(started.code, 0, started.stderr);
  return { hint: join(home, "locks", "p.owner") };
}

test("the hint of a living Pod that is lost or unreadable is there again within seconds; without it `pod stop` ends the Pod", async () => {
  await using hosting = new Hosting();
  const { hint } = await hosted(hosting);
  const before = readFileSync(hint, "utf8");
  writeFileSync(hint, "{");
  await eventually("it can be read again", () => readFileSync(hint, "utf8") === before, 10_000);
  rmSync(hint);
  const stopped = await hosting.yoi("pod", "stop", "p");
  assert.equal(stopped.stdout, "Stopped the Pod p: `yoi pod restore p` starts it again.\n", stopped.stderr);
  assert.equal(
    (await hosting.yoi("pod", "stop", "p")).stdout,
    "The Pod p is not live: there was nothing to stop.\n",
  );
  assert.ok(!existsSync(hint));
});

test("a host whose data directory was moved away makes neither locks nor a registry where it was", async () => {
  await using hosting = new Hosting();
  const { hint } = await hosted(hosting);
  const { home } = hosting.home;
  const { pid } = JSON.parse(readFileSync(hint, "utf8")) as { pid: number };
  const elsewhere = `${home}-elsewhere`;
  renameSync(home, elsewhere);
  await eventually("its process ended", () => !existsSync(`/proc/${pid}`), 15_000);
  assert.deepEqual(
    ["locks", "registry.sqlite"].filter((path) => existsSync(join(home, path))),
    [],
  );
  assert.ok(existsSync(join(elsewhere, "registry.sqlite")));
  rmSync(elsewhere, { recursive: true });
});
