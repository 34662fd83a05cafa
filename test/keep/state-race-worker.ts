/** One of the processes that race: counts up, and says which revisions it was told to have written. */
import { once } from "node:events";
import { YoiError } from "@yoi/base";
import { openRaced } from "./state-race.ts";

const [, , dataDir = "", counts = "0"] = process.argv;
const state = openRaced(dataDir);
process.send?.("ready");
await once(process, "message");
const won: number[] = [];
let conflicts = 0;
while (won.length < Number(counts)) {
  const current = await state.read();
  try {
    const value = Number(current?.value ?? 0) + 1;
    won.push(await state.write(value, { version: 1, expected: current?.revision ?? null }));
  } catch (error) {
    if (!(error instanceof YoiError) || error.code !== "state_conflict") throw error;
    conflicts += 1;
  }
}
process.send?.({ won, conflicts });
process.disconnect();
