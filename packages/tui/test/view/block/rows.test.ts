/** How much of a text is shown, how long something is off, and what a status leaves out first. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { emptySession } from "../../../src/session/empty-session.ts";
import { tokensText } from "../../../src/session/notes.ts";
import type { PodSession } from "../../../src/session/session.ts";
import { firstRows, lastRows } from "../../../src/view/block/bounded-rows.ts";
import { statusLines } from "../../../src/view/status.ts";
import { themeNamed } from "../../../src/view/themes.ts";
import { waitText } from "../../../src/view/wait-text.ts";

describe("bounded rows", () => {
  const rows: readonly (readonly [
    text: string,
    rowsMax: number,
    first: readonly string[],
    last: readonly string[],
  ])[] = [
    ["a\nb\nc", 3, ["a", "b", "c"], ["a", "b", "c"]],
    ["a\nb\nc\nd", 3, ["a", "b", "… 4 lines in all"], ["… 4 lines in all", "c", "d"]],
    ["a\nb\n\n\n", 2, ["a", "b"], ["a", "b"]],
    ["a\nb", 1, ["… 2 lines in all"], ["… 2 lines in all"]],
    ["x".repeat(41), 2, ["x".repeat(20), "… 41 characters in all"], ["… 41 characters in all", "x"]],
  ];
  for (const [text, rowsMax, first, last] of rows)
    test(JSON.stringify(text), () => {
      assert.deepEqual(firstRows(text, { columns: 20, rowsMax }), first);
      assert.deepEqual(lastRows(text, { columns: 20, rowsMax }), last);
    });

  test("say of what so many are, where that is told", () => {
    const bounds = { columns: 20, rowsMax: 1, of: "the command" };
    assert.deepEqual(firstRows("a\nb", bounds), ["… 2 lines of the command in all"]);
    assert.deepEqual(lastRows("x".repeat(41), bounds), ["… 41 characters of the command in all"]);
  });

  test("of a megabyte show as many, and do not cut a character in two", () => {
    const text = "😀".repeat(500_000);
    for (const shown of [
      firstRows(text, { columns: 20, rowsMax: 4 }),
      lastRows(text, { columns: 20, rowsMax: 4 }),
    ]) {
      assert.equal(shown.length, 4);
      assert.ok(shown.join("").isWellFormed());
      assert.ok(shown.includes("… 1000000 characters in all"));
    }
  });
});

test("how long something is off", () => {
  const second = 1_000;
  const minute = 60 * second;
  const hour = 60 * minute;
  const texts = [
    0,
    -5,
    Number.NaN,
    1,
    59_001,
    minute,
    minute + 5 * second,
    hour - 1,
    hour + 30 * minute,
    24 * hour,
    76 * hour,
  ].map(waitText);
  assert.deepEqual(texts, [
    "now",
    "now",
    "now",
    "in 1 s",
    "in 60 s",
    "in 1 min",
    "in 1 min 5 s",
    "in 59 min 59 s",
    "in 1 h 30 min",
    "in 1 d",
    "in 3 d 4 h",
  ]);
});

test("how many tokens", () => {
  const texts = [0, 999, 1_000, 9_949, 9_960, 34_400, 999_499, 999_500, 12_000_000].map(tokensText);
  assert.deepEqual(texts, ["0", "999", "1.0k", "9.9k", "10k", "34k", "999k", "1.0M", "12M"]);
});

test("a status says nothing of tokens and cost before something is known of them", () => {
  const sum = (input_tokens: number, unpriced_requests: number) => ({
    usage: {
      input_tokens,
      output_tokens: 0,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    },
    cost: { nano_usd: 0, unpriced_requests },
  });
  const at = (tokens: number, unpriced: number) => {
    const spent = { ...sum(tokens, unpriced), tree: sum(tokens, unpriced) };
    const session: PodSession = { ...emptySession("fixer"), link: "up", spent };
    return statusLines(session, { columns: 80, theme: themeNamed("none"), now: 0, needy: 0 });
  };
  assert.deepEqual(
    [at(0, 0), at(0, 1), at(5, 1), at(5, 0)],
    [
      ["○ ready · fixer"],
      ["○ ready · fixer"],
      ["○ ready · fixer · 5 tokens · cost not known"],
      ["○ ready · fixer · 5 tokens · $0"],
    ],
  );
});

describe("a status that has too few columns", () => {
  const session: PodSession = {
    ...emptySession("fixer"),
    link: "up",
    about: {
      version: "1",
      model: "anthropic/claude-x-5",
      workspace: "/w",
      sandbox: "missing",
      network: false,
      permission_mode: "ask",
      tools: [],
    },
    context: { tokens: 5, window: null },
    queue: [{ id: "9", when: "boundary", parts: [] }],
    approvalsOmitted: 2,
  };
  const at = (columns: number) =>
    statusLines(session, { columns, theme: themeNamed("none"), now: 0, needy: 0 });
  const rows: readonly (readonly [columns: number, rows: readonly string[]])[] = [
    [
      120,
      [
        "○ ready · 2 calls wait for you · fixer · anthropic/claude-x-5 · mode ask · NO SANDBOX · context 5 · 1 queued",
      ],
    ],
    [
      100,
      ["○ ready · 2 calls wait for you · fixer · claude-x-5 · mode ask · NO SANDBOX · context 5 · 1 queued"],
    ],
    [
      60,
      [
        "○ ready · 2 calls wait for you · fixer · claude-x-5",
        "  mode ask · NO SANDBOX · context 5 · 1 queued",
      ],
    ],
    [40, ["○ ready · 2 calls wait for you", "  claude-x-5 · mode ask · NO SANDBOX"]],
    [20, ["○ ready · NO SANDBOX"]],
    [5, ["○ re…", "  NO…"]],
  ];
  for (const [columns, shown] of rows)
    test(`${columns} leaves out what has least worth`, () => assert.deepEqual(at(columns), shown));
  test("a scenario is named, and not where it is", () => {
    const { about } = session;
    assert.ok(about !== null);
    const [row = ""] = statusLines(
      { ...session, about: { ...about, model: "scripted//tmp/far/away/demo.yaml" } },
      { columns: 120, theme: themeNamed("none"), now: 0, needy: 0 },
    );
    assert.match(row, / · scripted\/demo\.yaml · /);
  });
});
