/** What is on screen is what a fresh attach shows, at every place of any stream. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { emptySession } from "../../src/session/empty-session.ts";
import type { PodSession, SessionEvent } from "../../src/session/session.ts";
import { updateSession } from "../../src/session/update-session.ts";
import { name } from "./support/log-rig.ts";
import { RandomStream } from "./support/random-stream.ts";
import { assertDense, folded, now, shown } from "./support/shown.ts";

const seed = 8;
const numRuns = 40;
/** How often each happened in all streams of this seed: a stream that never does a thing proves nothing of it. */
const seen = new Map<string, number>();

const choices = fc.array(fc.nat(5_039), { minLength: 20, maxLength: 140 });

function streamOf(chosen: readonly number[]): RandomStream {
  let at = 0;
  return new RandomStream((below) => {
    at += 1;
    return (chosen[at % chosen.length] ?? 0) % below;
  });
}

function check(property: (chosen: readonly number[]) => void, endOnFailure = false): void {
  fc.assert(fc.property(choices, property), { seed, numRuns, endOnFailure });
}

/** One that is told of everything. */
function watch(stream: RandomStream, fold = updateSession): () => PodSession {
  let session = folded(stream.rig.attach(), emptySession(name));
  stream.rig.follow({
    tell: (event: SessionEvent) => {
      const what =
        event.type === "live" ? event.live.type : event.type === "entry" ? event.entry.kind : event.type;
      seen.set(what, (seen.get(what) ?? 0) + 1);
      session = fold(session, event, now);
    },
  });
  return () => session;
}

const fresh = (stream: RandomStream): PodSession => folded(stream.rig.attach(), emptySession(name));

describe(`a session (seed ${seed}, ${numRuns} streams each)`, () => {
  test("of who was there all the time is that of who comes now, at every place", () => {
    check((chosen) => {
      const stream = streamOf(chosen);
      const live = watch(stream);
      for (const _ of chosen) {
        stream.step();
        assertDense(live());
        if (live().queueHeld) seen.set("a queue that is held", (seen.get("a queue that is held") ?? 0) + 1);
        assert.deepEqual(shown(live()), shown(fresh(stream)));
      }
    });
    for (const what of [
      "rotated",
      "disconnected",
      "delta",
      "retry",
      "continuation",
      "approval_asked",
      "approval_answered",
      "tool_progress",
      "turn_rolled_back",
      "input_unqueued",
      "command_output",
      "compacted",
      "run_paused",
      "later_kind",
      "a queue that is held",
    ])
      assert.ok((seen.get(what) ?? 0) > 0, `${what}: ${seen.get(what) ?? 0}`);
  });

  test("of who loses the connection, and comes back behind what they saw, is that of who comes now", () => {
    check((chosen) => {
      const stream = streamOf(chosen);
      let session = fresh(stream);
      const follower = { tell: (event: SessionEvent) => (session = updateSession(session, event, now)) };
      let leave: (() => void) | null = stream.rig.follow(follower);
      let { place } = stream.rig;
      for (const choice of chosen) {
        if (choice % 4 === 0) {
          if (leave === null) {
            for (const event of stream.rig.attach(place)) follower.tell(event);
            leave = stream.rig.follow(follower);
          } else {
            leave();
            leave = null;
            ({ place } = stream.rig);
            follower.tell({ type: "disconnected", why: "lost" });
          }
        }
        stream.step();
        if (leave === null) continue;
        assertDense(session);
        assert.deepEqual(shown(session), shown(fresh(stream)));
      }
    });
  });

  test("of who begins in the middle of the log has the same present, and of the past nothing else", () => {
    check((chosen) => {
      const stream = streamOf(chosen);
      for (const _ of chosen) stream.step();
      const whole = shown(fresh(stream));
      const known = new Map(whole.blocks.map((block) => [block.id, block]));
      const places = stream.rig.segments.flatMap(({ entries }, segment) =>
        entries.flatMap((_, from) => (from % 3 === 0 ? [{ segment, entries: from }] : [])),
      );
      for (const place of places) {
        const { blocks, first, ...status } = shown(folded(stream.rig.attach(place), emptySession(name)));
        assert.deepEqual(status, (({ blocks: _blocks, first: _first, ...rest }) => rest)(whole));
        // What is older is asked for from there.
        const { id } = stream.rig.segments[place.segment] ?? {};
        assert.deepEqual(first, { segment: id, seq: place.entries });
        for (const block of blocks) {
          const same = known.get(block.id);
          // Of a call or a command that began before it only the end is known; what an input attached stands by itself.
          if (same?.kind === block.kind && block.kind !== "call" && block.kind !== "command")
            assert.deepEqual({ ...block, isFinished: true }, { ...same, isFinished: true });
        }
      }
    });
  });

  test("control: a fold that leaves out deltas, or results, is found", () => {
    for (const left of ["delta", "tool_result", "snapshot"]) {
      const deaf: typeof updateSession = (session, event, at) => {
        const what =
          event.type === "live" ? event.live.type : event.type === "entry" ? event.entry.kind : event.type;
        return what === left ? session : updateSession(session, event, at);
      };
      assert.throws(
        () =>
          check((chosen) => {
            const stream = streamOf(chosen);
            const live = watch(stream, deaf);
            for (const _ of chosen) {
              stream.step();
              assert.deepEqual(shown(live()), shown(fresh(stream)));
            }
          }, true),
        /Property failed/,
        left,
      );
    }
  });
});
