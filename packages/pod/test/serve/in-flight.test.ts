/** In flight: what a snapshot shows of the present is what an earlier client saw of it, and nothing that is on record already. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callId, type Entry, noUsage } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { frameBytesMax, type InFlight, inFlightCharsMax, type PodView } from "@yoi/protocol";
import { effectTool, World } from "../../../../test/support/simulated-pod.ts";
import { InFlightTracker } from "../../src/serve/in-flight.ts";
import { approvalsBytesMax, entryLine, liveLine, snapshotLine } from "../../src/serve/stream-line.ts";
import { about, LineClient, served, text } from "./support.ts";

const nothingInFlight: InFlight = { request: null, blocks: [], calls: [] };
const call = callId(7, 1);
const committed = (body: object): Entry => ({ seq: 9, batch: 9, ts: 0, ...body }) as Entry;
const request = { ...committed({ kind: "llm_request" }), seq: 7 } as Entry;
const start = { type: "block_start", request: 7, index: 0, block: "text", name: null } as const;
const delta = { type: "delta", request: 7, index: 0, block: "text", text: "abc" } as const;
const toolStart = { type: "tool_start", call, name: "Effect", title: "Effect one" } as const;
const progress = { type: "tool_progress", call, text: "half way" } as const;

/** An answer with a block that is arriving, and a call that goes on. */
function busy(): InFlightTracker {
  const tracker = new InFlightTracker();
  tracker.committed(request);
  for (const live of [start, delta, delta, toolStart, progress]) tracker.said(live);
  return tracker;
}
const block = { index: 0, block: "text", name: null, from: 0, text: "abcabc" };
const going = { call, name: "Effect", title: "Effect one", output: "half way" };

describe("what is in flight", () => {
  test("is the block that is arriving and the call that goes on", () => {
    assert.deepEqual(busy().view, { request: 7, blocks: [block], calls: [going] });
  });

  test("goes when it is on record, and when what it belongs to is over", () => {
    const usage = { request: 7, usage: noUsage, finish: "stop" };
    const item = { type: "assistant_message", text: "abcabc", status: "complete" };
    const cases: readonly (readonly [string, (tracker: InFlightTracker) => void, object])[] = [
      [
        "its item",
        (t) => t.committed(committed({ kind: "assistant_item", request: 7, index: 0, item })),
        { request: 7, blocks: [], calls: [going] },
      ],
      [
        "an item of another request",
        (t) => t.committed(committed({ kind: "assistant_item", request: 5, index: 0, item })),
        busy().view,
      ],
      [
        "the end of the answer",
        (t) => t.committed(committed({ kind: "llm_usage", ...usage })),
        { request: null, blocks: [], calls: [going] },
      ],
      [
        "an attempt that failed",
        (t) => t.committed(committed({ kind: "llm_usage", ...usage, attempt: 1 })),
        busy().view,
      ],
      [
        "a retry",
        (t) =>
          t.said({
            type: "retry",
            request: 7,
            attempt: 1,
            attempts_max: 3,
            wait_ms: 1,
            error_code: "server",
            message: "m",
            status: null,
          }),
        { request: 7, blocks: [], calls: [going] },
      ],
      [
        "a continuation",
        (t) => t.said({ type: "continuation", request: 7, attempt: 1, attempts_max: 3, reason: "r" }),
        { request: 7, blocks: [], calls: [going] },
      ],
      [
        "the next request",
        (t) => t.committed({ ...request, seq: 12 }),
        { request: 12, blocks: [], calls: [going] },
      ],
      [
        "its result",
        (t) => t.committed(committed({ kind: "tool_result", item: { type: "tool_result", call } })),
        { request: 7, blocks: [block], calls: [] },
      ],
      [
        "the run's closing record",
        (t) => t.committed(committed({ kind: "run_completed", result: "cancelled" })),
        nothingInFlight,
      ],
      ["a pause", (t) => t.committed(committed({ kind: "run_paused", reason: "user" })), nothingInFlight],
      [
        "an error",
        (t) => t.committed(committed({ kind: "run_errored", code: "c", message: "m" })),
        nothingInFlight,
      ],
      [
        "a roll-back",
        (t) => t.committed(committed({ kind: "turn_rolled_back", from_seq: 3 })),
        nothingInFlight,
      ],
      [
        "a log that fails",
        (t) => t.said({ type: "run_failed", run: "3", code: "log_poisoned", message: "m" }),
        nothingInFlight,
      ],
    ];
    for (const [what, happen, left] of cases) {
      const tracker = busy();
      happen(tracker);
      assert.deepEqual(tracker.view, left, what);
    }
  });

  test("keeps 256 Ki of a text, and one more unit takes the first one away; never half a character", () => {
    for (const [added, from, first] of [
      ["x".repeat(inFlightCharsMax), 0, "x"],
      ["x".repeat(inFlightCharsMax + 1), 1, "x"],
      [`\u{1f600}${"x".repeat(inFlightCharsMax - 1)}`, 2, "x"],
      [`y\u{1f600}${"x".repeat(inFlightCharsMax - 2)}`, 1, "\ud83d"],
    ] as const) {
      const tracker = new InFlightTracker();
      tracker.committed(request);
      tracker.said(start);
      for (let at = 0; at < added.length; at += 100_000)
        tracker.said({ ...delta, text: added.slice(at, at + 100_000) });
      const [kept] = tracker.view.blocks;
      assert.deepEqual([kept?.from, kept?.text[0], kept?.text.length], [from, first, added.length - from]);
    }
  });

  test("in the snapshot of whoever comes at any moment is what the first client has seen until then", async () => {
    const host = memoryHost({ seed: 1 });
    const steps = [
      { text: "I look into it now.", tool_calls: [{ name: "Effect", arguments: { what: "one" } }] },
      { text: "Done." },
    ];
    const scenario = JSON.stringify({ chunk: 2, pace_ms: 10, steps });
    await using it = await served({ host, scenario, tools: [effectTool(new World(), host)] });
    const first = await LineClient.hello(await it.place.connect());
    await first.ask("submit", { parts: text("go"), submission: "s" });
    let compared = 0;
    while (!first.live.some(({ type }) => type === "run_ended")) {
      await host.advance(25);
      const late = await LineClient.hello(await it.place.connect());
      await late.snapshot();
      await first.ask("ping");
      const { view } = late;
      if (view === null || view.in_flight.request === null) continue;
      for (const one of view.in_flight.blocks) {
        const seen = first.live.flatMap((live) =>
          live.type === "delta" && live.request === view.in_flight.request && live.index === one.index
            ? [live.text]
            : [],
        );
        assert.ok(seen.join("").startsWith(one.text), "the snapshot holds something that nobody was told");
        compared += 1;
      }
      late.connection.destroy();
    }
    assert.ok(compared >= 3, `${compared} blocks were compared`);
  });
});

describe("lines", () => {
  const view: PodView = {
    pod: "p",
    session: "s",
    segment: "g",
    generation: 0,
    epoch: 1,
    seq: 1,
    n: 0,
    state: "running",
    run: "1",
    about,
    in_flight: nothingInFlight,
    approvals: [],
    waiting: 0,
    alerts: [],
    last_run: null,
  };
  const said = (bytes: Uint8Array): Record<string, unknown> => JSON.parse(Buffer.from(bytes).toString());

  test("an entry that fills a frame is sent, and of one byte more only where it stands", () => {
    const around = Buffer.byteLength('{"event":"entry","entry":}');
    const jsonOf = (bytes: number) => JSON.stringify("x".repeat(bytes - around - 2));
    const fits = entryLine("g", { seq: 3, kind: "user_input", json: jsonOf(frameBytesMax) });
    assert.deepEqual([fits.bytes.length, fits.place], [frameBytesMax + 1, { segment: "g", seq: 3 }]);
    const over = entryLine("g", { seq: 3, kind: "user_input", json: jsonOf(frameBytesMax + 1) });
    const omitted = { event: "entry_omitted", seq: 3, kind: "user_input", bytes: frameBytesMax + 1 - around };
    assert.deepEqual([said(over.bytes), over.place], [omitted, { segment: "g", seq: 3 }]);
  });

  test("what does not fit a frame is cut in its texts; what somebody decides on is whole or not there", () => {
    const blocks = Array.from({ length: 65 }, (_, index) => ({
      ...block,
      block: "text" as const,
      index,
      text: "x".repeat(inFlightCharsMax),
    }));
    const approval = {
      digest: "d",
      call,
      tool: "Bash",
      arguments: "a".repeat(300_000),
      reason: "r",
      expires: 1,
    };
    const cut = snapshotLine({
      ...view,
      in_flight: { request: 7, blocks, calls: [] },
      approvals: [approval],
    });
    assert.ok(cut.bytes.length <= frameBytesMax + 1);
    const { view: told } = said(cut.bytes) as { view: PodView };
    assert.deepEqual([told.in_flight.blocks[64]?.text.length, told.approvals], [16 * 1024, [approval]]);
    for (const over of [0, 1]) {
      const size = Buffer.byteLength(JSON.stringify({ ...approval, arguments: "" }));
      const half = approvalsBytesMax / 2 - size;
      const [a, b, c] = [half, half + over, 1].map((chars) => ({
        ...approval,
        arguments: "a".repeat(chars),
      }));
      assert.ok(a && b && c);
      const line = said(snapshotLine({ ...view, approvals: [a, b, c] }).bytes) as { view: PodView };
      // What does not fit is counted, and keeps nothing else from being shown.
      const expected = over === 0 ? [a, b] : [a, c];
      assert.deepEqual([line.view.approvals, line.view.approvals_omitted], [expected, 1]);
    }
    const long = liveLine(4, { ...delta, text: "x".repeat(frameBytesMax) });
    assert.deepEqual(said(long.bytes), {
      event: "live",
      n: 4,
      live: { ...delta, text: "x".repeat(256 * 1024) },
    });
  });
});
