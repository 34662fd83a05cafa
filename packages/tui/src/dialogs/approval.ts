/** What can be answered to a call that waits, and what of it is shown: the same for the keys and for the view. */
import { canonicalJson, isJsonObject, type JsonValue } from "@yoi/base";
import type { PendingApproval } from "@yoi/protocol";
import { safeLine } from "../view/safe.ts";

export type ApprovalChoice =
  | { readonly kind: "once" }
  | { readonly kind: "session"; readonly rule: string }
  | { readonly kind: "always"; readonly rule: string }
  | { readonly kind: "deny" };

/** In the order in which they are numbered, from 1. */
export function choicesOf({ offers = [] }: PendingApproval): readonly ApprovalChoice[] {
  return [
    { kind: "once" },
    ...offers.map((rule) => ({ kind: "session", rule }) as const),
    ...offers.map((rule) => ({ kind: "always", rule }) as const),
    { kind: "deny" },
  ];
}

export function choiceText(choice: ApprovalChoice): string {
  switch (choice.kind) {
    case "once":
      return "Allow this once";
    case "session":
      return `Allow for this session: ${spelled(choice.rule)}`;
    case "always":
      return `Allow always: ${spelled(choice.rule)} ...`;
    case "deny":
      return "Deny, and say why ...";
  }
}

/** Spaces of all kinds, and letters that look like one. */
const blanks = /[\p{Zs}\u115f\u1160\u2800\u3164\uffa0]{2,}|(?! )[\p{Zs}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** One line in which nothing can be hidden: neither by control characters nor behind spaces. */
export function spelled(text: string): string {
  return safeLine(text).replace(blanks, (run) => "·".repeat(run.length));
}

/** All that an answer allows, as lines: the call's arguments by name, a text with line ends as its lines. */
export function callLines(approval: PendingApproval): readonly string[] {
  const args = parsed(approval.arguments);
  if (args === undefined || !isJsonObject(args)) return [spelled(approval.arguments)];
  return Object.entries(args).flatMap(([name, value]) =>
    value === undefined ? [] : argumentLines(name, value),
  );
}

function argumentLines(name: string, value: JsonValue): readonly string[] {
  if (typeof value !== "string") return [`${spelled(name)}: ${spelled(canonicalJson(value))}`];
  const lines = value.split("\n");
  if (lines.length === 1) return [`${spelled(name)}: ${spelled(value)}`];
  return [`${spelled(name)}:`, ...lines.map((line) => `  ${spelled(line)}`)];
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
