/** Rules about tools that there are not: they refuse and allow nothing, which their author should know. */
import { nearest, type PermissionRule } from "@yoi/manifest";
import { describeRule, foldAscii } from "./rule-match.ts";

/** One sentence for each rule whose tool is none of these, in the order of rules. */
export function unknownRuleTools(
  rules: readonly PermissionRule[],
  toolNames: readonly string[],
): readonly string[] {
  const known = new Set(toolNames.map(foldAscii));
  return rules.flatMap((rule) => {
    const { tool } = rule;
    if (tool === "*" || known.has(foldAscii(tool))) return [];
    const near = nearest(tool, toolNames);
    const hint = near === null ? `the tools of this Pod are ${toolNames.join(", ")}` : `did you mean ${near}`;
    return [`The rule ${describeRule(rule)} has no effect, as there is no tool ${tool}: ${hint}.`];
  });
}
