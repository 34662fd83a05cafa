/** Every hook point against every way in which a hook can fail: gates refuse and say why, observers are passed over with a diagnostic. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type HookPoint, hookPoints } from "@yoi/feature";
import type { RunOutcome } from "@yoi/worker";
import { hookTimeoutMs } from "../../src/hook/ask.ts";
import type { HostHook } from "../../src/hook/registry.ts";
import { goesOn, hook, type HookBench, hookBench, oneCall, owned, said } from "./support/hook-bench.ts";

const never = new AbortController().signal;

/** What is seen from outside after the hooks of `point` were asked. */
interface Seen {
  readonly outcome: RunOutcome | { readonly action: string; readonly reason?: string };
  readonly results: readonly string[];
  readonly requests: number;
  readonly alerts: readonly string[];
  /** Whether the hook behind the failing one was asked. */
  readonly laterAsked: boolean;
}

async function seenAt(point: HookPoint, failing: HostHook<never>): Promise<{ seen: Seen; b: HookBench }> {
  let laterAsked = false;
  const later: HostHook<never> = () => {
    laterAsked = true;
    return goesOn[point] as never;
  };
  const hooks = [
    // Only a run that ends badly tells anybody.
    ...(point === "on_abort"
      ? [hook("on_turn_end", () => ({ action: "pause", reason: "" })), abortingResult]
      : []),
    hook(point, failing as never),
    hook(point, later as never, { name: "later" }),
  ];
  const b = hookBench({ hooks, scenario: oneCall });
  let outcome: Seen["outcome"];
  if (point === "on_prompt_submit") {
    const asked = b.points.promptSubmit({ inputText: "go", turnIndex: 0 }, never);
    await b.host.advance(hookTimeoutMs);
    outcome = await asked;
  } else outcome = await b.run("go");
  const settled = b.points.settled();
  await b.host.advance(hookTimeoutMs);
  await settled;
  const results = b.history.story().filter((line) => /^(result|error):/.test(line));
  const seen = {
    outcome,
    results,
    requests: b.scripted.requests.length,
    alerts: said(b.alerts.last),
    laterAsked,
  };
  return { seen, b };
}
const abortingResult = hook("post_tool_call", () => ({ action: "abort", reason: "seen enough" }), {
  name: "aborts",
});

/** What a failure with this problem must look like. */
function expected(point: HookPoint, problem: string): Seen {
  const why = `the hook ${point} (${point}) of builtin:task failed: ${problem}`;
  const fine: Seen = {
    outcome: { kind: "finished", text: "end" },
    results: ["result: said a"],
    requests: 2,
    alerts: [],
    laterAsked: false,
  };
  const diagnosed = { alerts: [`builtin:task: T${why.slice(1)}.`], laterAsked: true };
  switch (point) {
    case "on_prompt_submit":
      return { ...fine, outcome: { action: "cancel", reason: why }, results: [], requests: 0 };
    case "pre_llm_request":
      return { ...fine, outcome: { kind: "aborted", reason: why }, results: [], requests: 0 };
    case "pre_tool_call":
      return { ...fine, results: [`error: Refused: ${why}. Nothing was done.`] };
    case "post_tool_call":
    case "on_turn_end":
      return { ...fine, ...diagnosed };
    case "on_abort":
      return {
        ...fine,
        ...diagnosed,
        outcome: { kind: "aborted", reason: owned("aborts", "seen enough") },
        requests: 1,
      };
  }
}

const tags: Record<HookPoint, string> = {
  on_prompt_submit: "continue, cancel",
  pre_llm_request: "continue, cancel, yield",
  pre_tool_call: "continue, deny, abort, pause",
  post_tool_call: "continue, abort",
  on_turn_end: "finish, pause",
  on_abort: "observed",
};
/** A stopping action whose text is none. */
const wordless: Record<HookPoint, readonly [object, string]> = {
  on_prompt_submit: [{ action: "cancel" }, "reason"],
  pre_llm_request: [{ action: "yield", reason: 5 }, "reason"],
  pre_tool_call: [{ action: "deny", message: ["no"] }, "message"],
  post_tool_call: [{ action: "abort", message: "in the wrong field" }, "reason"],
  on_turn_end: [{ action: "pause", reason: null }, "reason"],
  on_abort: [{ action: "observed", reason: 5 }, ""],
};
const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const getter = (): object => ({
  get action(): string {
    throw new Error("not for you");
  },
});

function bad(point: HookPoint): readonly (readonly [what: string, given: () => unknown, problem: string])[] {
  const none = `its action is not one of: ${tags[point]}`;
  const [action, field] = wordless[point];
  return [
    ["nothing", () => undefined, "it gave undefined instead of an action"],
    ["null", () => null, "it gave null instead of an action"],
    ["its tag alone", () => goesOn[point].action, "it gave string instead of an action"],
    ["a function", () => () => goesOn[point], "it gave function instead of an action"],
    ["an empty object", () => ({}), none],
    ["a list", () => [goesOn[point]], "it gave a list instead of an action"],
    ["items", () => ({ action: "continue_with", items: [{ type: "user_message" }] }), none],
    ["a tag in capitals", () => ({ action: goesOn[point].action.toUpperCase() }), none],
    ["a tag in a prototype", () => Object.create(goesOn[point]), none],
    ["a tag that only prints as one", () => ({ action: { toString: () => goesOn[point].action } }), none],
    ["a getter that throws", getter, "its action could not be read: not for you"],
    ...(field === ""
      ? []
      : [["a text that is none", () => action, `the ${field} of its action is no text`] as const]),
  ];
}

const broken = () => {
  throw new Error("broken\n\u001b[2J hunter2");
};
const thenable = () =>
  new Proxy(
    {},
    { has: (_, name) => name === "then", get: (_, name) => (name === "then" ? broken : undefined) },
  );
const rejects = () => Promise.reject(Object.assign(new Error("x"), { message: { not: "a text" } }));

for (const point of hookPoints) {
  describe(point, () => {
    const fails: [what: string, asked: () => unknown, problem: string][] = [
      ["throws at once", broken, "broken\\u000a\\u001b[2J [redacted]"],
      ["throws what cannot be printed", thrower, "an unprintable value was thrown"],
      ["rejects", rejects, "an unprintable value was thrown"],
      ["never settles", () => new Promise(() => {}), "it did not answer within 5 s"],
      ["gives a thenable that throws", thenable, "broken\\u000a\\u001b[2J [redacted]"],
    ];
    for (const [what, given, problem] of bad(point)) {
      fails.push([`gives ${what}`, given, problem]);
      fails.push([`resolves with ${what}`, async () => given(), problem]);
    }
    fails.push(["gives a revoked Proxy", revoked, "Cannot perform 'has' on a proxy that has been revoked"]);
    for (const [what, asked, problem] of fails) {
      test(`${point}: a hook that ${what}`, async () => {
        const { seen, b } = await seenAt(point, asked as HostHook<never>);
        assert.deepEqual(seen, expected(point, problem));
        assert.equal(b.hookTimers.pending, 0, "no timer is left");
        b.history.assertReplays();
      });
    }

    test(`${point}: control: a hook that goes on refuses nothing and is not diagnosed`, async () => {
      const { seen } = await seenAt(point, () => goesOn[point] as never);
      assert.deepEqual(
        { alerts: seen.alerts, laterAsked: seen.laterAsked },
        { alerts: [], laterAsked: true },
      );
      assert.notDeepEqual(seen, expected(point, "anything"));
    });
  });
}

function thrower(): never {
  throw new Proxy(
    {},
    {
      getPrototypeOf() {
        throw new Error("look away");
      },
    },
  );
}

test("a hook has 5 s: it is waited for until then, and not a millisecond longer", async () => {
  assert.equal(hookTimeoutMs, 5_000);
  const timedOut = {
    action: "cancel",
    reason:
      "the hook on_prompt_submit (on_prompt_submit) of builtin:task failed: it did not answer within 5 s",
  };
  for (const [takesMs, answeredMs, action] of [
    [4_999, 4_999, { action: "continue" }],
    [5_001, 5_000, timedOut],
  ] as const) {
    const slow = async () => {
      await b.host.timers.sleep(takesMs);
      return { action: "continue" } as const;
    };
    const b = hookBench({ hooks: [hook("on_prompt_submit", slow)] });
    const asked = b.points.promptSubmit({ inputText: "go", turnIndex: 0 }, never);
    let answered = false;
    void asked.then(() => {
      answered = true;
    });
    await b.host.advance(answeredMs - 1);
    assert.equal(answered, false);
    await b.host.advance(1);
    assert.deepEqual(await asked, action);
  }
});

test("each hook has its own 5 s", async () => {
  const slow = async () => {
    await b.host.timers.sleep(4_000);
    return { action: "continue" } as const;
  };
  const b = hookBench({ hooks: [1, 2, 3].map(() => hook("pre_llm_request", slow)) });
  const began = b.host.clock.monotonic();
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "ok" });
  assert.ok(b.host.clock.monotonic() - began >= 12_000);
});

test("hooks that answer at once need no timer; those that do not leave none behind", async () => {
  const everywhere = (given: (point: HookPoint) => unknown) =>
    hookPoints.map((point) => hook(point, (() => given(point)) as never));
  const sync = hookBench({ hooks: everywhere((point) => goesOn[point]), scenario: oneCall });
  await sync.run("go");
  assert.deepEqual(sync.hookTimers, { set: 0, pending: 0 });
  const later = hookBench({ hooks: everywhere(async (point) => goesOn[point]), scenario: oneCall });
  await later.run("go");
  assert.deepEqual(later.hookTimers, { set: 5, pending: 0 }, "two requests, a call, its result, the end");
});

describe("a cancelled run", () => {
  for (const point of ["pre_llm_request", "pre_tool_call", "post_tool_call", "on_turn_end"] as const) {
    test(`${point}: a hook that is asked when the run is cancelled is waited for no longer, and no later one is asked`, async () => {
      const controller = new AbortController();
      const asked: string[] = [];
      const hooks = [
        hook(point, (async () => {
          asked.push("first");
          controller.abort();
          return new Promise(() => {});
        }) as never),
        hook(point, (() => asked.push("second")) as never, { name: "second" }),
      ];
      const b = hookBench({ hooks, scenario: oneCall });
      assert.deepEqual(await b.start("go", { signal: controller.signal }), { kind: "cancelled" });
      assert.deepEqual(asked, ["first"]);
      assert.deepEqual(said(b.alerts.last), [], "it is not the hook's failure");
      assert.equal(b.hookTimers.pending, 0);
      b.history.assertReplays();
    });

    test(`${point}: nor where the first one has answered at once`, async () => {
      const controller = new AbortController();
      const asked: string[] = [];
      const hooks = [
        hook(point, (() => {
          asked.push("first");
          controller.abort();
          return goesOn[point];
        }) as never),
        hook(point, (() => asked.push("second")) as never, { name: "second" }),
      ];
      const b = hookBench({ hooks, scenario: oneCall });
      assert.deepEqual(await b.start("go", { signal: controller.signal }), { kind: "cancelled" });
      assert.deepEqual(asked, ["first"]);
    });
  }

  test("on_prompt_submit: also where the only hook went on at once", async () => {
    const controller = new AbortController();
    const ends = hook("on_prompt_submit", () => {
      controller.abort();
      return { action: "continue" };
    });
    const asked = hookBench({ hooks: [ends] }).points.promptSubmit(
      { inputText: "go", turnIndex: 0 },
      controller.signal,
    );
    await assert.rejects(asked, { code: "cancelled" });
  });

  test("on_prompt_submit: the input is not accepted, and that says so", async () => {
    const controller = new AbortController();
    const b = hookBench({ hooks: [hook("on_prompt_submit", () => new Promise(() => {}))] });
    const asked = b.points.promptSubmit({ inputText: "go", turnIndex: 0 }, controller.signal);
    controller.abort();
    await assert.rejects(asked, { code: "cancelled" });
    assert.equal(b.hookTimers.pending, 0);
  });
});

test("a hook that was given up and fails later disturbs nobody: no rejection is left unheard", async () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  process.on("unhandledRejection", hear);
  try {
    const late = async () => {
      await b.host.timers.sleep(6_000);
      throw new Error("too late");
    };
    const b = hookBench({ hooks: [hook("on_turn_end", late)] });
    assert.deepEqual(await b.run("go"), { kind: "finished", text: "ok" });
    await b.host.advance(2_000);
    assert.deepEqual(said(b.alerts.last), [
      "builtin:task: The hook on_turn_end (on_turn_end) of builtin:task failed: it did not answer within 5 s.",
    ]);
    assert.deepEqual(unheard, []);
  } finally {
    process.off("unhandledRejection", hear);
  }
});

test("a promise that throws when it is waited for is its hook's failure, and no timer is left", async () => {
  const odd = Object.defineProperty(Promise.resolve({ action: "continue" }), "constructor", { get: broken });
  const b = hookBench({ hooks: [hook("on_prompt_submit", () => odd as never)] });
  assert.deepEqual(await b.points.promptSubmit({ inputText: "go", turnIndex: 0 }, never), {
    action: "cancel",
    reason:
      "the hook on_prompt_submit (on_prompt_submit) of builtin:task failed: broken\\u000a\\u001b[2J [redacted]",
  });
  assert.equal(b.hookTimers.pending, 0);
});
