/** `yoi pod start` and `restore`, detached: a process of its own that nothing of its starter keeps, and a failure that is told as the starter's own. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { describe } from "node:test";
import { eventually, isAlive, familyOf } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, yoiCommand, type YoiResult } from "../support/yoi-process.ts";
import { attachRaw } from "./hosted.ts";

const canary = "sk-ant-of-no-use-7d1f0c9be2a84563";

/** On a busy machine. */
const endMs = 30_000;

interface Ready {
  readonly pod: string;
  readonly pid: number;
  readonly socket: string;
  readonly state: string;
  readonly log: string;
  readonly warnings: readonly string[];
}

class Machine implements AsyncDisposable {
  readonly home: TempHome = tempHome();
  readonly #pids: number[] = [];

  /** Without the line that a busy machine makes it say. */
  async yoi(...args: readonly string[]): Promise<YoiResult> {
    const env = { ...this.home.env, ANTHROPIC_API_KEY: canary };
    const ended = await runYoi(args, { env, cwd: this.home.workspace });
    return { ...ended, stderr: ended.stderr.replace("yoi: Waiting for p to be ready.\n", "") };
  }

  async start(...args: readonly string[]): Promise<Ready> {
    const { code, stdout, stderr } = await this.yoi("pod", ...args, "--json");
    assert.equal(code, 0, stderr);
    const ready = JSON.parse(stdout) as Ready;
    assert.equal(stderr, ready.warnings.map((warning) => `yoi: ${warning}\n`).join(""));
    this.#pids.push(ready.pid);
    return ready;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.#pids) {
      // Only what is still the process that was started: its command line names the Pod's output file of this home.
      if (!commandOf(pid).includes(this.home.home)) continue;
      process.kill(pid, "SIGKILL");
      await eventually(`process ${pid} is gone`, () => commandOf(pid) === "", endMs);
    }
    this.home[Symbol.dispose]();
  }
}

function commandOf(pid: number): string {
  return existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
}

/** Session and controlling terminal, as the system says. */
function sessionOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(3, 5)
    .map(Number);
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** A call, and then an answer that takes a minute to begin. */
const calling = `steps:
  - tool_calls:
      - name: Glob
        arguments: {pattern: "*"}
  - text: Late.
    delay_ms: 60000
`;
const scenario = ["-m", "scripted/s.yaml", "--sandbox", "off"];

describe("detached", { concurrency: true }, () => {
  test("a lock that the shell of its starter holds is free when that shell has ended", async () => {
    await using machine = new Machine();
    const { home } = machine;
    writeFileSync(join(home.workspace, "s.yaml"), "steps:\n  - text: Done.\n");
    const lock = join(home.home, "lock");
    const isFree = (): boolean => spawnSync("flock", ["-n", lock, "true"]).status === 0;
    const locked = (...line: readonly string[]): Promise<YoiResult> =>
      runYoi(["-c", 'exec 200>"$0"; flock 200; exec "$@"', lock, ...line], {
        command: "bash",
        env: home.env,
        cwd: home.workspace,
      });

    const control = `const { pid } = require("node:child_process").spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
process.stdout.write(String(pid), () => process.exit());`;
    const sleeper = await locked(process.execPath, "-e", control);
    assert.equal(isFree(), false, "control: what a plain spawn starts keeps it");
    process.kill(Number(sleeper.stdout), "SIGKILL");
    await eventually("the lock is free", isFree, endMs);

    try {
      const started = await locked(yoiCommand, "pod", "start", "p", ...scenario);
      assert.equal(started.code, 0, started.stderr);
      assert.equal(isFree(), true);
    } finally {
      assert.equal((await machine.yoi("pod", "stop", "p")).code, 0);
    }
  });

  test("it outlives its starter, in a session of its own, with its output in a file", async () => {
    await using machine = new Machine();
    const { home } = machine;
    writeFileSync(join(home.workspace, "s.yaml"), "steps:\n  - text: Done.\n");
    const said = await machine.yoi("pod", "start", "p", ...scenario);
    const [, pid = "", socket = "", log = ""] =
      /^p is up: pid (\d+), idle, socket (\S+), log (\S+)\n$/.exec(said.stdout) ??
      assert.fail(said.stdout + said.stderr);
    try {
      assert.equal(log, join(home.home, "hosts", "p.log"));
      const { runtime } = JSON.parse(readFileSync(join(home.home, "locks", "p.owner"), "utf8"));
      assert.equal(runtime, join(home.home, "run"), "who looks elsewhere is told where");
      assert.deepEqual(
        [modeOf(log), modeOf(join(home.home, "hosts")), modeOf(socket)],
        ["600", "700", "600"],
      );
      assert.deepEqual(readdirSync(join(home.home, "hosts")), ["p.log"]);
      assert.deepEqual(sessionOf(Number(pid)), [Number(pid), 0], "a session of its own, no terminal");
      assert.equal(readlinkSync(`/proc/${pid}/cwd`), "/", "it keeps no directory busy");
      assert.equal(readlinkSync(`/proc/${pid}/fd/0`), "/dev/null");
      assert.equal(readlinkSync(`/proc/${pid}/fd/2`), log);
      assert.ok(!commandOf(Number(pid)).includes(canary), "a key is in its command line");

      const token = readFileSync(join(home.home, "run", "token"), "utf8");
      const client = await attachRaw(socket, token);
      const parts = [{ type: "text", text: "go" }];
      await client.endOf(await client.ask("submit", { parts, submission: "one" }));
      client.drop();
      assert.match(readFileSync(log, "utf8"), /Z run \d+ finished\n$/);

      const again = await machine.yoi("pod", "start", "p");
      assert.deepEqual(
        [again.code, again.stdout, again.stderr.replace(/since \S+Z/, "since now")],
        [
          1,
          "",
          `yoi: The Pod p is hosted by process ${pid} (since now): \`yoi attach p\` shows it, \`yoi pod stop p\` ends it.\n`,
        ],
      );
      assert.deepEqual(
        readdirSync(join(home.home, "hosts")),
        ["p.log"],
        "the log is that of the one that hosts",
      );
      assert.match(
        (await machine.yoi("pod", "list")).stdout,
        new RegExp(`^p +hosted \\(pid ${pid}\\)  idle, sandbox off  `, "m"),
      );
    } finally {
      process.kill(Number(pid), "SIGTERM");
      await eventually("it ended", () => commandOf(Number(pid)) === "", endMs);
    }
    assert.ok(!existsSync(socket), "the socket went with it");
    assert.match(readFileSync(log, "utf8"), /Z p ends: SIGTERM\n$/);
  });

  test("killed, it is restored with what it kept, a cancelled run stays cancelled, and the log of its end is kept once", async () => {
    await using machine = new Machine();
    const { home } = machine;
    writeFileSync(join(home.workspace, "s.yaml"), calling);
    const left = join(home.home, "hosts", ".p.01a20234-acef-7610-b251-c2d6b5bf5081.log");
    mkdirSync(join(home.home, "hosts"), { recursive: true, mode: 0o700 });
    writeFileSync(left, "of a start that was killed");
    const first = await machine.start("start", "p", ...scenario);
    assert.ok(!existsSync(left));
    const client = await attachRaw(first.socket, readFileSync(join(home.home, "run", "token"), "utf8"));
    const parts = [{ type: "text", text: "go" }];
    const begun = await client.ask("submit", { parts, submission: "one" });
    await client.until("the call is done", () => client.entries.some(({ kind }) => kind === "tool_result"));
    await client.ask("cancel");
    await client.endOf(begun);
    client.drop();
    const [family] = familyOf(first.pid);
    process.kill(first.pid, "SIGKILL");
    await eventually("it is gone", () => family === undefined || !isAlive(family), endMs);
    assert.ok(existsSync(first.socket), "nobody took the socket away");
    const second = await machine.start("restore", "p", "--resume");
    assert.deepEqual(
      { ...second, pid: 0 },
      {
        ...first,
        pid: 0,
        warnings: [
          // Of a machine that has no sandbox.
          ...second.warnings.slice(0, -1),
          "No run of p was paused or cut off, so none goes on. With one that was cancelled, failed or reached a limit, `yoi pod resume p` goes on.",
        ],
      },
    );
    assert.notEqual(second.pid, first.pid);
    assert.deepEqual(readdirSync(join(home.home, "hosts")), ["p.log", "p.log.1"]);
    assert.match(readFileSync(`${second.log}.1`, "utf8"), new RegExp(`pid ${first.pid},`));
    process.kill(second.pid, "SIGTERM");
  });

  test("what it fails with is what its starter fails with, and nothing is left", async () => {
    await using machine = new Machine();
    const { home } = machine;
    for (const [args, code, said] of [
      [["start", "p", "-m", "nope/x"], 3, /^yoi: There is no provider "nope": .*\n$/],
      [["start", "p", "-m", "scripted/none.yaml"], 3, /^yoi: .*none\.yaml.*\n$/],
      [["restore", "p"], 1, /^yoi: There is no Pod named p: `yoi pod list` shows the ones there are\.\n$/],
    ] as const) {
      const { code: ended, stdout, stderr } = await machine.yoi("pod", ...args);
      assert.deepEqual([ended, stdout], [code, ""], stderr);
      assert.match(stderr, said);
    }
    assert.deepEqual(readdirSync(join(home.home, "hosts")), []);
  });

  test("an unsafe runtime directory: nobody is hosted, exit code 3, and the command that mends it", async () => {
    await using machine = new Machine();
    const run = join(machine.home.home, "run");
    writeFileSync(run, "");
    const { code, stderr } = await machine.yoi("pod", "start", "p", "-m", "scripted/s.yaml");
    assert.deepEqual(
      [code, stderr],
      [3, `yoi: ${run} is not a directory: move it away with \`mv ${run} ${run}.old\`.\n`],
    );
  });
});
