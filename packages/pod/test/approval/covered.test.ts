/** Calls that wait while an answer to another one is kept that lets them through too: nobody is asked twice, and the log says what answered. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { protectionOf } from "@yoi/scope";
import { dataDir, effectTool, manifestOf } from "../../../../test/support/simulated-pod.ts";
import type { Granting } from "../../src/approval/granting.ts";
import { allow, Asking, deny } from "./asking.ts";

/** One answer with all of the calls; each says what it does as `what`. */
function asking(tool: string, calls: readonly JsonObject[]): Asking {
  const tool_calls = calls.map((args) => ({ name: tool, arguments: args }));
  const m = new Asking(JSON.stringify({ steps: [{ tool_calls }, { text: "end" }] }));
  const rules =
    tool === "Bash" ? [{ tool, pattern: "*", action: "ask", origin: "/c/config.toml" } as const] : [];
  const granting: Granting = {
    grants: {
      list: async () => ({ grants: [], problems: [] }),
      put: async () => {},
      remove: async () => false,
    },
    protection: protectionOf({ workspace: "/w", home: null, own: [dataDir], spill: null }),
    realPath: (path) => ({ path, isDirectory: false }),
  };
  Object.assign(m.more, {
    tools: [effectTool(m.world, m.host, tool)],
    manifest: manifestOf({ permissions: { mode: "allow-in-scope", rules } }),
    ...(tool === "Bash" ? {} : { granting }),
  });
  return m;
}

const command = (what: string, text = `git add ${what}`): JsonObject => ({ what, command: text });

/** Of each answer: whose call it is, what it keeps, and what it goes by. */
async function answers(m: Asking) {
  return (await m.entriesOf("approval_answered")).map(({ seq, answer, keep, allowed_by: by }) => ({
    seq,
    answer,
    keep: keep?.rule ?? null,
    by: by ?? null,
  }));
}

const everyPush = "Bash(git add *)";

test("what a kept rule covers is answered by it, each on record; a command that does more is still asked about", async () => {
  const m = asking("Bash", [
    command("a"),
    command("b"),
    command("c", "git add c && rm -rf /w/c"),
    command("d"),
  ]);
  const { pod, run } = await m.asked();
  await m.settled(() => pod.approvals.length === 4);
  const [first, , compound] = pod.approvals;
  assert.ok(first !== undefined && compound !== undefined);
  const seq = await pod.answerApproval({ ...allow(first.digest), keep: { for: "session", rule: everyPush } });
  await m.settled(() => m.world.effects.size === 3 && pod.approvals.length === 1);
  assert.deepEqual(pod.approvals, [compound]);
  const by = [{ for: "session", id: `${seq}`, rule: everyPush }];
  const [own, ...others] = await answers(m);
  assert.deepEqual(own, { seq, answer: "allow", keep: everyPush, by: null });
  assert.deepEqual(
    others.map(({ seq: _, ...rest }) => rest),
    [
      { answer: "allow", keep: null, by },
      { answer: "allow", keep: null, by },
    ],
  );
  await pod.answerApproval(deny(compound.digest));
  await m.settled(() => pod.snapshot.state !== "running");
  await run;
  assert.deepEqual([...m.world.effects.keys()].toSorted(), ["a", "b", "d"]);
  await pod.close();
});

test("an answer that is kept for nothing, or for another command, answers no other call (the control)", async () => {
  for (const keep of [null, { for: "session", rule: "Bash(git add a)" } as const]) {
    const m = asking("Bash", [command("a"), command("b")]);
    const { pod, run } = await m.asked();
    await m.settled(() => pod.approvals.length === 2);
    const [first, second] = pod.approvals;
    assert.ok(first !== undefined && second !== undefined);
    await pod.answerApproval({ ...allow(first.digest), ...(keep === null ? {} : { keep }) });
    await m.host.advance(120_000);
    assert.deepEqual(pod.approvals, [second]);
    pod.cancel();
    await m.settled(() => pod.snapshot.state !== "running");
    await run;
    await pod.close();
  }
});

test("a call that waited while its run was paused is answered when that goes on", async () => {
  const m = asking("Bash", [command("a"), command("b")]);
  const { pod, run } = await m.asked();
  await m.settled(() => pod.approvals.length === 2);
  pod.pause();
  await run;
  const [first] = pod.approvals;
  assert.ok(first !== undefined);
  await pod.answerApproval({ ...allow(first.digest), keep: { for: "session", rule: everyPush } });
  const goesOn = pod.resume();
  await m.settled(() => pod.snapshot.state !== "running");
  await goesOn;
  assert.deepEqual([...m.world.effects.keys()].toSorted(), ["a", "b"]);
  assert.deepEqual(
    (await answers(m)).map(({ keep, by }) => [keep, by?.map(({ rule }) => rule) ?? null]),
    [
      [everyPush, null],
      [null, [everyPush]],
    ],
  );
  await pod.close();
});

test("a path that the scope is widened by answers the calls that wait for it, and no other", async () => {
  const read = (what: string, dir = "data"): JsonObject => ({ what, file_path: `/srv/${dir}/${what}` });
  const m = asking("Read", [read("a"), read("b"), read("c", "other")]);
  const { pod, run } = await m.asked();
  await m.settled(() => pod.approvals.length === 3);
  const [first, , other] = pod.approvals;
  assert.ok(first !== undefined && other !== undefined);
  const rule = "read /srv/data/**";
  const seq = await pod.answerApproval({ ...allow(first.digest), keep: { for: "session", rule } });
  await m.settled(() => m.world.effects.size === 2);
  assert.deepEqual(pod.approvals, [other]);
  assert.deepEqual(
    (await answers(m)).map(({ by }) => by),
    [null, [{ for: "session", id: `${seq}`, rule }]],
  );
  pod.cancel();
  await m.settled(() => pod.snapshot.state !== "running");
  await run;
  await pod.close();
});

test("a path that the user gave answers the mode that asks about each call, and no rule that does", async () => {
  const write = (what: string): JsonObject => ({ what, file_path: `/srv/data/${what}` });
  for (const isRule of [false, true]) {
    const m = asking("Write", [write("a"), write("b")]);
    const rules = [{ tool: "Write", pattern: "*/b", action: "ask", origin: "/c/config.toml" } as const];
    const permissions = { mode: "ask", rules: isRule ? rules : [] } as const;
    Object.assign(m.more, { manifest: manifestOf({ permissions }) });
    const { pod, run } = await m.asked();
    await m.settled(() => pod.approvals.length === 2);
    const [first, second] = pod.approvals;
    assert.ok(first !== undefined && second !== undefined);
    const rule = "write /srv/data/**";
    const seq = await pod.answerApproval({ ...allow(first.digest), keep: { for: "session", rule } });
    await m.settled(() => m.world.effects.size === (isRule ? 1 : 2));
    assert.deepEqual(pod.approvals, isRule ? [second] : []);
    assert.deepEqual(
      (await answers(m)).map(({ by }) => by),
      isRule ? [null] : [null, [{ for: "session", id: `${seq}`, rule }]],
    );
    pod.cancel();
    await m.settled(() => pod.snapshot.state !== "running");
    await run;
    await pod.close();
  }
});
