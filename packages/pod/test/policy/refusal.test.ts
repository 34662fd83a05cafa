/** What a person reads of a part of a command: whole up to a limit, and never with half a character at its end. */
import assert from "node:assert/strict";
import test from "node:test";
import { decisionOf, shownPartCharsMax } from "../../src/policy/refusal.ts";

function shown(about: string): string {
  const decision = decisionOf({ action: "deny", because: "a rule", about, isOpen: false });
  assert.ok(decision.action === "deny");
  return decision.reason.replace(/^Refused by a rule: /, "").replace(/\. Nothing was done\.$/, "");
}

for (const [name, about, expected] of [
  ["at the limit it is whole", "x".repeat(shownPartCharsMax), "x".repeat(shownPartCharsMax)],
  ["over it, it is cut", "x".repeat(shownPartCharsMax + 1), `${"x".repeat(shownPartCharsMax)}...`],
  [
    "a character of two units is shown or left out",
    `${"x".repeat(shownPartCharsMax - 1)}\u{1f600}`,
    `${"x".repeat(shownPartCharsMax - 1)}...`,
  ],
] as const)
  test(`a part of a command: ${name}`, () => assert.equal(shown(about), expected));
