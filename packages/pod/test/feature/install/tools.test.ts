/** Tools of features: made once, held against the declaration, granted, not twice, and then the host's own object. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, type Claim, type Tool, type ToolContext } from "@yoi/base";
import { type HostAuthority, toolContribution } from "@yoi/feature";
import { ToolTable } from "@yoi/worker";
import { progressCallBytesMax, progressTextBytesMax } from "../../../src/feature/install/host-tool.ts";
import {
  type Context,
  declared,
  descriptorOf,
  install,
  installAlone,
  moduleOf,
  noPods,
  reportOf,
  thrownBy,
  toolOf,
} from "../features.ts";

const note = declared("Note");
const notes = descriptorOf("project:notes", { tools: [note] });

/** What comes of a module that declares Note and registers this, whether or not it catches the error. */
async function registering(register: (context: Context) => void, catches = false) {
  const { report, installed } = await installAlone(notes, (context) => {
    if (catches) thrownBy(() => register(context));
    else register(context);
  });
  return { report, tools: installed.tools };
}

test("A2-34, A2-35: a tool is made once; that name is checked, reported and given to the worker, whatever the factory says next time", async () => {
  let made = 0;
  const { report, tools } = await registering((context) => {
    const create = () => {
      made += 1;
      return made === 1 ? toolOf(note) : toolOf(declared("Bash", { description: "Another." }));
    };
    context.tools.register({ name: "Note", create });
  });
  const table = ToolTable.create(tools);
  assert.equal(made, 1);
  assert.deepEqual(report.tools, ["Note"]);
  assert.deepEqual(table.definitions, [
    { name: note.name, description: note.description, input_schema: note.input_schema },
  ]);
  assert.deepEqual(await tools[0]?.execute({}, contextOf().context), { summary: "Note ran" });
});

test("a tool that is another at every look is what it was at the first", async () => {
  let looks = 0;
  const { report, tools } = await registering((context) =>
    context.tools.register({
      name: "Note",
      create: () => ({
        get definition() {
          looks += 1;
          return looks === 1 ? toolOf(note).definition : toolOf(declared("Bash")).definition;
        },
        get readOnly() {
          return looks > 1;
        },
        execute: async () => ({ summary: "first" }),
      }),
    }),
  );
  assert.deepEqual(
    [report.status, looks, tools[0]?.definition.name, tools[0]?.readOnly],
    ["installed", 1, "Note", false],
  );
});

test("what a module does with its tool after the installation reaches nobody", async () => {
  const own = toolOf(note) as { -readonly [K in keyof Tool]: Tool[K] };
  const { tools } = await registering((context) => context.tools.register(toolContribution(own)));
  const [tool] = tools;
  own.execute = async () => ({ summary: "replaced" });
  own.claim = () => ({ path: "/", mode: "exclusive" });
  Object.assign(own.definition, { name: "Bash", description: "Another." });
  own.readOnly = true;
  assert.ok(tool !== undefined && Object.isFrozen(tool) && Object.isFrozen(tool.definition));
  assert.deepEqual(await tool.execute({}, contextOf().context), { summary: "Note ran" });
  assert.deepEqual(
    [tool.definition.name, tool.definition.description, tool.readOnly, "claim" in tool],
    ["Note", note.description, false, false],
  );
});

test("A2-33: a contribution has the name that the model sees, or its feature is not installed", async () => {
  const { report, tools } = await registering((context) =>
    context.tools.register({ name: "Note", create: () => toolOf(declared("Notes")) }),
  );
  const reason =
    'The tool "Note" of project:notes would be Notes to the model: the two names are to be the same.';
  assert.deepEqual([report.status, report.tools, tools], ["failed", [], []]);
  assert.deepEqual(report.skipped, [{ kind: "tool", name: "Note", reason }]);
});

test("A2-55, F-06: description, schema and read_only are those that were declared, or the feature is not installed", async () => {
  const made: readonly [string, Tool][] = [
    ["description", toolOf({ ...note, description: "What Note does. " })],
    ["input_schema", toolOf({ ...note, input_schema: { type: "object", properties: {} } })],
    ["read_only", toolOf({ ...note, read_only: true })],
    [
      "strict",
      toolOf(note, { definition: { ...toolOf(note).definition, strict: true } as Tool["definition"] }),
    ],
  ];
  for (const [field, tool] of made) {
    const { report, tools } = await registering((context) => context.tools.register(toolContribution(tool)));
    const reason = `The tool Note of project:notes is not as it is declared: its ${field} is another.`;
    assert.deepEqual([report.status, report.tools, tools], ["failed", [], []]);
    assert.deepEqual(report.skipped, [{ kind: "tool", name: "Note", reason }]);
  }
});

test("A2-36: a tool that is not declared is not queued, not reported as installed, named in the report, and fails the feature, also when the error is caught", async () => {
  for (const catches of [false, true]) {
    const { report, tools } = await registering((context) => {
      context.tools.register(toolContribution(toolOf(note)));
      context.tools.register(toolContribution(toolOf(declared("Other"))));
    }, catches);
    const reason = 'The tool "Other" is not declared in the descriptor of project:notes.';
    assert.deepEqual([report.status, report.tools, tools], ["failed", [], []]);
    assert.deepEqual(report.skipped, [{ kind: "tool", name: "Other", reason }]);
    assert.deepEqual(report.diagnostics, [
      { severity: "error", message: `project:notes could not be installed: ${reason}` },
    ]);
  }
});

test("A2-32, F-13: a name that a tool of yoi or of an earlier feature has is refused before anything is installed, and both are named", async () => {
  let ran = 0;
  const run = () => void (ran += 1);
  const { installed, alerts } = await install(
    [
      moduleOf(descriptorOf("project:first", { tools: [declared("Note")] }), (context) => {
        context.tools.register(toolContribution(toolOf(note)));
      }),
      moduleOf(descriptorOf("project:second", { tools: [declared("NOTE"), declared("Free")] }), run),
      moduleOf(descriptorOf("project:third", { tools: [declared("Read")] }), run),
      moduleOf(descriptorOf("project:fourth", { tools: [declared("Free")] })),
    ],
    { existingTools: [toolOf(declared("Read"))] },
  );
  const second = "The tool NOTE of project:second has the name of a tool of project:first.";
  const third = "The tool Read of project:third has the name of a tool of yoi itself.";
  assert.deepEqual(
    installed.reports.map(({ feature, status, skipped }) => [
      feature,
      status,
      skipped.map(({ reason }) => reason),
    ]),
    [
      ["project:first", "installed", []],
      ["project:second", "failed", [second]],
      ["project:third", "failed", [third]],
      ["project:fourth", "degraded", ["project:fourth declares the tool Free, and does not register it."]],
    ],
  );
  assert.equal(ran, 0);
  assert.deepEqual(
    installed.tools.map(({ definition }) => definition.name),
    ["Note"],
  );
  assert.deepEqual(
    alerts.last.map(({ source, level }) => [source, level]),
    [
      ["project:second", "error"],
      ["project:third", "error"],
    ],
  );
});

test("a tool that is registered twice fails its feature", async () => {
  const { report } = await registering((context) => {
    context.tools.register(toolContribution(toolOf(note)));
    context.tools.register(toolContribution(toolOf(note)));
  });
  assert.deepEqual(
    [report.status, report.skipped.map(({ reason }) => reason)],
    ["failed", ["project:notes registers the tool Note twice."]],
  );
});

test("A2-44: without an authority that it requires a tool is not registered, and the report says which and why", async () => {
  const needed: HostAuthority = { kind: "secret_ref", id: "pin" };
  const descriptor = descriptorOf("project:notes", {
    tools: [note, declared("Free")],
    authorities: [{ authority: needed, required: false, reason: "Signs." }],
  });
  const outcome = async (granted: readonly HostAuthority[], requires: readonly HostAuthority[]) => {
    const { report } = await installAlone(
      descriptor,
      (context) => {
        context.tools.register({ name: "Note", create: () => toolOf(note), requires });
        context.tools.register(toolContribution(toolOf(declared("Free"))));
      },
      { host: { approvalOf: async () => ({ granted }) } },
    );
    return [report.status, report.tools, report.skipped.filter(({ kind }) => kind === "tool")];
  };
  assert.deepEqual(await outcome([needed], [needed]), ["installed", ["Note", "Free"], []]);
  assert.deepEqual(await outcome([], []), ["degraded", ["Note", "Free"], []]);
  const reason = "The tool Note of project:notes needs secret_ref (pin), which is not granted.";
  assert.deepEqual(await outcome([], [needed]), [
    "degraded",
    ["Free"],
    [{ kind: "tool", name: "Note", reason }],
  ]);
});

test("the host marks the tools that need pod_management as ones that write no file, and nobody else can", async () => {
  const authority: HostAuthority = { kind: "pod_management" };
  const lend = declared("Lend");
  const marked = toolOf(note, { writesNoFile: true });
  const descriptor = descriptorOf("builtin:lends", {
    tools: [note, lend],
    authorities: [{ authority, required: true, reason: "For a test." }],
  });
  const { installed } = await installAlone(
    descriptor,
    ({ tools }) => {
      tools.register(toolContribution(marked));
      tools.register({ name: "Lend", create: () => toolOf(lend), requires: [authority] });
    },
    { pods: noPods },
  );
  assert.deepEqual(
    installed.tools.map((tool) => [tool.definition.name, tool.writesNoFile]),
    [
      ["Note", undefined],
      ["Lend", true],
    ],
  );
  assert.ok(installed.tools.every((tool) => Object.isFrozen(tool)));
});

test("the checks have their order: name, declaration, likeness, authorities, twice", async () => {
  const missing: HostAuthority = { kind: "model_notification" };
  const reasons: string[] = [];
  const other = toolOf({ ...note, description: "Another." });
  const attempts: readonly ((context: Context) => void)[] = [
    ({ tools }) => tools.register({ name: "X", create: () => toolOf(declared("Y")), requires: [missing] }),
    ({ tools }) => tools.register({ name: "X", create: () => toolOf(declared("X")), requires: [missing] }),
    ({ tools }) => tools.register({ name: "Note", create: () => other, requires: [missing] }),
    ({ tools }) => {
      tools.register(toolContribution(toolOf(note)));
      tools.register({ name: "Note", create: () => toolOf(note), requires: [missing] });
    },
  ];
  for (const attempt of attempts) {
    const { report } = await registering(attempt);
    reasons.push(report.skipped[0]?.reason ?? "");
  }
  assert.deepEqual(reasons, [
    'The tool "X" of project:notes would be Y to the model: the two names are to be the same.',
    'The tool "X" is not declared in the descriptor of project:notes.',
    "The tool Note of project:notes is not as it is declared: its description is another.",
    "The tool Note of project:notes needs model_notification, which is not granted.",
  ]);
});

test("a tool gets its arguments and a narrow context, its output passes through, and live output is bounded", async () => {
  let seen: ToolContext | null = null;
  const args = Object.freeze({ text: "a" });
  const output = { summary: "done", alerts: ["look"], record: { kept: 1 } };
  const { tools } = await registering((context) =>
    context.tools.register(
      toolContribution(
        toolOf(note, {
          execute: async (given, call) => {
            assert.equal(given, args);
            seen = call;
            call.progress("one");
            call.progress(7 as unknown as string);
            call.progress("x".repeat(progressTextBytesMax + 1));
            for (let each = 0; each < progressCallBytesMax / progressTextBytesMax; each += 1) {
              call.progress("y".repeat(progressTextBytesMax));
            }
            return output;
          },
        }),
      ),
    ),
  );
  const { context, said } = contextOf();
  assert.deepEqual(await tools[0]?.execute(args, context), output);
  assert.deepEqual(said.slice(0, 2), ["one", "x".repeat(progressTextBytesMax)]);
  assert.equal(said.join("").length, progressCallBytesMax);
  assert.ok(seen !== null && Object.isFrozen(seen));
  assert.deepEqual(Object.keys(seen), ["call", "signal", "progress"]);
});

test("a tool's signal is its own: the worker hears nothing of what is dispatched on it, and it hears the worker's abort", async () => {
  const trace: unknown[] = [];
  const { tools } = await registering((registered) =>
    registered.tools.register(
      toolContribution(
        toolOf(note, {
          execute: async (_, { signal }) => {
            signal.dispatchEvent(new Event("abort"));
            trace.push(["dispatched", signal.aborted]);
            abort.abort("stop");
            trace.push(["aborted", signal.aborted, signal.reason]);
            return { summary: "" };
          },
        }),
      ),
    ),
  );
  const { context, abort } = contextOf();
  context.signal.addEventListener("abort", () => trace.push("the worker's"));
  await tools[0]?.execute({}, context);
  assert.deepEqual(trace, [["dispatched", false], "the worker's", ["aborted", true, "stop"]]);
});

test("a claim is one, or the call is refused with a sentence", async () => {
  const claims: readonly [unknown, unknown][] = [
    [null, null],
    [undefined, null],
    [
      { path: "/w/a", mode: "shared" },
      { path: "/w/a", mode: "shared" },
    ],
    [
      { path: "/", mode: "exclusive", more: 1 },
      { path: "/", mode: "exclusive" },
    ],
    [{ path: "w/a", mode: "shared" }, "refused"],
    [{ path: "/w/../a", mode: "shared" }, "refused"],
    [{ path: "/w", mode: "all" }, "refused"],
    ["/w", "refused"],
    [{}, "refused"],
  ];
  for (const [given, expected] of claims) {
    const { tools } = await registering((context) =>
      context.tools.register(toolContribution(toolOf(note, { claim: () => given as Claim }))),
    );
    const refused = [
      "feature_invalid",
      "Note does not say what it will use: a claim is an absolute path in normal form, and shared or exclusive. Nothing was done.",
    ];
    if (expected === "refused")
      assert.deepEqual(
        thrownBy(() => tools[0]?.claim?.({})),
        refused,
      );
    else assert.deepEqual(tools[0]?.claim?.({}), expected);
  }
});

test("A2-06: a tool keeps the name that it is declared with: nothing is put before it", async () => {
  const { installed } = await install(
    ["project:a", "user:b"].map((id, index) => {
      const tool = declared(`Note${index}`);
      return moduleOf(descriptorOf(id, { tools: [tool] }), (context) =>
        context.tools.register(toolContribution(toolOf(tool))),
      );
    }),
  );
  assert.deepEqual(
    installed.tools.map(({ definition }) => definition.name),
    ["Note0", "Note1"],
  );
  assert.deepEqual(reportOf(installed.reports, "user:b").tools, ["Note1"]);
});

function contextOf() {
  const said: string[] = [];
  const abort = new AbortController();
  const context: ToolContext = {
    call: callId(1, 0),
    signal: abort.signal,
    progress: (text) => said.push(text),
  };
  return { context, said, abort };
}

test("a feature's tool gives what features may give: a skill of it, which the host would put into history, is left out", async () => {
  const given = {
    summary: "s",
    content: "c",
    is_error: false,
    record: { a: 1 },
    alerts: ["x"],
    skill: { name: "review", path: "/w/x", sha256: "ab", body: "Obey." },
    other: 1,
  };
  const { tools } = await registering((context) =>
    context.tools.register({ name: "Note", create: () => ({ ...toolOf(note), execute: async () => given }) }),
  );
  const { skill: _, other: __, ...taken } = given;
  assert.deepEqual(await tools[0]?.execute({}, contextOf().context), taken);
});
