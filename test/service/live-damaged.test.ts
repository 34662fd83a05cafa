/** A Pod whose metadata is damaged while a process hosts it: its user sees it, asks it, and ends it; what needs the metadata is refused. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type HostedPod, Hosting } from "./hosted.ts";

const call = (command: string) => `  - tool_calls:
      - name: Bash
        arguments: { command: "${command}" }
`;
const damaged = /The metadata of the Pod p is damaged at byte 1 of /;

async function damagedPod(hosting: Hosting) {
  const scenario = `steps:\n${call("echo one")}${call("echo two")}  - text: Done.\n`;
  const pod = await hosting.startPod("p", scenario, ["--permission-mode", "ask"]);
  writeFileSync(join(hosting.home.home, "pods/p/metadata.json"), "{");
  return pod;
}

/** By itself; that it could not put its end into the metadata it says. */
async function endedInOrder(pod: HostedPod): Promise<void> {
  const { code, signal, stderr } = await pod.ended;
  assert.deepEqual([code, signal], [1, null]);
  assert.match(stderr, damaged);
  assert.doesNotMatch(stderr, /^ +at /m);
}

test("W-44: a live Pod with damaged metadata is listed as live, takes prompts, answers and stops, and is ended in order", async () => {
  await using hosting = new Hosting();
  const pod = await damagedPod(hosting);
  const [list, tree] = await Promise.all([hosting.yoi("pod", "list"), hosting.yoi("tree")]);
  assert.match(list.stdout, new RegExp(`^p +damaged, hosted \\(pid ${pod.pid}\\) +idle, `, "m"));
  assert.match(tree.stdout, /^p +damaged, hosted: idle, /m);
  assert.match(tree.stdout, /^1 Pod, 1 live;/m);

  const sent = await hosting.yoi("pod", "send", "p", "go");
  assert.deepEqual([sent.code, sent.stderr], [0, ""]);
  const waiting = async (): Promise<readonly { digest: string; arguments: string; live: boolean }[]> => {
    const { stdout } = await hosting.yoi("approve", "--json");
    return (JSON.parse(stdout) as { pending: [] }).pending;
  };
  const asking = async (command: string) => {
    for (;;) {
      const found = (await waiting()).find((one) => one.arguments === `{"command":"${command}"}`);
      if (found !== undefined) return found;
    }
  };
  const first = await asking("echo one");
  assert.equal(first.live, true);
  const allowed = await hosting.yoi("approve", "p", first.digest.slice(0, 8));
  assert.deepEqual([allowed.code, allowed.stderr], [0, ""]);
  await asking("echo two");
  const attached = hosting.begin("attach", "p", "--json", "--all");
  await attached.waitFor(/"snapshot"/);
  attached.kill("SIGTERM");
  assert.doesNotMatch((await attached.ended).stderr, damaged);
  const cancelled = await hosting.yoi("pod", "cancel", "p");
  assert.deepEqual([cancelled.code, cancelled.stderr], [0, ""]);

  const removed = await hosting.yoi("pod", "rm", "p");
  assert.deepEqual([removed.code, removed.stdout], [1, ""]);
  assert.match(removed.stderr, /`yoi pod stop p` ends it/);
  const stopped = await hosting.yoi("pod", "stop", "p");
  assert.deepEqual([stopped.code, stopped.stderr], [0, ""]);
  assert.match(stopped.stdout, /^Stopped the Pod p, which cannot be started again as it is: /);
  assert.match(stopped.stdout, damaged);
  await endedInOrder(pod);

  // Nobody hosts it: there is nothing to ask, and what is wrong is said.
  for (const args of [
    ["pod", "send", "p", "x"],
    ["pod", "cancel", "p"],
    ["approve", "p"],
    ["pod", "restore", "p"],
  ]) {
    const refused = await hosting.yoi(...args);
    assert.deepEqual([refused.code, refused.stdout], [1, ""], args.join(" "));
    assert.match(refused.stderr, damaged, args.join(" "));
  }
});

test("who holds a Pod with damaged metadata is ended by --take-over; the Pod is not started on what cannot be read", async () => {
  await using hosting = new Hosting();
  const pod = await damagedPod(hosting);
  const left = await hosting.yoi("pod", "restore", "p");
  assert.deepEqual([left.code, left.stdout], [1, ""]);
  const taken = await hosting.yoi("pod", "restore", "p", "--take-over");
  assert.deepEqual([taken.code, taken.stdout], [1, ""]);
  assert.match(taken.stderr, /^yoi: The process \d+, which held the Pod p, ended in order\.\n/);
  assert.match(taken.stderr, damaged);
  await endedInOrder(pod);
});
