/** Commands that wait for a hosting process: for one that answers nobody only so long, for one that closes until it has. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lastLinesMs } from "@yoi/protocol";
import { Hosting } from "./hosted.ts";

const scenario = "steps:\n  - text: done\n";

/** Side by side: their time is waiting. */
describe("waiting for a hosting process", { concurrency: 2 }, () => {
  test("one that is stopped does not answer: that is said, and the rest is shown", async () => {
    await using hosting = new Hosting();
    const pod = await hosting.startPod("p", scenario);
    process.kill(pod.pid, "SIGSTOP");
    const { code, stdout, stderr } = await hosting.yoi("pod", "show", "p");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^owner_purpose: +host\nnow: +does not answer$/m);
    process.kill(pod.pid, "SIGCONT");
    const again = await hosting.yoi("pod", "show", "p");
    assert.doesNotMatch(again.stdout, /does not answer/, "control: one that goes on does");
  });

  test("pod stop is done when the Pod is: nobody holds it then, however long its close took", async () => {
    await using hosting = new Hosting();
    const pod = await hosting.startPod("p", scenario);
    // A client that never sees the end of its connection: last lines are waited for.
    using client = await pod.client();
    client.socket.pause();
    const startedMs = performance.now();
    const stopped = await hosting.yoi("pod", "stop", "p", "--json");
    assert.deepEqual([stopped.code, JSON.parse(stopped.stdout)], [0, { pod: "p", stopped: true }]);
    assert.ok(performance.now() - startedMs >= lastLinesMs, "control: its close took a while");
    const shown = await hosting.yoi("pod", "show", "p", "--json");
    assert.equal((JSON.parse(shown.stdout) as { owner_pid: unknown }).owner_pid, null);
  });
});
