/** Hostile config files: whatever stands in one, it is a layer or one clear refusal, soon. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { checkConfig, configBytesMax, parseConfig, type ConfigSource } from "../src/index.ts";
import { seeded } from "./seeded.ts";

const user: ConfigSource = { path: "/c/config.toml", trust: "user", home: "/home/me" };
const project: ConfigSource = { path: "/w/.yoi/config.toml", trust: "project", home: "/home/me" };

const fuzzSeed = 20_260_802;
const fuzzCount = 20_000;
const words = [
  "[model]",
  "[[permissions.rule]]",
  "[scope]",
  "[worker.tool_output]",
  "ref",
  "mode",
  "rule",
  "allow",
  "deny",
  "target",
  "tool",
  "pattern",
  "action",
  "permission",
  "=",
  "\n",
  ".",
  ",",
  "[",
  "]",
  "{",
  "}",
  '"',
  "'",
  '"""',
  "'''",
  "#",
  "\\",
  '"a/b"',
  "'read'",
  "true",
  "-1",
  "1e9",
  "1979-05-27",
  "__proto__",
  "constructor",
  "\u0000",
  "\ud800",
  "\u202e",
  "é",
  " ",
  "\r\n",
  "inf",
  "9".repeat(30),
  "[".repeat(50),
  "a.".repeat(50),
];

test(`${fuzzCount} damaged config files (seed ${fuzzSeed}) are a layer or config_invalid, and change no prototype`, () => {
  const pick = seeded(fuzzSeed);
  const good = `[model]\nref = "a/b"\n[permissions]\nmode = "ask"\n[[permissions.rule]]\ntool = "Bash"\npattern = "x*"\naction = "ask"\n[scope]\ndeny = [{ target = "x", permission = "read" }]\n[worker]\nmax_turns = 3\n`;
  const before = Object.getOwnPropertyNames(Object.prototype).join();
  let layers = 0;
  for (let index = 0; index < fuzzCount; index += 1) {
    let text = good;
    if (index % 4 === 0)
      text = Array.from({ length: pick(30) }, () => words[pick(words.length)]).join(pick(2) === 0 ? "" : " ");
    else {
      for (let edits = 1 + pick(3); edits > 0; edits -= 1) {
        const [at, length] = [pick(text.length + 1), pick(4)];
        text = text.slice(0, at) + (pick(3) === 0 ? "" : words[pick(words.length)]) + text.slice(at + length);
      }
    }
    for (const source of [user, project]) {
      try {
        const layer = parseConfig(text, source);
        layers += 1;
        for (const { target } of [...layer.scope.allow, ...layer.scope.deny])
          assert.ok(target.startsWith("/"));
      } catch (error) {
        assert.ok(
          error instanceof YoiError && error.code === "config_invalid",
          `input ${index}: ${String(error)}`,
        );
        assert.ok(
          (error.place?.line ?? 0) >= 1 && (error.place?.line ?? 0) <= text.split("\n").length,
          `input ${index}`,
        );
        assert.ok(
          !/[\u0000-\u001f\u202e]/.test(error.message),
          `input ${index}: ${JSON.stringify(error.message)}`,
        );
      }
    }
  }
  assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), before);
  assert.ok(layers > 500, `${layers} were layers`);
});

test("huge and deep files are refused without a long wait", () => {
  const texts = [
    "x".repeat(configBytesMax),
    "a = " + "[".repeat(configBytesMax - 4),
    "a = " + '"'.repeat(configBytesMax - 4),
    "a.".repeat(configBytesMax / 2 - 4) + "b = 1",
    `[${"a.".repeat(configBytesMax / 2 - 4)}b]`,
    `a = [${"1,".repeat(configBytesMax / 2 - 4)}]`,
    `a = [${"{},".repeat(configBytesMax / 3 - 4)}]`,
    "[[a]]\n".repeat(configBytesMax / 6 - 1),
    " ".repeat(configBytesMax - 1) + "=",
    "a = { " + "b = { ".repeat(configBytesMax / 6 - 2),
    Array.from({ length: 6000 }, (_, index) => `k${index} = 1`).join("\n"),
  ];
  for (const text of texts) {
    const began = performance.now();
    assert.ok(checkConfig(text, user).problems.length > 0);
    const tookMs = performance.now() - began;
    // A bound against quadratic work, far above what is measured.
    assert.ok(tookMs < 3_000, `${text.slice(0, 10)}: ${tookMs} ms`);
  }
});
