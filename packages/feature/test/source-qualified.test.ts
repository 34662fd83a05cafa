/** Names that say where a feature or service comes from. */
import assert from "node:assert/strict";
import test from "node:test";
import { YoiError } from "@yoi/base";
import { featureId, featureSources, serviceId, sourceOf, sourceQualifiedCharsMax } from "../src/index.ts";

const valid: readonly [string, string][] = [
  ["builtin:task", "builtin"],
  ["project:lint", "project"],
  ["user:a", "user"],
  ["user:0", "user"],
  ["user:a.b-c_d", "user"],
  ["package:@acme/lint", "package"],
  ["package:acme/lint", "package"],
  ["package:lint:second", "package"],
  ["plugin:0f3a:tools", "plugin"],
];

const invalid: readonly string[] = [
  "",
  " ",
  "\t\n",
  "task",
  ":task",
  "builtin:",
  "builtin: ",
  "builtin:Task",
  "Builtin:task",
  "other:task",
  "builtin:task:",
  "builtin:a:b:c",
  "builtin:-a",
  "builtin:.a",
  "builtin:..",
  "builtin:../a",
  "builtin:a/../b",
  "builtin:a/b/c",
  "builtin:a b",
  "builtin:a\n",
  "builtin:t\u0430sk",
  "builtin:ta\u200bsk",
  "project:@",
  "project:a\0b",
];

test("A2-06, F-26: a feature's identity is source-qualified, and what is not is refused in one sentence", () => {
  assert.deepEqual(
    valid.map(([text]) => [featureId(text), sourceOf(featureId(text))]),
    valid,
  );
  assert.deepEqual(
    valid.map(([text]) => [serviceId(text), sourceOf(serviceId(text))]),
    valid,
  );
  assert.deepEqual(new Set(valid.map(([, source]) => source)), new Set(featureSources));
  for (const make of [featureId, serviceId]) {
    assert.deepEqual(
      invalid.filter((text) => codeOf(() => make(text)) !== "feature_invalid"),
      [],
    );
  }
  assert.throws(() => featureId("Task"), {
    message:
      'The feature id "Task" is not valid: it is a source (builtin, project, user, package, plugin), a colon, and a name in lower-case letters, digits, "-", "_" or ".", at most 128 characters in all.',
  });
});

test("A2-07: a blank feature id is refused, and so is what is no text", () => {
  for (const blank of ["", " ", "\n"])
    assert.equal(
      codeOf(() => featureId(blank)),
      "feature_invalid",
    );
  for (const junk of [
    undefined,
    null,
    7,
    {},
    ["builtin:task"],
    1n,
    Symbol("s"),
    { toJSON: () => assert.fail() },
  ]) {
    assert.equal(
      codeOf(() => featureId(junk as unknown as string)),
      "feature_invalid",
    );
  }
});

test("what is refused is said in a sentence of bounded length", () => {
  assert.throws(
    () => featureId("x".repeat(10_000_000)),
    ({ message }: Error) => message.length < 400,
  );
  assert.throws(
    () => serviceId(1n as unknown as string),
    /^YoiError: The service id of type bigint is not valid/,
  );
});

test("an id has at most so many characters", () => {
  const id = (length: number) => `user:${"a".repeat(length - "user:".length)}`;
  assert.equal(featureId(id(sourceQualifiedCharsMax)).length, sourceQualifiedCharsMax);
  assert.equal(
    codeOf(() => featureId(id(sourceQualifiedCharsMax + 1))),
    "feature_invalid",
  );
});

function codeOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    return error instanceof YoiError ? error.code : "another error";
  }
}
