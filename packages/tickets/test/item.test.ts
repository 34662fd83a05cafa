/** item.md is read whatever it is, and changed without touching the rest. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { frontMatterBounds, YoiError } from "@yoi/base";
import { editItem } from "../src/edit-item.ts";
import { frontMatterCharsMax } from "../src/front-matter.ts";
import { newItem, parseItem } from "../src/item.ts";
import { normalizeBody } from "../src/lines.ts";
import { ticketStates, titleCharsMax } from "../src/ticket.ts";

const at = "2026-06-03T12:23:17.001Z";

test("an item of June 2026 is read with its further keys", () => {
  const text = [
    "---",
    "title: 'Short title'",
    "state: 'planning'",
    "created_at: '2026-06-20T16:18:52Z'",
    'updated_at: "2026-06-20T16:18:53Z"',
    "assignee: null",
    "risk_flags: ['cli-ux', 2]",
    "---",
    "",
    "## Background",
    "---",
    "x",
    "",
  ].join("\n");
  const expected = {
    title: "Short title",
    state: "planning",
    created_at: "2026-06-20T16:18:52Z",
    updated_at: "2026-06-20T16:18:53Z",
    fields: { assignee: null, risk_flags: ["cli-ux", 2] },
    body: "## Background\n---\nx",
    problems: [],
  };
  assert.deepEqual(parseItem(text), expected);
  assert.deepEqual(parseItem(`\ufeff${text.replaceAll("\n", "\r\n")}`), expected);
});

test("a title is what is written, also where YAML has another word for it", () => {
  const rows: readonly [string, string][] = [
    ["404", "404"],
    ["0x1F", "0x1F"],
    ["true", "true"],
    ["2026-06-03", "2026-06-03"],
    ["'# x: y'", "# x: y"],
    ['"\\u65e5 \\"x\\""', '日 "x"'],
    ["--- x", "--- x"],
    ["a # comment", "a"],
    ["!!binary eA==", "eA=="],
  ];
  for (const [yaml, title] of rows) {
    const { problems, ...parsed } = parseItem(`---\ntitle: ${yaml}\n---\n`);
    assert.deepEqual([parsed.title, problems], [title, []], yaml);
  }
});

test("what is wrong is said with its line, and the rest is read", () => {
  const rows: readonly [string, string, number, RegExp][] = [
    ["", "front_matter", 1, /first line is not ---/],
    ["# Only Markdown", "front_matter", 1, /first line is not ---/],
    ["---\ntitle: x\n", "front_matter", 1, /not closed/],
    ["---\ntitle: x\n----\n", "front_matter", 1, /not closed/],
    ["---\n---\n", "front_matter", 2, /not a list of/],
    ["---\n- a\n---\n", "front_matter", 2, /not a list of/],
    ["---\ntitle: x\nk: [1\n---\n", "front_matter", 4, /not valid YAML/],
    ["---\ntitle: x\nk: 1\nk: 2\n---\n", "front_matter", 4, /unique/],
    ["---\ntitle: x\nk: &a [1]\nl: *a\n---\n", "front_matter", 2, /alias/],
    ["---\ntitle: x\nk: &a [*a]\n---\n", "front_matter", 2, /alias/],
    ["---\nk: 1\ntitle: [x]\n---\n", "front_matter_field", 3, /title is not one line/],
    ['---\ntitle: ""\n---\n', "front_matter_field", 2, /title is not one line/],
    ['---\ntitle: "a\\nb"\n---\n', "front_matter_field", 2, /title is not one line/],
    ["---\ntitle: x\nstate: Ready\n---\n", "front_matter_field", 3, /state is "Ready"; .* planning,/],
    ["---\ntitle: x\n__proto__: {state: done}\n---\n", "front_matter_field", 3, /__proto__/],
  ];
  for (const [text, check, line, message] of rows) {
    const { problems, state } = parseItem(text);
    assert.deepEqual(
      problems.map((problem) => [problem.check, problem.line]),
      [[check, line]],
      text,
    );
    assert.match(problems[0]?.message ?? "", message);
    assert.equal(state, null);
  }
  assert.equal(Reflect.get({}, "state"), undefined);
});

test("a front matter that cannot be read leaves the whole text as the body", () => {
  assert.equal(parseItem("---\nk: [\n---\nrest").body, "---\nk: [\n---\nrest");
});

test("what could keep the parser busy for minutes is refused at once", () => {
  const open = (count: number) => parseItem(`---\nk: ${"{".repeat(count)}${"}".repeat(count)}\n---\n`);
  const { nestingMax, tokensMax } = frontMatterBounds;
  assert.deepEqual(open(nestingMax - 1).problems, []);
  assert.match(open(nestingMax).problems[0]?.message ?? "", /nested deeper/);
  // A line is four: of the key two, its colon and its end; and one begins the text.
  const keys = (count: number) =>
    parseItem(`---\n${Array.from({ length: count }, (_, at) => `k${at}:\n`).join("")}---\n`);
  assert.deepEqual(keys(tokensMax / 4 - 1).problems, []);
  assert.match(keys(tokensMax / 4).problems[0]?.message ?? "", /is longer than 1000 words and signs$/);
  for (const unit of ["{", "[", "{a: ", "- ", "? ", "- {"]) {
    const text = `---\nk:\n ${unit.repeat(10_000).slice(0, 30_000)}\n---\n`;
    assert.match(parseItem(text).problems[0]?.message ?? "", /nested deeper/, unit);
  }
  const closed = parseItem(`---\nk: ${"]".repeat(500)}${"[".repeat(1000)}\n---\n`);
  assert.match(closed.problems[0]?.message ?? "", /nested deeper/);
  const indented = Array.from({ length: 200 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n");
  assert.match(parseItem(`---\n${indented}\n---\n`).problems[0]?.message ?? "", /nested deeper/);
});

test("a front matter has a longest length, and none is written that is longer", () => {
  const item = (chars: number) => {
    const rest = `title: x\nstate: planning\ncreated_at: ${at}\nupdated_at: ${at}\nk: \n`;
    return {
      title: "x",
      state: "planning",
      createdAt: at,
      body: "",
      fields: { k: "x".repeat(chars - rest.length) },
    } as const;
  };
  assert.deepEqual(parseItem(newItem(item(frontMatterCharsMax))).problems, []);
  assert.throws(() => newItem(item(frontMatterCharsMax + 1)), isError("limit_exceeded"));
  const most = newItem(item(frontMatterCharsMax));
  assert.throws(() => editItem(most, { title: "xy" }), isError("limit_exceeded"));
  assert.match(
    parseItem(most.replace("title: x", "title: xy")).problems[0]?.message ?? "",
    /not closed by a line --- in its first/,
  );
});

const text = fc.string({ unit: "binary", maxLength: 60 });
const line = text.map((one) => `x${one.replace(/[\r\n]/g, " ").toWellFormed()}`);
const fields = fc.dictionary(
  text.map((key) => `k${key.toWellFormed()}`),
  fc.oneof(line, fc.array(line, { maxLength: 3 }), fc.integer(), fc.boolean(), fc.constant(null)),
  { maxKeys: 4, noNullPrototype: true },
);

test("what is written is read back: any title, body and fields", () => {
  fc.assert(
    fc.property(line, text, fields, fc.constantFrom(...ticketStates), (title, body, more, state) => {
      const item = newItem({ title, state, createdAt: at, body, fields: more });
      assert.deepEqual(parseItem(item), {
        title,
        state,
        created_at: at,
        updated_at: at,
        fields: more,
        body: normalizeBody(body),
        problems: [],
      });
    }),
    { seed: 9, numRuns: 100 },
  );
});

test("the longest titles of every kind come back", () => {
  const titles = ["日", "😀", '"', "'", "\\", ":", "#", "-", "あ: # ", "\u2028", "\u202e", "\u0001"].map(
    (unit) => {
      const filled = unit
        .repeat(titleCharsMax)
        .slice(0, titleCharsMax - 1)
        .toWellFormed();
      return `${filled}x`;
    },
  );
  for (const title of [
    "---",
    "...",
    "- x",
    "? x",
    "@x",
    "`x`",
    "%x",
    "!x",
    "&x",
    "*x",
    "| x",
    "> x",
    " x ",
    ...titles,
  ]) {
    const item = newItem({ title, state: "planning", createdAt: at, body: "b" });
    const parsed = parseItem(editItem(item, { title: "other" }));
    assert.deepEqual([parseItem(item).title, parsed.title, parsed.problems], [title, "other", []]);
    assert.equal(parseItem(editItem(item.replace(/^title: [^\n]*/m, "title: 'x'"), { title })).title, title);
  }
});

test("an edit keeps every other byte", () => {
  const rows: readonly [string, string][] = [
    [
      "---\n# mine\ntitle: x   # what\nk:   [ 1,2 ]\nstate: 'planning' # when\nupdated_at: \"then\"\n---\nstate: planning\n",
      "---\n# mine\ntitle: x   # what\nk:   [ 1,2 ]\nstate: 'ready' # when\nupdated_at: \"now\"\n---\nstate: planning\n",
    ],
    [
      "\ufeff---\r\nstate: planning\r\ntitle: x\r\n---\r\nb\r\n",
      "\ufeff---\r\nstate: ready\r\ntitle: x\r\nupdated_at: now\r\n---\r\nb\r\n",
    ],
    ["---\nstate: |\n  planning\nk: 1\n---\n", "---\nstate: ready\nk: 1\nupdated_at: now\n---\n"],
    ["---\n{state: planning, k: 1} # c\n---\nb", "---\n{ state: ready, k: 1, updated_at: now } # c\n---\nb"],
    ["---\nstate: # none yet\nk: 1\n---\nb", "---\nstate: ready # none yet\nk: 1\nupdated_at: now\n---\nb"],
  ];
  for (const [before, after] of rows) {
    assert.equal(editItem(before, { state: "ready", updated_at: "now" }), after);
  }
  // The tag is one that the library knows, on a value that it is not for.
  assert.equal(
    editItem("---\nk: !!binary\nstate:\n---\n", { state: "ready" }),
    '---\nk: !!binary ""\nstate: ready\n---\n',
  );
  assert.throws(
    () => editItem("---\nk: &\u00a0 x\nstate:\n---\n", { state: "ready" }),
    isError("ticket_damaged"),
  );
  assert.throws(
    () => editItem("---\nk: &a [*a]\nstate:\n---\n", { state: "ready" }),
    isError("ticket_damaged"),
  );
  assert.throws(() => editItem("no front matter", { state: "ready" }), isError("ticket_damaged"));
});

test("an edit changes what it names and nothing else, in any layout", () => {
  const value = fc.constantFrom(
    "x",
    "'x y'",
    '"x"',
    "x # c",
    "",
    "|\n  x",
    "[a, {b: c}]",
    "\n  - a",
    "~",
    "&n x",
    "!t x",
    ">-\n  a\n  b",
  );
  const key = fc.constantFrom("title", "state", "k1", "k2", "k3", "? k4\n", "# c\nk5", "'k 6'");
  const pairs = fc.uniqueArray(fc.tuple(key, value), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(
      pairs,
      line,
      fc.constantFrom("", "  "),
      fc.constantFrom("", "...\n"),
      (all, title, indent, end) => {
        const yaml = all.map(([name, one]) => `${name}: ${one}`.replace(/^/gm, indent)).join("\n");
        const before = `---\n${yaml}\n${end}---\n\nbody: x\n`;
        const parsed = parseItem(before);
        fc.pre(parsed.problems.every((problem) => problem.check !== "front_matter"));
        const after = editItem(before, { title, state: "done" });
        assert.deepEqual(parseItem(after), { ...parsed, title, state: "done", problems: [] });
        assert.ok(after.endsWith("---\n\nbody: x\n"));
      },
    ),
    { seed: 10, numRuns: 60 },
  );
});

function isError(code: string): (error: unknown) => boolean {
  return (error) => error instanceof YoiError && error.code === code;
}
