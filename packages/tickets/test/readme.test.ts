/** The README: what it shows of a ticket's files is a ticket, as the store would have written it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createTicketStore } from "../src/index.ts";
import { parseItem } from "../src/item.ts";
import { renderEvent } from "../src/render-event.ts";
import { parseThread } from "../src/thread.ts";
import { gitFiles, plant } from "./doctor/tree.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** The blocks of files that it shows, in their order. */
const [item = "", thread = ""] = [...readme.matchAll(/^```text\n([^]*?)^```$/gm)].map(([, text]) => text);

test("the example is a ticket in which doctor finds nothing", async () => {
  assert.deepEqual(parseItem(item).fields, { labels: ["pod", "store"] });
  const { events, problems, preamble } = parseThread(thread);
  assert.deepEqual([problems, preamble, events.map(({ sum }) => sum)], [[], "", ["good", "good"]]);
  assert.equal(events.map(({ event }) => renderEvent(event)).join("\n"), thread);
  const id = events[0]?.event.id ?? "";
  const { desk } = await plant({ ...gitFiles, [`${id}/item.md`]: item, [`${id}/thread.md`]: thread });
  assert.deepEqual((await createTicketStore(desk).doctor({ fix: false })).problems, []);
});
