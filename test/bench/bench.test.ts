/** The bench harness works: every figure is there and counts what it says. No time is judged. */
import assert from "node:assert/strict";
import test from "node:test";
import { bench } from "../../bench/main.ts";
import { measure, type Run } from "../../bench/measure.ts";
import { startModel } from "../../bench/model-process.ts";
import { loadMax, report, type Results } from "../../bench/report.ts";
import { rawLoop, yoi, type Subject } from "../../bench/subject.ts";
import { summary } from "../../bench/summary.ts";

const steps = 3;

for (const subject of [rawLoop, yoi("off")]) {
  test(`${subject.name} plays the script to its end, and every figure is one`, async () => {
    const results = await bench({ steps, runs: 1, subjects: [subject], machineSamples: 2 });
    const run = results.rows[0]?.runs[0];
    assert.ok(run !== undefined);
    assert.equal(run.gapsMs.length, steps);
    const { gapsMs, ...figures } = run;
    for (const figure of [...gapsMs, ...Object.values(figures)]) assert.ok(figure > 0, JSON.stringify(run));
    assert.match(report(results), new RegExp(`^${subject.name}  `, "m"));
  });
}

test("a subject that stops early or fails is an error with its output, not a figure", async () => {
  const quits: Subject = {
    ...rawLoop,
    name: "quitter",
    command: () => ({ file: "sh", args: ["-c", "echo gave up >&2; exit 4"] }),
  };
  await using model = await startModel();
  await assert.rejects(measure(quits, model, steps), /quitter: exit 4 after 0 of 4 requests\ngave up/);
});

function results(load: number, offMs: number): Results {
  const times = summary([1, 2, 3]);
  const run = (gapMs: number): Run => ({
    gapsMs: [gapMs],
    startToFirstRequestMs: 1,
    restMs: 1,
    peakBytes: 1,
    recordedBytesPerStep: 1,
    lastRequestBytes: 1,
  });
  return {
    steps: 1,
    machine: { cores: 2, load, fdatasyncMs: times, spawnMs: times, bubblewrapMs: times },
    rows: [
      { name: "raw loop", runs: [run(4)] },
      { name: "yoi, sandbox off", runs: [run(offMs)] },
      { name: "yoi, sandbox on", runs: [run(9.5)] },
    ],
  };
}

test("the verdict compares inside the run, and there is none on a busy machine", () => {
  const quiet = report(results(loadMax, 6));
  assert.match(quiet, /sandbox off: 2\.00 ms, goal at most 3\.00: met/);
  assert.match(quiet, /sandbox on: 5\.50 ms, goal at most 5\.00: missed/);
  assert.match(report(results(loadMax, 7.01)), /sandbox off: 3\.01 ms, goal at most 3\.00: missed/);
  const busy = report(results(loadMax + 0.01, 6));
  assert.match(busy, /no verdict/);
  assert.doesNotMatch(busy, /goal/);
});

test("a summary is smallest, middle and largest", () => {
  assert.deepEqual(summary([3, 1, 2]), { min: 1, median: 2, max: 3 });
  assert.deepEqual(summary([4, 1, 2, 3]), { min: 1, median: 2.5, max: 4 });
  assert.deepEqual(summary([7]), { min: 7, median: 7, max: 7 });
  assert.throws(() => summary([]));
});
