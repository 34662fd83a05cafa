/** A bound of the cost holds the compactor too: without a price of either model nothing is opened. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost } from "@yoi/host";
import { openScripted } from "../../model/src/scripted/index.ts";
import { manifestOf } from "../../../test/support/simulated-pod.ts";
import { checkPrice } from "../src/open-budget.ts";

const priced = "price: { input: 1, output: 1 }\nsteps: []";
const modelOf = (name: string, text: string) =>
  openScripted({ name, text, ports: { timers: memoryHost({ seed: 1 }).timers } });

test("a bound of the cost is refused where the price of the model or of its compactor is not known", () => {
  const config = { model: "scripted/x", max_output_tokens: 100 };
  const budget = { max_tokens: null, max_cost_usd: 1, max_turns: null, max_seconds: null };
  const check = (own: string, compactor: string | null) => () =>
    checkPrice({
      manifest: manifestOf({ budget }),
      model: modelOf("own.yaml", own),
      ...(compactor === null ? {} : { compactor: { model: modelOf("sums.yaml", compactor), config } }),
    });
  assert.doesNotThrow(check(priced, null));
  assert.doesNotThrow(check(priced, priced));
  assert.throws(check("steps: []", priced), { code: "config_invalid", message: /scripted\/own\.yaml costs/ });
  assert.throws(check(priced, "steps: []"), {
    code: "config_invalid",
    message: /scripted\/sums\.yaml costs/,
  });
});
