/** A call that may write counts as work in the Pod's live scope for as long as it goes on: a lend waits for it. */
import type { Tool } from "@yoi/base";
import type { LiveScope } from "@yoi/scope";

/** Not around a tool that writes no file. Of those, one that lends would wait for itself. */
export function guardScope(tool: Tool, scope: Pick<LiveScope, "enter">): Tool {
  if (tool.readOnly || tool.writesNoFile === true) return tool;
  return {
    ...tool,
    execute: async (args, context) => {
      const leave = scope.enter(`${tool.definition.name} (${context.call})`);
      try {
        return await tool.execute(args, context);
      } finally {
        leave();
      }
    },
  };
}
