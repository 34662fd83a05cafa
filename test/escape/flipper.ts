/** Swaps things in a workspace, and moves one out and back, as fast as it can, until its standard input closes; then it clears the place away. `<root>` */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";

const root = process.argv[2] ?? "";
const outside = `${root}/outside`;

/** Outside of the workspace, and in no place that is compared: what moves through it belongs to the workspace. */
const taken = `${root}/taken`;

interface Pair {
  /** What tools are asked for. */
  readonly name: string;
  readonly makeInside: (path: string) => void;
  readonly target: string;
}

function directory(path: string): void {
  mkdirSync(`${path}/deep`, { recursive: true });
  writeFileSync(`${path}/secret.txt`, "inside\n");
  writeFileSync(`${path}/deep/secret.txt`, "inside\n");
}

/** Each is in turns something inside, and a link to the same outside: a directory, the parent of a directory, a file. */
const pairs: readonly Pair[] = [
  { name: "flip", makeInside: directory, target: outside },
  { name: "parent", makeInside: directory, target: outside },
  { name: "file", makeInside: (path) => writeFileSync(path, "inside\n"), target: `${outside}/secret.txt` },
];

const at = (name: string): string => `${root}/ws/${name}`;

/** Again and again until no writer puts something there in between. */
function make({ name, makeInside, target }: Pair): void {
  for (;;) {
    try {
      for (const path of [at(name), at(`${name}.inside`), at(`${name}.link`)]) {
        rmSync(path, { recursive: true, force: true });
      }
      makeInside(at(name));
      symlinkSync(target, at(`${name}.link`));
      return;
    } catch {
      // Somebody wrote there at that moment.
    }
  }
}

function swap(pair: Pair): void {
  const [here, inside, link] = [at(pair.name), at(`${pair.name}.inside`), at(`${pair.name}.link`)];
  try {
    renameSync(here, inside);
    renameSync(link, here);
    renameSync(here, link);
    renameSync(inside, here);
  } catch {
    // A writer has put something of its own there meanwhile.
    make(pair);
  }
}

/** Moves a parent out of the workspace and back. */
function moveAway(): void {
  try {
    renameSync(at("away"), taken);
    renameSync(taken, at("away"));
  } catch {
    // A writer has made it anew meanwhile.
    makeAway();
  }
}

function makeAway(): void {
  for (;;) {
    try {
      for (const path of [at("away"), taken]) rmSync(path, { recursive: true, force: true });
      directory(at("away"));
      return;
    } catch {
      // Somebody wrote there at that moment.
    }
  }
}

let going = true;
process.stdin.on("end", () => (going = false)).resume();
for (const pair of pairs) make(pair);
makeAway();
process.stdout.write("ready\n");
function round(): void {
  for (let turn = 0; turn < 50; turn += 1) {
    for (const pair of pairs) swap(pair);
    moveAway();
  }
  if (going) setImmediate(round);
  else rmSync(root, { recursive: true, force: true, maxRetries: 10 });
}
round();
