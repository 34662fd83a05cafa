/** Where a value stands in a text, whatever is written around it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isJsonObject, type JsonValue } from "@yoi/base";
import { type JsonPath, jsonPlaceIndex, pathText } from "../src/json-place.ts";

test("the place is that of the key or the element; of what is not there, that of what should hold it", () => {
  const text = ' { "a" : [1, "]}\\"", {"b":{}}, -2.5e3 ,null], "a\\u0062" : true, "c":[ ] , "d": "x" } ';
  const cases: readonly (readonly [JsonPath, string])[] = [
    [[], '{ "a"'],
    [["a"], '"a" :'],
    [["a", 0], "1,"],
    [["a", 1], '"]}'],
    [["a", 2], '{"b"'],
    [["a", 2, "b"], '"b":{}'],
    [["a", 2, "b", "none"], '"b":{}'],
    [["a", 3], "-2.5e3"],
    [["a", 4], "null"],
    [["a", 5], '"a" :'],
    [["ab"], '"a\\u0062"'],
    [["c", 0], '"c":'],
    [["d"], '"d":'],
    [["none", "deeper"], '{ "a"'],
  ];
  for (const [path, at] of cases) {
    const found = text.slice(jsonPlaceIndex(text, path));
    assert.ok(found.startsWith(at), `${pathText(path)}: ${found}`);
  }
  assert.equal(jsonPlaceIndex('{"a":1,"a":2}', ["a"]), 7);
  assert.equal(pathText(["children", 0, "loan", "id"]), "children[0].loan.id");
});

/** Every path of a value. */
function pathsOf(value: JsonValue, path: JsonPath = []): readonly JsonPath[] {
  const below = Array.isArray(value)
    ? value.flatMap((element: JsonValue, index) => pathsOf(element, [...path, index]))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([key, field]) => pathsOf(field ?? null, [...path, key]))
      : [];
  return [path, ...below];
}

test("every value of 100 random documents (seed 6) is found where it is written", () => {
  const property = fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (random, indent) => {
    const value = JSON.parse(JSON.stringify(random)) as JsonValue;
    const text = JSON.stringify(value, null, indent);
    for (const path of pathsOf(value)) {
      let wanted = value;
      for (const step of path) wanted = (wanted as never)[step];
      const rest = text.slice(jsonPlaceIndex(text, path));
      const step = path.at(-1);
      const label = typeof step === "string" ? `${JSON.stringify(step)}:${indent === 0 ? "" : " "}` : "";
      // The written value is as indented as it is deep: compared without white space outside of texts.
      const bare = (json: string): string => json.replace(/\n */g, "");
      assert.ok(bare(rest).startsWith(label + bare(JSON.stringify(wanted, null, indent))), pathText(path));
    }
  });
  fc.assert(property, { seed: 6, numRuns: 100 });
});
