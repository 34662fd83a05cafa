/** Mistakes in a scenario are one sentence with file and line; the documented example is read whole. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import fc from "fast-check";
import { parseScenario } from "../src/scripted/parse.ts";
import { usageTokensMax } from "../src/usage-limit.ts";
import { retryAfterMsMax } from "../src/wire/reset-time.ts";

const mistakes: [text: string, line: number, message: RegExp][] = [
  ["", 1, /must be a mapping with keys of: context_window/],
  ["chunk: 3", 1, /the key steps is missing/],
  ["steps: 3", 1, /steps must be a list/],
  ["steps:\n  - text: a\n  - txt: b", 3, /steps\[1\] has the unknown key "txt"; known are: name, attempts/],
  ["steps:\n  - name: empty", 2, /steps\[0\] has no answer/],
  ["steps:\n  - text: 5", 2, /steps\[0\]\.text must be a mapping/],
  ["steps:\n  - text: { text: 5 }", 2, /steps\[0\]\.text\.text must be a text/],
  ["steps:\n  - text: a\n    delay_ms: -1", 3, /steps\[0\]\.delay_ms must be a whole number of at least 0/],
  ["steps:\n  - text: a\n    delay_ms: 1.5", 3, /whole number/],
  ["steps:\n  - text: a\n    chunk: 0", 3, /whole number of at least 1/],
  ["steps:\n  - text: a\n    interleave: yes", 3, /interleave must be true or false/],
  ["steps:\n  - text: a\n    finish: done", 3, /finish must be one of: stop, tool_calls, length/],
  ["steps:\n  - text: a\n    finish: interrupted", 3, /finish must be one of/],
  ["steps:\n  - failure: { kind: tired }", 2, /failure\.kind must be one of: auth/],
  ["steps:\n  - failure: {}", 2, /failure needs a kind/],
  ["steps:\n  - failure: { kind: server }\n    cut_after: 2", 2, /cut_after but nothing to cut/],
  ["steps:\n  - text: a\n    blocks: []", 2, /has blocks: reasoning, text and tool_calls belong/],
  ["steps:\n  - blocks:\n      - { text: a, reasoning: b }", 3, /blocks\[0\] must be one of/],
  ["steps:\n  - tool_calls:\n      - { arguments: {} }", 3, /tool_calls\[0\] needs a name/],
  ["steps:\n  - attempts: []", 2, /attempts must not be empty/],
  ["steps:\n  - attempts: [{ text: a }]\n    text: b", 2, /has attempts: everything but name/],
  ["steps:\n  - tool_calls: [{ name: A, arguments: { n: .nan } }]", 2, /a number that JSON has not/],
  ["steps:\n  - retries: [{ wait_ms: 1 }]\n    text: a", 2, /retries\[0\] needs a failure/],
  [
    `steps:\n  - text: a\n    usage: { input: ${usageTokensMax + 1} }`,
    3,
    /input must be a whole number of at most 1000000000/,
  ],
  [
    `steps:\n  - failure: { kind: rate_limit, retry_after_ms: ${retryAfterMsMax + 1} }`,
    2,
    /retry_after_ms must be a whole number of at most 31536000000/,
  ],
  ["steps: []\nprice: 3", 2, /price must be a mapping with keys of: input, output, cache_read, cache_write/],
  ["steps: []\nprice: { input: 3 }", 2, /price needs input and output: US dollars per million tokens/],
  ["steps: []\nprice: { input: -1, output: 0 }", 2, /price\.input must be a number of at least 0/],
  ["steps: []\nprice: { input: 1, output: .inf }", 2, /price\.output must be a number of at least 0/],
  ["steps: []\nimages: 1", 2, /images must be true or false/],
  ["steps:\n  - text: a\n   bad indent: x", 3, /not valid YAML/],
  ["steps: []\nsteps: []", 2, /not valid YAML: Map keys must be unique/],
];

test("every mistake names file and line", () => {
  for (const [text, line, message] of mistakes) {
    assert.throws(
      () => parseScenario("bad.yaml", text),
      (error) => {
        assert.ok(error instanceof YoiError, String(error));
        assert.equal(error.code, "config_invalid");
        assert.match(error.message, message);
        assert.ok(
          error.message.startsWith(`The scenario bad.yaml, line ${line}: `),
          `${JSON.stringify(text)}: ${error.message}`,
        );
        assert.deepEqual(error.place, { path: "bad.yaml", line });
        return true;
      },
    );
  }
});

test("a scenario says what its model can do and costs", () => {
  const plain = parseScenario("f.yaml", "steps: []");
  assert.deepEqual([plain.capabilities, plain.price], [{ images: true, midSystem: false }, null]);
  const said = parseScenario(
    "f.yaml",
    "images: false\nmid_system: true\nprice: { input: 2, output: 8.5, cache_read: 0 }\nsteps: []",
  );
  assert.deepEqual(
    [said.capabilities, said.price],
    [
      { images: false, midSystem: true },
      { input: 2, output: 8.5, cache_read: 0, cache_write: 2 },
    ],
  );
});

test("usage and Retry-After at their limits are taken", () => {
  const failure = `failure: { kind: rate_limit, retry_after_ms: ${retryAfterMsMax} }`;
  const { steps } = parseScenario("f.yaml", `steps: [{ ${failure}, usage: { output: ${usageTokensMax} } }]`);
  const [attempt] = steps[0]?.attempts ?? [];
  assert.equal(attempt?.failure?.retryAfterMs, retryAfterMsMax);
  assert.equal(attempt?.usage?.output_tokens, usageTokensMax);
});

test("the complete example of the documentation is a scenario", () => {
  const page = readFileSync(new URL("../docs/scripted.md", import.meta.url), "utf8");
  const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const scenario = parseScenario("fix.yaml", example);
  assert.deepEqual(
    scenario.steps.map((step) => [step.name, step.attempts.length]),
    [
      ["1 (look first)", 1],
      ["2 (an overloaded provider, then a broken stream, then the edit)", 2],
      ["3 (done)", 1],
    ],
  );
  assert.equal(scenario.steps[1]?.attempts[0].cutAfter, 20);
  assert.equal(scenario.steps[1]?.attempts[0].retries[0]?.failure.kind, "overloaded");
});

test("anchors and merged values are read", () => {
  const scenario = parseScenario("a.yaml", "steps:\n  - text: &t hello\n  - text: *t\n");
  assert.deepEqual(
    scenario.steps.map((step) => step.attempts[0].blocks),
    [[{ block: "text", text: "hello" }], [{ block: "text", text: "hello" }]],
  );
});

test("any text is a scenario or config_invalid, seed 7, 2000 texts", () => {
  const token = fc.constantFrom(
    "steps",
    ":",
    "- ",
    "\n",
    "  ",
    "text",
    "{",
    "}",
    "[",
    "]",
    "&a",
    "*a",
    "!!binary x",
    "1",
    "?",
    "|",
    "blocks",
    "\t",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc
          .array(token, { maxLength: 20 })
          .map((t) => t.join(""))
          .map((t) => `steps:\n  - ${t}`),
      ),
      (text) => {
        try {
          parseScenario("f.yaml", text);
        } catch (error) {
          assert.ok(
            error instanceof YoiError && error.code === "config_invalid",
            `${JSON.stringify(text)}: ${String(error)}`,
          );
        }
      },
    ),
    { seed: 7, numRuns: 2000 },
  );
});

test("a scenario is read as JSON on one line, too", () => {
  const steps = Array.from({ length: 100 }, (_, n) => ({ text: `${n}` }));
  assert.equal(parseScenario("one-line.yaml", JSON.stringify({ steps })).steps.length, 100);
});

test("a scenario in which hundreds of lists and maps are open is refused at once", () => {
  for (const unit of ["{", "[", "{? ", "- ", "? ", "- {"]) {
    const start = performance.now();
    assert.throws(
      () => parseScenario("deep.yaml", `steps: ${unit.repeat(64 * 1024).slice(0, 64 * 1024)}`),
      /deep\.yaml, line 1: this is nested deeper than 32 lists and maps/,
      unit,
    );
    assert.ok(performance.now() - start < 1000, unit);
  }
});
