/** Takes the pictures of the documents: the real program in its main views, its model scripted. `node scripts/screenshots.ts [NAME]...` */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Cell } from "../packages/tui/test/support/emulator.ts";
import { pngOf } from "./screenshots/picture.ts";
import { project } from "./screenshots/project.ts";
import { commandOf, type Scene, scenes } from "./screenshots/scenes.ts";
import { ShownProgram } from "./screenshots/shown-program.ts";
import { Stage } from "./screenshots/stage.ts";

const folder = fileURLToPath(new URL("../docs/images/", import.meta.url));

async function pictureOf(scene: Scene): Promise<Uint8Array> {
  using stage = new Stage(project);
  const command = commandOf(scene.prepare(stage));
  await using terminal = new ShownProgram(command, { cwd: stage.project, env: stage.env });
  await scene.play(terminal);
  const { seen } = terminal;
  const cells = seen.cells().map((row) => withoutMachine(row, stage.folder));
  return pngOf({ cells, cursor: terminal.cursor, title: seen.title });
}

/** The folder of the stage has another name each time: it is shown as `~`, and what is behind it moves up. */
function withoutMachine(row: readonly Cell[], path: string): readonly Cell[] {
  const text = row.map((cell) => (cell.text === "" ? " " : cell.text)).join("");
  const at = text.indexOf(path);
  const [first] = row.slice(at);
  const last = row.at(-1);
  if (at === -1 || first === undefined || last === undefined) return row;
  const blank = Array.from({ length: path.length - 1 }, () => ({ ...last, text: "" }));
  const rest = withoutMachine(row.slice(at + path.length), path);
  return [...row.slice(0, at), { ...first, text: "~" }, ...rest, ...blank];
}

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !scenes.some((scene) => scene.name === name));
if (unknown !== undefined) {
  console.error(`There is no picture ${unknown}: there are ${scenes.map((scene) => scene.name).join(", ")}.`);
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
for (const scene of scenes) {
  if (asked.length > 0 && !asked.includes(scene.name)) continue;
  const png = await pictureOf(scene);
  writeFileSync(`${folder}${scene.name}.png`, png);
  console.log(`${scene.name}.png ${Math.round(png.byteLength / 1000)} KB`);
}
