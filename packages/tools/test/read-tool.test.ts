/** Read: what is shown, and what is said about what is not. */
import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { after, before, test } from "node:test";
import { YoiError } from "@yoi/base";
import { fileBytesMax } from "../src/index.ts";
import { lineCharsMax } from "../src/number-lines.ts";
import { readBytesMax } from "../src/read-tool.ts";
import { createBench, type Bench } from "./support.ts";

let bench: Bench;
before(() => {
  bench = createBench();
});
after(() => bench.close());

test("Read: numbers from 1, the state of the last line, parts", async () => {
  const three = bench.put("three.txt", "a\nb\nc\n");
  const open = bench.put("open.txt", "a\nb");
  const table: readonly [string, object, string, string | undefined][] = [
    [three, {}, `Read 3 lines of "${three}"`, "     1\ta\n     2\tb\n     3\tc"],
    [
      three,
      { offset: 2, limit: 1 },
      `Read lines 2 to 2 of 3 of "${three}" (1 line more: go on with offset 3)`,
      "     2\tb",
    ],
    [three, { offset: 2 }, `Read lines 2 to 3 of 3 of "${three}"`, "     2\tb\n     3\tc"],
    [
      three,
      { limit: 1 },
      `Read lines 1 to 1 of 3 of "${three}" (2 lines more: go on with offset 2)`,
      "     1\ta",
    ],
    [open, {}, `Read 2 lines of "${open}" (no newline at the end of the file)`, "     1\ta\n     2\tb"],
    [bench.put("empty.txt", ""), {}, `Read "${bench.path("empty.txt")}": the file is empty`, undefined],
    [bench.put("newline.txt", "\n"), {}, `Read 1 line of "${bench.path("newline.txt")}"`, "     1\t"],
    [
      bench.put("crlf.txt", "a\r\nb\r\n"),
      {},
      `Read 2 lines of "${bench.path("crlf.txt")}" (lines end with CRLF)`,
      "     1\ta\n     2\tb",
    ],
    [
      bench.put("latin.txt", Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a])),
      {},
      `Read 1 line of "${bench.path("latin.txt")}" (not valid UTF-8: other bytes are shown as U+FFFD, and Edit refuses the file)`,
      "     1\tcaf\uFFFD",
    ],
  ];
  for (const [file_path, part, summary, content] of table) {
    const output = await bench.shown("Read", { file_path, ...part });
    assert.deepEqual(output, content === undefined ? { summary } : { summary, content });
  }
});

test("Read: a long line is cut at n + 1 characters and not at n, never inside a character", async () => {
  const fits = await bench.call("Read", {
    file_path: bench.put("fits.txt", `${"x".repeat(lineCharsMax)}\n`),
  });
  assert.equal(fits.content, `     1\t${"x".repeat(lineCharsMax)}`);
  const cut = await bench.call("Read", {
    file_path: bench.put("cut.txt", `${"x".repeat(lineCharsMax - 1)}😀yy\nz\n`),
  });
  assert.equal(cut.content, `     1\t${"x".repeat(lineCharsMax - 1)} [cut: 4 more characters]\n     2\tz`);
  assert.match(cut.summary, /1 line cut at 2000 characters/);
});

test("Read: stops within its bound on bytes and says where to go on", async () => {
  const path = bench.put("big.txt", "0123456789\n".repeat(10_000));
  const output = await bench.call("Read", { file_path: path, limit: 10_000 });
  assert.ok(Buffer.byteLength(output.content ?? "") <= readBytesMax);
  const last = Number(/([0-9]+)\t[^\n]*$/.exec(output.content ?? "")?.[1]);
  assert.equal(
    output.summary,
    `Read lines 1 to ${last} of 10000 of "${path}" (${10_000 - last} lines more: go on with offset ${last + 1})`,
  );
});

test("Read: what cannot be read is one sentence", async () => {
  const sparse = bench.put("sparse.bin", "");
  truncateSync(sparse, 10 * 1024 * 1024 * 1024);
  const limit = bench.put("limit.txt", "");
  truncateSync(limit, fileBytesMax + 1);
  const table: readonly [object, string, RegExp][] = [
    [{ file_path: bench.path("missing.txt") }, "io_failed", /does not exist/],
    [{ file_path: bench.path("no/such/dir.txt") }, "io_failed", /does not exist/],
    [{ file_path: bench.workspace }, "usage", /is a directory/],
    [{ file_path: `${bench.put("plain.txt", "x")}/y` }, "io_failed", /not a directory/],
    [{ file_path: sparse }, "limit_exceeded", /10737418240 bytes/],
    [{ file_path: limit }, "limit_exceeded", new RegExp(`${fileBytesMax + 1} bytes`)],
    [
      { file_path: bench.put("a.png", Buffer.from("89504e470d0a1a0a00", "hex")) },
      "usage",
      /PNG image of 9 bytes/,
    ],
    [{ file_path: bench.put("a.bin", Buffer.from([1, 2, 0, 3])) }, "usage", /binary data of 4 bytes/],
    [{ file_path: bench.path("plain.txt"), offset: 2 }, "usage", /beyond the end of .*1 line/],
    [
      { file_path: bench.path("plain.txt"), offset: 0 },
      "usage",
      /"offset" of Read must be a whole number from 1/,
    ],
    [{ file_path: bench.path("plain.txt"), offset: 1.5 }, "usage", /whole number/],
    [{ file_path: bench.path("plain.txt"), limit: "3" }, "usage", /"limit" of Read must be/],
    [{ file_path: 3 }, "usage", /"file_path" of Read must be a string/],
    [{}, "usage", /"file_path" of Read is missing/],
    [
      { file_path: bench.path("plain.txt"), path: "/x" },
      "usage",
      /Read has no argument "path": it takes file_path, offset, limit/,
    ],
    [JSON.parse('{"file_path":"/x","__proto__":1}'), "usage", /no argument "__proto__"/],
  ];
  for (const [args, code, message] of table) {
    await assert.rejects(bench.call("Read", { ...args }), (thrown) => {
      assert.ok(thrown instanceof YoiError, String(thrown));
      assert.equal(thrown.code, code);
      assert.match(thrown.message, message);
      return true;
    });
  }
});

test("Read: a file of exactly the limit is read", async () => {
  const path = bench.put("max.txt", Buffer.alloc(fileBytesMax, `${"x".repeat(1023)}\n`));
  assert.match((await bench.call("Read", { file_path: path, limit: 1 })).summary, /lines 1 to 1 of 16384 /);
});
