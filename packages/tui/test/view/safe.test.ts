/** Text that is not ours, made harmless. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { safeLine, safeText } from "../../src/view/safe.ts";

test("controls are shown, and tabs are spaces up to the next stop", () => {
  const table: readonly [string, string, string][] = [
    ["a\nb", "a\nb", "a\\u000ab"],
    ["a\tb\tc", "a   b   c", "a\\u0009b\\u0009c"],
    ["\tx\nabcd\ty", "    x\nabcd    y", "\\u0009x\\u000aabcd\\u0009y"],
    ["a\r\nb", "a\nb", "a\\u000d\\u000ab"],
    ["a\rb", "a\\u000db", "a\\u000db"],
    ["\u001b[31mred", "\\u001b[31mred", "\\u001b[31mred"],
    ["\u202etxt", "\\u202etxt", "\\u202etxt"],
    ["日本\t🙂", "日本    🙂", "日本\\u0009🙂"],
    ["👩‍👧 👍🏽", "👩👧 👍 🏽", "👩👧 👍 🏽"],
    ["👩🏽‍❤️‍👨🏿", "👩 🏽❤️👨 🏿", "👩 🏽❤️👨 🏿"],
    ["🏴‍☠️ 🇩🇪 1️⃣", "🏴☠️ 🇩🇪 1️⃣", "🏴☠️ 🇩🇪 1️⃣"],
    ["क्‍ष می‌خواهم", "क्‍ष می‌خواهم", "क्‍ष می‌خواهم"],
  ];
  assert.deepEqual(
    table.map(([text]) => [text, safeText(text), safeLine(text)]),
    table,
  );
});
