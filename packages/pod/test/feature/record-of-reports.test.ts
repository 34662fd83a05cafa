/** The record of what became of features: bounded in all and for each, with a count of what had no room. */
import assert from "node:assert/strict";
import test from "node:test";
import { utf8Length } from "@yoi/base";
import { featureId, type FeatureInstallReport, type SkippedContribution } from "@yoi/feature";
import { featuresMax } from "../../src/feature/install/preflight.ts";
import { recordBytesMax, recordOfReports, recordReasonsMax } from "../../src/feature/record-of-reports.ts";

function reportOf(id: string, fields: Partial<FeatureInstallReport> = {}): FeatureInstallReport {
  return {
    feature: featureId(id),
    runtime: "external_plugin",
    display_name: "For a test",
    version: "1.0.0",
    digest: "d".repeat(64),
    status: "installed",
    granted: [],
    denied: [],
    tools: ["Tool"],
    hooks: [],
    background_tasks: [{ name: "watch", state: "running" }],
    provides_services: [],
    uses_services: [],
    skipped: [],
    diagnostics: [],
    ...fields,
  };
}

interface Recorded {
  readonly feature?: string;
  readonly granted: readonly unknown[];
  readonly granted_more: number;
  readonly reasons: readonly string[];
  readonly reasons_more: number;
  readonly more?: number;
}
const recordOf = (reports: readonly FeatureInstallReport[]) => {
  const record = recordOfReports(reports) as unknown as readonly Recorded[];
  assert.ok(bytesOf(record) <= recordBytesMax, `${bytesOf(record)} bytes`);
  return record;
};
const bytesOf = (value: unknown) => utf8Length(JSON.stringify(value));
const errors = (count: number, charsEach = 1) =>
  Array.from({ length: count }, (_, index) => ({
    severity: "error" as const,
    message: `${index} ${"e".repeat(charsEach)}`,
  }));

test("a line says who, what was granted, and each reason once, the one that decided first", () => {
  const skipped: readonly SkippedContribution[] = [
    { kind: "handle", name: "secret_ref (a)", reason: "denied." },
    { kind: "handle", name: "secret_ref (b)", reason: "denied." },
  ];
  const report = reportOf("project:one", {
    status: "failed",
    granted: [{ kind: "model_notification" }],
    skipped,
    diagnostics: [
      { severity: "info", message: "Took 12 ms." },
      { severity: "warning", message: "slow" },
      { severity: "warning", message: "denied." },
      { severity: "error", message: "my own words" },
      { severity: "error", message: "no disk" },
    ],
  });
  assert.deepEqual(recordOf([report]), [
    {
      feature: "project:one",
      version: "1.0.0",
      digest: "d".repeat(64),
      status: "failed",
      granted: [{ kind: "model_notification" }],
      granted_more: 0,
      reasons: [
        "no disk",
        "handle secret_ref (a): denied.",
        "handle secret_ref (b): denied.",
        "my own words",
        "slow",
      ],
      reasons_more: 0,
    },
  ]);
  assert.deepEqual(recordOf([]), []);
});

test("8 reasons of a feature are kept, at n and n + 1", () => {
  const kept = (count: number) => {
    const [line] = recordOf([reportOf("project:one", { diagnostics: errors(count) })]);
    return [line?.reasons.length, line?.reasons_more];
  };
  assert.deepEqual(kept(recordReasonsMax), [8, 0]);
  assert.deepEqual(kept(recordReasonsMax + 1), [8, 1]);
});

test("the whole has 64 KiB: what fits exactly is there, and one byte more is counted", () => {
  // The room that a reason has: what is left by all the rest, its quotes, and the commas.
  const rest = bytesOf([{ more: 1 }]) + bytesOf(recordOf([reportOf("project:one")])[0]) + 1;
  const room = recordBytesMax - rest - "''".length - 1;
  const kept = (chars: number) => {
    const [line] = recordOf([
      reportOf("project:one", { diagnostics: [{ severity: "error", message: "x".repeat(chars) }] }),
    ]);
    return [line?.reasons.length, line?.reasons_more];
  };
  assert.deepEqual(kept(room), [1, 0]);
  assert.deepEqual(kept(room + 1), [0, 1]);
});

test("as many features as a Pod can have are all named, whatever they say, and each has said something", () => {
  const id = (index: number) => `package:@${"a".repeat(100)}/x${String(index).padStart(3, "0")}`;
  const loud = (index: number) =>
    reportOf(id(index), {
      version: "999999999.999999999.999999999",
      status: "degraded",
      granted: index === 0 ? [{ kind: "model_notification" }] : [],
      diagnostics: errors(64, 40),
      skipped: Array.from({ length: 512 }, (_, nth) => ({
        kind: "tool" as const,
        name: `t${nth}`,
        reason: "漢".repeat(20),
      })),
    });
  const reports = Array.from({ length: featuresMax }, (_, index) => loud(index));
  const record = recordOf(reports);
  assert.deepEqual(
    record.map(({ feature }) => feature),
    reports.map(({ feature }) => feature),
  );
  assert.ok(record.every(({ reasons, reasons_more }) => reasons.length > 0 && reasons_more > 500));
  assert.deepEqual(record[0]?.granted, [{ kind: "model_notification" }]);
  // The same again, to the byte.
  assert.deepEqual(recordOf(Array.from({ length: featuresMax }, (_, index) => loud(index))), record);
});

test("grants that have no room are counted, and features that have none are counted at the end", () => {
  const paths = Array.from({ length: 64 }, (_, nth) => ({
    kind: "filesystem" as const,
    access: "read" as const,
    path: `/${"p".repeat(4000)}${nth}`,
  }));
  const [line] = recordOf([reportOf("project:one", { granted: paths })]);
  assert.equal((line?.granted.length ?? 0) + (line?.granted_more ?? 0), 64);
  assert.ok(line !== undefined && line.granted.length > 10 && line.granted_more > 40);

  const many = recordOf(Array.from({ length: 2000 }, (_, index) => reportOf(`project:n${index}`)));
  const last = many.at(-1);
  assert.equal((last?.more ?? 0) + many.length - 1, 2000);
  assert.ok(many.length > featuresMax);
});
