/** A name and a session mean one Pod; the name alone may mean another one by now. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, sessionId } from "@yoi/base";
import type { PodRecord } from "@yoi/pod-store";
import { isChildOf, isMeant, knownAs, refOf } from "../../src/spawn/same-pod.ts";

const [first, second] = [
  sessionId("01900000-0000-7000-8000-000000000001"),
  sessionId("01900000-0000-7000-8000-000000000002"),
];
const name = podName("boreas");
const other = podName("zephyr");
const stored = (session = first) => ({ name, pointer: { state: "pending", session } as const });
const childOf = (pod = name, session = first): Pick<PodRecord, "parent"> => ({
  parent: { pod, session, depth: 1, token: "t" },
});

test("what has the name now is meant with its session only", () => {
  assert.deepEqual(refOf(stored()), { name, session: first });
  assert.deepEqual(
    [stored(), stored(second), null].map((found) => isMeant(found, { session: first })),
    [true, false, false],
  );
});

test("of those that are known by a name, only the one with its session is it", () => {
  const known = [
    { name: other, session: first },
    { name, session: second },
    { name, session: first },
  ];
  assert.deepEqual(knownAs(known, stored()), known[2]);
  assert.equal(knownAs(known.slice(0, 2), stored()), undefined);
});

test("a child names its parent with its session", () => {
  const children = [childOf(), childOf(other), childOf(name, second), { parent: null }];
  assert.deepEqual(
    children.map((child) => isChildOf(child, refOf(stored()))),
    [true, false, false, false],
  );
});
