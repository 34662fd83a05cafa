/** Runs in a terminal: paints the frames of a file one after the other, one for each key, and says in another file how far it is. */
import { appendFileSync, readFileSync } from "node:fs";
import { MainScreen } from "../../packages/tui/src/terminal/main-screen.ts";
import type { Reflow } from "../../packages/tui/src/terminal/reflow.ts";
import type { Frame } from "../../packages/tui/src/view/line.ts";

const [framesFile = "", saidFile = "", reflow = "attached"] = process.argv.slice(2);
const frames = JSON.parse(readFileSync(framesFile, "utf8")) as readonly Frame[];
const size = () => ({ columns: process.stdout.columns, rows: process.stdout.rows });
const screen = new MainScreen((bytes) => process.stdout.write(bytes), size(), reflow as Reflow);
const say = (what: string) => appendFileSync(saidFile, `${what}\n`);

let next = 0;
process.stdin.setRawMode(true);
process.stdin.on("data", (keys) => {
  for (let n = 0; n < keys.length; n += 1) {
    const frame = frames[next];
    if (frame === undefined) return;
    screen.paint(frame);
    say(`painted ${next}`);
    next += 1;
  }
});
process.stdout.on("resize", () => {
  screen.resize(size(), []);
  const frame = frames[next - 1];
  if (frame !== undefined) screen.paint({ ...frame, print: [] });
  say(`resized ${size().columns}x${size().rows}`);
});
say("ready");
