/** ToolTable: every tool that the model may call, fixed for the life of the worker. The one way to a tool, whoever contributed it. */
import {
  canonicalJson,
  deepFreeze,
  type Tool,
  type ToolDefinition,
  toolNamePattern,
  YoiError,
} from "@yoi/base";
import { toolSetDigest } from "@yoi/model";

export class ToolTable {
  /** Sorted by name, deeply frozen: what the model is told and what `tools_changed` stores. */
  readonly definitions: readonly ToolDefinition[];
  /** SHA-256 of the canonical definitions. */
  readonly digest: string;
  readonly #tools: ReadonlyMap<string, Tool>;

  private constructor(definitions: readonly ToolDefinition[], tools: ReadonlyMap<string, Tool>) {
    this.definitions = definitions;
    this.digest = toolSetDigest(definitions);
    this.#tools = tools;
  }

  /** Reads each tool's `definition` exactly once. Throws config_invalid for a name that is not valid or that two tools share, also by case. */
  static create(tools: readonly Tool[]): ToolTable {
    const byName = new Map<string, Tool>();
    const taken = new Map<string, string>();
    const definitions: ToolDefinition[] = [];
    for (const tool of tools) {
      // A copy: what the model was told must not change under it, whatever the tool does with its object.
      const definition = deepFreeze(JSON.parse(canonicalJson(tool.definition)) as ToolDefinition);
      const { name } = definition;
      if (!toolNamePattern.test(name)) {
        throw new YoiError(
          "config_invalid",
          `The tool name ${JSON.stringify(name)} is not valid: use 1 to 64 ASCII letters, digits, "_" or "-".`,
        );
      }
      const other = taken.get(name.toLowerCase());
      if (other !== undefined) {
        throw new YoiError(
          "config_invalid",
          `Two tools are named ${other === name ? name : `${other} and ${name}`}: rename or remove one of them.`,
        );
      }
      taken.set(name.toLowerCase(), name);
      byName.set(name, tool);
      definitions.push(definition);
    }
    definitions.sort((a, b) => (a.name < b.name ? -1 : 1));
    return new ToolTable(Object.freeze(definitions), byName);
  }

  get(name: string): Tool | null {
    return this.#tools.get(name) ?? null;
  }
}
