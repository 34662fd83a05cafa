/** Doctor: each defect in a root that is sound otherwise is found, alone, where it is; and what can be mended is, without a trace. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ticketChecks } from "../../src/doctor/checks.ts";
import { createTicketStore } from "../../src/index.ts";
import { fileRows } from "./file-rows.ts";
import { historyRows } from "./history-rows.ts";
import { relationRows } from "./relation-rows.ts";
import { rootRows } from "./root-rows.ts";
import { a, b, created, sound, steps } from "./sound.ts";
import { threadRows } from "./thread-rows.ts";
import { hare, item, plant, readTree, root, thread } from "./tree.ts";

const rows = [...rootRows, ...fileRows, ...threadRows, ...historyRows, ...relationRows];

async function problemsOf(store: ReturnType<typeof createTicketStore>, fix: boolean): Promise<string[]> {
  const { problems } = await store.doctor({ fix });
  return problems.map(
    ({ severity, check, path, line, fixable, fixed }) =>
      `${severity} ${check} ${path}${line === undefined ? "" : `:${line}`}${fixable ? " fixable" : ""}${fixed ? " fixed" : ""}`,
  );
}

describe("doctor finds", () => {
  for (const { name, change, odd, found, left = found } of rows)
    test(name, async () => {
      const { desk, host } = await plant({ ...sound, ...change }, odd);
      const store = createTicketStore(desk);
      const before = await readTree(host, "/w");
      assert.deepEqual(await problemsOf(store, false), found);
      const mended = found.map((one) => (left.includes(one) ? one : `${one} fixed`));
      const isMended = left !== found;
      if (!isMended) assert.deepEqual(await problemsOf(store, true), found);
      const { [".yoi/tickets/.lock"]: _, ...after } = await readTree(host, "/w");
      assert.deepEqual(after, before, "looking changes nothing, and --fix what it can mend alone");
      if (!isMended) return;
      assert.deepEqual(await problemsOf(store, true), mended);
      assert.deepEqual(await problemsOf(store, false), left);
    });
});

test("each check is in the table", () => {
  const named = new Set(rows.flatMap(({ found }) => found.map((one) => one.split(" ")[1])));
  const elsewhere = ["artifact_large", "folder_large", "too_large", "unreadable"];
  assert.deepEqual(
    ticketChecks.filter((check) => !named.has(check) && !elsewhere.includes(check)),
    [],
  );
});

test("what was mended is what the thread says, and nothing else changed", async () => {
  const { desk, host } = await plant({
    ...sound,
    [`${b}/thread.md`]: thread(created, steps.ready),
    [`${a}/resolution.md`]: null,
    ".gitignore": "# ours\n/.lock",
  });
  await createTicketStore(desk).doctor({ fix: true });
  const { ".lock": _, ...after } = await readTree(host, root);
  const expected = await plant({
    ...sound,
    [`${b}/item.md`]: item(
      { state: "ready", updated_at: "2026-06-03T12:23:17.011Z", labels: "[one, two]", kind: "task" },
      "日本語 😀",
    ),
    [`${b}/thread.md`]: thread(created, steps.ready),
    ".gitignore": "# ours\n/.lock\n.*.tmp\n",
  });
  assert.deepEqual(after, await readTree(expected.host, root));
});

test("a root that is not there has nothing wrong", async () => {
  const { desk, host } = await plant({});
  const report = { root, tickets: 0, problems: [], more: 0 };
  assert.deepEqual(await createTicketStore(desk).doctor({ fix: true }), report);
  assert.equal(await host.files.stat(root), null);
});

test("a ticket that the store made and brought all the way has nothing wrong", async () => {
  const { desk } = await plant({});
  const store = createTicketStore(desk);
  const { id } = await store.create({ title: "One", body: "x", fields: { labels: ["a", "b"] } }, hare);
  await store.transition(id, { to: "ready" }, hare);
  await store.close(id, "Done.", hare);
  await store.reopen(id, "Not done.", hare);
  assert.deepEqual(await store.doctor({ fix: false }), { root, tickets: 1, problems: [], more: 0 });
});
