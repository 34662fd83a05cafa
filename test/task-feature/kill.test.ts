/** The real program is killed while the model answers the request that shows a reminder; the next process goes on with the same tasks. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../support/processes.ts";
import { committedBytes, linesOf } from "../support/stored-log.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";
import { reminder, remindedRequest, reminders, scenario } from "./scene.ts";

test("A0-42, A2-59: killed behind the reminder, the Pod goes on with its tasks and their ids, and is not reminded twice", async () => {
  using home = tempHome();
  const options = { env: home.env, cwd: home.workspace };
  const file = join(home.workspace, "tasks.yaml");
  const flags = ["--pod", "tasks", "-m", "scripted/tasks.yaml", "--sandbox", "off"];
  const log = () => linesOf(committedBytes(home.home));
  const requests = () => log().filter(({ kind }) => kind === "llm_request");

  writeFileSync(file, scenario({ delayMs: 60_000 }));
  const killed = startYoi(["run", "Go.", ...flags], options);
  await eventually("the request with the reminder is on record", () => requests().length === remindedRequest);
  killed.kill("SIGKILL");
  assert.equal((await killed.ended).signal, "SIGKILL");
  const left = log();
  assert.deepEqual(
    left.slice(-2).map(({ kind }) => kind),
    ["system_item", "llm_request"],
  );

  writeFileSync(file, scenario());
  const resumed = await runYoi(["run", ...flags], options);
  assert.deepEqual([resumed.code, resumed.stdout], [0, "All three are there.\n"], resumed.stderr);
  const went = await runYoi(["run", "Go on.", ...flags], options);
  assert.deepEqual([went.code, went.stdout], [0, "One is done.\n"], went.stderr);

  const given = reminders(log());
  assert.deepEqual(given, reminders(left));
  assert.deepEqual(
    given.map(({ item }) => item),
    [
      {
        type: "system_item",
        kind: "task_reminder",
        source: "builtin:task",
        reason: "task_inactivity",
        body: reminder,
      },
    ],
  );
  const records = log().flatMap(({ kind, item }) => {
    const { record } = Object(item) as { record?: { task: { taskid: number; status: string } } };
    return kind === "tool_result" && record !== undefined
      ? [`${record.task.taskid} ${record.task.status}`]
      : [];
  });
  assert.deepEqual(records, ["1 pending", "2 pending", "3 pending", "3 completed", "4 pending"]);
  const verified = await runYoi(["pod", "verify", "tasks", "--wire"], options);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
});
