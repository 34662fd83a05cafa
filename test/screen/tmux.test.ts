/** The main screen in tmux: rows that it breaks itself when it becomes narrower, and takes back out of its history when it becomes higher. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Reflow } from "../../packages/tui/src/terminal/reflow.ts";
import type { Frame } from "../../packages/tui/src/view/line.ts";
import { cut } from "../../packages/tui/src/view/width.ts";
import { noTmux } from "../support/tmux.ts";

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return (state >>> 8) % below;
  };
}

const words = ["a", "word", "日本語", "plain text here", "x".repeat(30), "🙂"];

interface Step {
  readonly frame: Frame;
  /** Before it is painted. */
  readonly size: { readonly columns: number; readonly rows: number };
}

/** Live rows that fit on every size, however they are broken. */
function steps(seed: number): readonly Step[] {
  const draw = numbers(seed);
  const line = () => Array.from({ length: draw(5) }, () => words[draw(words.length)] ?? "").join(" ");
  let printed = 0;
  let size = { columns: 60, rows: 20 };
  return Array.from({ length: 8 }, () => {
    if (draw(2) === 0) size = { columns: 30 + draw(50), rows: 14 + draw(10) };
    const print = Array.from({ length: draw(6) }, () => `${(printed += 1)} ${line()}`);
    const live = Array.from({ length: 1 + draw(4) }, () => `~${line()}`);
    const row = draw(live.length);
    return { size, frame: { print, live, cursor: { row, column: draw(30) } } };
  });
}

async function until(file: string, what: string): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (existsSync(file) && readFileSync(file, "utf8").split("\n").includes(what)) return;
    await wait(10);
  }
  throw new Error(
    `the painter did not say "${what}": ${existsSync(file) ? readFileSync(file, "utf8") : "nothing"}`,
  );
}

async function shownIn(
  seed: number,
  reflow: Reflow,
): Promise<{ readonly shown: string[]; readonly expected: string[] }> {
  const dir = mkdtempSync(join(tmpdir(), "yoi-test-"));
  const socket = join(dir, "tmux");
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
  const said = join(dir, "said");
  const all = steps(seed);
  try {
    const framesFile = join(dir, "frames");
    writeFileSync(framesFile, JSON.stringify(all.map(({ frame }) => frame)));
    const painter = [process.execPath, join(import.meta.dirname, "painter.ts"), framesFile, said, reflow];
    tmux("new-session", "-d", "-x", "60", "-y", "20", painter.map((each) => `'${each}'`).join(" "));
    await until(said, "ready");
    let size = { columns: 60, rows: 20 };
    for (const [at, step] of all.entries()) {
      if (step.size.columns !== size.columns || step.size.rows !== size.rows) {
        size = step.size;
        writeFileSync(said, "");
        tmux("resize-window", "-x", String(size.columns), "-y", String(size.rows));
        await until(said, `resized ${size.columns}x${size.rows}`);
      }
      tmux("send-keys", "n");
      await until(said, `painted ${at}`);
    }
    const live = all.at(-1)?.frame.live ?? [];
    const expected = [
      ...all.flatMap(({ frame }) => frame.print),
      ...live.map((line) => cut(line, size.columns)),
    ];
    const bare = (lines: readonly string[]) => lines.map((line) => line.replaceAll(" ", ""));
    // What was painted last may not have reached tmux yet.
    for (let tries = 0; ; tries += 1) {
      const text = tmux("capture-pane", "-p", "-J", "-S", "-").split("\n");
      while (text.at(-1)?.trim() === "") text.pop();
      const shown = bare(text);
      if (tries === 20 || shown.join("\n") === bare(expected).join("\n"))
        return { shown, expected: bare(expected) };
      await wait(10);
    }
  } finally {
    try {
      tmux("kill-server");
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
}

const skip = noTmux();
/** Each of these found something. */
const seeds = [12, 15];

test("history and screen are the finished lines in order, then what is live", { skip }, async () => {
  for (const seed of seeds) {
    const { shown, expected } = await shownIn(seed, "attached");
    assert.deepEqual(shown, expected, `seed ${seed}`);
  }
  console.log(`seeds ${seeds.join(", ")}`);
});

test("control: who takes tmux for a terminal that breaks no rows leaves some behind", { skip }, async () => {
  const { shown, expected } = await shownIn(1, "none");
  assert.notDeepEqual(shown, expected);
});
