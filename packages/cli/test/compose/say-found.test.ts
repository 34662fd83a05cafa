/** What a user is told when a Pod is opened again: what was mended, and what waits for them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName } from "@yoi/base";
import { sayFound } from "../../src/compose/open-pod.ts";

const waits = (count: string) =>
  `${count} for you: \`yoi pod show p\` shows what; in a hosted Pod your next prompt or \`yoi pod resume p\` lets go on what waits.`;
const cases: readonly (readonly [number, number, readonly string[]])[] = [
  [0, 0, []],
  [0, 1, [waits("1 queued input waits")]],
  [
    2,
    3,
    [
      "Ended 2 process(es) that an earlier owner of this Pod had left running.",
      waits("3 queued inputs wait"),
    ],
  ],
];

for (const [straysEnded, queued, expected] of cases)
  test(`strays ended: ${straysEnded}, inputs that wait: ${queued}`, () => {
    const said: string[] = [];
    sayFound({ repair: null, straysEnded, snapshot: { name: podName("p"), queued } }, (text) => {
      said.push(text);
    });
    assert.deepEqual(said, expected);
  });
