/** SIGKILL while an answer arrives: what is on record of it is kept, and said to be cut. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import { answerEvents } from "../support/anthropic-server.ts";
import { eventually } from "../support/processes.ts";
import type { Proof } from "../support/proof.ts";
import { answerOf, makePlan, type Plan } from "./plan.ts";
import { Scene } from "./scene.ts";
import { sandboxOf, survives } from "./survive.ts";

const plan = makePlan({ waitsIn: null });
/** Ten times what the cadence allows, for a machine that is busy. */
const recordedMs = 2_500;

export const killedInStream: Proof = {
  name: "SIGKILL in a stream: what had arrived is kept as an incomplete item, with a note",
  cases: { test: 3, prove: 250 },
  async check(index) {
    const random = seededRandom(index);
    const step = index % plan.steps.length;
    const events = answerEvents(answerOf(plan, step)).length;
    // The first events open the message and a block, the last one ends the message.
    const after = 3 + random.below(events - 4);
    let held = false;
    await using scene = await Scene.open({
      plan,
      sandbox: sandboxOf(index),
      play: (request) => {
        if (held || request.step !== step) return {};
        held = true;
        return { fault: { type: "stall", after } };
      },
    });
    const sent = streamed(plan, step, after);
    const process = scene.start();
    await eventually(`the answer of step ${step} is held`, () => held, recordedMs * 4);
    if (index % 3 === 2) await delay(random.below(300));
    else await eventually("what was streamed is on record", () => recorded(scene) === sent, recordedMs);
    scene.kill();
    const { signal } = await scene.ended();
    assert.equal(signal, "SIGKILL", process.output().stderr);
    await survives(scene);
  },
};

/** What the first events of an answer say, all blocks after each other. */
function streamed(of: Plan, step: number, after: number): string {
  const deltas = answerEvents(answerOf(of, step))
    .slice(0, after)
    .map(({ delta }) => (delta ?? {}) as { text?: string; thinking?: string; partial_json?: string });
  return deltas.map(({ text, thinking, partial_json: json }) => text ?? thinking ?? json ?? "").join("");
}

/** The pieces on record of the last request, in the order of their blocks. */
function recorded(scene: Scene): string {
  const log = scene.log();
  const request = log.findLast(({ kind }) => kind === "llm_request")?.seq;
  return log
    .filter((line) => line.kind === "assistant_partial" && line["request"] === request)
    .toSorted((a, b) => Number(a["index"]) - Number(b["index"]) || a.seq - b.seq)
    .map(({ text }) => String(text))
    .join("");
}
