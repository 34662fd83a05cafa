/** Digests: the running one is the whole one, and survives storage. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RequestDigest, requestDigest, sha256, toolSetDigest, type ModelRequest } from "@yoi/model";
import { call, note, readTool, requestOf, result, said, user } from "./support.ts";

const items = [
  user(1, "a"),
  said(3, "b"),
  call(4, 2, 0, "{}"),
  result(6, 2, 0, "c", { content: "d" }),
  note(7, "e"),
];

test("the running digest of every prefix equals the digest of the whole request", () => {
  const running = new RequestDigest();
  for (const [index, item] of items.entries()) {
    running.add(item);
    const request = requestOf(items.slice(0, index + 1));
    assert.equal(running.digest(request.head, request.projection), requestDigest(request));
  }
  assert.equal(running.count, items.length);
});

test("a request that went through JSON, with its keys in another order, has the same digest", () => {
  const request = requestOf(items);
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, field]) => [key, reversed(field)]),
    );
  };
  const stored = reversed(JSON.parse(JSON.stringify(request))) as ModelRequest;
  assert.notEqual(JSON.stringify(stored), JSON.stringify(request));
  assert.equal(requestDigest(stored), requestDigest(request));
});

test("any change of a request changes its digest", () => {
  const request = requestOf(items);
  const { head } = request;
  const changed: readonly ModelRequest[] = [
    requestOf(items.slice(1)),
    requestOf(items.toReversed()),
    requestOf([...items, user(8, "")]),
    requestOf([...items.slice(0, -1), note(8, "e")]),
    { ...request, projection: { prune_before: 0 } },
    { ...request, head: { ...head, system: "You are a test. " } },
    { ...request, head: { ...head, tools: [] } },
    { ...request, head: { ...head, config: { ...head.config, temperature: 0 } } },
  ];
  const digests = new Set([request, ...changed].map(requestDigest));
  assert.equal(digests.size, changed.length + 1);
});

test("a tool set's digest is that of its canonical JSON", () => {
  assert.equal(
    toolSetDigest([readTool]),
    sha256(
      '[{"description":"Reads a file.","input_schema":{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"},"name":"read"}]',
    ),
  );
});
