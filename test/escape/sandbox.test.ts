/** Ways out of the sandbox: none works, as root and as an ordinary user; each control shows that the way is one. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { attempts } from "./sandbox-attempts.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import type { AttemptResult } from "./sandbox-worker.ts";

const worker = new URL("sandbox-worker.ts", import.meta.url).pathname;
const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"];
const isRoot = process.getuid?.() === 0;

function run(asNobody: boolean): Promise<AttemptResult[]> {
  const [file, ...args] = asNobody
    ? ["setpriv", ...nobody, process.execPath, worker]
    : [process.execPath, worker];
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout: 180_000, maxBuffer: 1 << 26, cwd: "/" }, (error, stdout, stderr) => {
      if (error !== null) return reject(new Error(`${error.message}\n${stderr}`));
      resolve(
        stdout
          .trim()
          .split("\n")
          .map((line): AttemptResult => JSON.parse(line)),
      );
    });
  });
}

const attemptsMin = 60;
/** How many controls get out, at the least. */
const liveControlsMin = 50;

/** Ways that an ordinary user does not have on some machines, held or not. */
const needPrivilege = new Set([
  "a user namespace",
  "a sandbox in the sandbox",
  "ptrace",
  "the root of a process of the user",
  "a hard link to outside",
]);

/** A reason why the worker cannot be run as another user, or false. */
function cannotBeNobody(): string | false {
  try {
    execFileSync(
      "setpriv",
      [...nobody, process.execPath, "-e", "require('fs').accessSync(process.argv[1])", worker],
      {
        stdio: "ignore",
        cwd: "/",
      },
    );
    return false;
  } catch {
    return "uid 65534 cannot read this checkout";
  }
}

test("there are ways enough, and enough of them are shown to be ways", () => {
  assert.ok(attempts.length >= attemptsMin, `only ${attempts.length} ways`);
  assert.equal(
    new Set(attempts.map(({ name }) => name)).size,
    attempts.length,
    "a way has a name of its own",
  );
});

/** Side by side: half of their time is waiting. */
describe("ways out", { concurrency: 2 }, () => {
  for (const asNobody of isRoot ? [false, true] : [false]) {
    const who = asNobody ? "uid 65534" : isRoot ? "root" : "this user";
    test(
      `${attempts.length} ways out of the sandbox, as ${who}: 0 work`,
      { skip: noBubblewrap() || (asNobody && cannotBeNobody()) },
      async () => {
        const results = await run(asNobody);
        assert.deepEqual(
          results.map(({ name }) => name),
          attempts.map(({ name }) => name),
        );
        assert.deepEqual(
          results.filter(({ escaped }) => escaped),
          [],
        );
        const deadControls = results.filter(
          ({ name, controlEscaped }) =>
            controlEscaped === false && !(needPrivilege.has(name) && (asNobody || !isRoot)),
        );
        assert.deepEqual(deadControls, [], "a control that gets nowhere shows nothing about the sandbox");
        const live = results.filter(({ controlEscaped }) => controlEscaped === true).length;
        assert.ok(live >= liveControlsMin, `only ${live} controls got out`);
      },
    );
  }
});
