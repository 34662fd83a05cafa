/** The first kills while a command is started, a control, and the word without which a shell in the sandbox never begins. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { after, test } from "node:test";
import { boxedGate, gateFd } from "../../packages/sandbox/src/boxed-handling.ts";
import { proofTest } from "../support/proof.ts";
import { isGoneBehind, killedEarly } from "./pod-killed-early.proof.ts";

const root = mkdtempSync(join(tmpdir(), "yoi-test-"));
after(() => rmSync(root, { recursive: true, force: true }));

proofTest(killedEarly);

test("control: what nothing ends is seen", async () => {
  assert.ok(!(await isGoneBehind(20, 5001, "bare")));
});

for (const answer of [true, false])
  test(`a shell whose Pod ${answer ? "says so begins" : "is gone when it asks never begins"}`, async () => {
    const ran = join(root, `ran-${answer}`);
    const line = `${boxedGate}touch ${ran}; test ! -e /proc/self/fd/${gateFd}`;
    const shell = spawn("bash", ["-c", line], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    const gate = shell.stdio[gateFd];
    assert.ok(gate instanceof Duplex);
    gate.once("data", () => (answer ? gate.end("\n") : gate.destroy()));
    const code = await new Promise((resolve) => shell.once("exit", resolve));
    assert.deepEqual([code, existsSync(ran)], answer ? [0, true] : [125, false]);
  });
