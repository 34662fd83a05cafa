/** After its kills a Pod goes on to the end of its run; then everything that must hold is checked. */
import assert from "node:assert/strict";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { checkStory, type Story } from "./oracle.ts";
import type { Scene } from "./scene.ts";

/** Both ways to run a command where both are there. */
export function sandboxOf(index: number): "on" | "off" {
  return noBubblewrap() === false && index % 2 === 0 ? "on" : "off";
}

/** What the scene left, with changes where a control wants some. */
export function storyOf(scene: Scene, changes: Partial<Story> = {}): Story {
  const { plan, seen, logs, processes } = scene;
  return { plan, seen, logs, processes, effects: scene.effects(), ...changes };
}

export async function survives(scene: Scene): Promise<void> {
  await scene.finish();
  await scene.nothingAlive();
  checkStory(storyOf(scene));
  const { code, stdout, stderr } = await scene.verify();
  assert.equal(code, 0, stdout + stderr);
}
