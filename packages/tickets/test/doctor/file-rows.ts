/** Defects of item.md and of resolution.md. */
import { a, b, comesTo, type Row, thinks } from "./sound.ts";
import { event, item } from "./tree.ts";

const shownMerge = "Keep one:\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\nof both.";

export const fileRows: readonly Row[] = [
  {
    name: "no front matter",
    change: { [`${b}/item.md`]: "# A ticket\n" },
    found: [`error front_matter ${b}/item.md:1`],
  },
  {
    name: "front matter that is no YAML",
    change: { [`${b}/item.md`]: item({ labels: "[one, two" }) },
    found: [`error front_matter ${b}/item.md:7`],
  },
  ...["title", "state", "created_at", "updated_at"].map((key) => ({
    name: `no ${key}`,
    change: { [`${b}/item.md`]: item({ [key]: null }) },
    found: [`error field_missing ${b}/item.md`],
  })),
  {
    name: "a state that is none",
    change: { [`${b}/item.md`]: item({ state: "intake" }) },
    found: [`error front_matter_field ${b}/item.md:3`],
  },
  ...["id", "slug", "status", "workflow_state", "action_required", "attention_required", "legacy_ticket"].map(
    (key) => ({
      name: `the old field ${key}`,
      change: { [`${b}/item.md`]: item({ [key]: "x" }) },
      found: [`warning field_obsolete ${b}/item.md`],
    }),
  ),
  {
    name: "a time that is none",
    change: { [`${b}/item.md`]: item({ created_at: "yesterday" }) },
    found: [`error date_invalid ${b}/item.md`],
  },
  {
    name: "a day that there is not",
    change: { [`${b}/item.md`]: item({ updated_at: "2026-13-03T12:23:17Z" }) },
    found: [`error date_invalid ${b}/item.md`],
  },
  {
    name: "a time that is still to come",
    change: { [`${b}/item.md`]: item({ updated_at: "2026-06-10T00:05:00.001Z" }) },
    found: [`warning date_future ${b}/item.md`],
  },
  {
    name: "a time that the clocks of two machines allow",
    change: { [`${b}/item.md`]: item({ updated_at: "2026-06-10T00:05:00.000Z" }) },
    found: [],
  },
  {
    name: "changed before it was created",
    change: { [`${b}/item.md`]: item({ updated_at: "2026-06-03T12:23:16.999Z" }) },
    found: [`error date_order ${b}/item.md`],
  },
  ...["2026-02-30T12:23:17Z", "2026-06-31T12:23:17Z", "2025-02-29T12:23:17Z", "2026-06-03T24:00:00Z"].map(
    (time) => ({
      name: `a time that Date would take for another: ${time}`,
      change: { [`${b}/item.md`]: item({ updated_at: time }) },
      found: [`error date_invalid ${b}/item.md`],
    }),
  ),
  {
    name: "the 29th of February of a leap year",
    change: {
      [`${b}/item.md`]: item({
        created_at: "2024-02-29T23:59:59.999Z",
        updated_at: "2024-02-29T23:59:59.999Z",
      }),
    },
    found: [],
  },
  {
    name: "an unfinished merge of front matter",
    change: { [`${b}/item.md`]: item({ title: "A\n<<<<<<< HEAD\nx: one\n=======\nx: two\n>>>>>>> other" }) },
    found: [`error conflict_markers ${b}/item.md:3`],
  },
  {
    name: "an unfinished merge from the front matter into the text",
    change: {
      [`${b}/item.md`]: item({}).replace(
        "---\n\nWhat",
        "<<<<<<< HEAD\n---\n\none\n=======\nx: y\n---\n>>>>>>> other\nWhat",
      ),
    },
    found: [`error conflict_markers ${b}/item.md:6`],
  },
  {
    name: "what looks like an unfinished merge in the text",
    change: { [`${b}/item.md`]: item({}, "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other") },
    found: [`warning conflict_markers ${b}/item.md:8`],
  },
  ...["```", "~~~~"].map((fence) => ({
    name: `the same between fences of ${fence}`,
    change: {
      [`${b}/item.md`]: item({}, `${fence}text\n<<<<<<< HEAD\none\n=======\n>>>>>>> other\n${fence}`),
    },
    found: [],
  })),
  {
    name: "the same behind fences",
    change: { [`${b}/item.md`]: item({}, "```\n~~~\n```\n<<<<<<< HEAD\none\n=======\n>>>>>>> other") },
    found: [`warning conflict_markers ${b}/item.md:11`],
  },
  {
    name: "front matter that cannot be read before a text that shows a merge",
    change: {
      [`${b}/item.md`]: item({ labels: "[one" }, "```\n<<<<<<< HEAD\n=======\n>>>>>>> other\n```"),
    },
    found: [`error front_matter ${b}/item.md:7`],
  },
  {
    name: "closed with a text that shows a merge",
    change: {
      ...comesTo("closed", event(2, { kind: "close", from: "planning", to: "closed", body: shownMerge })),
      [`${b}/resolution.md`]: `${shownMerge}\n`,
    },
    found: [],
  },
  {
    name: "closed, its resolution in the thread alone",
    change: { [`${a}/resolution.md`]: null },
    found: [`warning resolution_missing ${a}/resolution.md fixable`],
    left: [],
  },
  {
    name: "closed without any",
    change: { ...comesTo("closed", event(2, { kind: "close", from: "planning", to: "closed" })) },
    found: [`warning resolution_missing ${b}/resolution.md`],
  },
  {
    name: "another resolution than the thread's",
    change: { [`${a}/resolution.md`]: "It does not work.\n" },
    found: [`warning resolution_differs ${a}/resolution.md`],
  },
  {
    name: "an unfinished merge of resolutions",
    change: { [`${a}/resolution.md`]: "<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other\n" },
    found: [`error conflict_markers ${a}/resolution.md:1`],
  },
  {
    name: "open with a resolution that nobody gave",
    change: { [`${b}/resolution.md`]: "It works.\n" },
    found: [`warning resolution_unexpected ${b}/resolution.md`],
  },
  {
    name: "opened again, with the resolution of before",
    change: {
      ...thinks(
        event(2, { kind: "close", from: "planning", to: "closed", body: "It works." }),
        event(3, { kind: "reopen", from: "closed", to: "planning", reason: "It does not." }),
      ),
      [`${b}/resolution.md`]: "It works.\r\n",
    },
    found: [`warning resolution_unexpected ${b}/resolution.md fixable`],
    left: [],
  },
];
