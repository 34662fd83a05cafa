/** Notices: a sentence is whole, or says that it is cut. */
import assert from "node:assert/strict";
import test from "node:test";
import { noticeLines } from "../../src/view/notices.ts";
import { themeNamed } from "../../src/view/themes.ts";

test("a notice takes five rows, and one that takes more is cut where that is seen", () => {
  const options = { columns: 12, theme: themeNamed("none") };
  const shown = (rows: number): readonly string[] => {
    const text = Array.from({ length: rows }, (_, n) => `the row ${n}`).join(" ");
    return noticeLines([{ level: "warn", text, untilMs: 0 }], options, 10);
  };
  const first = ["! the row 0", "  the row 1", "  the row 2", "  the row 3"];
  assert.deepEqual(shown(5), [...first, "  the row 4"]);
  assert.deepEqual(shown(6), [...first, "  the row 4…"]);
});

test("where there is no room an older notice is left out whole, and the newest is cut at its end", () => {
  const options = { columns: 12, theme: themeNamed("none") };
  const notices = [
    { level: "info", text: "an old one in two rows", untilMs: 0 },
    { level: "warn", text: "the newest of all", untilMs: 0 },
  ] as const;
  const shown = (rowsMax: number) => noticeLines(notices, options, rowsMax);
  const [newest, old] = [
    ["! the newest", "  of all"],
    ["! an old one", "  in two", "  rows"],
  ];
  assert.deepEqual([0, 1, 2, 4, 5].map(shown), [[], ["! the newes…"], newest, newest, [...old, ...newest]]);
});
