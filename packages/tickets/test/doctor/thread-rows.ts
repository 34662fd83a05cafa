/** Defects of single events. */
import { b, comesTo, created, type Row, steps, thinks } from "./sound.ts";
import { event, item } from "./tree.ts";

const { queued } = steps;
const comment = event(2, { kind: "comment", body: "One.\nMore of it." });
/** As a merge of lines may leave two comments: one whole, between the lines of the other. */
const woven = comment.replace("One.\n", `One.\n${event(3, { kind: "comment", body: "Two." })}`);
const unsealed =
  "<!-- event: state_changed author: hare role: user at: 2026-06-03T12:23:17Z from: ready to: queued -->\n";

export const threadRows: readonly Row[] = [
  {
    name: "an unfinished merge of threads",
    change: { [`${b}/thread.md`]: `${created}\n<<<<<<< HEAD\n=======\n>>>>>>> other\n` },
    found: [`error conflict_markers ${b}/thread.md:5`],
  },
  {
    name: "a header that cannot be read",
    change: { [`${b}/thread.md`]: `${created}\n<!-- event comment author: hare -->\n` },
    found: [`error event_malformed ${b}/thread.md:5`],
  },
  {
    name: "text before the first event",
    change: { [`${b}/thread.md`]: `Notes.\n\n${created}` },
    found: [`warning text_outside_event ${b}/thread.md:1`],
  },
  {
    name: "text between events",
    change: { [`${b}/thread.md`]: `${created}\nNotes.\n` },
    found: [`error text_outside_event ${b}/thread.md:5`],
  },
  {
    name: "a body that was edited",
    change: thinks(event(2, { kind: "comment", body: "I agree." }).replace("I agree.", "I do not agree.")),
    found: [`error event_changed ${b}/thread.md:5`],
  },
  {
    name: "a header that was edited",
    change: thinks(event(2, { kind: "comment", body: "I agree." }).replace("author: hare", "author: fox")),
    found: [`error event_changed ${b}/thread.md:5`],
  },
  {
    name: "an event with an id and without a sum",
    change: thinks(event(2, { kind: "comment", body: "I agree." }).replace(/ sum: \w+/, "")),
    found: [`error event_changed ${b}/thread.md:5`],
  },
  {
    name: "an id of a time to come",
    change: thinks(event(2, { kind: "comment", id: "00001KZZZZZZZ", body: "I agree." })),
    found: [`warning date_future ${b}/thread.md:5`],
  },
  {
    name: "an id of an event twice",
    change: thinks(event(2, { kind: "comment", body: "One." }), event(2, { kind: "comment", body: "Two." })),
    found: [`error event_duplicate ${b}/thread.md:12`],
  },
  {
    name: "an event twice, word for word",
    change: thinks(comment, comment),
    found: [`warning event_repeated ${b}/thread.md:13`],
  },
  {
    name: "an event without its end",
    change: thinks(comment.replace(/<!-- end.*\n/, "")),
    found: [`error event_unended ${b}/thread.md:5`],
  },
  {
    name: "an event between the lines of another",
    change: thinks(woven),
    found: [`warning event_woven ${b}/thread.md:5`],
  },
  {
    name: "an id of an event that is none",
    change: thinks(event(2, { kind: "comment", id: "2", body: "One." })),
    found: [`error event_id ${b}/thread.md:5`],
  },
  {
    name: "an id of an event that is later than any time",
    change: thinks(
      "<!-- event: comment id: 0ZZZZZZZZZZZZ author: hare at: 2026-06-03T12:23:18Z -->\n\nOne.\n",
    ),
    found: [`error event_id ${b}/thread.md:5`, `warning event_incomplete ${b}/thread.md:5`],
  },
  {
    name: "comments of two branches, merged",
    change: thinks(event(3, { kind: "comment", body: "One." }), event(2, { kind: "comment", body: "Two." })),
    found: [],
  },
  {
    name: "a change of state behind a later one",
    change: comesTo("queued", event(13, { kind: "state_changed", from: "planning", to: "ready" }), queued),
    found: [`warning event_order ${b}/thread.md:9`],
  },
  {
    name: "nobody's event",
    change: thinks(event(2, { kind: "comment", author: "", body: "x" })),
    found: [`error event_incomplete ${b}/thread.md:5`],
  },
  {
    name: "an event of no time",
    change: thinks(event(2, { kind: "comment", at: "", body: "x" })),
    found: [`error event_incomplete ${b}/thread.md:5`],
  },
  {
    name: "a comment in no role",
    change: thinks(event(2, { kind: "comment", role: null, body: "x" })),
    found: [`warning event_incomplete ${b}/thread.md:5`],
  },
  {
    name: "a change of state in no role",
    change: comesTo("ready", event(2, { kind: "state_changed", role: null, from: "planning", to: "ready" })),
    found: [`error event_incomplete ${b}/thread.md:5`],
  },
  {
    name: "a change of state and a review behind what was written here, with neither role nor id: a gate may be passed so",
    change: comesTo(
      "ready",
      "<!-- event: state_changed author: panel at: 2026-06-03T12:23:18Z from: planning to: ready reason: all said field: state -->\n\n## State changed\n\nx\n\n---\n",
      "<!-- event: review author: hare at: 2026-06-03T12:23:18Z status: later -->\n\n## Review\n\nx\n\n---\n",
      "<!-- event: state_changed author: panel at: 2026-06-03T12:23:18Z from: no to: yes field: readiness -->\n\nx\n",
    ),
    found: [
      `error event_id ${b}/thread.md:5`,
      `warning event_incomplete ${b}/thread.md:5`,
      `warning event_incomplete ${b}/thread.md:13`,
      `warning review_status ${b}/thread.md:13`,
      `warning event_incomplete ${b}/thread.md:21`,
    ],
  },
  {
    name: "a person's change of state with no id, where nothing came in from elsewhere",
    change: { [`${b}/item.md`]: item({ state: "queued" }), [`${b}/thread.md`]: unsealed },
    found: [`error event_id ${b}/thread.md:1`],
  },
  {
    name: "the same of a ticket that came in from elsewhere, before anything was written here",
    change: {
      [`${b}/item.md`]: item({ state: "queued", legacy: "{ id: one }" }),
      [`${b}/thread.md`]: unsealed,
    },
    found: [],
  },
  {
    name: "a change of state to nowhere",
    change: thinks(event(2, { kind: "state_changed", from: "planning" })),
    found: [`error event_incomplete ${b}/thread.md:5`],
  },
  {
    name: "a change to a state that is none",
    change: thinks(event(2, { kind: "state_changed", from: "planning", to: "finished" })),
    found: [`error state_invalid ${b}/thread.md:5`],
  },
  {
    name: "a change from a state that is none",
    change: comesTo("ready", event(2, { kind: "state_changed", from: "draft", to: "ready" })),
    found: [`error state_invalid ${b}/thread.md:5`],
  },
  {
    name: "an event of a time that is none",
    change: thinks(event(2, { kind: "comment", at: "2026-06-03 12:23", body: "x" })),
    found: [`error date_invalid ${b}/thread.md:5`],
  },
  {
    name: "an event still to come",
    change: thinks(event(2, { kind: "comment", at: "2027-06-03T12:23:17.000Z", body: "x" })),
    found: [`warning date_future ${b}/thread.md:5`],
  },
  {
    name: "an event before its ticket",
    change: thinks(event(2, { kind: "comment", at: "2026-06-03T12:18:16.999Z", body: "x" })),
    found: [`warning date_order ${b}/thread.md:5`],
  },
  {
    name: "an event that says nothing",
    change: thinks(event(2, { kind: "plan" })),
    found: [`warning event_empty ${b}/thread.md:5`],
  },
  {
    name: "a summary of an older tool that says nothing, by nobody",
    change: thinks("<!-- event: intake_summary at: 2026-06-03T12:23:18Z -->\n\n## Intake summary\n\n---\n"),
    found: [
      `error event_incomplete ${b}/thread.md:5`,
      `warning event_incomplete ${b}/thread.md:5`,
      `warning event_empty ${b}/thread.md:5`,
    ],
  },
  {
    name: "a review that asks for changes and does not say for which",
    change: thinks(event(2, { kind: "review", status: "request_changes" })),
    found: [`warning event_empty ${b}/thread.md:5`],
  },
];
