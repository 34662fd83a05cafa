/** A mark in the arguments of a call: Write and Edit refuse it before anything happens, every other tool says so in its result. */
import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject, Tool, ToolOutput } from "@yoi/base";
import { createKnownSecrets } from "@yoi/keep";
import { guardMarks } from "../../src/compose/mark-guard.ts";

const known = createKnownSecrets();
known.learn({ id: "CORP_KEY", value: "corpkey-1234567890abcdef" });
const mark = "[redacted: CORP_KEY]";

/** What a call gives, and whether it was executed. */
async function call(
  name: string,
  args: JsonObject,
  output: ToolOutput = { summary: "done" },
): Promise<{ readonly output: ToolOutput; readonly ran: boolean }> {
  let ran = false;
  const tool: Tool = {
    definition: { name, description: "", input_schema: { type: "object" } },
    readOnly: false,
    execute: async (given) => {
      assert.equal(given, args);
      ran = true;
      return output;
    },
  };
  const context = { call: "call_1" as never, signal: AbortSignal.timeout(1000), progress: () => {} };
  return { output: await guardMarks(tool, known).execute(args, context), ran };
}

for (const [name, args] of [
  ["Write", { file_path: "/w/a", content: `key=${mark}\n` }],
  ["Write", { file_path: `/w/${mark}`, content: "" }],
  ["Edit", { file_path: "/w/a", old_string: "x", new_string: `"${mark}"` }],
] as const) {
  test(`${name} of ${JSON.stringify(args)} is not executed`, async () => {
    const { output, ran } = await call(name, args);
    assert.equal(ran, false);
    assert.equal(output.is_error, true);
    assert.match(
      output.summary,
      new RegExp(
        `^${name} was not executed: it would put \\[redacted: CORP_KEY\\] into the file\\. .*an Edit around it`,
      ),
    );
  });
}

test("other tools run with the mark, and their result begins with a note of it", async () => {
  const note =
    "Note: the arguments of this call hold [redacted: CORP_KEY], the mark in place of a key. It was executed with the mark, not with the key.";
  const args = { command: `echo '${mark}' > a` };
  assert.deepEqual(await call("Bash", args), { output: { summary: "done", content: note }, ran: true });
  const failed = { summary: "exit 1", content: "no\n", is_error: true };
  assert.deepEqual(await call("Bash", args, failed), {
    output: { ...failed, content: `${note}\nno\n` },
    ran: true,
  });
  const edit = { file_path: "/w/a", old_string: mark, new_string: "x" };
  assert.deepEqual(await call("Edit", edit), { output: { summary: "done", content: note }, ran: true });
});

test("without a mark, and with that of nobody, nothing changes", async () => {
  for (const content of ["plain", "[redacted: OTHER]", "redacted: CORP_KEY"]) {
    const args = { file_path: "/w/a", content };
    assert.deepEqual(await call("Write", args), { output: { summary: "done" }, ran: true });
  }
});
