/** A contribution from a tool that is there already: made once, so nobody has to call a factory to learn its name. */
import type { Tool } from "@yoi/base";
import type { ToolContribution } from "./module.ts";

export function toolContribution(tool: Tool): ToolContribution {
  return Object.freeze({ name: tool.definition.name, create: () => tool });
}
