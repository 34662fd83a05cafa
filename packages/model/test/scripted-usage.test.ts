/** What the scripted model says a request was counted as, where its scenario says nothing of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type Image } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { ModelRequest } from "../src/model.ts";
import { openScripted } from "../src/scripted/index.ts";

function requestWith(data: string): ModelRequest {
  const images: readonly Image[] = [{ type: "image", media_type: "image/png", data }];
  const result = { type: "tool_result", call: callId(1, 0), name: "Read", is_error: false } as const;
  const items = [{ seq: 2, item: { ...result, summary: "a picture", images } }];
  return {
    head: { system: "Be brief.", tools: [], config: { model: "scripted/s.yaml", max_output_tokens: 100 } },
    items,
    projection: { prune_before: null },
  };
}

test("a picture counts as a picture, whatever its bytes", async () => {
  const ports = memoryHost({ seed: 1 });
  const counts: unknown[] = [];
  for (const data of ["", "A".repeat(4), "A".repeat(4_000_000)]) {
    const model = openScripted({ name: "s.yaml", text: "{ steps: [{ text: ok }] }", ports });
    const request = requestWith(data);
    const { bytes } = await model.lower(request);
    const signal = new AbortController().signal;
    for await (const event of model.stream(request, { signal, beforeSend: async () => {} }))
      if (event.type === "finish")
        counts.push(event.usage.input_tokens - Math.ceil((bytes - data.length) / 4));
  }
  assert.deepEqual(counts, [1_600, 1_600, 1_600]);
});
