/** Where the text of a ticket comes from: the command line, a file, standard input; and what is refused. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, test } from "node:test";
import { YoiError } from "@yoi/base";
import { bodyBytesMax } from "@yoi/tickets";
import type { StdinKind } from "../../src/environment.ts";
import { type BodySource, readBody, readBodyIfAny } from "../../src/tickets/read-body.ts";

const folder = mkdtempSync(join(tmpdir(), "yoi-test-body-"));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "body.md"), "of a file\n");
writeFileSync(join(folder, "largest.md"), "a".repeat(bodyBytesMax));
writeFileSync(join(folder, "larger.md"), "a".repeat(bodyBytesMax + 1));
writeFileSync(join(folder, "latin1.md"), new Uint8Array([0x4a, 0xfc, 0x72]));
writeFileSync(join(folder, "blank.md"), " \n");
mkdirSync(join(folder, "directory"));

const wanted = { what: "the comment", example: 'as in `comment ID "TEXT"`' };

interface Row {
  readonly text?: string;
  readonly file?: string;
  readonly stdin?: StdinKind;
  readonly piped?: string | Uint8Array;
}

function source({ stdin = "other", piped = "" }: Row): {
  readonly value: BodySource;
  readonly said: string[];
} {
  const said: string[] = [];
  const value: BodySource = {
    stdin,
    workingDirectory: () => folder,
    bytes: Readable.from(piped.length === 0 ? [] : [Buffer.from(piped)]),
    timers: { after: () => () => undefined },
    say: (text) => void said.push(text),
  };
  return { value, said };
}

async function outcome(read: typeof readBody, row: Row): Promise<unknown> {
  try {
    return await read(row.text, row.file === undefined ? {} : { file: row.file }, wanted, source(row).value);
  } catch (error) {
    assert.ok(error instanceof YoiError);
    return [error.code, error.message.replaceAll(folder, "HERE")];
  }
}

const none = [
  "usage",
  'There is no text for the comment: as in `comment ID "TEXT"`, --file FILE, or - for standard input.',
];
const empty = ["usage", 'The text of the comment is empty: as in `comment ID "TEXT"`.'];
const notText = (where: string) => [
  "usage",
  `${where} is not UTF-8 text: convert it first, nothing was written.`,
];
const tooLong = (where: string) => [
  "limit_exceeded",
  `${where} holds more than ${bodyBytesMax} bytes, the most that a text of a ticket may have: put it into a file of the project and name that.`,
];

test("a text that must be there: of the command line, a file or standard input, and never an empty one", async () => {
  const rows: readonly (readonly [Row, unknown])[] = [
    [{ text: "said" }, "said"],
    [{ text: "said", stdin: "pipe", piped: "not read" }, "said"],
    [{ text: "-", piped: "piped" }, "piped"],
    [{ file: "-", piped: "piped" }, "piped"],
    [{ stdin: "pipe", piped: "piped\n" }, "piped\n"],
    [{ stdin: "other", piped: "of a socket" }, "of a socket"],
    [{ text: "-", stdin: "terminal", piped: "typed" }, "typed"],
    [{ file: "body.md" }, "of a file\n"],
    [{ file: join(folder, "body.md") }, "of a file\n"],
    [{ file: "largest.md" }, "a".repeat(bodyBytesMax)],
    [{ stdin: "terminal", piped: "not read" }, none],
    [{ text: " \n" }, empty],
    [{ stdin: "other" }, empty],
    [{ file: "blank.md" }, empty],
    [
      { text: "said", file: "body.md" },
      ["usage", "Both a text and a file are given for the comment: leave one of them out."],
    ],
    [{ file: "nowhere.md" }, ["usage", "HERE/nowhere.md cannot be read (ENOENT): name a file with text."]],
    [{ file: "directory" }, ["usage", "HERE/directory cannot be read (EISDIR): name a file with text."]],
    [{ file: "latin1.md" }, notText("HERE/latin1.md")],
    [{ text: "-", piped: new Uint8Array([0xff]) }, notText("Standard input")],
    [{ file: "larger.md" }, tooLong("HERE/larger.md")],
    [{ file: "/dev/zero" }, tooLong("/dev/zero")],
    [{ text: "-", piped: "a".repeat(bodyBytesMax + 1) }, tooLong("Standard input")],
  ];
  const got = await Promise.all(rows.map(([row]) => outcome(readBody, row)));
  assert.deepEqual(
    rows.map(([row], at) => [row, got[at]]),
    rows,
  );
});

test("a text that need not be there: what is piped is taken, what merely stands open is not read", async () => {
  const rows: readonly (readonly [Row, unknown])[] = [
    [{ stdin: "pipe", piped: "piped" }, "piped"],
    [{ stdin: "pipe" }, ""],
    [{ stdin: "other", piped: "not read" }, ""],
    [{ stdin: "terminal", piped: "not read" }, ""],
    [{ file: "body.md", stdin: "pipe", piped: "not read" }, "of a file\n"],
    [{ file: "blank.md" }, " \n"],
  ];
  const got = await Promise.all(rows.map(([row]) => outcome(readBodyIfAny, row)));
  assert.deepEqual(
    rows.map(([row], at) => [row, got[at]]),
    rows,
  );
});
