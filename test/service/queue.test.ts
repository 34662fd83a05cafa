/** Prompts for later in a hosted Pod: from the command line, over a SIGKILL, and taken back. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Hosting } from "./hosted.ts";
import type { Entry } from "./raw-client.ts";

const scenario = (delay_ms: number) =>
  JSON.stringify({ steps: [{ text: "One.", delay_ms }, { text: "Two." }, { text: "Three." }] });
const text = (entry: Entry) =>
  (entry["parts"] as { readonly text: string }[]).map((part) => part.text).join();

test("a prompt for later survives its Pod's death, waits with the run, and is given once; one is taken back", async () => {
  await using hosting = new Hosting();
  const pod = await hosting.startPod("p", scenario(600_000));
  const client = await pod.client();
  await client.ask("submit", { parts: [{ type: "text", text: "go" }], submission: "go" });
  const queued = await Promise.all(
    [
      ["boundary", "steer"],
      ["run_end", "then"],
    ].map(async ([when = "", said = ""]) => {
      const { code, stdout } = await hosting.yoi("pod", "send", "p", said, "--queue", when, "--json");
      assert.equal(code, 0);
      return JSON.parse(stdout).id as string;
    }),
  );
  const never = await client.ask("queue", {
    parts: [{ type: "text", text: "never\u001b[2J" }],
    submission: "never",
    when: "run_end",
  });
  const again = await hosting.yoi("pod", "send", "p", "again");
  assert.match(again.stderr, /yoi pod send p --queue run_end/);
  const back = await hosting.yoi("pod", "unqueue", "p");
  assert.deepEqual([back.code, back.stdout], [0, "never\\u001b[2J\n"]);
  const unknown = await hosting.yoi("pod", "unqueue", "p", "zzz");
  assert.match(unknown.stderr, /No input "zzz" waits for the Pod p: `yoi pod show p` lists those that do/);

  await pod.kill9();
  const shown = await hosting.yoi("pod", "show", "p", "--json");
  const { queue } = JSON.parse(shown.stdout) as {
    queue: { id: string; when: string; held: boolean; text: string }[];
  };
  assert.deepEqual(
    queue.map(({ id, held, text: said }) => [id, held, said]).sort(),
    [
      [queued[0], true, "steer"],
      [queued[1], true, "then"],
    ].sort(),
  );

  writeFileSync(join(hosting.home.workspace, "p.yaml"), scenario(0));
  await pod.restore();
  const next = await pod.client();
  const id = never.result?.["id"];
  assert.equal((await next.ask("unqueue", { id })).error?.["cause"], "target_unknown");
  await next.ask("resume", {});
  await next.until(
    "the end of both",
    () => next.live.filter(({ type }) => type === "run_ended").length === 2,
  );
  const inputs = pod.log().filter(({ kind }) => kind === "user_input");
  assert.deepEqual(
    inputs.map((entry) => [text(entry), `${entry["delivers"]}`]),
    [
      ["go", "undefined"],
      ["steer", queued[0]],
      ["then", queued[1]],
    ],
  );
  client.drop();
  next.drop();
});
