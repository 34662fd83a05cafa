/** What a run is given: the prompt, standard input, or both; and that waiting is never silent. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import test from "node:test";
import type { StdinKind } from "../src/environment.ts";
import { type InputSource, readInput } from "../src/read-input.ts";
import { silentMs } from "../src/say-if-slow.ts";

function chunks(...parts: readonly string[]): Readable {
  return Readable.from(parts.map((part) => Buffer.from(part)));
}

function source(stdin: StdinKind, piped: readonly string[], pod: string | null = null) {
  const said: string[] = [];
  const timers = { armed: 0, fire: (): void => undefined };
  const value: InputSource = {
    pod,
    stdin,
    bytes: chunks(...piped),
    signal: new AbortController().signal,
    say: (text) => void said.push(text),
    timers: {
      after: (delayMs, fire) => {
        assert.equal(delayMs, silentMs);
        timers.armed += 1;
        timers.fire = fire;
        return () => {
          timers.armed -= 1;
          timers.fire = () => undefined;
        };
      },
    },
  };
  return { value, said, timers };
}

interface Row {
  readonly prompt?: string;
  readonly stdin: StdinKind;
  readonly piped?: readonly string[];
  readonly pod?: string;
  /** Text, or the code of the refusal, or null: resume. */
  readonly gives: string | { readonly code: string } | null;
}

const rows: readonly Row[] = [
  { prompt: "go", stdin: "terminal", piped: ["never read"], gives: "go" },
  { prompt: "go", stdin: "other", piped: ["never read"], gives: "go" },
  { prompt: "go", stdin: "pipe", piped: ["a di", "ff\n"], gives: "go\n\na diff\n" },
  { prompt: "go", stdin: "pipe", piped: [], gives: "go" },
  { prompt: "go", stdin: "pipe", piped: [" \n"], gives: "go" },
  { prompt: " ", stdin: "pipe", piped: ["text"], gives: { code: "prompt_empty" } },
  { prompt: "-", stdin: "pipe", piped: ["text"], gives: "text" },
  { prompt: "-", stdin: "terminal", piped: ["typed"], gives: "typed" },
  { prompt: "-", stdin: "other", piped: [], gives: { code: "prompt_empty" } },
  { stdin: "pipe", piped: ["text"], gives: "text" },
  { stdin: "other", piped: ["text"], gives: "text" },
  { stdin: "other", piped: [], pod: "p", gives: null },
  { stdin: "pipe", piped: ["\n"], pod: "p", gives: null },
  { stdin: "terminal", piped: ["never read"], pod: "p", gives: null },
  { stdin: "terminal", piped: ["never read"], gives: { code: "usage" } },
  { stdin: "pipe", piped: [], gives: { code: "usage" } },
];

for (const { prompt, stdin, piped = [], pod = null, gives } of rows) {
  test(`prompt ${JSON.stringify(prompt)}, ${stdin} ${JSON.stringify(piped)}, Pod ${pod}`, async () => {
    const { value, said, timers } = source(stdin, piped, pod);
    const reading = readInput(prompt, value);
    if (gives !== null && typeof gives === "object") await assert.rejects(reading, gives);
    else assert.deepEqual(await reading, gives === null ? null : [{ type: "text", text: gives }]);
    assert.deepEqual([said, timers.armed], [[], 0]);
  });
}

for (const [prompt, what] of [
  [undefined, "the prompt"],
  ["go", "what to put behind the prompt"],
] as const) {
  test(`a pipe that stays open is waited for aloud, prompt ${prompt}`, async () => {
    const { value, said, timers } = source("pipe", []);
    const bytes = new Readable({ read: () => undefined });
    const reading = readInput(prompt, { ...value, bytes });
    assert.deepEqual(said, []);
    timers.fire();
    const expected = `Waiting for ${what} on standard input: if nothing comes, start yoi again with </dev/null.`;
    assert.deepEqual(said, [expected]);
    bytes.push("text");
    bytes.push(null);
    await reading;
    assert.equal(timers.armed, 0);
  });
}

test("the prompt refers to files; what is piped does not", async () => {
  assert.deepEqual(await readInput("read @a.ts", source("pipe", ["mail @b or \\@c"]).value), [
    { type: "text", text: "read " },
    { type: "file_ref", path: "a.ts" },
    { type: "text", text: "\n\nmail @b or \\@c" },
  ]);
  assert.deepEqual(await readInput("go", source("pipe", ["@b"]).value), [{ type: "text", text: "go\n\n@b" }]);
  assert.deepEqual(await readInput("-", source("pipe", ["@b"]).value), [{ type: "text", text: "@b" }]);
});
