/** Loan notices: whatever a loan is of, a notice of it fits, and says how much it leaves out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, sessionId, utf8Length, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { ChildRecord } from "@yoi/pod-store";
import { noticeBytesMax } from "../../src/inbox/inbox.ts";
import type { ChildNotice } from "../../src/spawn/lender.ts";
import {
  listedBytesMax,
  listedMax,
  reclaimMessage,
  tellKept,
  whyBytesMax,
} from "../../src/spawn/loan-notices.ts";
import { read, write } from "./asserting.ts";

const { ids } = memoryHost({ seed: 1 });

function childWith(targets: readonly string[]): ChildRecord {
  return {
    name: podName("kid"),
    state: "live",
    loan: { id: ids.uuidV7(), scope: { allow: [read("/w"), ...targets.map(write)], deny: [] } },
    session: sessionId(ids.uuidV7()),
    tokenDigest: "0".repeat(64),
    socket: null,
    callback: null,
    sinceMs: 0,
  };
}

/** Of so many bytes each. */
const paths = (count: number, bytes: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `/w/${n}`.padEnd(bytes, "x"));

const saidOf = (targets: readonly string[], killed: readonly string[] = []): string =>
  reclaimMessage(childWith(targets), {
    reason: "lost",
    said: "",
    killed: killed.map((name) => podName(name)),
  });

const writableIn = (message: string): string =>
  /You may write there again: (.*)\. RestorePod/.exec(message)?.[1] ?? message;

test("a notice names so many paths, and so many bytes of them, and counts the rest", () => {
  const many = paths(listedMax + 1, 8);
  assert.equal(writableIn(saidOf(many.slice(1))), many.slice(1).join(", "));
  assert.equal(writableIn(saidOf(many)), `${many.slice(0, -1).join(", ")} and 1 more`);
  const [half, same, one] = paths(3, listedBytesMax / 2) as [string, string, string];
  assert.equal(writableIn(saidOf([half, same])), `${half}, ${same}`);
  assert.equal(writableIn(saidOf([half, `${same}x`])), `${half} and 1 more`);
  assert.equal(writableIn(saidOf([half, same, one])), `${half}, ${same} and 1 more`);
  assert.equal(writableIn(saidOf(paths(3, listedBytesMax + 1))), "3 with long names");
  assert.match(saidOf([]), /It could write nothing/);
});

test("the longest notice of a loan fits", async () => {
  const names = Array.from({ length: 100 }, (_, n) => `kid${n}`.padEnd(64, "x"));
  const longest = saidOf(paths(64, 384), names);
  assert.ok(utf8Length(longest) <= noticeBytesMax, `${utf8Length(longest)}`);
  const told: ChildNotice[] = [];
  const lender = {
    tell: async (notice: ChildNotice) => told.push(notice),
    isTold: () => false,
    warn: assert.fail,
  };
  for (const bytes of [whyBytesMax, whyBytesMax + 1])
    await tellKept(lender, childWith([]), new YoiError("pod_held", "y".repeat(bytes)));
  assert.deepEqual(
    told.map(({ message }) => /yy+/.exec(message)?.[0].length),
    [whyBytesMax, whyBytesMax],
  );
});
