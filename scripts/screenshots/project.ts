/** The small project of the pictures, and what the scripted model says about it. */

export const project: Readonly<Record<string, string>> = {
  "src/price.ts": `/** Prices in cents. */
export function totalOf(prices: readonly number[], discountPercent: number): number {
  const sum = prices.reduce((total, price) => total + price, 0);
  return sum - sum * discountPercent / 100;
}
`,
  "test/price.test.ts": `import assert from "node:assert/strict";
import { test } from "node:test";
import { totalOf } from "../src/price.ts";

test("a total is whole cents", () => {
  assert.equal(totalOf([999, 250], 15), 1062);
});
`,
  "package.json": `{ "name": "shop", "type": "module" }\n`,
};

/** Fixed figures: what the pictures show does not move with the lengths of system prompts. */
const usage = "usage: { input: 18240, output: 412 }";
const head = "context_window: 200000\nprice: { input: 3, output: 15 }\nsteps:\n";

/** @param folder of the project */
export const mending = (
  folder: string,
): string => `${head}  - text: "I look at how the total is made, and at what the test expects."
    ${usage}
    tool_calls:
      - name: TaskCreate
        arguments: { subject: "Find where the fraction comes from", description: "" }
      - name: TaskCreate
        arguments: { subject: "Round once, at the end", description: "" }
      - name: TaskCreate
        arguments: { subject: "Run the tests", description: "" }
      - name: Read
        arguments: { file_path: ${folder}/src/price.ts }
      - name: Bash
        arguments: { command: "node --test --test-reporter=tap | grep -E '^# (pass|fail)'" }
  - text: "The discount is taken off without rounding, so 1249 cents less 15 % is 1061.65. A total is rounded once, at its end."
    ${usage}
    tool_calls:
      - name: Edit
        arguments:
          file_path: ${folder}/src/price.ts
          old_string: "  return sum - sum * discountPercent / 100;"
          new_string: "  // Once, at the end: rounding each price would drift.\\n  return Math.round(sum * (1 - discountPercent / 100));"
      - name: Bash
        arguments: { command: "node --test --test-reporter=tap | grep -E '^# (pass|fail)'" }
      - name: TaskUpdate
        arguments: { taskid: 1, status: completed }
      - name: TaskUpdate
        arguments: { taskid: 2, status: completed }
      - name: TaskUpdate
        arguments: { taskid: 3, status: completed }
  - text: |
      The test passes. **What was wrong:** the discount left a fraction of a cent.

      \`\`\`ts
      return Math.round(sum * (1 - discountPercent / 100));
      \`\`\`

      - rounded once, so that many small prices do not drift;
      - \`totalOf\` still takes and gives whole cents.
    ${usage}
`;

/** A command that takes its time, while the user writes on. */
export const checking = `${head}  - text: "I run the whole suite, and look at the slow ones meanwhile."
    ${usage}
    tool_calls:
      - name: TaskCreate
        arguments: { subject: "Run the whole suite", description: "" }
      - name: TaskCreate
        arguments: { subject: "Make the slow tests faster", description: "" }
      - name: TaskUpdate
        arguments: { taskid: 1, status: inprogress }
      - name: Bash
        arguments:
          command: "for part in catalogue basket checkout; do echo \\"ok  $part\\"; done; sleep 300"
  - text: "Done."
`;

/** A call that a rule asks about. */
export const publishing = `${head}  - text: "The fix is committed. I push it, so that the release can be cut."
    ${usage}
    tool_calls:
      - name: Bash
        arguments: { command: "git push origin main && git push origin v1.4.2", description: "Publish the fix" }
  - text: "It is published."
`;

/** Several inputs to go back to. @param folder of the project */
export const talking = (
  folder: string,
): string => `${head}  - text: "Prices are whole cents, so sums stay exact; a discount is where a fraction can come in."
    ${usage}
  - text: "Written."
    ${usage}
    tool_calls:
      - name: Write
        arguments: { file_path: "${folder}/notes.md", content: "# Prices\\n\\nWhole cents, rounded once.\\n" }
  - text: "The notes are in notes.md."
    ${usage}
  - text: "I would keep them in English."
    ${usage}
`;

export const quiet = `${head}  - text: "Three links on the start page are dead; the list is in links.md."
    ${usage}
`;

/** Lends the tests to a child. @param folder of the project */
export const lending = (
  folder: string,
): string => `${head}  - text: "The tests can be made faster beside this: I hand them to a child, with their folder."
    ${usage}
    tool_calls:
      - name: SpawnPod
        arguments:
          name: tests
          profile: user:quiet
          task: "Find the slow tests, and make them faster."
          scope: [{ target: "${folder}/test", permission: write }, { target: "${folder}", permission: read }]
  - text: "It works on them. I go on with the prices."
    ${usage}
`;

/** What the child has for a model. */
export const profile = `description = "Makes tests faster"

[model]
ref = "scripted/child.yaml"
`;

export const rules = `[[permissions.rule]]
tool = "Bash"
pattern = "git push*"
action = "ask"
`;
