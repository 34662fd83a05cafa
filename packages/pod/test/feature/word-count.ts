/** The whole feature that docs/features.md shows: one tool, and a hook that bounds how often it is called. */
import type { JsonObject, Tool } from "@yoi/base";
import { featureId, type FeatureModule, toolContribution } from "@yoi/feature";

const callsMax = 3;

const wordCount: Tool = {
  definition: {
    name: "WordCount",
    description: "Counts the words of a text.",
    input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  readOnly: true,
  execute: async ({ text }: JsonObject) => {
    if (typeof text !== "string") return { summary: "text is to be a string", is_error: true };
    const words = text.split(/\s+/).filter((word) => word !== "").length;
    return { summary: `${words} words` };
  },
};

export function wordCountFeature(): FeatureModule {
  let calls = 0;
  return {
    descriptor: {
      id: featureId("builtin:word-count"),
      runtime: "builtin",
      display_name: "Word count",
      version: "1.0.0",
      description: "Counts words for the model, three times.",
      authorities: [],
      tools: [{ ...wordCount.definition, read_only: wordCount.readOnly, required: true }],
      hooks: [{ name: "bound", point: "pre_tool_call", required: true }],
      background_tasks: [],
      provides_services: [],
      requires_services: [],
      state: null,
    },
    install: ({ tools, hooks }) => {
      tools.register(toolContribution(wordCount));
      hooks.preToolCall("bound", ({ toolName }) => {
        if (toolName !== "WordCount") return { action: "continue" };
        calls += 1;
        return calls <= callsMax
          ? { action: "continue" }
          : { action: "deny", message: `Words are counted ${callsMax} times at most.` };
      });
    },
  };
}
