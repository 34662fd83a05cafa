/** Searches the odd place with and without the sandbox, and prints what came of it: one JSON object a line. Started as the user that is to be tested. */
import { execFileSync } from "node:child_process";
import { cases, paged, type SearchCase } from "./cases.ts";
import {
  makeSearchPlace,
  putOddities,
  putTraps,
  type Searcher,
  searcher,
  type SearchPlace,
} from "./places.ts";

export interface SearchResult {
  readonly name: string;
  readonly on: string | null;
  readonly off: string;
}

/** All pages of a search, their bodies one after the other; then the whole. */
async function byPages(
  search: Searcher,
  place: SearchPlace,
  one: SearchCase & { readonly size: number },
): Promise<string> {
  const pages: string[] = [];
  const args = one.args(place);
  for (let offset = 0; ;) {
    const [summary = "", ...body] = (
      await search.call(one.tool, { ...args, head_limit: one.size, offset })
    ).split("\n");
    pages.push(...body.filter(isEntry));
    const next = /go on with offset ([0-9]+)/.exec(summary)?.[1];
    if (next === undefined) break;
    if (Number(next) <= offset) throw new Error(`page ${offset} leads to ${next}`);
    offset = Number(next);
  }
  const whole: string[] = [];
  for (let offset = 0; ;) {
    const [summary = "", ...body] = (
      await search.call(one.tool, { ...args, head_limit: 1000, offset })
    ).split("\n");
    whole.push(...body.filter(isEntry));
    const next = /go on with offset ([0-9]+)/.exec(summary)?.[1];
    if (next === undefined) break;
    offset = Number(next);
  }
  return pages.join("\n") === whole.join("\n")
    ? `the same ${whole.length} lines`
    : `pages:\n${pages.join("\n")}\nwhole:\n${whole.join("\n")}`;
}

function isEntry(line: string): boolean {
  return line !== "" && line !== "--" && !line.startsWith("[");
}

const isBoxed = process.argv.includes("boxed");
/** One way: only what may be unlike for another user. */
const isShort = process.argv.includes("short");
const place = makeSearchPlace();
try {
  putOddities(place);
  putTraps(place);
  const [off, on] = [await searcher(place, "off"), isBoxed ? await searcher(place, "on") : null];
  const shown = (text: string): string => text.replaceAll(place.root, "ROOT");
  const print = (result: SearchResult): void => void process.stdout.write(`${JSON.stringify(result)}\n`);
  try {
    if (on !== null && on.runner.status.mode !== "bubblewrap") throw new Error("no sandbox");
    for (const one of cases.filter(({ name }) => !isShort || / (in|everywhere|over) /.test(`${name} `))) {
      const args = one.args(place);
      print({
        name: one.name,
        off: shown(await off.call(one.tool, args)),
        on: on === null ? null : shown(await on.call(one.tool, args)),
      });
    }
    for (const one of paged) {
      print({
        name: one.name,
        off: shown(await byPages(off, place, one)),
        on: on === null ? null : shown(await byPages(on, place, one)),
      });
    }
  } finally {
    await off.close();
    await on?.close();
  }
} finally {
  execFileSync("chmod", ["-R", "u+rwx", place.root]);
  place.remove();
}
