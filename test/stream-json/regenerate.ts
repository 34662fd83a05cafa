/** `node test/stream-json/regenerate.ts [NAME...]`: plays the scenes and writes their transcripts anew. Look at the difference before you commit it: scripts depend on these lines. */
import { writeFileSync } from "node:fs";
import { tempHome } from "../support/temp-home.ts";
import { goldenUrl } from "./golden.ts";
import { normalise, textOf } from "./normalise.ts";
import { play, scenes } from "./scenes.ts";

const asked = process.argv.slice(2);
for (const scene of scenes) {
  if (asked.length > 0 && !asked.includes(scene.name)) continue;
  using home = tempHome();
  const { code, stdout, stderr } = await play(scene, home);
  if (code !== scene.exit) throw new Error(`${scene.name} ended with ${code}:\n${stdout}${stderr}`);
  writeFileSync(goldenUrl(scene.name), textOf(normalise(stdout, home)));
}
