/** Calls of one answer on the same files, with the real tools, runner and worker: each sees what the ones before it did. */
import assert from "node:assert/strict";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type JsonObject, podName, type Tool } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { createScopedFiles, createSeen, createTools } from "@yoi/tools";
import { bench, gate } from "../../packages/worker/test/support/bench-worker.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { type Harness, harness } from "./harness.ts";

type Call = readonly [name: string, args: JsonObject];

const modes = [
  { mode: "on", skip: noBubblewrap() },
  { mode: "off", skip: false },
] as const;
const rounds = 20;

function toolsOf({ place, runner }: Harness): readonly Tool[] {
  const host = nodeHost();
  return createTools({
    seen: createSeen(),
    seesImages: () => false,
    mayShow: () => true,
    files: createScopedFiles({ scope: () => place.scope, protection: place.protection }),
    runner,
    scope: () => place.scope,
    network: false,
    pod: podName("p"),
    workspace: place.workspace,
    spillDirectory: `${place.data}/spill/p`,
    hostFiles: host.files,
    timers: host.timers,
  });
}

/** Runs the answers one after the other; what each call gave, in the order of the calls. */
async function answered(tools: readonly Tool[], answers: readonly (readonly Call[])[]): Promise<string[][]> {
  const steps = answers.map((calls) => ({
    tool_calls: calls.map(([name, args]) => ({ name, arguments: args })),
  }));
  const b = bench({ scenario: JSON.stringify({ steps: [...steps, { text: "end" }] }), tools });
  assert.deepEqual(await b.start("go"), { kind: "finished", text: "end" });
  const given = new Map(
    b.history.items.flatMap(({ item }) =>
      item.type === "tool_result"
        ? [[item.call, item.is_error ? `error: ${item.summary}` : (item.content ?? "")]]
        : [],
    ),
  );
  const inOrder = b.history.items.flatMap(({ item }) =>
    item.type === "tool_call" ? [given.get(item.call) ?? "no result"] : [],
  );
  return answers.map((calls) => inOrder.splice(0, calls.length));
}

for (const { mode, skip } of modes) {
  test(
    `sandbox ${mode}: a command sees the change before it, and Read the file that a command made`,
    {
      skip,
    },
    async () => {
      const h = await harness({ mode });
      const at = (name: string) => `${h.place.workspace}/${name}`;
      try {
        writeFileSync(at("g"), "v0");
        const change = (round: number): readonly Call[] => [
          ["Edit", { file_path: at("g"), old_string: `v${round}`, new_string: `v${round + 1}` }],
          ["Bash", { command: "cat g" }],
        ];
        const made = (round: number): readonly Call[] => [
          ["Bash", { command: `echo made > m${round}` }],
          ["Read", { file_path: at(`m${round}`) }],
        ];
        const every = Array.from({ length: rounds }, (_, round) => round);
        const [, ...seen] = await answered(toolsOf(h), [
          [["Read", { file_path: at("g") }]],
          ...every.flatMap((round) => [change(round), made(round)]),
        ]);
        assert.deepEqual(
          seen.map(([, second]) => second),
          every.flatMap((round) => [`v${round + 1}`, "     1\tmade"]),
        );
      } finally {
        await h.close();
      }
    },
  );
}

test("Read shows the file after the edits before it and before the edit after it; edits lose nothing", async () => {
  const h = await harness({ mode: "off" });
  const file_path = `${h.place.workspace}/f`;
  try {
    for (let round = 0; round < rounds; round += 1) {
      writeFileSync(file_path, "a b c");
      const edit = (old_string: string): Call => [
        "Edit",
        { file_path, old_string, new_string: old_string.toUpperCase() },
      ];
      const read: Call = ["Read", { file_path }];
      const [, given] = await answered(toolsOf(h), [[read], [edit("a"), edit("b"), read, edit("c"), read]]);
      assert.deepEqual([given?.[2], given?.[4]], ["     1\tA B c", "     1\tA B C"]);
      assert.equal(readFileSync(file_path, "utf8"), "A B C");
    }
  } finally {
    await h.close();
  }
});

test("changes of one file by several names at once lose nothing", async () => {
  const h = await harness({ mode: "off" });
  const at = (name: string) => `${h.place.workspace}/${name}`;
  try {
    symlinkSync("src", at("link"));
    symlinkSync("src/f", at("file-link"));
    // On a file system where case counts this is another file, and must stay it.
    writeFileSync(at("src/F"), "other");
    const names = [
      at("src/f"),
      at("link/f"),
      at("file-link"),
      `${h.place.workspace}//src/./f`,
      at("link/./f"),
    ];
    for (let round = 0; round < rounds; round += 1) {
      const words = names.map((_, index) => `w${index}`);
      writeFileSync(at("src/f"), words.join(" "));
      const edits = names.map((file_path, index): Call => [
        "Edit",
        { file_path, old_string: `w${index}`, new_string: `W${index}` },
      ]);
      const grep: Call = ["Grep", { pattern: "W", path: at("link/f"), output_mode: "content", "-n": false }];
      const [, given] = await answered(toolsOf(h), [
        [["Read", { file_path: at("src/f") }]],
        [...edits, grep],
      ]);
      const all = words.join(" ").toUpperCase();
      assert.equal(readFileSync(at("src/f"), "utf8"), all, JSON.stringify(given));
      assert.equal(given?.at(-1), `${at("src/f")}:${all}`);
      assert.equal(readFileSync(at("src/F"), "utf8"), "other");
    }
  } finally {
    await h.close();
  }
});

test("control: without claims changes of one file by several names lose some, or are refused", async () => {
  const h = await harness({ mode: "off" });
  const at = (name: string) => `${h.place.workspace}/${name}`;
  try {
    symlinkSync("src", at("link"));
    let whole = 0;
    for (let round = 0; round < rounds; round += 1) {
      writeFileSync(at("src/f"), "w0 w1");
      const tools = toolsOf(h).map((tool): Tool => ({ ...tool, claim: () => null }));
      await answered(tools, [
        [["Read", { file_path: at("src/f") }]],
        ["src/f", "link/f"].map((name, index): Call => [
          "Edit",
          { file_path: at(name), old_string: `w${index}`, new_string: `W${index}` },
        ]),
      ]);
      if (readFileSync(at("src/f"), "utf8") === "W0 W1") whole += 1;
    }
    assert.ok(whole < rounds, "the changes never met each other");
  } finally {
    await h.close();
  }
});

test("Reads of one file run beside each other, and a change of another file beside them", async () => {
  const h = await harness({ mode: "off" });
  const at = (name: string) => `${h.place.workspace}/${name}`;
  try {
    writeFileSync(at("f"), "text");
    const all = gate();
    let inside = 0;
    // Each call goes on only when all three have begun.
    const tools = toolsOf(h).map((tool): Tool => ({
      ...tool,
      execute: async (args, context) => {
        inside += 1;
        if (inside === 3) all.open();
        await all.promise;
        return tool.execute(args, context);
      },
    }));
    const read: Call = ["Read", { file_path: at("f") }];
    const [given] = await answered(tools, [[read, read, ["Write", { file_path: at("new"), content: "x" }]]]);
    assert.deepEqual(given, ["     1\ttext", "     1\ttext", ""]);
  } finally {
    await h.close();
  }
});

test("control: without claims Read does not wait for the command that makes its file", async () => {
  const h = await harness({ mode: "off" });
  try {
    const tools = toolsOf(h).map((tool): Tool => ({ ...tool, claim: () => null }));
    const [given] = await answered(tools, [
      [
        // It waits for what the last call makes: so all three run at once, or this would never end.
        ["Bash", { command: "while [ ! -e go ]; do sleep 0.01; done; echo made > m" }],
        ["Read", { file_path: `${h.place.workspace}/m` }],
        ["Write", { file_path: `${h.place.workspace}/go`, content: "" }],
      ],
    ]);
    assert.match(given?.[1] ?? "", /^error: .*does not exist/);
  } finally {
    await h.close();
  }
});
