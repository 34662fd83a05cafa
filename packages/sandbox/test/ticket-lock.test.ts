/** The lock of the tickets is there before a command begins. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { placeTicketLock } from "../src/ticket-lock.ts";

const rows: readonly {
  readonly what: string;
  readonly plant: (ws: string) => void;
  readonly lock: string | null;
}[] = [
  { what: "no .yoi", plant: () => {}, lock: null },
  { what: "no tickets", plant: (ws) => void mkdirSync(join(ws, ".yoi")), lock: null },
  {
    what: "a fresh clone",
    plant: (ws) => void mkdirSync(join(ws, ".yoi/tickets"), { recursive: true }),
    lock: "",
  },
  {
    what: "a lock that is there, whatever it is",
    plant: (ws) => {
      mkdirSync(join(ws, ".yoi/tickets"), { recursive: true });
      writeFileSync(join(ws, ".yoi/tickets/.lock"), "theirs");
    },
    lock: "theirs",
  },
  {
    what: "tickets that are a link",
    plant: (ws) => {
      mkdirSync(join(ws, ".yoi"));
      mkdirSync(join(ws, "elsewhere"));
      symlinkSync("../elsewhere", join(ws, ".yoi/tickets"));
    },
    lock: null,
  },
  {
    what: "a .yoi that is a link",
    plant: (ws) => {
      mkdirSync(join(ws, "elsewhere/tickets"), { recursive: true });
      symlinkSync("elsewhere", join(ws, ".yoi"));
    },
    lock: null,
  },
];

for (const { what, plant, lock } of rows)
  test(`${what}: ${lock === null ? "nothing is made" : "the lock is there"}`, () => {
    const workspace = mkdtempSync(join(tmpdir(), "yoi-test-ticket-lock-"));
    try {
      plant(workspace);
      // A second command changes nothing.
      for (let n = 0; n < 2; n++) placeTicketLock(workspace);
      const path = join(workspace, ".yoi/tickets/.lock");
      assert.equal(existsSync(path) ? readFileSync(path, "utf8") : null, lock);
    } finally {
      rmSync(workspace, { recursive: true });
    }
  });
