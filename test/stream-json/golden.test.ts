/** Whole streams of `--output-format stream-json` against the kept ones, and what holds for each of them. `regenerate.ts` writes them anew. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { aliveIn } from "../support/processes.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";
import { golden } from "./golden.ts";
import { linesOf, normalise } from "./normalise.ts";
import { play, scenes } from "./scenes.ts";

/** Entries that no line tells of: docs/stream-json.md. */
const untold: ReadonlySet<unknown> = new Set([
  "segment_start",
  "segment_ready",
  "opened",
  "tools_changed",
  "config_changed",
  "projection",
  "assistant_partial",
  "inbox_accepted",
  "extension",
]);

describe("the stream of a run", { concurrency: 2 }, () => {
  for (const scene of scenes) {
    // Without one a run says so, on stderr and in its stream.
    test(scene.name, { skip: noBubblewrap() }, async () => {
      using home = tempHome();
      const { code, stdout, stderr } = await play(scene, home);
      assert.equal(code, scene.exit, stderr);
      assert.deepEqual(normalise(stdout, home), golden(scene.name));
      assert.ok(!/[\u0085\u2028\u2029\r]/.test(stdout), "a character that some readers end lines at");
      const lines = linesOf(stdout);
      for (const line of lines) assert.deepEqual(Object.keys(line).slice(0, 2), ["type", "schema_version"]);
      assert.deepEqual(
        lines.flatMap(({ type }, index) => (type === "result" ? [index] : [])),
        [lines.length - 1],
      );
      await tellsTheLog(home, lines);
      assert.deepEqual(aliveIn(home.workspace), [], "what the run started outlives it");
    });
  }
});

/** Every entry behind the start is told, once and in order, and nothing else carries a seq of its own. */
async function tellsTheLog(
  home: { env: Readonly<Record<string, string>>; workspace: string },
  lines: readonly JsonObject[],
): Promise<void> {
  const start = lines.find(({ type }) => type === "start");
  if (start === undefined) return;
  const log = await runYoi(["pod", "log", "scene", "--json"], { env: home.env, cwd: home.workspace });
  const entries = linesOf(log.stdout).filter(
    ({ seq, kind }) => Number(seq) > Number(start["seq"]) && !untold.has(kind),
  );
  const told = lines.filter(({ ts }) => ts !== undefined);
  assert.deepEqual(
    [...new Set(told.map(({ seq, ts }) => `${String(seq)} ${String(ts)}`))],
    entries.map(({ seq, ts }) => `${String(seq)} ${String(ts)}`),
  );
  const seen = told.map(({ type, seq }) => `${String(type)} ${String(seq)}`);
  assert.equal(new Set(seen).size, seen.length, "type and seq do not name one line");
}

test("the last line is the object of json mode", async () => {
  const ends: unknown[] = [];
  for (const format of ["json", "stream-json"]) {
    using home = tempHome();
    const [plain] = scenes;
    assert.ok(plain !== undefined);
    const flags = [...plain.flags, "--output-format", format];
    const { stdout } = await play({ ...plain, flags }, home);
    ends.push(normalise(stdout, home).at(-1));
  }
  assert.deepEqual(ends[0], ends[1]);
});
