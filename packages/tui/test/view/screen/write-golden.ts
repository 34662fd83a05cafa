/** Writes the golden screens anew: look at every difference before it is committed. */
import { mkdirSync, writeFileSync } from "node:fs";
import { goldenScreens } from "./golden.ts";

const folder = new URL("golden/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, frame] of goldenScreens()) writeFileSync(new URL(name, folder), frame);
