/** Left out: what pruning and quarantine take from a request, what stands in its place, and where the cache is marked then. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommittedItem, QuarantinedPart } from "@yoi/base";
import { leftOutLine, prunedContentBytesMin, prunedItem } from "../../src/lowering/left-out.ts";
import { lowerRequest } from "../../src/lowering/lower.ts";
import { call, picture, requestOf, result, said, thought, user } from "../support.ts";
import { traits } from "./traits.ts";

test("a projection leaves out the long content of older results, never the summary, and says where it is", () => {
  const [long, longer] = ["c".repeat(prunedContentBytesMin), "ü".repeat(700)];
  const items = [
    call(3, 2, 0, "{}"),
    call(4, 2, 1, "{}"),
    call(5, 2, 2, "{}"),
    result(6, 2, 0, "s", { content: long }),
    { ...result(7, 2, 1, "t", { content: longer, is_error: true }), id: "3-88" },
    result(8, 2, 2, "u", { content: long.slice(1) }),
  ];
  const values = (prune_before: number | null): unknown => {
    const part = lowerRequest(requestOf(items, { projection: { prune_before } }), traits).prompt[2];
    return (part?.role === "tool" ? part.content : []).map((one) =>
      one.type === "tool-result" && one.output.type !== "content" && "value" in one.output
        ? one.output.value
        : null,
    );
  };
  const whole = [`s\n${long}`, `t\n${longer}`, `u\n${long.slice(1)}`];
  assert.deepEqual(values(null), whole);
  assert.deepEqual(values(6), whole);
  const s = "s\n[left out: 256 bytes; SessionRead 6 shows them]";
  assert.deepEqual(values(7), [s, ...whole.slice(1)]);
  const t = "t\n[left out: 1,400 bytes; SessionRead 3-88 shows them]";
  assert.deepEqual(values(9), [s, t, whole[2]]);
  assert.deepEqual(values(null), whole);
});

test("digits stand in threes", () => {
  assert.deepEqual(
    [0, 999, 1000, 123_456, 1_234_567].map((bytes) => leftOutLine("1", bytes)),
    ["0", "999", "1,000", "123,456", "1,234,567"].map(
      (text) => `[left out: ${text} bytes; SessionRead 1 shows them]`,
    ),
  );
});

test("one item that a provider refused is sent without that part, and everything else whole", () => {
  const own = { anthropic: { signature: "s" } };
  const items: CommittedItem[] = [
    thought(3, "bad", own, { model: "claude-test" }),
    call(4, 2, 0, "{}"),
    result(5, 2, 0, "a", { images: [picture("QQ==")] }),
    thought(7, "good", own, { model: "claude-test" }),
    call(8, 6, 0, "{}"),
    result(9, 6, 0, "b", { images: [picture("Qg==")] }),
  ];
  const seeing = { ...requestOf([]).head, config: { ...requestOf([]).head.config, images: true } };
  const sent = (quarantined?: readonly QuarantinedPart[]) =>
    JSON.stringify(
      lowerRequest(
        requestOf(items, {
          head: seeing,
          projection: { prune_before: null, ...(quarantined && { quarantined }) },
        }),
        traits,
      ).prompt,
    ).match(/bad|good|QQ==|Qg==|left out: the provider refused a request for it/g);
  const word = "left out: the provider refused a request for it";
  assert.deepEqual(sent(), ["bad", "QQ==", "good", "Qg=="]);
  assert.deepEqual(sent([{ target: 3, part: "images" }]), sent());
  assert.deepEqual(sent([{ target: 3, part: "reasoning" }]), ["QQ==", "good", "Qg=="]);
  assert.deepEqual(sent([{ target: 9, part: "images" }]), ["bad", "QQ==", "good", word]);
  assert.deepEqual(
    sent([
      { target: 5, part: "images" },
      { target: 7, part: "reasoning" },
    ]),
    ["bad", word, "Qg=="],
  );
});

test("an item that pruning takes nothing from is the same object", () => {
  const kept = [result(5, 2, 0, "s", { content: "short" }), said(5, "x"), result(5, 2, 0, "s")];
  for (const item of kept) assert.equal(prunedItem(item, { prune_before: 9 }), item);
  const old = result(5, 2, 0, "s", { content: "c".repeat(prunedContentBytesMin) });
  assert.equal(prunedItem(old, { prune_before: 5 }), old);
  assert.notEqual(prunedItem(old, { prune_before: 6 }), old);
});

test("with something pruned a fourth cache mark stands at its end, and stays there while the session goes on", () => {
  const cacheMark = { anthropic: { cacheControl: { type: "ephemeral" } } };
  const step = (request: number): CommittedItem[] => [
    call(request + 1, request, 0, "{}"),
    result(request + 2, request, 0, "s", { content: "c".repeat(999) }),
  ];
  const marks = (items: readonly CommittedItem[], prune_before: number | null) =>
    lowerRequest(requestOf(items, { projection: { prune_before } }), { ...traits, cacheMark }).prompt.map(
      (message) => (JSON.stringify(message).includes("cacheControl") ? message.role : ""),
    );
  const items = [user(1, "go"), ...step(10), ...step(20), ...step(30)];
  assert.deepEqual(marks(items, null), ["system", "", "", "", "", "tool", "", "tool"]);
  assert.deepEqual(marks(items, 13), ["system", "", "", "tool", "", "tool", "", "tool"]);
  assert.deepEqual(marks([...items, ...step(40)], 13), [
    "system",
    "",
    "",
    "tool",
    "",
    "",
    "",
    "tool",
    "",
    "tool",
  ]);
  // No answer is marked: the end of what came before it is.
  assert.deepEqual(marks([...items.slice(0, 3), said(14, "done"), user(15, "more"), ...step(20)], 15), [
    "system",
    "",
    "",
    "tool",
    "",
    "user",
    "",
    "tool",
  ]);
});
