/** A call whose arguments hold the mark of a secret does not do it silently: what it would write into a file is refused, of the rest its result tells. */
import type { JsonObject, Tool, ToolOutput } from "@yoi/base";
import type { KnownSecrets } from "@yoi/keep";

/** Arguments that end up in a file or name it. A mark there takes the place of what the user had or wanted. */
const writtenArguments: Readonly<Record<string, readonly string[]>> = {
  Write: ["file_path", "content"],
  Edit: ["file_path", "new_string"],
};

export function guardMarks(tool: Tool, known: Pick<KnownSecrets, "marksIn">): Tool {
  const { name } = tool.definition;
  const marks = (value: unknown): readonly string[] =>
    known.marksIn(JSON.stringify(value) ?? "").map((id) => `[redacted: ${id}]`);
  return {
    ...tool,
    execute: async (args, context) => {
      const written = marks(picked(args, writtenArguments[name] ?? []));
      if (written.length > 0) {
        return {
          summary: `${name} was not executed: it would put ${written.join(" and ")} into the file. That is only the mark that you are shown in place of a key; leave text that holds it as it is, with an Edit around it, or write a placeholder of your own.`,
          is_error: true,
        };
      }
      const all = marks(args);
      const output = await tool.execute(args, context);
      return all.length === 0 ? output : told(output, all);
    },
  };
}

function picked(args: JsonObject, names: readonly string[]): readonly unknown[] {
  return names.map((name) => args[name]);
}

/** First, so that no limit cuts it off. */
function told(output: ToolOutput, marks: readonly string[]): ToolOutput {
  const note = `Note: the arguments of this call hold ${marks.join(" and ")}, the mark in place of a key. It was executed with the mark, not with the key.`;
  return { ...output, content: output.content === undefined ? note : `${note}\n${output.content}` };
}
