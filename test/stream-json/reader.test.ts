/** Readers of the stream that do not read: one that goes away, and one that stalls. The run is none of their business. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { eventually } from "../support/processes.ts";
import { committedBytes, linesOf as logLinesOf } from "../support/stored-log.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { yoiCommand } from "../support/yoi-process.ts";
import { linesOf } from "./normalise.ts";

const textCharacters = 3 * 1024 * 1024;

function start(home: TempHome) {
  const scenario = { chunk: 4096, steps: [{ text: "x".repeat(textCharacters) }] };
  writeFileSync(join(home.workspace, "s.yaml"), JSON.stringify(scenario));
  const args = ["run", "go", "--pod", "p", "-m", "scripted/s.yaml", "--output-format", "stream-json"];
  return spawn(yoiCommand, args, {
    cwd: home.workspace,
    env: home.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const isFinished = (home: TempHome) => () =>
  logLinesOf(committedBytes(home.home)).some(({ kind }) => kind === "run_completed");

test(
  "a reader that goes away after a line: the run goes on to its end, with its own exit code",
  { skip: noBubblewrap() },
  async () => {
    using home = tempHome();
    const yoi = start(home);
    let stderr = "";
    yoi.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    await once(yoi.stdout, "data");
    yoi.stdout.destroy();
    const [code] = (await once(yoi, "close")) as [number | null];
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok(isFinished(home)());
  },
);

test("a reader that stalls holds nothing up, is told what it missed, and gets the whole result", async () => {
  using home = tempHome();
  const yoi = start(home);
  const closed = once(yoi, "close");
  await eventually("the run is on record as finished", isFinished(home), 30_000);
  let stdout = "";
  yoi.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  const [code] = (await closed) as [number | null];
  assert.equal(code, 0);
  const lines = linesOf(stdout);
  const gaps = lines.filter(({ type }) => type === "gap");
  const said = lines.flatMap(({ type, text }) => (type === "delta" ? [String(text)] : [])).join("");
  assert.ok(
    gaps.length > 0 && said.length < textCharacters,
    "control: everything fitted, so nothing was tested",
  );
  assert.deepEqual([...new Set(gaps.map(({ other }) => other))], [0]);
  const message = lines.find(({ type }) => type === "message");
  assert.equal(String(message?.["text"]).length, textCharacters);
  assert.equal(String(lines.at(-1)?.["result"]).length, textCharacters);
});
