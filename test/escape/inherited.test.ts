/** What the shell that started yoi has open stays with yoi: a command gets none of it, whichever number it has. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { inheritedMax } from "../../packages/sandbox/src/inherited.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";

const worker = new URL("inherited-worker.ts", import.meta.url).pathname;
const run = promisify(execFile);

/** Tells what it has of a directory that is open as `descriptor`, and writes there. */
function reaching(descriptor: number): string {
  const fd = `/proc/self/fd/${descriptor}`;
  return `cat ${fd}/secret 2>&1; echo in > ${fd}/was-here; [ -d ${fd}/. ] && echo directory; true`;
}

interface Reached {
  readonly said: string;
  readonly wrote: boolean;
}

/** With a directory outside open under each number. */
async function reach(how: string, descriptors: readonly number[], script: string): Promise<Reached> {
  const outside = mkdtempSync(join(tmpdir(), "yoi-inherited-"));
  try {
    writeFileSync(join(outside, "secret"), "told\n");
    const opened = descriptors.map((descriptor) => `${descriptor}<"$0"`).join(" ");
    const line = ["-c", `exec ${opened}; exec "$@"`, outside, process.execPath, worker, how, script];
    const { stdout } = await run("bash", line, { timeout: 60_000, cwd: "/" });
    return { said: stdout, wrote: existsSync(join(outside, "was-here")) };
  } finally {
    rmSync(outside, { recursive: true });
  }
}

const numbers = [200, inheritedMax];

/** Side by side: half of their time is waiting. */
describe("a directory that is open where yoi was started", { concurrency: 2 }, () => {
  test("control: it is a way out for what a plain spawn starts", async () => {
    const { said, wrote } = await reach("plain", numbers, numbers.map(reaching).join("\n"));
    assert.deepEqual({ said, wrote }, { said: "told\ndirectory\n".repeat(numbers.length), wrote: true });
  });
  for (const [mode, skip] of [
    ["on", noBubblewrap()],
    ["off", false],
  ] as const) {
    test(`sandbox ${mode}: it leads nowhere for a command`, { skip }, async () => {
      const { said, wrote } = await reach(mode, numbers, numbers.map(reaching).join("\n"));
      assert.equal(said.match(/\/secret: Not a directory/g)?.length, numbers.length, said);
      assert.doesNotMatch(said, /^(told|directory)$/m);
      assert.equal(wrote, false);
    });
  }

  test("sandbox off: all that a command has, and the watchdog beside it", async () => {
    // Its parent is the worker, whose children are the command and the watchdog.
    const script = `for pid in $(cat /proc/$PPID/task/*/children); do readlink /proc/$pid/fd/*; done; true`;
    const { said } = await reach("off", [17, 18, 40, 200], script);
    assert.deepEqual(
      said.split("\n").filter((line) => line.includes("yoi-inherited-")),
      [],
    );
    assert.ok(said.split("\n").filter((line) => line === "/dev/null").length >= 8, said);
  });

  test("one above what can be kept from it: no command begins, and the sentence says which", async () => {
    await assert.rejects(
      reach("off", [inheritedMax + 1], "echo ran"),
      (error: Error & { readonly stderr: string }) => {
        assert.match(
          error.stderr,
          new RegExp(`Descriptor ${inheritedMax + 1} was open where yoi was started`),
        );
        return true;
      },
    );
  });
});
