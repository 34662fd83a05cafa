/** Hostile config files: whatever stands in one, it is a layer or one clear refusal, soon. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../../../test/support/proof.ts";
import { checkConfig, configBytesMax, type ConfigSource } from "../src/index.ts";
import { configFuzz } from "./config-fuzz.proof.ts";

const user: ConfigSource = { path: "/c/config.toml", trust: "user", home: "/home/me" };

proofTest(configFuzz);

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
