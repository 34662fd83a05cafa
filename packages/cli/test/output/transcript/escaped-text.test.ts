/** Text in pieces is shown as the whole would be. */
import assert from "node:assert/strict";
import test from "node:test";
import { escapeControls } from "@yoi/base";
import { EscapedText } from "../../../src/output/transcript/escaped-text.ts";

const texts = [
  "plain\n\ttext",
  "\u001b[2J\r\u202e and \u200b",
  // Persian with a joiner at a seam, an emoji family, and a joiner that shapes nothing.
  "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
  "\u{1f469}\u200d\u{1f467} and a\u200db",
  "end\u200d",
  "half \ud83d",
];

test("wherever a text is cut, the pieces show what the whole shows", () => {
  for (const text of texts) {
    const whole = escapeControls(text, "newline-tab");
    for (let cut = 0; cut <= text.length; cut += 1) {
      const escaped = new EscapedText();
      const shown = escaped.push(text.slice(0, cut)) + escaped.push(text.slice(cut)) + escaped.end();
      assert.equal(shown, whole, `${JSON.stringify(text)} at ${cut}`);
    }
    const escaped = new EscapedText();
    const pieces = Array.from({ length: text.length }, (_, at) => escaped.push(text[at] ?? ""));
    assert.equal(pieces.join("") + escaped.end(), whole);
  }
});

test("no piece ends in half a character", () => {
  const escaped = new EscapedText();
  assert.deepEqual([escaped.push("a\ud83d"), escaped.push("\ude00b")], ["a", "\u{1f600}b"]);
});
