/** `pod verify --wire` of a scripted Pod: without its scenario, and bounded in how far back it looks. */
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { wireRequestsDefault } from "../../packages/cli/src/commands/pod-verify.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";

/** A run of so many requests; the calls ask for a tool that there is not, so each costs next to nothing. */
async function ran(home: TempHome, requests: number): Promise<void> {
  const call = { tool_calls: [{ name: "Nothing", arguments: {} }] };
  const steps = [...Array<object>(requests - 1).fill(call), { text: "Done." }];
  writeFileSync(join(home.workspace, "s.yaml"), JSON.stringify({ steps }));
  const args = ["run", "go", "--pod", "p", "-m", "scripted/s.yaml", "--max-turns", String(requests)];
  const { code, stderr } = await runYoi(args, { cwd: home.workspace, env: home.env });
  assert.equal(code, 0, stderr);
  rmSync(join(home.workspace, "s.yaml"));
}

async function verified(home: TempHome, ...flags: readonly string[]) {
  const args = ["pod", "verify", "p", "--json", ...flags];
  const { code, stdout, stderr } = await runYoi(args, { cwd: home.workspace, env: home.env });
  assert.equal(code, 0, stdout + stderr);
  const { requests, wire_checked } = JSON.parse(stdout) as Record<string, unknown>;
  return { requests, wire_checked };
}

test("a log needs nothing but itself, and --wire looks at the last 500 requests", async () => {
  using home = tempHome();
  assert.equal(wireRequestsDefault, 500);
  await ran(home, wireRequestsDefault + 1);
  const requests = wireRequestsDefault + 1;
  assert.deepEqual(await verified(home), { requests, wire_checked: 0 });
  assert.deepEqual(await verified(home, "--wire"), { requests, wire_checked: wireRequestsDefault });
  assert.deepEqual(await verified(home, "--wire", String(requests)), { requests, wire_checked: requests });
});

test("fewer requests than that are all looked at", async () => {
  using home = tempHome();
  await ran(home, 2);
  assert.deepEqual(await verified(home, "--wire"), { requests: 2, wire_checked: 2 });
});
