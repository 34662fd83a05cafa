/** Killing and yanking: what is cut out goes to a ring, and comes back from it. */
import { nextCell, previousCell } from "./cells.ts";
import { type Motion, targetOf } from "./motions.ts";
import { type Composer, spliced } from "./state.ts";

export const killsMax = 32;

/** From the cursor to where the motion leads; at a line's end or start, the line end itself. Kills in a row are one. */
export function killed(composer: Composer, motion: Motion): Composer {
  const { text, cursor, kills } = composer;
  const target = killTarget(composer, motion);
  if (target === cursor) return { ...composer, last: { kind: "kill" } };
  const from = Math.min(cursor, target);
  const to = Math.max(cursor, target);
  const cut = text.slice(from, to);
  const goesOn = composer.last.kind === "kill";
  const newest = goesOn ? (kills.at(-1) ?? "") : "";
  const joined = target < cursor ? cut + newest : newest + cut;
  const before = goesOn ? kills.slice(0, -1) : kills.slice(1 - killsMax);
  return { ...spliced(composer, { from, to, text: "", last: { kind: "kill" } }), kills: [...before, joined] };
}

function killTarget(composer: Composer, motion: Motion): number {
  const { text, cursor } = composer;
  const target = targetOf(composer, motion);
  if (target !== cursor) return target;
  if (motion === "line_end") return nextCell(text, cursor);
  return motion === "line_start" ? previousCell(text, cursor) : cursor;
}

/** What was killed last. */
export function yanked(composer: Composer): Composer {
  const { cursor, kills } = composer;
  const text = kills.at(-1);
  if (text === undefined) return composer;
  return spliced(composer, { from: cursor, to: cursor, text, last: { kind: "yank", from: cursor, nth: 0 } });
}

/** Right behind a yank: what was killed before that, in its place; around the ring. */
export function yankedOlder(composer: Composer): Composer {
  const { cursor, kills, last } = composer;
  if (last.kind !== "yank") return composer;
  const nth = (last.nth + 1) % kills.length;
  const text = kills.at(-1 - nth) ?? "";
  return spliced(composer, { from: last.from, to: cursor, text, last: { ...last, nth }, joins: true });
}
