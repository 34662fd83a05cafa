/** Rules about tools or arguments that there are not: they refuse and allow nothing, which their author should know. */
import { nearest, type ToolDefinition } from "@yoi/base";
import type { PermissionRule } from "@yoi/manifest";
import { describeRule, foldAscii } from "./rule-match.ts";

/** One sentence for each rule that no call of one of these tools can match, in the order of rules. */
export function rulesWithoutEffect(
  rules: readonly PermissionRule[],
  tools: readonly ToolDefinition[],
): readonly string[] {
  return rules.flatMap((rule) => {
    const why = rule.tool === "*" ? null : whyWithoutEffect(rule, tools);
    return why === null ? [] : [`The rule ${describeRule(rule)} has no effect, as ${why}.`];
  });
}

function whyWithoutEffect(
  { tool, argument }: PermissionRule,
  tools: readonly ToolDefinition[],
): string | null {
  const found = tools.filter(({ name }) => foldAscii(name) === foldAscii(tool));
  if (found.length === 0) {
    const names = tools.map(({ name }) => name);
    return `there is no tool ${tool}: ${hint(tool, names, "the tools of this Pod are")}`;
  }
  const known = found.map(argumentsOf);
  if (argument === undefined || known.some((names) => names === null || names.includes(argument)))
    return null;
  return `${tool} has no argument ${argument}: ${hint(
    argument,
    known.flatMap((names) => names ?? []),
    "its arguments are",
  )}`;
}

function hint(name: string, known: readonly string[], all: string): string {
  const near = nearest(name, known);
  if (near !== null) return `did you mean ${near}`;
  return known.length === 0 ? "it has none" : `${all} ${known.join(", ")}`;
}

/** Null where the schema does not list them. */
function argumentsOf({ input_schema: { properties } }: ToolDefinition): readonly string[] | null {
  const isTable = typeof properties === "object" && properties !== null && !Array.isArray(properties);
  return isTable ? Object.keys(properties) : null;
}
