/** Compares a request with what its step expects. */
import { flattenInput, type ToolResult } from "@yoi/base";
import type { ModelRequest } from "../model.ts";
import type { ExpectedResult, Expectation } from "./scenario.ts";

/** The first expectation that does not hold, as half a sentence; null when all do. */
export function unmet(expect: Expectation, request: ModelRequest): string | null {
  const { items, head } = request;
  if (expect.items !== undefined && expect.items !== items.length) {
    return `expected ${expect.items} items and got ${items.length}`;
  }
  const input = lastInput(request);
  for (const text of expect.lastInput) {
    if (!input.includes(text))
      return `expected ${JSON.stringify(text)} in the last input, which is ${JSON.stringify(input)}`;
  }
  for (const text of expect.system) {
    if (!head.system.includes(text)) return `expected ${JSON.stringify(text)} in the system prompt`;
  }
  for (const name of expect.tools) {
    if (!head.tools.some((tool) => tool.name === name)) return `expected the tool ${name} to be offered`;
  }
  return expect.results === undefined ? null : unmetResults(expect.results, lastResults(request));
}

function unmetResults(expected: readonly ExpectedResult[], results: readonly ToolResult[]): string | null {
  if (expected.length !== results.length) {
    return `expected ${expected.length} results of the last calls and got ${results.length}`;
  }
  for (const [index, want] of expected.entries()) {
    const got = results[index];
    if (got === undefined) continue;
    const where = `result ${index + 1} (${got.name})`;
    const text = `${got.summary}\n${got.content ?? ""}`;
    if (want.name !== undefined && want.name !== got.name) return `expected ${where} to be of ${want.name}`;
    if (want.error !== undefined && want.error !== got.is_error) {
      return `expected ${where} to be ${want.error ? "an error" : "no error"}; it says ${JSON.stringify(text)}`;
    }
    const missing = want.contains.find((part) => !text.includes(part));
    if (missing !== undefined)
      return `expected ${JSON.stringify(missing)} in ${where}, which is ${JSON.stringify(text)}`;
  }
  return null;
}

function lastInput(request: ModelRequest): string {
  const last = request.items.findLast(
    ({ item }) => item.type === "user_message" || item.type === "system_item",
  )?.item;
  if (last?.type === "user_message") return flattenInput(last.parts);
  return last?.type === "system_item" ? last.body : "";
}

/** The results behind the last answer. Requests have them in call order. */
function lastResults(request: ModelRequest): readonly ToolResult[] {
  const lastCall = request.items.findLastIndex(({ item }) => item.type === "tool_call");
  return request.items
    .slice(lastCall + 1)
    .map(({ item }) => item)
    .filter((item) => item.type === "tool_result");
}
