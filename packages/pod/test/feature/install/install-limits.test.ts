/** The limits of an installation as a whole: how many features, and how long all of them take. */
import assert from "node:assert/strict";
import test from "node:test";
import { installsMsMax } from "../../../src/feature/install-features.ts";
import { installMsMax } from "../../../src/feature/install/install-one.ts";
import { featuresMax } from "../../../src/feature/install/preflight.ts";
import { descriptorOf, install, moduleOf, startInstall } from "../features.ts";

const numbered = (count: number, prefix = "n") =>
  Array.from({ length: count }, (_, index) => moduleOf(descriptorOf(`project:${prefix}${index}`)));

test("128 features are installed, at n and n + 1, and what nobody approved does not count", async () => {
  assert.equal(featuresMax, 128);
  const unapproved = numbered(3, "unapproved");
  const { installed } = await install([...unapproved, ...numbered(featuresMax + 2)], {
    host: { approvalOf: async (id) => (id.includes("unapproved") ? null : { granted: [] }) },
  });
  const statuses = installed.reports.map(({ status }) => status);
  assert.deepEqual(statuses, [
    ...unapproved.map(() => "skipped"),
    ...numbered(featuresMax).map(() => "installed"),
    "skipped",
    "skipped",
  ]);
  assert.deepEqual(installed.reports.at(-1)?.diagnostics, [
    {
      severity: "error",
      message: `project:n${featuresMax + 1} is one feature too many: a Pod has at most 128, and those before it are kept.`,
    },
  ]);
});

test("all installations together have 20 s: what is not done by then is skipped, and says so", async () => {
  assert.deepEqual([installMsMax, installsMsMax], [5_000, 20_000]);
  const taking = (id: string, ms: number) =>
    moduleOf(descriptorOf(id), () => new Promise((resolve) => void clock.timers.after(ms, () => resolve())));
  const outcome = async (last: number) => {
    const started = startInstall([
      taking("project:a", 4_999),
      taking("project:b", 6_000),
      taking("project:c", 4_999),
      taking("project:d", 4_999),
      taking("project:e", last),
      taking("project:f", 0),
    ]);
    clock = started.machine;
    await started.machine.advance(60_000);
    const { reports } = await started.installing;
    return reports.map(({ status, diagnostics }) => [status, diagnostics[0]?.message ?? ""]);
  };
  let clock: { timers: { after(ms: number, run: () => void): unknown } } = startInstall([]).machine;
  const fast = await outcome(2);
  assert.deepEqual(
    fast.map(([status]) => status),
    ["installed", "failed", "installed", "installed", "installed", "installed"],
  );
  // 3 ms are left for the fifth: with all of them nothing is left for the sixth.
  const slow = await outcome(4);
  assert.deepEqual(
    slow.map(([status]) => status),
    ["installed", "failed", "installed", "installed", "failed", "skipped"],
  );
  assert.match(String(slow[4]?.[1]), /it did not end within 3 ms/);
  assert.equal(
    slow[5]?.[1],
    "project:f is not installed: the features before it took the 20000 ms that all have together.",
  );
});
