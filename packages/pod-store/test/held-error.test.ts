/** Who holds a Pod, as a sentence: what can be done depends on whether the owner takes clients, and from where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName } from "@yoi/base";
import { holderSentence } from "../src/held-error.ts";
import { hostPurpose, type LeaseOwner } from "../src/lease.ts";

const owner: LeaseOwner = { pid: 7, started: 8, boot: "b", sinceMs: 0, purpose: "run", runtime: "/r/1/yoi" };
const host = { ...owner, purpose: hostPurpose };
const hosted = "The Pod p is hosted by process 7 (since 1970-01-01T00:00:00.000Z)";

const rows: readonly (readonly [string, LeaseOwner, string | null, string])[] = [
  [
    "it takes no clients",
    owner,
    "/r/2/yoi",
    "The Pod p is held by process 7 (since 1970-01-01T00:00:00.000Z, for run): wait until it ends, end it with `kill 7`, take the Pod over with `yoi pod restore p --take-over`, or use another Pod name.",
  ],
  [
    "it is another Pod that ends it",
    { ...owner, purpose: "stop" },
    "/r/1/yoi",
    "The Pod p is held by process 7 (since 1970-01-01T00:00:00.000Z, for stop), which begins, ends or removes it and is not the Pod itself: try again when that is done, or use another Pod name.",
  ],
  [
    "it is hosted here",
    host,
    "/r/1/yoi",
    `${hosted}: \`yoi attach p\` shows it, \`yoi pod stop p\` ends it.`,
  ],
  [
    "it did not say where",
    { ...host, runtime: null },
    "/r/1/yoi",
    `${hosted}: \`yoi attach p\` shows it, \`yoi pod stop p\` ends it.`,
  ],
  ["who asks has none", host, null, `${hosted}: \`yoi attach p\` shows it, \`yoi pod stop p\` ends it.`],
  [
    "it is hosted with another XDG_RUNTIME_DIR",
    host,
    "/r/2/yoi",
    `${hosted} in another environment than this one: it was started with XDG_RUNTIME_DIR=/r/1, use the same.`,
  ],
  [
    "it is hosted without XDG_RUNTIME_DIR",
    { ...host, runtime: "/data/yoi/run" },
    "/r/2/yoi",
    `${hosted} in another environment than this one: it was started without XDG_RUNTIME_DIR (its runtime directory is /data/yoi/run), use the same.`,
  ],
];

for (const [what, of, runtime, sentence] of rows) {
  test(`who holds a Pod, where ${what}`, () => {
    assert.equal(holderSentence(podName("p"), of, runtime), sentence);
  });
}
