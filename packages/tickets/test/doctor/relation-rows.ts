/** Defects that show where tickets are seen together. */
import { a, b, created, type Row, thinks } from "./sound.ts";
import { event, item, thread } from "./tree.ts";

export const relationRows: readonly Row[] = [
  {
    name: "a relation that is none",
    change: thinks(event(2, { kind: "link", relation: "depends_on", target: a })),
    found: [`error relation_invalid ${b}/thread.md:5`],
  },
  {
    name: "a relation to what is no id",
    change: thinks(event(2, { kind: "link", relation: "blocks", target: "../x" })),
    found: [`error relation_invalid ${b}/thread.md:5`],
  },
  {
    name: "a relation to itself",
    change: thinks(event(2, { kind: "link", relation: "blocks", target: b })),
    found: [`error relation_self ${b}/thread.md:5`],
  },
  {
    name: "a relation to what is gone",
    change: thinks(event(2, { kind: "link", relation: "blocks", target: "00001KT6QZZZZ" })),
    found: [`error relation_dangling ${b}/thread.md`],
  },
  {
    name: "a relation twice",
    change: thinks(
      event(2, { kind: "link", relation: "follows", target: a }),
      event(3, { kind: "link", relation: "follows", target: a }),
    ),
    found: [`warning relation_duplicate ${b}/thread.md:9`],
  },
  {
    name: "a relation taken back that did not stand",
    change: thinks(event(2, { kind: "unlink", relation: "follows", target: a })),
    found: [`warning relation_duplicate ${b}/thread.md:5`],
  },
  {
    name: "tickets that wait for each other, over two kinds of relations",
    change: {
      ...thinks(event(2, { kind: "link", relation: "blocks", target: "00001KT6QZZZZ" })),
      "00001KT6QZZZZ/item.md": item(),
      "00001KT6QZZZZ/thread.md": thread(created, event(2, { kind: "link", relation: "part_of", target: b })),
    },
    found: [`error relation_cycle ${b}/thread.md`],
  },
  {
    name: "an open part of what is closed",
    change: thinks(event(2, { kind: "link", relation: "part_of", target: a })),
    found: [`warning part_open ${b}/thread.md`],
  },
  {
    name: "an import that was not finished",
    change: {
      [`${b}/item.md`]: `---\ntitle: x\nstate: ready\ncreated_at: 2026-06-03T12:23:17Z\nupdated_at: 2026-06-03T12:23:17Z\nlegacy:\n  id: old\n---\n`,
      [`${b}/thread.md`]: null,
    },
    found: [`error thread_missing ${b}/thread.md`],
  },
  {
    name: "one old ticket that came in twice",
    change: Object.fromEntries(
      [b, "00001KT6QZZZZ"].flatMap((id) => [
        [
          `${id}/item.md`,
          `---\ntitle: x\nstate: ready\ncreated_at: 2026-06-03T12:23:17Z\nupdated_at: 2026-06-03T12:23:17Z\nlegacy:\n  id: old\n---\n`,
        ],
        [`${id}/thread.md`, event(3, { kind: "migration", to: "ready" })],
      ]),
    ),
    found: ["error duplicate_id 00001KT6QZZZZ/item.md"],
  },
];
