/** The fold of what waits, and of what somebody keeps in the log. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EntryBody, JsonValue } from "@yoi/base";
import { createReplay, positionDomain, replay } from "../src/index.ts";
import { inboxEntries, notice } from "./support/inbox-log.ts";
import { logOf } from "./support/log-of.ts";

test("what is quiet waits like all else, and is known to be", () => {
  const entries = logOf(
    { kind: "inbox_accepted", item: notice("a"), quiet: true },
    { kind: "inbox_accepted", item: notice("b"), quiet: false },
    { kind: "inbox_accepted", item: notice("c") },
  );
  assert.deepEqual(
    replay(entries).inbox.map(({ item, quiet }) => [item.body, quiet]),
    [
      ["a", true],
      ["b", undefined],
      ["c", undefined],
    ],
  );
});

test("how far a sender has told is the last one that is on record, with a notice or without", () => {
  const [{ source }, domain] = [notice("a"), `position/${notice("a").source}`];
  const at = (...entries: readonly EntryBody[]) => replay(logOf(...entries)).extensions.get(domain);
  const first: EntryBody = { kind: "inbox_accepted", item: notice("a"), position: { n: 1 } };
  assert.equal(positionDomain(source), domain);
  assert.deepEqual(at({ kind: "inbox_accepted", item: notice("a") }), undefined);
  assert.deepEqual(at(first), { n: 1 });
  assert.deepEqual(at(first, { kind: "inbox_accepted", item: notice("b") }), { n: 1 });
  assert.deepEqual(at(first, { kind: "extension", domain, payload: { n: 2 } }), { n: 2 });
  assert.deepEqual(at({ kind: "extension", domain, payload: { n: 2 } }, first), { n: 1 });
  assert.deepEqual(at(first, { ...first, item: { ...notice("c"), source: "user:other" } }), { n: 1 });
});

describe("what waits", () => {
  const accepted = (body: string): EntryBody => ({ kind: "inbox_accepted", item: notice(body) });
  const delivered = (delivers: number, body: string): EntryBody => ({
    kind: "system_item",
    item: notice(body),
    delivers,
  });
  const plain: EntryBody = { kind: "system_item", item: notice("a") };
  const reopened: EntryBody = { kind: "opened", epoch: 2, version: "0.1.0" };
  const cases: [string, EntryBody[], (readonly [number, string])[], string[]][] = [
    ["nothing", [], [], []],
    [
      "is not history",
      [accepted("a"), accepted("b")],
      [
        [3, "a"],
        [4, "b"],
      ],
      [],
    ],
    ["is history when it is delivered", [accepted("a"), delivered(3, "a")], [], ["a"]],
    [
      "keeps its order",
      [accepted("a"), accepted("b"), accepted("c"), delivered(4, "b")],
      [
        [3, "a"],
        [5, "c"],
      ],
      ["b"],
    ],
    ["waits for the next process", [accepted("a"), reopened], [[3, "a"]], []],
    [
      "is known by its seq, not by its text",
      [accepted("a"), plain, accepted("a"), delivered(5, "a")],
      [[3, "a"]],
      ["a", "a"],
    ],
    ["that a delivery names and nobody accepted is a note like any other", [delivered(9, "x")], [], ["x"]],
  ];
  for (const [name, bodies, waiting, history] of cases) {
    test(name, () => {
      const { inbox, items } = replay(logOf(...bodies));
      assert.deepEqual(
        inbox.map(({ seq, item }) => [seq, item.body]),
        waiting,
      );
      assert.deepEqual(
        items.map(({ item }) => item.type === "system_item" && item.body),
        history,
      );
    });
  }

  test("of each domain of extensions the last payload counts, and it is no item", () => {
    const keep = (domain: string, payload: JsonValue): EntryBody => ({ kind: "extension", domain, payload });
    const log = logOf(keep("a", { n: 1 }), keep("b", null), keep("a", [2]), keep("__proto__", "c"));
    const { extensions, items } = replay(log);
    assert.deepEqual(
      [...extensions],
      [
        ["a", [2]],
        ["b", null],
        ["__proto__", "c"],
      ],
    );
    assert.deepEqual(items, []);
  });

  test("at every prefix of a log it is what live history has", () => {
    const live = createReplay();
    for (const [index, entry] of inboxEntries.entries()) {
      live.apply(entry);
      const { inbox, extensions, items, run } = replay(inboxEntries.slice(0, index + 1));
      const { state } = live;
      assert.deepEqual(
        [state.inbox, [...state.extensions], state.items, state.run],
        [inbox, [...extensions], items, run],
      );
    }
  });
});
