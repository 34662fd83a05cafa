/** Pages that take their converter too long, too much memory or too deep: they end as text, in time, and nothing else waits for them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeHost } from "@yoi/host";
import { bareText } from "../../packages/tools/src/web/bare-text.ts";
import { articleCharsMax, nestingMax, toMarkdown } from "../../packages/tools/src/web/markdown.ts";
import { convertPage } from "../../packages/tools/src/web/page-thread/convert-page.ts";

const { timers } = nodeHost();

function convert(html: string, options: { ms?: number; heapMiBMax?: number; wholePage?: boolean } = {}) {
  const { ms = 20_000, wholePage = false, ...limits } = options;
  const stop = new AbortController();
  const cancel = timers.after(ms, () => stop.abort());
  return convertPage(
    { html, pageUrl: "http://site.test/", wholePage },
    { signal: stop.signal, ...limits },
  ).finally(cancel);
}

/** 240 kB that gzip makes 400 bytes of, and that take the libraries the better part of a minute. */
const slow = `<title>Slow</title><p>said</p><ul>${"<li>".repeat(60_000)}`;

test("a page that takes too long ends in time as its bare text, and others go on meanwhile", async () => {
  let ticks = 0;
  let stop = timers.after(0, () => {});
  const tick = (): void => {
    ticks += 1;
    stop = timers.after(5, tick);
  };
  tick();
  const page = await convert(slow, { ms: 400 });
  stop();
  assert.deepEqual(page, {
    title: "Slow",
    text: "said",
    remark: "converting it took too long, so its bare text is shown",
  });
  // On the main thread there would be none.
  assert.ok(ticks >= 10, `${ticks} ticks`);
});

test("a page that takes too much memory ends as its bare text", async () => {
  const page = await convert(`<p>said</p>${"<p>x</p>".repeat(100_000)}`, { heapMiBMax: 16 });
  assert.equal(page.remark, "converting it took too much memory, so its bare text is shown");
  assert.ok(page.text.startsWith("said\n\nx\n"), page.text.slice(0, 40));
});

test("elements inside each other, at the bound and one deeper", async () => {
  const nested = (depth: number): string =>
    // Below html and body.
    `<html><body>${"<div>".repeat(depth - 2)}said${"</div>".repeat(depth - 2)}</body></html>`;
  const ask = async (depth: number): Promise<readonly unknown[]> => {
    const { text, remark } = await convert(nested(depth), { wholePage: true });
    return [text, remark];
  };
  assert.deepEqual(await ask(nestingMax), ["said", null]);
  assert.deepEqual(await ask(nestingMax + 1), [
    "said",
    "its elements are nested too deep, so its bare text is shown",
  ]);
});

test("a page is looked through for its article up to the bound", () => {
  const story = `<p>${"Once upon a time there was a page with enough words, to count as one. ".repeat(20)}</p>`;
  const start = `<html><body><article>${story}</article><!--`;
  const end = "--></body></html>";
  for (const [chars, isArticle] of [
    [articleCharsMax, true],
    [articleCharsMax + 1, false],
  ] as const) {
    const html = `${start}${"x".repeat(chars - start.length - end.length)}${end}`;
    assert.equal(html.length, chars);
    assert.equal(toMarkdown(html, new URL("http://site.test/"), false)?.isArticle, isArticle);
  }
});

test("bare text: what is said, without tags, in one pass", () => {
  const table: readonly (readonly [string, string, string])[] = [
    ["", "", ""],
    ["a < b <3 > c", "", "a < b <3 > c"],
    ["<title>A\n B</title><p>one</p><p>two <b>and</b> more</p>", "A B", "one\n\ntwo and more"],
    ["<script>var a = '<p>no</p>';</script>yes<STYLE>p{}</style>", "", "yes"],
    ["<!-- <p>no</p> -->yes<!doctype html><?x y?>", "", "yes"],
    ["x &amp;&lt;&#65;&#x42;&#xD800;&#1114112;&bogus; &AMP", "", "x &<AB\ufffd\ufffd&bogus; &AMP"],
    ["said<p never closed", "", "said"],
    ["said<script>never closed", "", "said"],
    ["said<!-- never closed", "", "said"],
    ["a  \n\n\n\n b\t\n", "", "a\n\n b"],
  ];
  for (const [html, title, text] of table) assert.deepEqual(bareText(html), { title, text }, html);
});

test("bare text takes no longer for what takes others long", () => {
  const cases = ["<", "<a", "<li>", "<title", "<title>", "<script>", "<!--", "&", " \n", " ", "<p>x</p>\n"];
  for (const part of cases) {
    const said = bareText(`begin ${part.repeat((1024 * 1024) / part.length)}`);
    assert.ok(said.text.startsWith("begin"), part);
  }
});
