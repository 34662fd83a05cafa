/** Defects of the root and of the folders in it. */
import { a, b, created, type Row } from "./sound.ts";
import { item, root } from "./tree.ts";

export const rootRows: readonly Row[] = [
  { name: "nothing wrong", change: {}, found: [] },
  {
    name: "ends of lines of another system",
    change: {
      [`${b}/item.md`]: item().replaceAll("\n", "\r\n"),
      [`${b}/thread.md`]: created.replaceAll("\n", "\r\n"),
    },
    found: [],
  },
  { name: "a folder that is no id", change: { "notes/x.md": "x" }, found: ["error folder_name notes"] },
  {
    name: "an id in lower case",
    change: { "00001kt6q0aaa/item.md": item() },
    found: ["error folder_name 00001kt6q0aaa"],
  },
  {
    name: "an id twice, on systems that tell no case apart",
    change: { [`${a.toLowerCase()}/item.md`]: item() },
    found: [`error duplicate_id ${a.toLowerCase()}`],
  },
  { name: "a stray file", change: { "notes.md": "x" }, found: ["warning unknown_file notes.md"] },
  {
    name: "a lock of another tool",
    change: { ".ticket-backend.lock": "" },
    found: ["warning other_lock .ticket-backend.lock"],
  },
  {
    name: "no settings for git",
    change: { ".gitattributes": null, ".gitignore": null },
    found: ["warning git_settings .gitattributes fixable", "warning git_settings .gitignore fixable"],
    left: [],
  },
  {
    name: "settings for git that lack a line",
    change: { ".gitignore": "# ours\n/.lock" },
    found: ["warning git_settings .gitignore fixable"],
    left: [],
  },
  {
    name: "a temporary in the root",
    change: { "..gitignore.0a1b-2c.tmp": "x" },
    found: ["warning leftover_temporary ..gitignore.0a1b-2c.tmp fixable"],
    left: [],
  },
  {
    name: "a link in the root",
    change: { elsewhere: "" },
    odd: { elsewhere: "link" },
    found: ["error link elsewhere"],
  },
  {
    name: "a pipe in the root",
    change: { pipe: "" },
    odd: { pipe: "other" },
    found: ["error special_file pipe"],
  },
  { name: "a root that is a link", change: {}, odd: { [root]: "link" }, found: ["error link ."] },
  { name: "a parent that is a link", change: {}, odd: { "/w/.yoi": "link" }, found: ["error link ."] },
  { name: "a root that is no folder", change: {}, odd: { [root]: "other" }, found: ["error special_file ."] },
  {
    name: "the old layout beside it",
    change: { "../../work-items/open/20260605-004807-task/item.md": "x" },
    found: ["warning old_layout ../../work-items"],
  },
  {
    name: "the old layout within it",
    change: { "closed/20260605-004807-task/item.md": "x" },
    found: ["warning old_layout ."],
  },
  {
    name: "single files that were tickets",
    change: { "../../tickets/one.md": "x", "../../TODO.md": "see tickets/one.md" },
    found: ["warning old_layout ../../TODO.md", "warning old_layout ../../tickets/one.md"],
  },
  {
    name: "a list that names no tickets",
    change: { "../../TODO.md": "tickets are in .yoi/tickets" },
    found: [],
  },
  {
    name: "an unknown file",
    change: { [`${b}/notes.md`]: "x" },
    found: [`warning unknown_file ${b}/notes.md`],
  },
  {
    name: "an unknown folder",
    change: { [`${b}/notes/x.md`]: "x" },
    found: [`warning unknown_file ${b}/notes`],
  },
  {
    name: "a temporary of a killed writer",
    change: { [`${b}/.thread.md.0a1b-2c.tmp`]: "half" },
    found: [`warning leftover_temporary ${b}/.thread.md.0a1b-2c.tmp fixable`],
    left: [],
  },
  {
    name: "a file of a person's that ends as a temporary does",
    change: { [`${b}/.draft.2.tmp`]: "mine", ".draft.2.tmp": "mine" },
    found: ["warning unknown_file .draft.2.tmp", `warning unknown_file ${b}/.draft.2.tmp`],
  },
  {
    name: "a linked item",
    change: {},
    odd: { [`${b}/item.md`]: "link" },
    found: [`error link ${b}/item.md`],
  },
  {
    name: "a linked thread",
    change: {},
    odd: { [`${b}/thread.md`]: "link" },
    found: [`error link ${b}/thread.md`],
  },
  {
    name: "a linked artifact",
    change: {},
    odd: { [`${a}/artifacts/deep/review.md`]: "link" },
    found: [`error link ${a}/artifacts/deep/review.md`],
  },
  {
    name: "a special file for an artifact",
    change: {},
    odd: { [`${a}/artifacts/deep/review.md`]: "other" },
    found: [`error special_file ${a}/artifacts/deep/review.md`],
  },
  {
    name: "relations of another tool, which cannot be read either",
    change: { [`${b}/artifacts/relations.json`]: '{"version":1,"relations":[ BROKEN' },
    found: [`warning foreign_record ${b}/artifacts/relations.json`],
  },
  {
    name: "a plan of another tool",
    change: { [`${b}/artifacts/orchestration-plan.jsonl`]: "{}\n" },
    found: [`warning foreign_record ${b}/artifacts/orchestration-plan.jsonl`],
  },
  {
    name: "artifacts that only sound like those",
    change: { [`${b}/artifacts/deep/relations.json`]: "{}", [`${b}/artifacts/relations.json/x`]: "x" },
    found: [],
  },
  {
    name: "artifacts that are a file",
    change: { [`${b}/artifacts`]: "x" },
    found: [`error special_file ${b}/artifacts`],
  },
  {
    name: "a name that leaves the folder on another system",
    change: { [`${a}/artifacts/..\\..\\x`]: "x" },
    found: [`error name_unsafe ${a}/artifacts/..\\..\\x`],
  },
  {
    name: "a name that is more than it shows",
    change: { [`${a}/artifacts/\u202egnp.exe`]: "x" },
    found: [`error name_unsafe ${a}/artifacts/\u202egnp.exe`],
  },
  {
    name: "what a killed create left",
    change: { "00001KT6QZZZZ/thread.md": created },
    found: ["warning create_unfinished 00001KT6QZZZZ fixable"],
    left: [],
  },
  {
    name: "an empty folder",
    change: { "00001KT6QZZZZ/": "" },
    found: ["warning create_unfinished 00001KT6QZZZZ fixable"],
    left: [],
  },
  {
    name: "a ticket without item",
    change: { [`${b}/item.md`]: null },
    found: [`error item_missing ${b}/item.md`],
  },
  {
    name: "artifacts without a ticket",
    change: { "00001KT6QZZZZ/artifacts/x": "x" },
    found: ["error item_missing 00001KT6QZZZZ/item.md", "error thread_missing 00001KT6QZZZZ/thread.md"],
  },
  {
    name: "a ticket without thread",
    change: { [`${b}/thread.md`]: null },
    found: [`error thread_missing ${b}/thread.md`],
  },
  {
    name: "an item that is no text",
    change: { [`${b}/item.md`]: Uint8Array.of(0xff, 0xfe) },
    found: [`error no_text ${b}/item.md`],
  },
  {
    name: "a thread with a NUL",
    change: { [`${b}/thread.md`]: `${created}\0` },
    found: [`error no_text ${b}/thread.md`],
  },
  {
    name: "an item that is a folder",
    change: { [`${b}/item.md`]: null, [`${b}/item.md/x`]: "x" },
    found: [`error special_file ${b}/item.md`],
  },
];
