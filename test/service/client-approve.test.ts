/** `yoi approve`: what waits in a Pod is listed whole, allowed once by its ID, denied with a reason, and the same after a kill and a restore. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import test from "node:test";
import { eventually } from "../support/processes.ts";
import { findLog } from "../support/stored-log.ts";
import { Hosting } from "./hosted.ts";
import { Terminal } from "./terminal.ts";

const call = (command: string) => `  - tool_calls:
      - name: Bash
        arguments: { command: "${command}" }
`;
const scenario = `steps:
${call("echo one")}${call("echo two")}  - text: Both asked.
`;

interface Pending {
  readonly pod: string;
  readonly live: boolean;
  readonly digest: string;
  readonly tool: string;
  readonly arguments: string;
}

test("a call that waits is listed, allowed once, denied, and is the same after a restart", async () => {
  await using hosting = new Hosting();
  const pod = await hosting.startPod("p", scenario, ["--permission-mode", "ask"]);
  const listed = async (): Promise<readonly Pending[]> => {
    const { code, stdout, stderr } = await hosting.yoi("approve", "--json");
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as { pending: readonly Pending[] }).pending;
  };
  const asked = (count: number) =>
    eventually("it asks", () => pod.log().filter(({ kind }) => kind === "approval_asked").length === count);

  const running = hosting.begin("run", "--pod", "p", "go");
  await running.waitFor(/\? [0-9a-f]{12} waits for your answer/);
  const [first, ...others] = await listed();
  assert.equal(others.length, 0);
  assert.deepEqual(
    [first?.pod, first?.live, first?.tool, JSON.parse(first?.arguments ?? "")],
    ["p", true, "Bash", { command: "echo one" }],
  );
  const id = first?.digest.slice(0, 8) ?? "";
  const text = await hosting.yoi("approve", "p");
  assert.equal(text.code, 0);
  assert.match(text.stdout, new RegExp(`^\\? ${id}[^]*^\\? {3}Bash \\{"command":"echo one"\\}$`, "m"));
  for (const [args, code] of [
    [["p", "0".repeat(8)], 2],
    [["p", id, "--reason", "no"], 2],
  ] as const)
    assert.equal((await hosting.yoi("approve", ...args)).code, code, args.join(" "));
  assert.equal(
    pod.log().filter(({ kind }) => kind === "approval_answered").length,
    0,
    "nothing was answered",
  );

  const { now } = JSON.parse((await hosting.yoi("pod", "show", "p", "--json")).stdout) as { now: unknown };
  assert.deepEqual(now, {
    state: "running",
    approvals: 1,
    sandbox: "off",
    network: false,
    permission_mode: "ask",
  });
  const allowed = await hosting.yoi("approve", "p", id);
  assert.deepEqual([allowed.code, allowed.stdout], [0, 'Allowed once: Bash {"command":"echo one"}\n']);
  await asked(2);
  const used = await hosting.yoi("approve", "p", id);
  assert.deepEqual([used.code, used.stdout], [2, ""]);

  // Nobody hosts it: what waits is known, and cannot be answered.
  const [second] = await listed();
  await pod.kill9();
  assert.equal((await running.ended).code, 1);
  assert.deepEqual(await listed(), [{ ...second, live: false }]);
  const late = await hosting.yoi("approve", "p", second?.digest.slice(0, 8) ?? "");
  assert.deepEqual([late.code, late.stdout], [1, ""]);
  assert.match(late.stderr, /`yoi pod restore p`/);

  // Nor known, where its log is damaged: nothing is said to wait for nobody.
  const log = findLog(hosting.home.home, "p") ?? assert.fail("no log");
  const good = readFileSync(log);
  writeFileSync(log, Buffer.concat([good.subarray(0, 300), Buffer.from("~"), good.subarray(301)]));
  const damaged =
    /^yoi: The log of the Pod p is damaged at line \d+, so what waits in it is not known: .*\n$/;
  const named = await hosting.yoi("approve", "p");
  assert.deepEqual([named.code, named.stdout], [1, ""]);
  assert.match(named.stderr, damaged);
  const all = await hosting.yoi("approve");
  assert.deepEqual([all.code, all.stdout], [0, "Nothing waits for an answer in the other Pods.\n"]);
  assert.match(all.stderr, damaged);
  writeFileSync(log, good);
  await pod.restore();
  assert.deepEqual(await listed(), [second], "the same after the restart");

  using terminal = new Terminal(hosting.home, ["attach", "p"]);
  await terminal.shows(/Answer with \/approve [0-9a-f]{12}/);
  assert.match(terminal.stdout, /^\? {3}Bash \{"command":"echo two"\}$/m);
  terminal.type("/resume");
  await terminal.shows(/^- goes on$/m);
  terminal.type(`/deny ${second?.digest.slice(0, 12)} use the test database`);
  await terminal.shows(/^\? [0-9a-f]{12} denied: use the test database$/m);
  await terminal.shows(/^ {2}Both asked\.\n- finished$/m);
  terminal.type("/detach");
  assert.equal(await terminal.ended, 0, terminal.stderr);
  assert.deepEqual(await listed(), []);
});

test("a Pod that was hosted to ask asks on, also behind a `yoi run` that carries on without anybody to ask", async () => {
  await using hosting = new Hosting();
  const steps = `steps:
${call("echo one")}  - text: First.
${call("echo two")}  - text: Second.
`;
  const pod = await hosting.startPod("p", steps, ["--permission-mode", "ask"]);
  const kinds = (kind: string) => pod.log().filter((entry) => entry.kind === kind).length;
  const asks = (count: number) => eventually("it asks", () => kinds("approval_asked") === count);
  assert.equal((await hosting.yoi("pod", "send", "p", "go")).code, 0);
  await asks(1);
  await pod.stop();
  const resumed = await hosting.yoi("run", "--pod", "p", "--sandbox", "off");
  assert.deepEqual([resumed.code, kinds("tool_started")], [6, 0], resumed.stderr);
  await pod.restore();
  assert.equal((await hosting.yoi("pod", "send", "p", "again")).code, 0);
  await asks(2);
  assert.equal(kinds("tool_started"), 0);
});
