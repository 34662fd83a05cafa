/** What is known of an account's limits: whose it is, what of a file is believed, how it is bounded. */
import assert from "node:assert/strict";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { nodeHost } from "@yoi/host";
import { limitMsMax } from "@yoi/model";
import type { Directories } from "@yoi/manifest";
import { tempHome } from "../../../../test/support/temp-home.ts";
import {
  type Account,
  limitBoardOf,
  limitFileBytesMax,
  limitMessageBytesMax,
  limitPath,
  readLimit,
} from "../../src/runtime/limits.ts";

const nowMs = Date.UTC(2026, 0, 1);
const account: Account = { provider: "anthropic", baseUrl: "https://a.example/v1", apiKey: "sk-secret" };

function directoriesIn(home: string): Directories {
  return { data: home, config: join(home, "config"), runtime: join(home, "run") };
}

test("an account is a provider at an endpoint with a key, and its file tells nothing of that key", () => {
  const paths = [
    account,
    { ...account, provider: "openai" },
    { ...account, baseUrl: "https://b.example/v1" },
    { ...account, apiKey: "sk-other" },
    { ...account, apiKey: null },
    { ...account, apiKey: "" },
  ].map((one) => limitPath(directoriesIn("/d"), one));
  assert.equal(new Set(paths).size, paths.length);
  for (const path of paths) assert.match(path, /^\/d\/run\/limits\/[0-9a-f]{64}\.json$/);
});

test("of a file a whole time and a text are believed, both bounded; anything else is no limit", () => {
  const file = (until: unknown, message: unknown = "No.") => JSON.stringify({ until, message });
  const rows: readonly [string, object | null][] = [
    [file(nowMs + 5), { untilMs: nowMs + 5, message: "No." }],
    [file(nowMs - 5), { untilMs: nowMs - 5, message: "No." }],
    [file(nowMs + limitMsMax), { untilMs: nowMs + limitMsMax, message: "No." }],
    [file(nowMs + limitMsMax + 1), null],
    [file(1, "\u001b[31m"), { untilMs: 1, message: "\\u001b[31m" }],
    [
      file(1, "x".repeat(limitMessageBytesMax + 1)),
      { untilMs: 1, message: "x".repeat(limitMessageBytesMax) },
    ],
    [file(1.5), null],
    [file("soon"), null],
    [file(1e300), null],
    [file(1, null), null],
    ["", null],
    ["{", null],
    ["[]", null],
    ["null", null],
  ];
  for (const [text, expected] of rows) assert.deepEqual(readLimit(text, nowMs), expected, text);
});

test("a board is told, known, cleared; over its size a file is none; where others may write there is no board", async () => {
  using home = tempHome();
  const directories = directoriesIn(home.home);
  const host = nodeHost();
  const told: string[] = [];
  const boardOf = (one: Account) =>
    limitBoardOf(one, { directories, host, say: (text) => void told.push(text) });
  const [board, other] = [boardOf(account), boardOf({ ...account, apiKey: "sk-other" })];
  assert.ok(board !== null && other !== null);
  assert.equal(await board.known(), null);
  const limit = { untilMs: host.clock.now() + 60_000, message: "No." };
  await board.tell(limit);
  assert.deepEqual([await board.known(), await other.known()], [limit, null]);
  // The one that lasts longest stands, for a day at most.
  await board.tell({ untilMs: limit.untilMs - 1, message: "Sooner." });
  assert.deepEqual(await board.known(), limit);
  await board.tell({ untilMs: limit.untilMs + 1, message: "Later." });
  assert.equal((await board.known())?.message, "Later.");
  await board.tell({ untilMs: host.clock.now() + 365 * limitMsMax, message: "A year." });
  const longest = (await board.known())?.untilMs ?? 0;
  assert.ok(longest > limit.untilMs + 1 && longest <= host.clock.now() + limitMsMax);
  await board.clear();
  await board.tell(limit);
  const path = limitPath(directories, account);
  const text = readFileSync(path, "utf8");
  assert.ok(!text.includes("sk-secret"));
  writeFileSync(path, text.padEnd(limitFileBytesMax));
  assert.deepEqual(await board.known(), limit);
  writeFileSync(path, text.padEnd(limitFileBytesMax + 1));
  assert.equal(await board.known(), null);
  await board.clear();
  assert.deepEqual(readdirSync(join(directories.runtime, "limits")), []);
  chmodSync(directories.runtime, 0o777);
  assert.equal(boardOf(account), null);
  assert.deepEqual(told, []);
  // What cannot be told is said, and changes nothing.
  await board.tell(limit);
  assert.equal(told.length, 1);
  assert.match(told[0] ?? "", /^The limit of anthropic could not be noted for other Pods: .*chmod 700/);
});
