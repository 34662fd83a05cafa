/** Many processes write to the same tickets at the same time: nothing is lost, nothing is there twice, no id is given twice. */
import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type TempHome, tempHome } from "../support/temp-home.ts";
import { realStore, rootIn } from "./place.ts";

const writer = fileURLToPath(new URL("./writer.ts", import.meta.url));

interface Said {
  readonly ticket: string;
  readonly event?: string;
  readonly body?: string;
}

/** What all of them were told is written. */
async function race(
  count: number,
  mode: "locked" | "unlocked",
  { workspace, env }: TempHome,
): Promise<readonly Said[]> {
  const { id } = await realStore(workspace).create(
    { title: "Everybody's", body: "" },
    { author: "hare", role: "user" },
  );
  const crew: ChildProcess[] = Array.from({ length: count }, (_, n) =>
    fork(writer, [mode, workspace, `writer ${n}`, id], {
      stdio: ["ignore", "pipe", mode === "locked" ? "inherit" : "ignore", "ipc"],
      execArgv: [],
      env,
    }),
  );
  try {
    const outputs = crew.map(({ stdout }) => (stdout === null ? Promise.resolve("") : text(stdout)));
    const exits = crew.map(async (each) => {
      const [code] = await once(each, "exit");
      return Number(code);
    });
    await Promise.all(crew.map((each) => once(each, "message")));
    for (const each of crew) each.send("go");
    if (mode === "locked") assert.deepEqual(new Set(await Promise.all(exits)), new Set([0]));
    else await Promise.all(exits);
    const lines = (await Promise.all(outputs)).flatMap((output) =>
      output.split("\n").filter((line) => line !== ""),
    );
    return [{ ticket: id }, ...lines.map((line) => JSON.parse(line) as Said)];
  } finally {
    for (const each of crew) each.kill("SIGKILL");
  }
}

const processes = 32;

test(`F36: ${processes} processes comment on one ticket and create one each: all is there once, under ids of its own`, async () => {
  using home = tempHome();
  const said = await race(processes, "locked", home);
  const store = realStore(home.workspace);
  const shared = said[0]?.ticket ?? "";
  const comments = said.filter(({ body }) => body !== undefined);
  const created = said.filter(({ event }) => event === undefined).map(({ ticket }) => ticket);
  assert.deepEqual([comments.length, created.length], [processes, processes + 1]);

  const events = (await store.show(shared)).events.slice(1);
  assert.deepEqual(
    events.map(({ id, body }) => `${id} ${body}`).toSorted(),
    comments.map(({ event, body }) => `${event} ${body}`).toSorted(),
  );
  const ids = events.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)].toSorted(), "ids rise along the thread");
  const { tickets, problems } = await store.list();
  assert.deepEqual([tickets.map(({ id }) => id), problems], [[...new Set(created)].toSorted(), []]);
  assert.deepEqual((await store.doctor({ fix: false })).problems, []);
  // The same without our parser: one header for each.
  const thread = readFileSync(join(rootIn(home.workspace), shared, "thread.md"), "utf8");
  assert.equal(thread.match(/^<!-- event: comment /gm)?.length, processes);
});

test("control: without the lock, comments of the same processes are lost", async () => {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    using home = tempHome();
    const said = await race(6, "unlocked", home);
    const shared = said[0]?.ticket ?? "";
    const comments = said.filter(({ body }) => body !== undefined).length;
    const there = (await realStore(home.workspace).show(shared)).events.length - 1;
    if (there < comments) return;
  }
  assert.fail("nothing was lost in 5 races");
});
