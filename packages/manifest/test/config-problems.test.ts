/** How many problems of one config file are said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkConfig, configProblemsMax } from "../src/index.ts";

const path = "/c/config.toml";

function problemsOf(text: string): readonly string[] {
  return checkConfig(text, { path, trust: "user" }).problems.map(({ message }) =>
    message.slice(path.length + 1),
  );
}

test("so many problems of a file are said, and that there are more: one that is nothing else costs no more", () => {
  const unknown = (count: number) => Array.from({ length: count }, (_, at) => `k${at} = 1\n`).join("");
  const some = problemsOf(unknown(configProblemsMax));
  assert.deepEqual([some.length, some.at(-1)], [20, "20: k19 is not a key of the configuration."]);
  const more = "21: more is wrong here and perhaps below: mend what is said first.";
  for (const count of [configProblemsMax + 1, 4000])
    assert.deepEqual(problemsOf(unknown(count)), [...some, more]);
  const rules = Array.from({ length: 200 }, () => "[[permissions.rule]]\na = 1\nb = 1\n").join("");
  assert.equal(problemsOf(rules).length, configProblemsMax + 1);
});
