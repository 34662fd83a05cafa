/** Damaged config files: whatever stands in one, it is a layer or one clear refusal with its place. */
import assert from "node:assert/strict";
import { YoiError } from "@yoi/base";
import type { Proof } from "../../../test/support/proof.ts";
import { type ConfigSource, parseConfig } from "../src/index.ts";
import { seeded } from "./seeded.ts";

const inputsPerCase = 1_000;
const firstSeed = 20_260_802;

const sources: readonly ConfigSource[] = [
  { path: "/c/config.toml", trust: "user", home: "/home/me" },
  { path: "/w/.yoi/config.toml", trust: "project", home: "/home/me" },
];

const good = `[model]\nref = "a/b"\n[permissions]\nmode = "ask"\n[[permissions.rule]]\ntool = "Bash"\npattern = "x*"\naction = "ask"\n[scope]\ndeny = [{ target = "x", permission = "read" }]\n[worker]\nmax_turns = 3\n`;
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

function damaged(index: number, pick: (below: number) => number): string {
  const word = (): string => words[pick(words.length)] ?? "";
  if (index % 4 === 0) return Array.from({ length: pick(30) }, word).join(pick(2) === 0 ? "" : " ");
  let text = good;
  for (let edits = 1 + pick(3); edits > 0; edits -= 1) {
    const [at, length] = [pick(text.length + 1), pick(4)];
    text = text.slice(0, at) + (pick(3) === 0 ? "" : word()) + text.slice(at + length);
  }
  return text;
}

/** Whether it is a layer; throws when it is neither that nor well refused. */
function isLayer(text: string, source: ConfigSource): boolean {
  try {
    const { scope } = parseConfig(text, source);
    for (const { target } of [...scope.allow, ...scope.deny]) assert.ok(target.startsWith("/"), target);
    return true;
  } catch (error) {
    assert.ok(error instanceof YoiError && error.code === "config_invalid", String(error));
    const line = error.place?.line ?? 0;
    assert.ok(line >= 1 && line <= text.split("\n").length, `line ${line}`);
    assert.ok(!/[\u0000-\u001f\u202e]/.test(error.message), JSON.stringify(error.message));
    return false;
  }
}

export const configFuzz: Proof = {
  name: `config files: damaged text (${inputsPerCase} inputs a case, seeds from ${firstSeed})`,
  cases: { test: 2, prove: 20 },
  async check(index) {
    const pick = seeded(firstSeed + index);
    const before = Object.getOwnPropertyNames(Object.prototype).join();
    let layers = 0;
    for (let input = 0; input < inputsPerCase; input += 1) {
      const text = damaged(input, pick);
      for (const source of sources) {
        try {
          if (isLayer(text, source)) layers += 1;
        } catch (cause) {
          throw new Error(`input ${input}: ${JSON.stringify(text)}`, { cause });
        }
      }
    }
    assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), before);
    assert.ok(layers > 25, `${layers} were layers`);
  },
};
