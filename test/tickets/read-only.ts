/** A process for which tickets are read-only: it tries every verb, and says what came of each. */
import { YoiError } from "@yoi/base";
import type { Actor } from "@yoi/tickets";
import { realStore } from "./place.ts";

const [, , workspace = "", id = ""] = process.argv;
const actor: Actor = { author: "hare", role: "user" };
const store = realStore(workspace);
const verbs: Readonly<Record<string, () => Promise<unknown>>> = {
  list: () => store.list(),
  show: () => store.show(id),
  news: () => store.news({ known: {}, sinceMs: null }, { all: true, max: 1 }),
  doctor: () => store.doctor({ fix: false }),
  create: () => store.create({ title: "No", body: "" }, actor),
  add: () => store.add(id, { kind: "comment", body: "No." }, actor),
  transition: () => store.transition(id, { to: "ready" }, actor),
  close: () => store.close(id, "No.", actor),
};
const said: Record<string, string> = {};
for (const [name, run] of Object.entries(verbs)) {
  try {
    await run();
    said[name] = "done";
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    said[name] = `${error.code}: ${error.message}`;
  }
}
process.stdout.write(JSON.stringify(said));
