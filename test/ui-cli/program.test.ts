/** `yoi` without a command on a real terminal: what it opens, how it is left, and what it comes to where the terminal can only show lines. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { startYoi, yoiCommand } from "../support/yoi-process.ts";

/** After this long whatever a test started is killed. */
const lifeMsMax = 30_000;

/** The program on a terminal of its own, 80 columns wide. */
class OnTerminal {
  readonly #child: ChildProcess;
  #shown = "";
  #changed = Promise.withResolvers<void>();

  constructor(args: readonly string[], home: TempHome, term: string) {
    const command = ["exec", yoiCommand, ...args.map((arg) => `'${arg}'`)].join(" ");
    this.#child = spawn("script", ["-qefc", `stty columns 80 rows 24; ${command}`, "/dev/null"], {
      cwd: home.workspace,
      env: { ...home.env, TERM: term, SHELL: "/bin/sh" },
      detached: true,
      timeout: lifeMsMax,
      killSignal: "SIGKILL",
    });
    this.#child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      this.#shown += piece;
      this.#changed.resolve();
    });
    this.#child.on("close", () => this.#changed.resolve());
  }

  get shown(): string {
    return this.#shown;
  }

  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#shown)) {
      if (this.#child.exitCode !== null) throw new Error(`it ended: ${JSON.stringify(this.#shown)}`);
      await this.#changed.promise;
      this.#changed = Promise.withResolvers<void>();
    }
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  async ended(): Promise<number | null> {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    const [code] = await once(this.#child, "exit");
    return code as number | null;
  }
}

const scenario = `steps:\n  - text: "The first answer."\n  - text: "The second answer."\n`;

test("without a key the first run is shown; it is left with Ctrl-D, and the terminal is as it was", async () => {
  using home = tempHome();
  const yoi = new OnTerminal([], home, "xterm-256color");
  await yoi.until(/Who has the model/);
  yoi.type("\u001b");
  await yoi.until(/asks again/);
  yoi.type("\u0004");
  assert.equal(await yoi.ended(), 0);
  for (const mode of ["2004", "2026"]) {
    const last = yoi.shown.lastIndexOf(`\u001b[?${mode}`);
    assert.equal(yoi.shown.slice(last).startsWith(`\u001b[?${mode}l`), true, `mode ${mode} is left on`);
  }
  assert.equal(yoi.shown.includes("\u001b[3J"), false, "the scrollback is nobody's to clear");
});

test("a terminal that can only show lines gets lines: a new Pod, its answers, and back to it with -c", async () => {
  using home = tempHome();
  writeFileSync(join(home.workspace, "two.yaml"), scenario);
  const stop = () => startYoi(["pod", "stop", "site"], { env: home.env, cwd: home.workspace }).ended;
  try {
    const first = new OnTerminal(
      ["--pod", "site", "-m", "scripted/two.yaml", "begin with this"],
      home,
      "dumb",
    );
    await first.until(/The first answer\./);
    first.type("\u0004");
    assert.equal(await first.ended(), 0);
    assert.match(first.shown, /The Pod site is new\./);
    assert.equal(first.shown.includes("\u001b["), false, JSON.stringify(first.shown));
    const second = new OnTerminal(["-c", "and then"], home, "dumb");
    await second.until(/The second answer\./);
    second.type("\u0004");
    assert.equal(await second.ended(), 0);
    const refused = new OnTerminal(["-c", "-m", "scripted/other.yaml"], home, "dumb");
    assert.equal(await refused.ended(), 2);
    assert.match(refused.shown, /-m scripted\/other\.yaml cannot be given now/);
  } finally {
    await stop();
  }
});

test("control: what is typed behind no flag and is one word is a mistyped command, on a terminal too", async () => {
  using home = tempHome();
  const yoi = new OnTerminal(["atach"], home, "xterm-256color");
  assert.equal(await yoi.ended(), 2);
  assert.match(yoi.shown, /Unknown command 'atach': did you mean attach\?/);
  assert.equal(execFileSync("ls", [home.home]).toString(), "");
});

test("what no command could be called is a prompt: one word in another script, or with a sign", async () => {
  using home = tempHome();
  const yoi = new OnTerminal(["直して!"], home, "xterm-256color");
  await yoi.until(/First run/);
  yoi.type("\u0003\u0003");
  assert.equal(await yoi.ended(), 0);
});

test("what is piped into yoi without a command is not dropped without a word", async () => {
  using home = tempHome();
  const { code, stdout, stderr } = await piped("fix it", home);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /^yoi: Without a command yoi opens a terminal[^]*`yoi run` takes that/);
});

/** With a real pipe, which a child of this process would not have by itself. */
async function piped(text: string, { env, workspace }: TempHome) {
  const child = spawn("sh", ["-c", `printf '%s' '${text}' | ${yoiCommand}`], { cwd: workspace, env });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (stdout += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (stderr += piece));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
