/** Verifying and showing all segments of a Pod: what is whole passes, and each kind of damage is said with its segment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { noSpent, segmentId } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { lineageOf, type LineageSegment } from "../../src/discovery/lineage.ts";
import { verifyPod } from "../../src/discovery/verify-pod.ts";
import { refuseSuperseded } from "../../src/timeline/superseded.ts";
import {
  dataDir,
  firstSegment,
  name,
  type Next,
  nextSegment,
  storesOf,
  threeSegments,
  user,
} from "./segments.ts";

type Made = Awaited<ReturnType<typeof threeSegments>>;

/** A Pod whose name refers to the newest of three segments. */
async function madePod(): Promise<Made> {
  const made = await threeSegments();
  await refer(made, made.active);
  return made;
}

async function refer({ pods }: Pick<Made, "pods">, ref: Made["active"]): Promise<void> {
  await pods.create({ name, pointer: { state: "active", ...ref }, manifest: {} });
}

const options = {
  wireRequestsMax: 0,
  openModel: () => Promise.reject(new Error("no model here")),
};
const pathOf = ({ session, segment }: Made["active"]) => `${dataDir}/sessions/${session}/${segment}.jsonl`;

test("every segment is verified, newest first; a left-over is named and is no failure", async () => {
  const made = await madePod();
  const { first, compacted, active } = made;
  const orphan = await nextSegment(made, { now: active, from: "forked_from" });
  const report = await verifyPod(made, name, options);
  assert.deepEqual(
    report.segments.map(({ segment, role }) => [segment, role]),
    [
      [active.segment, "active"],
      [compacted.segment, "earlier"],
      [first.segment, "earlier"],
    ],
  );
  assert.deepEqual([report.problems, report.leftOvers], [[], [orphan.segment]]);
  assert.equal(
    report.entries,
    report.segments.reduce((sum, { entries }) => sum + entries, 0),
  );
  const one = await verifyPod(made, name, { ...options, segment: compacted.segment });
  assert.deepEqual(
    [one.segments.map(({ segment, role }) => [segment, role]), one.problems],
    [[[compacted.segment, "earlier"]], []],
  );
  const nowhere = segmentId(made.host.ids.uuidV7());
  await assert.rejects(verifyPod(made, name, { ...options, segment: nowhere }), { code: "target_unknown" });
});

test("what a segment says of others is held against them: missing, cut, grown, damaged", async () => {
  const problemsOf = async (made: Made) =>
    (await verifyPod(made, name, options)).problems.map(({ kind, segment }) => [kind, segment]);
  const gone = await madePod();
  await gone.host.files.removeFile(pathOf(gone.first));
  assert.deepEqual(await problemsOf(gone), [
    ["origin", gone.active.segment],
    ["origin", gone.compacted.segment],
    ["origin", gone.compacted.segment],
    ["missing_segment", gone.first.segment],
  ]);

  const cut = await madePod();
  const log = Buffer.from((await cut.host.files.read(pathOf(cut.first))) ?? []);
  await cut.host.files.replace(pathOf(cut.first), log.subarray(0, log.lastIndexOf("\n", log.length - 2) + 1));
  assert.deepEqual(await problemsOf(cut), [
    ["origin", cut.active.segment],
    ["origin", cut.compacted.segment],
    ["origin", cut.compacted.segment],
  ]);

  const grown = await madePod();
  const { writer } = await grown.sessions.open(grown.compacted, { metadataEpoch: 0, version: "0" });
  await writer.close();
  assert.deepEqual(await problemsOf(grown), [["origin", grown.active.segment]]);

  const damaged = await madePod();
  const bytes = Buffer.from((await damaged.host.files.read(pathOf(damaged.compacted))) ?? []);
  bytes[bytes.indexOf("a summary about")] = 0x41;
  await damaged.host.files.replace(pathOf(damaged.compacted), bytes);
  const report = await verifyPod(damaged, name, options);
  assert.deepEqual(
    report.problems.map(({ kind, segment }) => [kind, segment]),
    [["damage", damaged.compacted.segment]],
  );
  assert.ok(report.problems[0]?.message.startsWith(`Segment ${damaged.compacted.segment}: `));
});

test("where the metadata is an older copy, verifying says so, and names the segment that was worked in", async () => {
  const made = await threeSegments();
  const { first, compacted, active, sessions } = made;
  await refer(made, compacted);
  const report = await verifyPod(made, name, options);
  assert.deepEqual(
    report.problems.map(({ kind, segment }) => [kind, segment]),
    [["superseded", active.segment]],
  );
  assert.match(report.problems[0]?.message ?? "", /older copy.*fork weeks NEW --segment/);
  // What was written and never worked in is a left-over, whatever it goes on from.
  await assert.rejects(refuseSuperseded(sessions, name, compacted), {
    code: "log_damaged",
    message: new RegExp(`names the segment ${compacted.segment}, .* is ${active.segment}`),
  });
  await assert.rejects(refuseSuperseded(sessions, name, first), { code: "log_damaged" });
  await nextSegment(made, { now: active, from: "forked_from" });
  await firstSegment(made, [user("an index")], { session: active.session, purpose: "compaction" });
  await refuseSuperseded(sessions, name, active);
});

test("a segment that goes back has what was at its origin, and names what it left: otherwise it is said", async () => {
  const problemsOf = async (more: Partial<Next>) => {
    const made = await threeSegments();
    const { first, compacted } = made;
    await refer(made, await nextSegment(made, { now: compacted, from: "forked_from", at: first, ...more }));
    return (await verifyPod(made, name, options)).problems.flatMap(({ kind, message }) =>
      kind === "origin" ? [message.replace(/^.*Entry 0: it (goes on from \S+ \S+ of \S+, and )?/, "")] : [],
    );
  };
  assert.deepEqual(await problemsOf({}), []);
  const otherwise = (what: string) => [`${what} not what was there.`];
  assert.deepEqual(await problemsOf({ keepLast: 1 }), otherwise("the item 3 that it took over is"));
  assert.deepEqual(await problemsOf({ newItems: ["forged"] }), otherwise("the item 3 that it took over is"));
  assert.deepEqual(await problemsOf({ start: { turn_count: 7 } }), otherwise("the number of its turns is"));
  assert.deepEqual(
    await problemsOf({ start: { projection: { prune_before: 2 } } }),
    otherwise("its projection is"),
  );
  assert.deepEqual(await problemsOf({ hasLeft: false }), [
    "is number 2 of its Pod and names no segment that the Pod left for it.",
  ]);
});

test("a compactor's segment is verified where it is, missed where it asked a model, and not where it never did", async () => {
  const made = await madePod();
  const { sessions, active, host } = made;
  const compactor = await firstSegment(made, [user("an index")], {
    session: active.session,
    purpose: "compaction",
  });
  const never = segmentId(host.ids.uuidV7());
  const { writer } = await sessions.open(active, { metadataEpoch: 0, version: "0" });
  const outcome = {
    tokens_before: 1,
    tokens_after: null,
    items_before: 1,
    items_after: null,
    items_kept: null,
  };
  const failed = { kind: "compacted", trigger: "user", outcome: "failed", ...outcome } as const;
  await writer.append([
    { kind: "compaction_begun", trigger: "user", compactor: never, tokens: 1 },
    { ...failed, compactor: never, spent: noSpent },
    { ...failed, compactor: compactor.segment, spent: { ...noSpent, requests: 1 } },
  ]);
  await writer.close();
  const report = await verifyPod(made, name, options);
  assert.deepEqual(
    [report.segments.map(({ role }) => role), report.problems, report.leftOvers],
    [["active", "compactor", "earlier", "earlier"], [], []],
  );
  await host.files.removeFile(pathOf(compactor));
  assert.deepEqual(
    (await verifyPod(made, name, options)).problems.map(({ kind, segment }) => [kind, segment]),
    [["missing_segment", compactor.segment]],
  );
});

test("lineage says why each segment began, where it goes on from and what no pointer named", async () => {
  const made = await madePod();
  const { first, compacted, active } = made;
  const orphan = await nextSegment(made, { now: active, from: "compacted_from", keepLast: 1 });
  await firstSegment(made, [], { session: active.session, purpose: "compaction" });
  const shown = ({ segment, role, generation, why, from }: LineageSegment) =>
    [segment, role, generation, why, from?.id ?? null] as const;
  const lineage = await lineageOf(made, name);
  assert.deepEqual(lineage.segments.slice(0, 4).map(shown), [
    [active.segment, "active", 2, "undone", "6"],
    [compacted.segment, "earlier", 1, "compacted", "6"],
    [first.segment, "earlier", 0, "new", null],
    [orphan.segment, "left_over", 3, "compacted", "2-9"],
  ]);
  assert.deepEqual(
    lineage.segments.slice(4).map(({ role, why }) => [role, why]),
    [["compactor", "compactor"]],
  );
  for (const { segment, entries, bytes } of lineage.segments) {
    const view = await made.sessions.read({ session: active.session, segment });
    const log = await made.host.files.read(pathOf({ session: active.session, segment }));
    assert.deepEqual([entries, bytes], [view.entries.length, log?.length]);
  }
  assert.deepEqual([lineage.source, lineage.missing, lineage.unreadable], [null, null, []]);
  await made.host.files.removeFile(pathOf(first));
  assert.equal((await lineageOf(made, name)).missing?.segment, first.segment);
});

test("a Pod that never went on has one segment", async () => {
  const stores = storesOf(memoryHost({ seed: 2 }));
  await refer(stores, await firstSegment(stores, [user("a")]));
  const report = await verifyPod(stores, name, options);
  assert.deepEqual([report.problems, report.segments.map(({ role }) => role)], [[], ["active"]]);
  assert.deepEqual(
    (await lineageOf(stores, name)).segments.map(({ why }) => why),
    ["new"],
  );
});
