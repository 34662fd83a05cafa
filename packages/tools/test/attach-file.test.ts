/** Attaching: the exact text that the model sees of each thing that an input can name, and what is said about the rest. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync } from "node:fs";
import { after, before, test } from "node:test";
import type { SystemItem } from "@yoi/base";
import { attachedBytesMax, attachedEntriesMax, attachFiles, attachmentsMax } from "../src/attach-file.ts";
import { fileBytesMax } from "../src/index.ts";
import { digestOf } from "../src/seen.ts";
import { imageBytesMax } from "../src/image-file.ts";
import { pngOf } from "./pictures.ts";
import { type Bench, createBench } from "./support.ts";

const textBytesMax = 1024;

let bench: Bench;
before(() => {
  bench = createBench();
});
after(() => bench.close());

function attached(paths: readonly string[], options: { seesImages?: boolean; textBytesMax?: number } = {}) {
  return attachFiles(
    paths.map((path) => ({ type: "file_ref", path })),
    {
      files: bench.files,
      workspace: bench.workspace,
      textBytesMax: options.textBytesMax ?? textBytesMax,
      seesImages: () => options.seesImages ?? true,
    },
  );
}

function item(body: string, more: Partial<SystemItem> = {}): SystemItem {
  return { type: "system_item", kind: "file_attachment", source: "host", body, ...more };
}

function recordOf(name: string, content: string, shown = content.length) {
  return {
    path: bench.path(name),
    sha256: digestOf(Buffer.from(content)),
    ranges: [[0, shown]],
    length: content.length,
  };
}

test("a text file: its whole text behind the path as typed, however it is typed, and once", async () => {
  bench.put("src/a.ts", "one\ntwo");
  bench.put("a b.txt", "x\n");
  const record = recordOf("src/a.ts", "one\ntwo");
  assert.deepEqual(await attached(["src/a.ts"]), {
    items: [item("[File: src/a.ts]\none\ntwo", { record })],
    warnings: [],
  });
  const absolute = bench.path("src/a.ts");
  assert.deepEqual(await attached([absolute, "./src/../src/a.ts", "a b.txt", "src/a.ts"]), {
    items: [
      item(`[File: ${absolute}]\none\ntwo`, { record }),
      item("[File: a b.txt]\nx\n", { record: recordOf("a b.txt", "x\n") }),
    ],
    warnings: [],
  });
});

test("an empty file says so", async () => {
  bench.put("empty.txt", "");
  const { items } = await attached(["empty.txt"]);
  assert.deepEqual(items, [
    item("[File: empty.txt]\n(the file is empty)", {
      record: { ...recordOf("empty.txt", ""), ranges: [[0, 0]] },
    }),
  ]);
});

test("a text of the limit is whole; one byte more is cut at a character, and says how to go on", async () => {
  const fits = `${"é".repeat(textBytesMax / 2)}`;
  bench.put("fits.txt", fits);
  assert.deepEqual((await attached(["fits.txt"])).items, [
    item(`[File: fits.txt]\n${fits}`, { record: recordOf("fits.txt", fits) }),
  ]);
  const over = `1\n2\n${"é".repeat(textBytesMax / 2 - 3)}x😀`;
  assert.equal(Buffer.byteLength(over), textBytesMax + 3);
  bench.put("over.txt", over);
  const kept = over.slice(0, -2);
  assert.deepEqual((await attached(["over.txt"])).items, [
    item(
      `[File: over.txt]\n${kept}\n[cut: ${textBytesMax - 1} of ${textBytesMax + 3} bytes are shown; go on with Read, file_path "${bench.path("over.txt")}", offset 3]`,
      { record: recordOf("over.txt", over, kept.length) },
    ),
  ]);
});

test("a directory: directories, links, files, by name; none of it is followed", async () => {
  for (const name of ["dir/z/x.txt", "dir/b/x.txt", "dir/.hidden", "dir/a.txt"]) bench.put(name, "x");
  symlinkSync("a.txt", bench.path("dir/y-link"));
  mkdirSync(bench.path("none"));
  execFileSync("mkfifo", [bench.path("dir/pipe")]);
  const body = "[Dir: dir/]\nb/\nz/\ny-link@\n.hidden\na.txt\npipe (not a regular file)";
  assert.deepEqual((await attached(["dir/", "dir"])).items, [item(body)]);
  assert.deepEqual((await attached(["none"])).items, [item("[Dir: none]\n(the directory is empty)")]);
});

test("a name with a line feed is one line of a listing", async () => {
  bench.put("odd/a\n[File: x]", "");
  assert.deepEqual((await attached(["odd"])).items, [item("[Dir: odd]\na\\u000a[File: x]")]);
});

test("a directory of the most entries is whole; one more is counted and left out; so is what is over the bytes", async () => {
  const name = (index: number) => `f${String(index).padStart(3, "0")}`;
  const names = Array.from({ length: attachedEntriesMax }, (_, index) => name(index));
  for (const one of names) bench.put(`many/${one}`, "");
  const listed = `[Dir: many]\n${names.join("\n")}`;
  assert.deepEqual((await attached(["many"])).items, [item(listed)]);
  bench.put(`many/${name(attachedEntriesMax)}`, "");
  assert.deepEqual((await attached(["many"])).items, [
    item(`${listed}\n[cut: 100 of 101 entries are shown; go on with Glob]`),
  ]);
  assert.deepEqual((await attached(["many"], { textBytesMax: 15 })).items, [
    item("[Dir: many]\nf000\nf001\nf002\n[cut: 3 of 101 entries are shown; go on with Glob]"),
  ]);
});

test("an image is attached for a model that sees it; for another it is said what it is", async () => {
  const bytes = pngOf(3, 4);
  bench.put("a.png", bytes);
  const said = `[File: a.png]\n(an image: PNG, ${bytes.length} bytes, 3 x 4 pixels`;
  const images = [{ type: "image", media_type: "image/png", data: bytes.toString("base64") }] as const;
  assert.deepEqual((await attached(["a.png"])).items, [item(`${said})`, { images })]);
  assert.deepEqual((await attached(["a.png"], { seesImages: false })).items, [
    item(`${said}; it is not shown, because the model does not see images)`),
  ]);
});

test("what cannot be attached is one warning that names it and says why, and the others are attached", async () => {
  bench.put("good.txt", "good");
  bench.put("latin.txt", Buffer.from([0x63, 0xe9, 0x0a]));
  bench.put("a.pdf", "%PDF-1.4");
  bench.put("broken.png", pngOf(3, 4).subarray(0, 40));
  truncateSync(bench.put("huge.txt", ""), fileBytesMax + 1);
  bench.put("target/x.txt", "x");
  bench.put("../outside.txt", "secret");
  symlinkSync("target", bench.path("to-dir"));
  symlinkSync("../../outside.txt", bench.path("target/out"));
  symlinkSync("nowhere", bench.path("dangling"));
  execFileSync("mkfifo", [bench.path("fifo")]);
  const table: readonly (readonly [string, RegExp])[] = [
    ["missing.txt", /^@missing\.txt was not attached: ".*\/ws\/missing\.txt" does not exist\.$/],
    ["no such/x", /^@"no such\/x" was not attached: .* does not exist\.$/],
    ["latin.txt", /is not UTF-8 text\.$/],
    ["a.pdf", /is a PDF document of 8 bytes, neither text nor an image that can be shown\.$/],
    ["broken.png", /is a PNG image that is damaged or cut off\.$/],
    ["huge.txt", /has 16777217 bytes/],
    ["to-dir", /leads through a link to the directory ".*\/ws\/target": name that one\.$/],
    ["to-dir/x.txt/y", /not a directory/],
    ["target/out", /is outside this Pod's scope/],
    ["dangling", /does not exist/],
    ["fifo", /is a FIFO/],
    ["../outside.txt", /is outside this Pod's scope/],
    ["/dev/null", /is outside this Pod's scope/],
    ["/root/.ssh/id_ed25519", /is outside this Pod's scope/],
    ["a\0b", /contains a NUL character/],
    [`${"x".repeat(300)}`, /has a name longer than 255 bytes/],
  ];
  for (const [path, message] of table) {
    const { items, warnings } = await attached([path, "good.txt"]);
    assert.deepEqual(
      items.map(({ body }) => body),
      ["[File: good.txt]\ngood"],
    );
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", message);
    assert.ok((warnings[0] ?? "").length < 1000);
  }
});

test("a file through a link inside the scope is attached under the path as typed, and known by the real one", async () => {
  bench.put("real/a.txt", "text");
  symlinkSync("real", bench.path("linked"));
  assert.deepEqual((await attached(["linked/a.txt"])).items, [
    item("[File: linked/a.txt]\ntext", { record: recordOf("real/a.txt", "text") }),
  ]);
});

test("an input attaches so many files, and is told of more", async () => {
  const paths = Array.from({ length: attachmentsMax + 2 }, (_, index) => `n${index}.txt`);
  for (const path of paths) bench.put(path, "x");
  const enough = await attached(paths.slice(0, attachmentsMax));
  assert.deepEqual([enough.items.length, enough.warnings], [attachmentsMax, []]);
  const more = await attached(paths);
  assert.deepEqual(
    [more.items.length, more.warnings],
    [attachmentsMax, ["2 more references were not attached: one input attaches 32."]],
  );
});

test("the bytes of all attachments together are bounded, and what still fits behind one that does not is attached", async () => {
  const around = pngOf(1, 1, 1).length - 1;
  const names = ["p1.png", "p2.png", "p3.png"];
  for (const name of names) bench.put(name, pngOf(1, 1, imageBytesMax - around));
  bench.put("small.txt", "x");
  const { items, warnings } = await attached([...names, "small.txt"]);
  assert.deepEqual(
    items.map(({ body }) => body.split("\n")[0]),
    ["[File: p1.png]", "[File: p2.png]", "[File: small.txt]"],
  );
  assert.deepEqual(warnings, [
    `@p3.png was not attached: The files of one input are more than ${attachedBytesMax} bytes.`,
  ]);
});
