/** What is on screen is what a fresh attach shows, at every place of any stream. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { PodSession, SessionEvent } from "../../src/session/session.ts";
import { emptySession } from "../../src/session/empty-session.ts";
import { updateSession } from "../../src/session/update-session.ts";
import { name, RandomStream } from "./support/random-stream.ts";
import { assertDense, folded, now, shown } from "./support/shown.ts";

const seed = 8;
const numRuns = 150;

function walk(
  choices: readonly number[],
  each: (stream: RandomStream, live: PodSession) => void,
): PodSession {
  let at = 0;
  const stream = new RandomStream((below) => (choices[at++ % choices.length] ?? 0) % below);
  let live = folded(stream.attach(), emptySession(name));
  stream.follow({ tell: (event: SessionEvent) => (live = updateSession(live, event, now)) });
  const steps = choices.length;
  for (let step = 0; step < steps; step += 1) {
    stream.step();
    each(stream, live);
  }
  return live;
}

const choices = fc.array(fc.nat(5_039), { minLength: 20, maxLength: 140 });

test(`who was there and who comes now see the same (seed ${seed}, ${numRuns} streams)`, () => {
  fc.assert(
    fc.property(choices, (chosen) => {
      walk(chosen, (stream, live) => {
        assertDense(live);
        assert.deepEqual(shown(live), shown(folded(stream.attach(), emptySession(name))));
      });
    }),
    { seed, numRuns },
  );
});
