/** What a feature says for people: bounded in size and number, nothing in it that disturbs a terminal, and no known secret. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor } from "@yoi/keep";
import { diagnosticsMax, FeatureDiagnostics } from "../../../src/feature/sinks/feature-diagnostics.ts";
import { boundedText, saidCharsMax } from "../../../src/hook/said.ts";

const asItIs = { redact: (text: string) => text };

test("A2-19: a diagnostic is a frozen record of the host: a severity and a message, in the order in which they came", () => {
  const diagnostics = new FeatureDiagnostics(asItIs);
  diagnostics.sink.info("one");
  diagnostics.host.error("two");
  diagnostics.sink.warning("three");
  diagnostics.sink.error("four");
  const { all } = diagnostics;
  assert.deepEqual(all, [
    { severity: "info", message: "one" },
    { severity: "error", message: "two" },
    { severity: "warning", message: "three" },
    { severity: "error", message: "four" },
  ]);
  assert.ok(all.every((each) => Object.isFrozen(each)));
  assert.ok(Object.isFrozen(diagnostics.sink) && Object.isFrozen(diagnostics.host));
  assert.deepEqual(Reflect.ownKeys(diagnostics.sink), ["info", "warning", "error"]);
});

test("A2-50, F-09: a message has at most 512 characters, cut at a character, at n and n+1", () => {
  const table: readonly (readonly [said: string, message: string])[] = [
    ["x".repeat(saidCharsMax), "x".repeat(saidCharsMax)],
    ["x".repeat(saidCharsMax + 1), `${"x".repeat(saidCharsMax - 1)}…`],
    ["x".repeat(10_000_000), `${"x".repeat(saidCharsMax - 1)}…`],
    ["", ""],
  ];
  for (const [said, message] of table) assert.equal(boundedText(said, asItIs), message);
  const pictures = boundedText("🦊".repeat(saidCharsMax), asItIs);
  assert.ok(pictures.isWellFormed() && pictures.length <= saidCharsMax && pictures.endsWith("…"));
  assert.match(pictures, /^(🦊)+…$/u, "no half of a character is left");
});

test("A2-50, F-09: control characters are escaped, and what is no text is none", () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const table: readonly (readonly [said: unknown, message: string])[] = [
    ["a\u001b[2Jb\nc\r\u202ed", "a\\u001b[2Jb\\u000ac\\u000d\\u202ed"],
    [new Error("of an error"), "of an error"],
    [{ n: 1 }, '{"n":1}'],
    [undefined, "undefined"],
    ["half \ud83e", "half \ufffd"],
    [Object.assign(new Error("x"), { message: { no: "text" } }), "an unprintable value was thrown"],
    [
      Object.assign(new Error("x"), { message: Object.create(null) as object }),
      "an unprintable value was thrown",
    ],
    [revoked.proxy, "an unprintable value was thrown"],
  ];
  for (const [said, message] of table) assert.equal(boundedText(said, asItIs), message);
});

test("A2-50, F-09: 64 diagnostics of a feature are kept, then it is said once that there were more, and those of the host still come", () => {
  const diagnostics = new FeatureDiagnostics(asItIs);
  for (let n = 1; n <= diagnosticsMax; n += 1) diagnostics.sink.info(`${n}`);
  assert.equal(diagnostics.all.length, diagnosticsMax);
  assert.deepEqual(diagnostics.all.at(-1), { severity: "info", message: "64" });
  for (let n = 1; n <= 1000; n += 1) diagnostics.sink.error("more");
  assert.equal(diagnostics.all.length, diagnosticsMax + 1);
  const dropped = { severity: "warning", message: "More diagnostics of this feature were dropped." };
  assert.deepEqual(diagnostics.all.at(-1), dropped);
  for (let n = 1; n <= 1000; n += 1) diagnostics.host.error(`host ${n}`);
  assert.deepEqual(diagnostics.all.slice(diagnosticsMax, diagnosticsMax + 2), [
    dropped,
    { severity: "error", message: "host 1" },
  ]);
  assert.equal(diagnostics.all.length, 2 * (diagnosticsMax + 1));
});

test("A2-49, F-09: no known secret is in a diagnostic, in any form that the redactor knows, or cut", () => {
  const value = "sk-live-0123456789abcdefghij";
  const redactor = createRedactor([{ id: "web/key", value }]);
  const diagnostics = new FeatureDiagnostics({ redact: redactor.text });
  const base64 = Buffer.from(value).toString("base64");
  diagnostics.sink.warning(`the server refused ${value}`);
  diagnostics.sink.warning(`as ${base64} too`);
  // The bound falls into the middle of the secret.
  diagnostics.sink.warning(`${"x".repeat(saidCharsMax - 10)}${value}${"y".repeat(100)}`);
  diagnostics.host.error(`${value}${value}`);
  const shown = JSON.stringify(diagnostics.all);
  for (let from = 0; from + 8 <= value.length; from += 1) {
    assert.ok(!shown.includes(value.slice(from, from + 8)), `${value.slice(from, from + 8)} in ${shown}`);
  }
  assert.ok(!shown.includes(base64.slice(0, 16)));
  assert.equal(diagnostics.all[0]?.message, "the server refused [redacted: web/key]");
  // The control: without the redactor it is there.
  const open = new FeatureDiagnostics(asItIs);
  open.sink.warning(`the server refused ${value}`);
  assert.ok(JSON.stringify(open.all).includes(value));
});
