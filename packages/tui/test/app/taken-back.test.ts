/** A run that was stopped before its answer began: its input is in the composer again, and what of it had waited waits, and is not there too. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type EntryBody, flattenInput } from "@yoi/base";
import { partsOf, textOf } from "../../src/composer/composer.ts";
import { LogRig } from "../session/support/log-rig.ts";
import { folded } from "../session/support/shown.ts";
import { noPod, told, withPod } from "./support/states.ts";

const parts = (text: string) => [{ type: "text" as const, text }];
const invoke: EntryBody = { kind: "invoke", trigger: "user_send" };
const queued = (text: string): EntryBody => ({
  kind: "input_queued",
  parts: parts(text),
  when: "boundary",
  submission: text,
});
const given = (text: string, delivers?: number): EntryBody => ({
  kind: "user_input",
  parts: parts(text),
  ...(delivers === undefined ? {} : { delivers }),
});

/** The first entry is 3. */
const table: readonly (readonly [what: string, bodies: readonly EntryBody[], from: number, text: string])[] =
  [
    ["its own input", [invoke, given("own")], 3, "own"],
    ["nothing of the queue", [queued("waited"), invoke, given("waited", 3)], 4, ""],
    [
      "its own, and not what came with it",
      [invoke, given("own"), queued("more"), given("more", 5)],
      3,
      "own",
    ],
  ];

for (const [what, bodies, from, text] of table)
  test(`the composer gets ${what}`, () => {
    const rig = new LogRig();
    for (const body of bodies) rig.commit([body]);
    let state = withPod(folded(rig.attach()), noPod);
    rig.follow({
      tell: (event) => (state = told(state, { type: "session", attachment: 1, event }).state),
    });
    const waited = bodies.filter(({ kind }) => kind === "input_queued").length;
    rig.commit([{ kind: "turn_rolled_back", from_seq: from }]);
    assert.equal(textOf(state.composer), text);
    assert.equal(flattenInput(partsOf(state.composer)), text);
    assert.equal(state.open?.session.queue.length, waited);
  });
