/** What is taken into the queue, and what is taken back: nobody gets one twice. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { entryId, YoiError } from "@yoi/base";
import { openParts, spoken, unlimited } from "../../../../test/inbox/parts.ts";
import { queueBytesMax, queueMax } from "../../src/turn/input-queue.ts";
import { answers, call, opened, steps, waiting } from "./queued.ts";

test("of two that take the same one back, one gets it", async () => {
  const { parts } = await opened(answers("One."), () => ({ beginsOwnRuns: false }));
  const { id } = await parts.queue("x", "run_end");
  const both = await Promise.allSettled([parts.unqueue(id), parts.unqueue(id)]);
  assert.deepEqual(
    both.map((one) => (one.status === "fulfilled" ? one.value.length : one.reason.code)),
    [1, "target_unknown"],
  );
  await parts.close();
});

test("one of taking back and giving wins, whenever both are asked for", async () => {
  // From before the first boundary to behind the last: at each moment of virtual time, and at many awaits of it.
  const won = { back: 0, given: 0 };
  for (let turns = 0; turns < 60; turns += 1) {
    const { host, parts } = await opened(
      steps({ ...call, delay_ms: 0 }, { text: "Done." }, { text: "Then." }),
    );
    const running = parts.submit("first");
    const { id } = await parts.queue("x", "boundary");
    for (let n = 0; n < turns; n += 1) await Promise.resolve();
    const taken = parts.unqueue(id).then(
      (said) => said.length === 1,
      (error: unknown) => {
        assert.ok(error instanceof YoiError && error.code === "target_unknown");
        return false;
      },
    );
    await host.advance(5_000);
    await running;
    const times = spoken(parts.gate.state).filter((line) => line === "user: x").length;
    assert.deepEqual([times, waiting(parts)], [(await taken) ? 0 : 1, []]);
    await assert.rejects(parts.unqueue(id), { code: "target_unknown" });
    won[times === 0 ? "back" : "given"] += 1;
    await parts.close();
  }
  assert.ok(won.back > 1 && won.given > 1, JSON.stringify(won));
});

describe("what is taken", () => {
  test("32 wait; one more is refused, and comes in when there is room; so with 4 MiB of text", async () => {
    const { parts } = await opened(answers("One."), () => ({ beginsOwnRuns: false }));
    const all = await Promise.allSettled(
      Array.from({ length: queueMax + 1 }, (_, n) => parts.queue(`${n}`, "run_end")),
    );
    assert.deepEqual(
      all.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : [])),
      ["queue_full"],
    );
    await assert.rejects(parts.queue("more", "run_end"), { code: "queue_full", message: /32 / });
    const [first] = parts.gate.state.queue;
    await parts.unqueue(`${first?.seq}`);
    await parts.queue("more", "run_end");
    await parts.close();

    const large = await opened(answers("One."), () => ({ beginsOwnRuns: false }));
    const frame = JSON.stringify([{ type: "text", text: "" }]).length;
    await large.parts.queue("x".repeat(queueBytesMax - 2 * frame - 1), "run_end", "large");
    await assert.rejects(large.parts.queue("xx", "run_end"), { code: "queue_full", message: /4194304/ });
    await large.parts.queue("x", "run_end");
    await large.parts.close();
  });

  test("nothing to say, what a hook refuses, and what comes as the Pod closes is not", async () => {
    const { parts } = await opened(answers("One."), () => ({
      beginsOwnRuns: false,
      input: {
        promptSubmit: async ({ inputText }) =>
          inputText === "no" ? { action: "cancel", reason: "not that" } : { action: "continue" },
      },
    }));
    const before = parts.gate.lastSeq;
    await assert.rejects(parts.queue(" ", "run_end"), { code: "prompt_empty" });
    await assert.rejects(parts.queue("no", "run_end"), { code: "prompt_refused", message: /not that/ });
    assert.equal(parts.gate.lastSeq, before);
    await parts.close();
    await assert.rejects(parts.queue("late", "run_end"), { code: "cancelled" });
  });

  test("a submission comes in once, whichever way it is given, also by the next owner and once it was given or taken back", async () => {
    const { host, parts, options } = await opened(answers("One.", "Two."));
    const first = await parts.queue("go", "run_end", "s");
    assert.deepEqual(await parts.queue("go", "boundary", "s"), { duplicate: true, id: first.id });
    await assert.rejects(parts.queue("other", "run_end", "s"), { code: "submission_conflict" });
    await host.advance(1_000);
    const text = [{ type: "text", text: "go" }] as const;
    const again = { limits: unlimited, submission: "s" };
    assert.deepEqual(await parts.drive.begin(text, again), { duplicate: true, id: first.id });
    await parts.close();
    const next = await openParts({ ...options, beginsOwnRuns: false });
    assert.deepEqual(await next.queue("go", "run_end", "s"), { duplicate: true, id: first.id });
    const back = await next.queue("back", "run_end", "b");
    assert.deepEqual(await next.unqueue(back.id), [{ type: "text", text: "back" }]);
    assert.deepEqual(await next.queue("back", "run_end", "b"), { duplicate: true, id: back.id });
    assert.deepEqual(waiting(next), []);
    assert.equal(back.id, entryId(0, Number(back.id)));
    await next.close();
  });
});
