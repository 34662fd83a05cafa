/** How long an answer counts: what a person types of it, and which of the offered rules that is. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  howLongOf,
  howLongText,
  keptAnswerOf,
  lastsDaysMax,
  lastsMsOf,
} from "../../src/client/kept-answer.ts";

const offers = ["Bash(git push)", "Bash(git push *)"];

test("a rule is one of those that are offered: the first, one by its number, or one as it stands there", () => {
  for (const [how, expected] of [
    [{ for: "once" }, undefined],
    [{ for: "session" }, { for: "session", rule: offers[0] }],
    [
      { for: "session", rule: "2" },
      { for: "session", rule: offers[1] },
    ],
    [
      { for: "always", rule: "Bash(git push *)", expires: 9 },
      { for: "always", rule: offers[1], expires: 9 },
    ],
    [
      { for: "always", everywhere: true },
      { for: "always", rule: offers[0], everywhere: true },
    ],
  ] as const)
    assert.deepEqual(keptAnswerOf(how, { offers }), expected);
  for (const [how, message] of [
    [
      { for: "session", rule: "3" },
      /none of the rules that are offered for this call \(1: Bash\(git push\); 2: /,
    ],
    [{ for: "session", rule: "0" }, /none of the rules/],
    [{ for: "session", rule: "1e0" }, /none of the rules/],
    [{ for: "session", rule: "02" }, /none of the rules/],
    [{ for: "always", rule: "Bash(*)" }, /none of the rules/],
    [{ for: "once", rule: "1" }, /give --for session or --for always/],
    [{ for: "once", expires: 9 }, /give --for session/],
    [{ for: "session", everywhere: true }, /goes with --for always/],
  ] as const)
    assert.throws(() => keptAnswerOf(how, { offers }), { code: "usage", message });
  const wide = { offers: ["Deploy(*)"] };
  assert.throws(() => keptAnswerOf({ for: "session" }, wide), {
    code: "usage",
    message: /for this very call alone \(1: Deploy\(\*\)\): name the one that you mean with --rule/,
  });
  assert.deepEqual(keptAnswerOf({ for: "session", rule: "1" }, wide), { for: "session", rule: "Deploy(*)" });
  assert.throws(() => keptAnswerOf({ for: "session" }, {}), { code: "usage", message: /No rule is offered/ });
});

test("a rule lasts whole minutes, hours or days, at most ten years", () => {
  for (const [text, ms] of [
    ["1m", 60_000],
    ["90m", 5_400_000],
    ["12h", 43_200_000],
    [`${lastsDaysMax}d`, lastsDaysMax * 86_400_000],
  ] as const)
    assert.equal(lastsMsOf(text), ms);
  for (const text of ["", "7", "0d", "-1d", "1.5h", "7 d", "1w", `${lastsDaysMax + 1}d`])
    assert.throws(() => lastsMsOf(text), { code: "usage", message: /write minutes, hours or days/ }, text);
});

test("the words behind an ID", () => {
  for (const [words, how] of [
    [[], { for: "once" }],
    [["once"], { for: "once" }],
    [["session"], { for: "session" }],
    [["always", "12"], { for: "always", rule: "12" }],
    [["always", "x"], null],
    [["once", "1"], null],
    [["forever"], null],
    [["session", "1", "2"], null],
  ] as const)
    assert.deepEqual(howLongOf(words), how, words.join(" "));
  assert.deepEqual(
    [
      undefined,
      { for: "session", rule: "x" } as const,
      { for: "always", rule: "x", everywhere: true } as const,
    ].map(howLongText),
    ["Allowed once", "Allowed for this session", "Allowed always in every workspace"],
  );
});
