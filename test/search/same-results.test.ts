/** Glob and Grep in a place full of oddities: the same whole results with and without the sandbox, as root and as an ordinary user, and these. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { canary } from "./places.ts";
import type { SearchResult } from "./search-worker.ts";

const worker = new URL("search-worker.ts", import.meta.url).pathname;
const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"];
const isRoot = process.getuid?.() === 0;
const boxed = noBubblewrap() === false;

function run(asNobody: boolean): Promise<SearchResult[]> {
  const line = [process.execPath, worker, ...(boxed ? ["boxed"] : []), ...(asNobody ? ["short"] : [])];
  const [file = "", ...args] = asNobody ? ["setpriv", ...nobody, ...line] : line;
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout: 120_000, maxBuffer: 1 << 26, cwd: "/" }, (error, stdout, stderr) => {
      if (error !== null) return reject(new Error(`${error.message}\n${stderr}`));
      resolve(
        stdout
          .trim()
          .split("\n")
          .map((line): SearchResult => JSON.parse(line)),
      );
    });
  });
}

/** A reason why the worker cannot be run as another user, or false. */
function cannotBeNobody(): string | false {
  if (!isRoot) return "this user is an ordinary one";
  try {
    const look = ["-e", "require('fs').accessSync(process.argv[1])", worker];
    execFileSync("setpriv", [...nobody, process.execPath, ...look], { stdio: "ignore", cwd: "/" });
    return false;
  } catch {
    return "uid 65534 cannot read this checkout";
  }
}

const unreadable =
  "[could not be read and was left out: ROOT/ws/no-entry/, ROOT/ws/unreadable.txt, ROOT/ws/unreadable/]";
const large = "[1 file of more than 64 MiB left out: search there with the Bash tool]";

/** Whole results, by what they show. */
const expected: Readonly<Record<string, string>> = {
  'Grep in "sub"': [
    'Grep "needle": 4 matching lines in 4 files',
    "ROOT/ws/sub/by-ignore.txt:1:needle",
    "--",
    "ROOT/ws/sub/only-top.txt:1:needle sub",
    "--",
    "ROOT/ws/sub/secret-kept.txt:1:needle kept",
    "--",
    "ROOT/ws/sub/y.log:1:needle un-ignored",
  ].join("\n"),
  'Grep in "src"': [
    'Grep "needle": 5 matching lines in 4 files',
    "ROOT/ws/src/a-b.ts:1:needle between",
    "--",
    "ROOT/ws/src/a.ts:1:// needle a",
    "ROOT/ws/src/a.ts-2-const x = 1;",
    "--",
    "ROOT/ws/src/a.ts-5-",
    "ROOT/ws/src/a.ts:6:needle again",
    "ROOT/ws/src/a.ts-7-last",
    "--",
    "ROOT/ws/src/a.tsx:1:needle x",
    "--",
    "ROOT/ws/src/a/deep.ts:1:needle below a",
  ].join("\n"),
  'Grep in "x.log"': 'Grep "needle": 1 matching line in 1 file\nROOT/ws/x.log:1:needle log',
  'Grep in "crlf.txt"':
    'Grep "needle": 2 matching lines in 1 file\nROOT/ws/crlf.txt:1:needle\nROOT/ws/crlf.txt:2:needle end',
  'Grep in "utf16.txt"': 'Grep "needle": 1 matching line in 1 file\nROOT/ws/utf16.txt:1:needle in UTF-16',
  'Grep in "latin1.txt"':
    'Grep "needle": 1 matching line in 1 file\nROOT/ws/latin1.txt:1:needle \ufffdt\ufffd',
  'Grep in "binary.bin"': 'Grep "needle": no matching lines\n[1 binary file with a match left out]',
  'Grep in "late.bin"': 'Grep "needle": no matching lines\n[1 binary file with a match left out]',
  'Grep in "no-match.bin"': 'Grep "needle": no matching lines\n',
  'Grep in "huge.bin"': `Grep "needle": no matching lines\n${large}`,
  'Grep in "unreadable.txt"':
    'Grep "needle": no matching lines\n[could not be read and was left out: ROOT/ws/unreadable.txt]',
  'Grep in "fifo-rules"': 'Grep "needle": 1 matching line in 1 file\nROOT/ws/fifo-rules/x.txt:1:needle',
  'Grep in "new\\nline"':
    "Grep \"needle\": 1 matching line in 1 file\n$'ROOT/ws/new\\x0aline/new\\x0aline.txt':1:needle",
  "Grep over lines": [
    'Grep "two.three": 2 matching lines in 1 file',
    "ROOT/ws/plain.txt:2:two",
    "ROOT/ws/plain.txt:3:three needle needle",
    unreadable,
    large,
  ].join("\n"),
  'Grep "("': "usage: The pattern is not a regular expression that ripgrep takes: unclosed group.",
  'Grep "no such text"': `Grep "no such text": no matching lines\n${unreadable}\n${large}`,
  'Glob "src/**"': [
    'Glob "src/**": 5 files',
    ...["a-b.ts", "a.ts", "a.tsx", "a/deep.ts", "x/gen/g.ts"].map((name) => `ROOT/ws/src/${name}`),
  ].join("\n"),
  "Grep lines, by pages": "the same 42 lines",
  "Glob by pages": "the same 56 lines",
};

describe("both ways", { concurrency: 2 }, () => {
  for (const asNobody of [false, true]) {
    test(
      `Glob and Grep find the same with and without the sandbox, as ${asNobody ? "uid 65534" : isRoot ? "root" : "this user"}`,
      { skip: asNobody && cannotBeNobody() },
      async (t) => {
        const results = await run(asNobody);
        t.diagnostic(`${results.length} searches`);
        assert.ok(results.length > (asNobody ? 100 : 200));
        for (const { name, on, off } of results) {
          if (boxed) assert.equal(on, off, name);
          assert.ok(!off.includes(canary), name);
          assert.doesNotMatch(off, /^io_failed: (?!"ROOT\/|The path "ROOT)/, name);
          if (/by pages$/.test(name)) assert.match(off, /^the same [0-9]+ lines$/, name);
        }
        const found = new Map(results.map(({ name, off }) => [name, off]));
        assert.deepEqual(
          Object.fromEntries(
            Object.keys(expected)
              .filter((name) => !asNobody || found.has(name))
              .map((name) => [name, found.get(name)]),
          ),
          Object.fromEntries(Object.entries(expected).filter(([name]) => !asNobody || found.has(name))),
        );
      },
    );
  }
});
