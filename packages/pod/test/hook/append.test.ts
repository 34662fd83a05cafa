/** The append handle: who has one, what is queued through it, and when it is over. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SystemItem } from "@yoi/base";
import type { AppendReceipt, SystemItemAppendHandle } from "@yoi/feature";
import { promptOf } from "../../../model/test/lowering/traits.ts";
import { appendBodyBytesMax, appendItemsMax } from "../../src/hook/append-queue.ts";
import type { HookOwner } from "../../src/hook/registry.ts";
import {
  type Add,
  goesOn,
  goOn,
  hook,
  type HookBench,
  hookBench,
  lint,
  oneCall,
  said,
  task,
} from "./support/hook-bench.ts";

function reminders({ history }: HookBench): SystemItem[] {
  return history.items.flatMap(({ item }) => (item.type === "system_item" ? [item] : []));
}

/** A pre-request hook that appends these bodies at the first request. */
function appending(bodies: readonly string[], into: AppendReceipt[] = [], owner: HookOwner = task): Add {
  return hook(
    "pre_llm_request",
    ({ info, systemItems }) => {
      if (info.turnIndex === 0 && systemItems !== null)
        for (const body of bodies) into.push(systemItems.appendTaskReminder(body));
      return goOn;
    },
    { owner, name: `appends for ${owner.id}` },
  );
}
const states = (receipts: readonly AppendReceipt[]) => receipts.map(({ state }) => state);

test("A0-03, A1-15: what is queued through the handle is a typed item of its owner, committed in order, and the receipts say so", async () => {
  const receipts: AppendReceipt[] = [];
  const during: string[][] = [];
  const b = hookBench({
    hooks: [
      appending(["one", "two"], receipts),
      hook("pre_llm_request", () => (during.push(states(receipts)), goOn)),
    ],
  });
  await b.run("go");
  const reason = "task_inactivity";
  assert.deepEqual(reminders(b), [
    { type: "system_item", kind: "task_reminder", source: "builtin:task", reason, body: "one" },
    { type: "system_item", kind: "task_reminder", source: "builtin:task", reason, body: "two" },
  ]);
  assert.deepEqual(during, [["queued", "queued"]]);
  assert.deepEqual(states(receipts), ["committed", "committed"]);
  b.history.assertReplays();
});

describe("who gets a handle", () => {
  const owners: readonly [what: string, owner: HookOwner, hasWriter: boolean, present: boolean][] = [
    ["a built-in, by host policy", task, true, true],
    ["another feature that was granted it", { id: "package:@acme/lint", mayAppend: true }, true, true],
    ["a feature without the right", lint, true, false],
    ["a built-in without a log writer", task, false, false],
    ["a feature with neither", lint, false, false],
  ];
  test("A0-11, A1-16, F-19, A1-15: it is decided for each hook by its owner and by whether there is a writer", async () => {
    for (const [what, owner, hasWriter, present] of owners) {
      const handles: (SystemItemAppendHandle | null)[] = [];
      const b = hookBench({
        hasWriter,
        hooks: [hook("pre_llm_request", ({ systemItems }) => (handles.push(systemItems), goOn), { owner })],
      });
      await b.run("go");
      assert.deepEqual(
        handles.map((handle) => handle !== null),
        [present],
        what,
      );
    }
  });

  test("A1-16, F-19: two features of one request: one has it, the other has not, and each item names its own owner", async () => {
    const other: HookOwner = { id: "package:other", mayAppend: true };
    const b = hookBench({
      hooks: [appending(["a"]), appending(["never"], [], lint), appending(["b"], [], other)],
    });
    await b.run("go");
    assert.deepEqual(
      reminders(b).map(({ source, body }) => [source, body]),
      [
        ["builtin:task", "a"],
        ["package:other", "b"],
      ],
    );
  });

  test("A1-05, A1-06, A1-15: without a writer a hook adds nothing for the model: the request goes on and history is as without it", async () => {
    const plain = hookBench({ hooks: [] });
    const b = hookBench({ hasWriter: false, hooks: [appending(["x"])] });
    assert.deepEqual(await b.run("go"), await plain.run("go"));
    assert.deepEqual(b.history.entries, plain.history.entries);
    assert.deepEqual(b.scripted.requests, plain.scripted.requests);
  });
});

describe("the queue of one request", () => {
  test("A1-05: two requests share nothing: each has its own handle and its own room", async () => {
    const handles: SystemItemAppendHandle[] = [];
    const b = hookBench({
      scenario: oneCall,
      hooks: [
        hook("pre_llm_request", ({ systemItems }) => {
          assert.ok(systemItems);
          handles.push(systemItems);
          for (let n = 0; n < appendItemsMax; n += 1)
            systemItems.appendTaskReminder(`${handles.length}.${n}`);
          return goOn;
        }),
      ],
    });
    await b.run("go");
    assert.equal(handles.length, 2);
    assert.notEqual(handles[0], handles[1]);
    assert.equal(reminders(b).length, 2 * appendItemsMax);
    assert.deepEqual(b.alerts.last, []);
  });

  test("8 items fit, of all hooks together; what is more is dropped, which is said once, and the rest is committed", async () => {
    assert.equal(appendItemsMax, 8);
    const receipts: AppendReceipt[] = [];
    const bodies = (count: number) => Array.from({ length: count }, (_, n) => `n ${n}`);
    const b = hookBench({ hooks: [appending(bodies(5), receipts), appending(bodies(6), receipts)] });
    assert.deepEqual(await b.run("go"), { kind: "finished", text: "ok" });
    assert.deepEqual(states(receipts), [
      ...Array<string>(8).fill("committed"),
      "dropped",
      "dropped",
      "dropped",
    ]);
    assert.equal(reminders(b).length, 8);
    assert.deepEqual(said(b.alerts.last), [
      "builtin:task: A reminder for the model was dropped: the hooks of one request may append 8 in all.",
    ]);
  });

  const long = "é".repeat(appendBodyBytesMax / 2);
  const bodies: readonly [what: string, body: string, committed: string | null, problem: string][] = [
    ["of 16 KiB", long, long, ""],
    ["of one byte more", `${long}x`, null, "it is over 16384 bytes."],
    ["of a megabyte", "x".repeat(1 << 20), null, "it is over 16384 bytes."],
    ["of 16 KiB in tags", `<system-reminder>\n${long}\n</system-reminder>`, long, ""],
    ["of nothing", "", null, "it is empty."],
    ["of white space in tags", "<system-reminder>\n \n</system-reminder>", null, "it is empty."],
    ["with half of a character", "a\ud800b", "a\ufffdb", ""],
  ];
  for (const [what, body, committed, problem] of bodies) {
    test(`a body ${what} is ${committed === null ? "dropped with a diagnostic" : "committed"}`, async () => {
      const receipts: AppendReceipt[] = [];
      const b = hookBench({ hooks: [appending([body], receipts)] });
      await b.run("go");
      assert.deepEqual(
        reminders(b).map((item) => item.body),
        committed === null ? [] : [committed],
      );
      assert.deepEqual(states(receipts), [committed === null ? "dropped" : "committed"]);
      assert.deepEqual(
        said(b.alerts.last),
        problem === "" ? [] : [`builtin:task: A reminder for the model was dropped: ${problem}`],
      );
    });
  }

  test("a body that is no text is the hook's failure: the request is not made", async () => {
    const b = hookBench({ hooks: [appending([{ type: "user_message" } as never])] });
    assert.deepEqual(await b.run("go"), {
      kind: "aborted",
      reason:
        "the hook appends for builtin:task (pre_llm_request) of builtin:task failed: builtin:task appended a reminder whose body is no text",
    });
  });
});

describe("wrapping", () => {
  const wrapped: readonly [what: string, given: string, committed: string][] = [
    ["bare text", "a\nb", "a\nb"],
    ["wholly wrapped", "<system-reminder>\na\nb\n</system-reminder>", "a\nb"],
    ["without newlines", "<system-reminder>a</system-reminder>", "a"],
    ["with white space around", "\n <system-reminder>\n\na\n\n</system-reminder>\n", "a"],
    ["as a note", '<yoi-note id="3" kind="task_reminder" source="host">\na\n</yoi-note>', "a"],
    [
      "twice: only the outer pair goes",
      "<system-reminder><system-reminder>a</system-reminder></system-reminder>",
      "<system-reminder>a</system-reminder>",
    ],
    [
      "two pairs beside each other",
      "<system-reminder>a</system-reminder> b <system-reminder>c</system-reminder>",
      "<system-reminder>a</system-reminder> b <system-reminder>c</system-reminder>",
    ],
    [
      "with a tag inside that nothing closes",
      "<system-reminder><system-reminder>a</system-reminder>",
      "<system-reminder><system-reminder>a</system-reminder>",
    ],
    ["only at its start", "<system-reminder>a</system-reminder> b", "<system-reminder>a</system-reminder> b"],
    ["tags that do not match", "<system-reminder>a</yoi-note>", "<system-reminder>a</yoi-note>"],
    ["another tag", "<b>a</b>", "<b>a</b>"],
    ["a longer tag", "<system-reminders>a</system-reminders>", "<system-reminders>a</system-reminders>"],
  ];
  test("A0-23: a body that is wholly wrapped is unwrapped once, and the lowering wraps each item in exactly one note", async () => {
    for (const [what, given, committed] of wrapped) {
      const b = hookBench({ hooks: [appending([given])] });
      await b.run("go");
      assert.deepEqual(
        reminders(b).map(({ body }) => body),
        [committed],
        what,
      );
      const request = b.scripted.requests[0];
      assert.ok(request);
      const texts = promptOf(request.items).flatMap(({ content }) =>
        typeof content === "string"
          ? [content]
          : content.flatMap((part) => (part.type === "text" ? [part.text] : [])),
      );
      const seq = request.items.at(-1)?.seq;
      const head = `<yoi-note id="${seq}" kind="task_reminder" source="builtin:task">`;
      const shown = committed.replaceAll("</yoi-note>", "&lt;/yoi-note>");
      assert.deepEqual(texts, ["go", `${head}\n${shown}\n</yoi-note>`], what);
      assert.equal(
        texts.join("").match(/<\/?yoi-note/g)?.length,
        2,
        `${what}: one opening tag and one closing tag`,
      );
    }
  });

  test("A0-23: where a model has a role for what the host says, the body is shown once and without any tag", async () => {
    const b = hookBench({ hooks: [appending(["<system-reminder>\na\n</system-reminder>"])] });
    await b.run("go");
    const items = b.scripted.requests[0]?.items ?? [];
    for (const systemItems of ["system", "developer"] as const) {
      const shown = JSON.stringify(promptOf(items, { systemItems }));
      assert.equal(shown.split('"a"').length - 1, 1, shown);
      assert.doesNotMatch(shown, /yoi-note|system-reminder/);
    }
  });
});

describe("late use", () => {
  const outcomes = {
    continue: hook("pre_llm_request", () => goOn),
    cancel: hook("pre_llm_request", () => ({ action: "cancel", reason: "no" })),
    yield: hook("pre_llm_request", () => ({ action: "yield", reason: "later" })),
    failure: hook("pre_llm_request", () => Promise.reject(new Error("broken"))),
    timeout: hook("pre_llm_request", () => new Promise(() => {})),
  };
  const message =
    "builtin:task used an append handle after the hooks of its request were asked: append while the hook runs, and keep no handle.";

  for (const [what, last] of Object.entries(outcomes)) {
    test(`a handle that was kept throws after a ${what}, and nothing comes of it`, async () => {
      let kept: SystemItemAppendHandle | null = null;
      const keep = hook("pre_llm_request", ({ systemItems }) => {
        kept ??= systemItems;
        return goOn;
      });
      const b = hookBench({ hooks: [keep, last] });
      await b.run("go");
      const handle = kept as SystemItemAppendHandle | null;
      assert.ok(handle);
      assert.throws(() => handle.appendTaskReminder("late"), { code: "feature_invalid", message });
      assert.deepEqual(reminders(b), []);
    });
  }

  test("a hook of the next request that uses the handle of the one before fails: the run ends, and says why", async () => {
    let kept: SystemItemAppendHandle | null = null;
    const b = hookBench({
      scenario: oneCall,
      hooks: [
        hook("pre_llm_request", ({ systemItems }) => {
          kept?.appendTaskReminder("late");
          kept = systemItems;
          return goOn;
        }),
      ],
    });
    assert.deepEqual(await b.run("go"), {
      kind: "aborted",
      reason: `the hook pre_llm_request (pre_llm_request) of builtin:task failed: ${message.slice(0, -1)}`,
    });
    assert.deepEqual(reminders(b), []);
  });

  test("on_prompt_submit: a handle kept from a request is of no use there: the input is refused, and says why", async () => {
    let kept: SystemItemAppendHandle | null = null;
    const b = hookBench({
      hooks: [
        hook("pre_llm_request", ({ systemItems }) => ((kept = systemItems), goOn)),
        hook("on_prompt_submit", () => (kept?.appendTaskReminder("late"), goOn)),
      ],
    });
    const submit = () =>
      b.points.promptSubmit({ inputText: "go", turnIndex: 0 }, new AbortController().signal);
    assert.deepEqual(await submit(), goOn);
    await b.run("go");
    assert.deepEqual(await submit(), {
      action: "cancel",
      reason: `the hook on_prompt_submit (on_prompt_submit) of builtin:task failed: ${message.slice(0, -1)}`,
    });
    assert.deepEqual(reminders(b), []);
  });

  for (const point of ["pre_tool_call", "post_tool_call", "on_turn_end", "on_abort"] as const) {
    test(`${point}: a handle kept from the request before is of no use there`, async () => {
      let kept: SystemItemAppendHandle | null = null;
      const b = hookBench({
        scenario: oneCall,
        hooks: [
          hook("pre_llm_request", ({ systemItems }) => ((kept ??= systemItems), goOn)),
          ...(point === "on_abort"
            ? [hook("on_turn_end", () => (b.points.aborted("for a test"), goesOn.on_turn_end))]
            : []),
          hook(point, (() => (kept?.appendTaskReminder("late"), goesOn[point])) as never),
        ],
      });
      assert.deepEqual(await b.run("go"), { kind: "finished", text: "end" });
      assert.notEqual(kept, null);
      assert.deepEqual(reminders(b), []);
      const failure = `the hook ${point} (${point}) of builtin:task failed: ${message.slice(0, -1)}`;
      if (point === "pre_tool_call")
        assert.ok(b.history.story().includes(`error: Refused: ${failure}. Nothing was done.`));
      else assert.deepEqual(said(b.alerts.last), [`builtin:task: T${failure.slice(1)}.`]);
    });
  }

  test("a hook that was given up may go on, but its handle is dead while the rest of the run lives", async () => {
    let late: unknown = null;
    const b = hookBench({
      hooks: [
        hook("pre_llm_request", async ({ systemItems }) => {
          await b.host.timers.sleep(5_500);
          try {
            systemItems?.appendTaskReminder("late");
          } catch (thrown) {
            late = thrown;
          }
          return goOn;
        }),
      ],
    });
    const outcome = await b.run("go");
    assert.equal(outcome.kind, "aborted");
    await b.host.advance(1_000);
    assert.equal(late instanceof Error && late.message, message);
  });
});
