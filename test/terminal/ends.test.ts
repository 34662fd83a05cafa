/** Terminals and Pods that end: what is killed takes nothing else with it, and the terminal is given back as it was. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { aliveIn } from "../support/processes.ts";
import { noTmux, Terminals, type Window } from "../support/tmux.ts";
import { yoiCommand } from "../support/yoi-process.ts";
import { type Answer, bash, podArgv, stepsOf, yoi } from "./pods.ts";

/** A Pod that is restored, and the demo, have their sandbox. */
const skip = noTmux() || noBubblewrap();
const throws = fileURLToPath(new URL("../service/throws-on-signal.ts", import.meta.url));
const lines = Array.from({ length: 60 }, (_, n) => `Line ${n} of the answer.`);
const steps: readonly Answer[] = [
  { text: lines.join("\n\n"), pace_ms: 10, chunk: 20 },
  { text: "The second one." },
  bash("echo begun; sleep 1000"),
  { text: "Gone on." },
];

/** A shell, as somebody has it in a terminal. */
async function shell(terminals: Terminals, env: Readonly<Record<string, string>> = {}): Promise<Window> {
  const readline = join(terminals.home.root, "inputrc");
  // What the shell asks of a terminal is not what yoi asks of it.
  writeFileSync(readline, "set enable-bracketed-paste off\n");
  const window = terminals.open(["bash", "--noprofile", "--norc", "-i"], {
    env: { PS1: "$ ", PS2: "", HISTFILE: "/dev/null", INPUTRC: readline, ...env },
  });
  await window.shows(/^\$ ?$/m);
  return window;
}

/** Modes that a terminal keeps behind a program which does not give them back. */
const kept = [
  /\u001b\[\?2004[hl]/g,
  /\u001b\[\?2026[hl]/g,
  /\u001b\[\?1004[hl]/g,
  /\u001b\[\?25[hl]/g,
  /\u001b\[\?1049[hl]/g,
];
const isGiven = (bytes: string): boolean =>
  kept.every((mode) => {
    const last = bytes.match(mode)?.at(-1);
    return last === undefined || last.endsWith(last.includes("?25") ? "h" : "l");
  }) &&
  (bytes.match(/\u001b\[>\d+u/g)?.length ?? 0) <= (bytes.match(/\u001b\[<u/g)?.length ?? 0) &&
  (bytes.match(/\u001b\[>4;\dm/g)?.at(-1) ?? "0m").endsWith("0m");

test("killed terminals and Pods", { skip }, async (t) => {
  const step = stepsOf(t);
  using terminals = new Terminals();
  const { home } = terminals;
  const attach = [yoiCommand, "attach", "site"];
  const kill = async (): Promise<void> => {
    const { stdout } = await yoi(home, "pod", "show", "site", "--json");
    const { owner_pid } = JSON.parse(stdout) as { readonly owner_pid: number };
    process.kill(owner_pid, "SIGKILL");
  };
  const first = terminals.open(podArgv(home, "site", steps));

  await step("the terminal is killed: the run goes on, and who attaches sees all of it", async () => {
    await first.shows(/Ask for something/);
    first.type("go");
    first.press("Enter");
    // Which one depends on how busy the machine is.
    await first.shows(/Line \d+ of/);
    process.kill(first.pid, "SIGKILL");
    await first.ended();
    assert.ok(!isGiven(first.bytes()), "control: nobody gives a terminal back after SIGKILL");
  });
  const second = terminals.open(attach);
  await step("... once and in order", async () => {
    await second.shows(/Line 59 of[^]*○ ready/);
    assert.deepEqual(second.all().match(/Line \d+ of .*/g), lines);
    second.type("and now");
    second.press("Enter");
    await second.shows(/The second one\.[^]*○ ready/);
  });

  await step(
    "the Pod is killed: that is said, and it goes on when it is restored from elsewhere",
    async () => {
      second.type("a draft");
      await kill();
      await second.shows(/! The process of site has ended: Enter restores it\./);
      const { code, stderr } = await yoi(home, "pod", "restore", "site");
      assert.equal(code, 0, stderr);
      await second.shows(/^> a draft$\n^○ ready/m);
      second.press("C-u");
    },
  );

  await step("killed in a run, it is restored by a key and goes on", async () => {
    second.type("run something");
    second.press("Enter");
    await second.shows(/│ begun/);
    await kill();
    await second.shows(/Enter restores it/);
    await second.pressUntil("Enter", /cut off in mid-run[^]*> 1 Start it again/);
    second.press("2");
    await second.shows(/Gone on\.[^]*○ ready/);
  });
});

test("the terminal is given back", { skip }, async (t) => {
  const step = stepsOf(t);
  using terminals = new Terminals();
  const [command = "", ...args] = podArgv(terminals.home, "site", steps);
  const line = [command, ...args].join(" ");
  const window = await shell(terminals, { NODE_OPTIONS: `--import=${throws}` });
  /** What the shell says of the terminal. */
  const modes = async (mark: string): Promise<string> => {
    window.type(`stty -a; echo "${mark}"`);
    window.press("Enter");
    await window.shows(new RegExp(`^${mark}$`, "m"));
    const text = window.all();
    return text.slice(text.lastIndexOf("speed"), text.lastIndexOf(`\n${mark}`));
  };
  const before = await modes("before");
  assert.match(before, /speed[^]*echo/);
  /** Of yoi: the shell has the same folder. */
  const child = (): number =>
    aliveIn(terminals.home.workspace).find(
      (pid) =>
        /yoi\.js/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8")) &&
        !/host/.test(readFileSync(`/proc/${pid}/cmdline`, "utf8")),
    ) ?? assert.fail("no yoi");
  const open = async (): Promise<void> => {
    window.type(line);
    window.press("Enter");
    await window.shows(/^(> Ask for something|○ ready)/m);
  };
  const rows: readonly (readonly [what: string, end: () => void, says: RegExp])[] = [
    ["left with Ctrl-D", () => window.press("C-d"), /^\$ ?$/m],
    ["ended by SIGTERM", () => process.kill(child(), "SIGTERM"), /Terminated/],
    [
      "ended by an error that nobody caught",
      () => process.kill(child(), "SIGUSR2"),
      /Error: nobody caught this\n[^]*^\$/m,
    ],
  ];
  for (const [what, end, says] of rows) {
    await step(what, async () => {
      await open();
      end();
      await window.holds(says);
      assert.equal(await modes(what.replaceAll(" ", "_")), before);
      assert.ok(isGiven(window.bytes()), JSON.stringify(window.bytes().slice(-600)));
      window.type("clear");
      window.press("Enter");
      await window.hides(/○ ready|Ask for/);
    });
  }

  await step("suspended with Ctrl-Z, and back with fg", async () => {
    await open();
    window.type("half a dra");
    await window.shows(/> half a dra/);
    window.press("C-z");
    await window.shows(/Stopped/);
    assert.equal(await modes("suspended"), before);
    assert.ok(isGiven(window.bytes()));
    window.type("fg");
    window.press("Enter");
    await window.shows(/> half a dra[^]*no Pod is open/);
    window.type("ft");
    await window.shows(/> half a draft/);
    window.press("C-c", "C-c");
    await window.shows(/^\$ ?$/m);
    assert.equal(await modes("left"), before);
  });
});
