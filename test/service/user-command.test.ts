/** Commands of the user in a hosted Pod: the real shell in the real sandbox, stopped, killed with its Pod, and put back by a rewind. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { describe } from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { aliveWithEnv } from "../support/processes.ts";
import { Hosting } from "./hosted.ts";
import type { Entry, RawClient } from "./raw-client.ts";

const scenario = JSON.stringify({ steps: Array.from({ length: 4 }, () => ({ text: "Seen." })) });

interface Item {
  readonly body: string;
  readonly kind: string;
  readonly record?: Readonly<Record<string, unknown>>;
}
const itemOf = (entry: Entry | undefined) => entry?.["item"] as Item | undefined;
const isOutcome = (entry: Entry) => entry.kind === "inbox_accepted" && itemOf(entry)?.kind === "user_command";
const outcomeOf = async (client: RawClient, id: unknown): Promise<Item> => {
  const isOf = (entry: Entry) => isOutcome(entry) && itemOf(entry)?.record?.["command"] === id;
  await client.until(`what came of ${String(id)}`, () => client.entries.some(isOf));
  return itemOf(client.entries.find(isOf)) ?? assert.fail();
};
const run = async (client: RawClient, command: string, submission = command) =>
  (await client.ask("run_command", { command, submission })).result?.["id"];

const rows = [
  { sandbox: "on", skip: noBubblewrap() },
  { sandbox: "off", skip: false as const },
] as const;

describe("a command of the user", { concurrency: true }, () => {
  for (const { sandbox, skip } of rows) {
    test(
      `sandbox ${sandbox}: it runs in the workspace, its live output is told, and the model reads what came of it`,
      { skip },
      async () => {
        await using hosting = new Hosting();
        const { workspace, home } = hosting.home;
        const pod = await hosting.startPod("p", scenario, ["--sandbox", sandbox]);
        const client = await pod.client();
        const outside = join(home, "outside");
        const command = `pwd; echo note > made.txt; echo err >&2; echo x > ${outside}; exit 3`;
        const id = await run(client, command);
        const { body, record } = await outcomeOf(client, id);
        const { command: of, end, exit, touched } = record ?? {};
        assert.deepEqual([of, end, exit], [id, "exited", 3]);
        assert.ok(body.includes(workspace) && body.includes("err") && body.includes("exit code 3"), body);
        assert.equal(existsSync(outside), sandbox === "off");
        assert.deepEqual(
          (touched as { path: string; before: unknown }[]).map(({ path, before }) => [path, before]),
          [[join(workspace, "made.txt"), null]],
        );
        const live = client.live.filter(({ type }) => type === "command_output");
        assert.ok(live.length > 0 && live.every((one) => one["id"] === id));
        const parts = [{ type: "text", text: "go" }];
        const asked = await client.ask("submit", { parts, submission: "one" });
        await client.endOf(asked);
        client.drop();
        const told = pod.log().filter((entry) => entry.kind === "system_item");
        assert.deepEqual(
          told.map((entry) => itemOf(entry)?.kind),
          ["user_command"],
        );
        const back = await hosting.yoi(
          "pod",
          "rewind",
          "p",
          "--before",
          String(asked.result?.["id"]),
          "--json",
        );
        assert.equal(back.code, 0, back.stderr);
      },
    );
  }

  test("what it changed is put back by a rewind with its files", async () => {
    await using hosting = new Hosting();
    const { workspace } = hosting.home;
    const kept = join(workspace, "kept.txt");
    writeFileSync(kept, "before\n");
    const pod = await hosting.startPod("p", scenario);
    const client = await pod.client();
    const parts = [{ type: "text", text: "go" }];
    const asked = await client.ask("submit", { parts, submission: "one" });
    await client.endOf(asked);
    await outcomeOf(client, await run(client, "echo after > kept.txt"));
    assert.equal(readFileSync(kept, "utf8"), "after\n");
    const targets = ((await client.ask("list_rewind_targets", {})).result?.["targets"] ?? []) as {
      id: string;
      side: string;
    }[];
    const [target] = targets;
    const { result, error } = await client.ask("rewind", { id: target?.id, side: target?.side, files: true });
    assert.equal(error, undefined, error?.message);
    assert.deepEqual(
      ((result?.["files"] ?? []) as { path: string; outcome: string }[]).map(({ path, outcome }) => [
        path,
        outcome,
      ]),
      [[kept, "restored"]],
    );
    assert.equal(readFileSync(kept, "utf8"), "before\n");
    client.drop();
  });

  test("stopped, it ends with all that it started", async () => {
    await using hosting = new Hosting();
    const pod = await hosting.startPod("stopped-by-its-user", scenario);
    const client = await pod.client();
    const id = await run(client, "echo begun; sleep 1000 & sleep 1000");
    await client.until("its output", () => client.live.some(({ type }) => type === "command_output"));
    const mark = `YOI_CALL=stopped-by-its-user/${String(id)}.0`;
    assert.ok(aliveWithEnv(mark).length > 0);
    assert.deepEqual((await client.ask("stop_command", { id })).result, {});
    const { record } = await outcomeOf(client, id);
    assert.deepEqual([record?.["end"], record?.["exit"]], ["cancelled", null]);
    assert.deepEqual(aliveWithEnv(mark), []);
    client.drop();
  });

  test("its Pod is killed: the next owner ends what is left of it, says that nobody knows what came of it, and never runs it again", async () => {
    await using hosting = new Hosting();
    const { workspace } = hosting.home;
    const pod = await hosting.startPod("killed-beside-a-command", scenario);
    const first = await pod.client();
    const command = "echo ran >> ran.txt; echo begun; sleep 1000";
    const id = await run(first, command, "once");
    await first.until("its output", () => first.live.some(({ type }) => type === "command_output"));
    await pod.kill9();
    await pod.restore();
    const client = await pod.client();
    const { body, record } = await outcomeOf(client, id);
    assert.deepEqual([record?.["end"], record?.["exit"]], ["unknown", null]);
    assert.match(body, /outcome unknown/);
    const again = await client.ask("run_command", { command, submission: "once" });
    assert.deepEqual(again.result, { id, duplicate: true });
    assert.deepEqual(aliveWithEnv(`YOI_CALL=killed-beside-a-command/${String(id)}.0`), []);
    assert.equal(readFileSync(join(workspace, "ran.txt"), "utf8"), "ran\n");
    assert.equal(pod.log().filter(isOutcome).length, 1);
    client.drop();
  });
});
