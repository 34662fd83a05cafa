/** Inputs that wait for their time: when each is given to the model, and what holds them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isKnown } from "@yoi/base";
import type { MemoryHost } from "@yoi/host";
import { type Model, type ModelEvent, type ModelFailure, withStream } from "@yoi/model";
import { noPoints } from "@yoi/worker";
import {
  entriesOf,
  openParts,
  type Parts,
  type PartsOptions,
  spoken,
  storedState,
  unlimited,
} from "../../../../test/inbox/parts.ts";
import { overriding } from "../../../../test/support/overriding.ts";
import { openScripted } from "../../../model/src/scripted/index.ts";
import { answers, call, opened, since, steps, waiting } from "./queued.ts";
import { stuckModel } from "./stuck-model.ts";

/** Its first request is refused. */
const failingOnce =
  (ports: MemoryHost) =>
  (model: Model): Model => {
    let asked = 0;
    const failure = { kind: "invalid_request", status: 400 };
    const text = steps({ delay_ms: 100, failure });
    return overriding(model, {
      stream: (request, options) => {
        const failing = openScripted({ name: "sim.yaml", text, ports });
        return (asked++ === 0 ? failing : model).stream(request, options);
      },
    });
  };

async function* failing(failure: ModelFailure): AsyncGenerator<ModelEvent> {
  yield { type: "failure", failure, usage: null };
}

test("behind a run that finished each is the next input, in order, and what is for a boundary comes with its next request", async () => {
  const { host, parts } = await opened(answers("One.", "Two.", "Three."));
  const running = parts.submit("first");
  await host.advance(50);
  await parts.queue("second", "run_end");
  await parts.queue("third", "run_end");
  await parts.queue("with second", "boundary");
  assert.deepEqual(waiting(parts), ["second", "third", "with second"]);
  await host.advance(1_000);
  assert.deepEqual((await running).followed, [], "each is a run of its own");
  assert.deepEqual(spoken(parts.gate.state), [
    "user: first",
    "model: One.",
    "user: second",
    "user: with second",
    "model: Two.",
    "user: third",
    "model: Three.",
  ]);
  assert.deepEqual([waiting(parts), parts.drive.state], [[], "idle"]);
  await parts.close();
});

test("at a boundary all that is for it comes with the next request of the run, each as its own message and in one batch", async () => {
  const { host, parts } = await opened(steps(call, { text: "Done." }));
  const running = parts.submit("first");
  await host.advance(50);
  const a = await parts.queue("a", "boundary");
  await parts.queue("b", "boundary");
  await parts.queue("later", "run_end");
  await parts.unqueue((await parts.queue("never", "run_end")).id);
  await host.advance(300);
  assert.equal((await running).outcome.kind, "finished");
  const given = (await entriesOf(host)).filter(isKnown).filter((entry) => entry.kind === "user_input");
  assert.deepEqual(
    given.slice(1, 3).map(({ submission, delivers }) => [submission, delivers]),
    [
      ["a", Number(a.id)],
      ["b", Number(a.id) + 1],
    ],
  );
  assert.equal(given[1]?.batch, given[2]?.batch);
  assert.deepEqual(spoken(parts.gate.state).slice(0, 4), [
    "user: first",
    "user: a",
    "user: b",
    "model: Done.",
  ]);
  await parts.close();
});

test("what a run was refused before it was told more is in its report", async () => {
  const { host, parts } = await opened(steps(call, { text: "Done." }), () => ({
    points: (drain) => ({
      ...noPoints,
      drain,
      gate: async () => ({ action: "deny", reason: "no", refusal: "asked" }),
    }),
  }));
  const running = parts.submit("first");
  await host.advance(50);
  await parts.queue("go on without", "boundary");
  await host.advance(300);
  const { denials, outcome, permissionNeeded } = await running;
  assert.deepEqual(
    [denials.map(({ tool }) => tool), outcome.kind, permissionNeeded],
    [["Effect"], "finished", true],
  );
  await parts.close();
});

describe("a run that does not finish leaves what waits to the user", () => {
  const ways: readonly (readonly [
    name: string,
    scenario: string,
    stop: (parts: Parts) => void,
    more?: (host: MemoryHost) => Partial<PartsOptions>,
  ])[] = [
    [
      "cancelled",
      steps({ ...call, delay_ms: 0 }, { text: "A", delay_ms: 500 }, { text: "Then." }, { text: "And." }),
      ({ drive }) => void drive.stop("cancel"),
    ],
    ["rolled_back", answers("One.", "Then.", "And."), ({ drive }) => void drive.stop("cancel")],
    ["failed", answers("Then.", "And.", "News."), () => {}, (host) => ({ wrapModel: failingOnce(host) })],
    ["limit_reached", steps(call, { text: "Then." }, { text: "And." }), () => {}, () => ({ maxTurns: 1 })],
  ];
  for (const [kind, scenario, stop, more] of ways)
    test(kind, async () => {
      const { host, options, parts } = await opened(scenario, more);
      const running = parts.submit("first");
      await host.advance(50);
      await parts.queue("later", "run_end");
      if (kind === "cancelled") await host.advance(100);
      stop(parts);
      await host.advance(10_000);
      assert.equal((await running).outcome.kind, kind);
      assert.deepEqual([waiting(parts), parts.drive.state], [["later", "(held)"], "idle"]);
      // What begins by itself takes nothing of it.
      await parts.notify("news");
      await host.advance(10_000);
      assert.deepEqual([waiting(parts), parts.drive.state], [["later", "(held)"], "idle"]);
      await parts.close();
      // Neither does the next owner.
      const next = await openParts(options);
      next.drive.notified();
      await host.advance(10_000);
      assert.deepEqual([waiting(next), next.drive.state], [["later", "(held)"], "idle"]);
      const resumed = next.drive.resume(unlimited);
      await host.advance(10_000);
      await resumed;
      await host.advance(10_000);
      assert.deepEqual([waiting(next), next.drive.state], [[], "idle"]);
      assert.equal(spoken(next.gate.state).filter((line) => line === "user: later").length, 1);
      await next.close();
    });

  test("paused: it waits with the run, and goes on behind it", async () => {
    const { host, parts } = await opened(answers("One.", "Two."));
    const running = parts.submit("first");
    await host.advance(50);
    await parts.queue("behind", "run_end");
    parts.drive.interrupt();
    await host.advance(1_000);
    assert.equal((await running).outcome.kind, "paused");
    await parts.queue("meanwhile", "boundary");
    await host.advance(1_000);
    assert.deepEqual([waiting(parts), parts.drive.state], [["behind", "meanwhile"], "paused"]);
    const resumed = parts.drive.resume(unlimited);
    await host.advance(2_000);
    await resumed;
    assert.deepEqual(spoken(parts.gate.state), [
      "user: first",
      "user: meanwhile",
      "model: One.",
      "user: behind",
      "model: Two.",
    ]);
    await parts.close();
  });

  test("another input of the user lets all of it go on, in order", async () => {
    for (const way of ["queue", "submit"] as const) {
      const { host, parts } = await opened(answers("Never.", "One.", "Two."));
      const running = parts.submit("first");
      await host.advance(50);
      await parts.queue("held", "run_end");
      parts.drive.stop("cancel");
      await host.advance(100);
      await running;
      if (way === "queue") await parts.queue("more", "run_end");
      else void parts.submit("more");
      await host.advance(2_000);
      const inputs = spoken(parts.gate.state).filter((line) => line.startsWith("user"));
      assert.deepEqual(inputs, way === "queue" ? ["user: held", "user: more"] : ["user: more", "user: held"]);
      await parts.close();
    }
  });
});

test("to an idle Pod it begins a run at once, where that begins runs by itself; else it waits, and behind a restart for the user", async () => {
  const { host, parts, options } = await opened(answers("One.", "Two."), () => ({ beginsOwnRuns: false }));
  await parts.queue("go", "boundary");
  await host.advance(1_000);
  assert.deepEqual([waiting(parts), parts.requests.length], [["go"], 0]);
  await parts.close();
  const hosted = await openParts({ ...options, beginsOwnRuns: true });
  hosted.drive.notified();
  await host.advance(1_000);
  assert.deepEqual([waiting(hosted), hosted.requests.length], [["go", "(held)"], 0], "nobody asked for it");
  const resumed = hosted.drive.resume(unlimited);
  await host.advance(1_000);
  await resumed;
  assert.deepEqual(since(hosted, 0), ["user: go", "model: One."]);
  await hosted.queue("again", "run_end");
  assert.equal(hosted.drive.state, "running");
  await host.advance(1_000);
  assert.deepEqual(since(hosted, 2), ["user: again", "model: Two."]);
  await hosted.close();
});

test("what is held stays held while a run that began by itself waits for its provider and goes on", async () => {
  const busy: ModelFailure = {
    kind: "rate_limit",
    message: "Later.",
    retryable: true,
    retryAfterMs: 3_600_000,
  };
  let asked = 0;
  const { host, parts } = await opened(answers("Never.", "News."), () => ({
    wrapModel: (model) =>
      withStream(model, (request, options) =>
        asked++ === 1 ? failing(busy) : model.stream(request, options),
      ),
  }));
  const running = parts.submit("first");
  await host.advance(50);
  await parts.queue("held", "boundary");
  parts.drive.stop("cancel");
  await host.advance(100);
  await running;
  await parts.notify("news");
  await host.advance(1_000);
  assert.deepEqual([waiting(parts), parts.drive.state], [["held", "(held)"], "paused"]);
  await host.advance(2 * 3_600_000);
  assert.deepEqual([waiting(parts), parts.drive.state, asked], [["held", "(held)"], "idle", 3]);
  await parts.close();
});

test("where the user stops a run in the instant in which it finishes, what waits is held", async () => {
  let stop = () => {};
  const { host, parts } = await opened(answers("One.", "Two."), () => ({
    wrapSessions: (sessions) =>
      overriding(sessions, {
        create: async (start, opening) => {
          const made = await sessions.create(start, opening);
          const append: typeof made.writer.append = (bodies) => {
            // The worker has finished; nothing of it looks at the stop any more.
            if (bodies.some(({ kind }) => kind === "run_completed")) stop();
            return made.writer.append(bodies);
          };
          return { ...made, writer: overriding(made.writer, { append }) };
        },
      }),
  }));
  stop = () => void parts.drive.stop("cancel");
  const running = parts.submit("first");
  await host.advance(50);
  await parts.queue("behind", "run_end");
  await host.advance(2_000);
  assert.equal((await running).outcome.kind, "finished");
  assert.deepEqual(
    [waiting(parts), parts.requests.length, parts.drive.state],
    [["behind", "(held)"], 1, "idle"],
  );
  await parts.close();
});

test("behind a cancel the user's resume gives what is held, which may correct the turn that was cut", async () => {
  const { host, parts } = await opened(steps(call, { text: "A", delay_ms: 500 }, { text: "Corrected." }));
  const running = parts.submit("delete everything");
  await host.advance(50);
  await parts.queue("no, list them", "run_end");
  await host.advance(100);
  parts.drive.stop("cancel");
  await host.advance(1_000);
  assert.equal((await running).outcome.kind, "cancelled");
  const before = since(parts, 0).length;
  const resumed = parts.drive.resume(unlimited);
  await host.advance(1_000);
  await resumed;
  assert.equal(since(parts, before)[0], "user: no, list them");
  assert.deepEqual([waiting(parts), parts.requests.length], [[], 3]);
  await parts.close();
});

describe("an input of the queue whose run is stopped before its answer began", () => {
  test("waits again, for the user, with what was given with it; it is given once in the end", async () => {
    let asked = 0;
    const { host, parts } = await opened(answers("One.", "Two."), () => ({
      wrapModel: (model) => stuckModel(model, () => (asked++ === 0 ? "before the answer" : null)),
    }));
    await parts.queue("head", "run_end");
    await parts.queue("with it", "boundary");
    await host.advance(1_000);
    assert.deepEqual([since(parts, 0), waiting(parts)], [["user: head", "user: with it"], []]);
    parts.drive.stop("cancel");
    await host.advance(5_000);
    assert.deepEqual([since(parts, 0), waiting(parts)], [[], ["head", "with it", "(held)"]]);
    assert.deepEqual((await storedState(host)).queue, parts.gate.state.queue);
    const resumed = parts.drive.resume(unlimited);
    await host.advance(5_000);
    await resumed;
    assert.deepEqual(since(parts, 0), ["user: head", "user: with it", "model: One."]);
    await parts.close();
  });

  test("waits for the user too where it was stopped while its files were read, and a pause or the Pod's end keeps it", async () => {
    for (const by of ["cancel", "pause", "signal", "close"] as const) {
      const files = Promise.withResolvers<{ items: []; warnings: [] }>();
      const { host, parts, options } = await opened(answers("One."), () => ({
        input: { attach: () => files.promise },
      }));
      await parts.queue([{ type: "file_ref", path: "a" }], "run_end", "s");
      await host.advance(100);
      assert.deepEqual([since(parts, 0), waiting(parts), parts.drive.state], [[], ["@a"], "running"]);
      if (by === "signal") parts.drive.interrupt();
      else if (by !== "close") assert.equal(parts.drive.stop(by), true);
      if (by === "close") await parts.close();
      else {
        await host.advance(100);
        const held = by === "signal" ? ["@a"] : ["@a", "(held)"];
        assert.deepEqual([since(parts, 0), waiting(parts), parts.drive.state], [[], held, "idle"], by);
        await parts.close();
      }
      files.resolve({ items: [], warnings: [] });
      const next = await openParts({ ...options, input: {} });
      const resumed = next.drive.resume(unlimited);
      await host.advance(1_000);
      await resumed;
      assert.deepEqual([since(next, 0), waiting(next)], [["user: @a", "model: One."], []], by);
      await next.close();
    }
  });
});

test("a run that is stopped while the files of what it is told are read leaves that waiting, for the user", async () => {
  const { host, parts } = await opened(steps(call, { text: "Done." }), () => ({
    input: { attach: () => new Promise(() => {}) },
  }));
  const running = parts.submit("first");
  await host.advance(50);
  const { id } = await parts.queue([{ type: "file_ref", path: "a" }], "boundary", "s");
  await host.advance(1_000);
  // Whether it is given is not decided yet.
  const back = parts.unqueue(id);
  await host.advance(1_000);
  assert.deepEqual([parts.drive.state, waiting(parts)], ["running", ["@a"]]);
  parts.drive.stop("cancel");
  await host.advance(1_000);
  assert.equal((await running).outcome.kind, "cancelled");
  assert.deepEqual([await back, waiting(parts)], [[{ type: "file_ref", path: "a" }], []]);
  await parts.close();
});

test("what comes while something else has the Pod to itself goes on behind that", async () => {
  const { host, parts } = await opened(answers("One."));
  const done = Promise.withResolvers<void>();
  const alone = parts.drive.alone(() => done.promise);
  await parts.queue("go", "run_end");
  await host.advance(1_000);
  assert.deepEqual([waiting(parts), parts.drive.state], [["go"], "running"]);
  done.resolve();
  await alone;
  await host.advance(1_000);
  assert.deepEqual([since(parts, 0), parts.drive.state], [["user: go", "model: One."], "idle"]);
  await parts.close();
});
