/** Writes the golden frames anew: look at every difference before it is committed. */
import { mkdirSync, writeFileSync } from "node:fs";
import { goldenFrames } from "./golden.ts";

const folder = new URL("golden/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, frame] of goldenFrames()) writeFileSync(new URL(name, folder), frame);
