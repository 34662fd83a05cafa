/** W-03: however a hosted Pod is told to end, the end is the same orderly one; only the exit code says who asked. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { describe } from "node:test";
import { aliveWithEnv, eventually } from "../support/processes.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";
import { Hosting, type HostedPod } from "./hosted.ts";

/** An answer that takes a minute to begin. */
const slow = "steps:\n  - text: Late.\n    delay_ms: 60000\n";

test("an error that nobody caught: it is said, the exit code is 1, and the log is good", async () => {
  using home = tempHome();
  writeFileSync(join(home.workspace, "s.yaml"), slow);
  const preload = new URL("throws-on-signal.ts", import.meta.url).href;
  const env = { ...home.env, NODE_OPTIONS: `--import ${preload}` };
  const args = ["pod", "start", "p", "--foreground", "-m", "scripted/s.yaml", "--sandbox", "off"];
  const yoi = startYoi(args, { env, cwd: home.workspace });
  await yoi.waitFor(/^yoi-pod-ready\t/m);
  const sent = await runYoi(["pod", "send", "p", "go"], { env: home.env, cwd: home.workspace });
  assert.equal(sent.code, 0, sent.stderr);
  yoi.kill("SIGUSR2");
  const { code, stderr } = await yoi.ended;
  assert.equal(code, 1, stderr);
  assert.match(
    stderr,
    /^yoi: yoi has a bug \(nothing that was acknowledged is lost\): Error: nobody caught this$/m,
  );
  const verified = await runYoi(["pod", "verify", "p"], { env: home.env, cwd: home.workspace });
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
});

const signals = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 143],
] as const;

interface End {
  readonly name: string;
  readonly code: number;
  readonly ask: (pod: HostedPod) => Promise<unknown>;
}

const ends: readonly End[] = [
  ...signals.map(([signal, code]) => ({ name: signal, code, ask: (pod: HostedPod) => pod.stop(signal) })),
  {
    name: "shutdown",
    code: 0,
    ask: async (pod) => {
      const asking = await pod.client({ stream: false });
      const answer = await asking.ask("shutdown");
      assert.deepEqual(answer.result, {});
      asking.drop();
    },
  },
];

describe("W-03: the orderly end in the middle of a run", { concurrency: true }, () => {
  for (const { name, code, ask } of ends) {
    test(`W-03: ${name}`, async () => {
      await using hosting = new Hosting();
      const pod = await hosting.startPod("p", slow);
      const client = await pod.client();
      await client.ask("submit", { parts: [{ type: "text", text: "go" }], submission: "one" });
      await client.until("the model was asked", () =>
        client.entries.some(({ kind }) => kind === "llm_request"),
      );
      await ask(pod);
      const ended = await pod.ended;
      assert.deepEqual([ended.code, ended.signal], [code, null], ended.stderr);
      const asked = name === "shutdown" ? "asked by a client" : name;
      assert.match(ended.stderr, new RegExp(`Z p ends: ${asked}$`, "m"));
      assert.match(ended.stdout, /^yoi-pod-ready\tp\t\d+\t\S+\n$/, "one line, with tabs, and nothing else");

      const last = pod.log().at(-1);
      assert.deepEqual([last?.kind, last?.["reason"]], ["run_paused", "interrupted"]);
      await client.until("the client was told", () => client.live.some(({ type }) => type === "shutdown"));
      assert.deepEqual(client.entries, pod.log(), "the client has all that is on record");
      client.drop();
      assert.ok(!existsSync(pod.socket), "the socket went with it");
      await eventually(
        "nothing is left",
        () => aliveWithEnv(`YOI_HOME=${hosting.home.home}`).length === 0,
        30_000,
      );

      // The lease went too, and the same turn can go on.
      if (name !== "shutdown") return;
      await pod.restore();
      const after = await pod.client();
      await after.until("up to date", () => after.state !== null);
      assert.equal(after.state, "paused");
      after.drop();
    });
  }
});
