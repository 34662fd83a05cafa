/** What a parent hears of its children: whole Pods, each in a process of its own that can be killed, over their sockets. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isKnown, type LogEntry, podName, type SystemItem } from "@yoi/base";
import type { Role } from "@yoi/protocol";
import { LineClient } from "../../packages/pod/test/serve/support.ts";
import { manifestOf } from "../support/simulated-pod.ts";
import { aCall, aRequest, SimulatedTree, type TreePod, userToken } from "../support/simulated-tree.ts";

const answering = (text: string) => JSON.stringify({ steps: Array.from({ length: 6 }, () => ({ text })) });
const kid = podName("kid");
const parentName = podName("parent");

/** Lets what was begun in memory go on. */
async function settle(tree: SimulatedTree, ms = 100): Promise<void> {
  for (let n = 0; n < 20; n += 1) {
    await tree.host.advance(ms / 20);
    for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function until(tree: SimulatedTree, what: string, is: () => Promise<boolean> | boolean): Promise<void> {
  for (let n = 0; n < 200; n += 1) {
    if (await is()) return;
    await settle(tree, 10);
  }
  assert.fail(`it did not happen: ${what}`);
}

async function familyOf(options: { readonly ownRuns?: boolean } = {}) {
  const tree = new SimulatedTree();
  tree.behaviour.set("kid", { open: { scenario: answering("The kid is done.") } });
  tree.behaviour.set("sister", { open: { scenario: answering("The sister is done.") } });
  const open = { scenario: answering("I see."), beginsOwnRuns: options.ownRuns ?? false };
  const parent = await tree.open("parent", open);
  return { tree, parent, reopen: () => tree.open("parent", open) };
}

async function entries(tree: SimulatedTree, name: string): Promise<readonly LogEntry[]> {
  return (await tree.log(name)).entries;
}

/** What the parent accepted about its children, in order. */
async function heard(tree: SimulatedTree): Promise<readonly string[]> {
  const items = (await entries(tree, "parent")).flatMap((entry): readonly SystemItem[] =>
    isKnown(entry) && entry.kind === "inbox_accepted" && entry.item.kind === "pod_event" ? [entry.item] : [],
  );
  return items.map(({ source, body }) => {
    assert.ok(body.includes(source), body);
    return body.replace(" ReadPodOutput shows what it said.", "");
  });
}

const isIdle = ({ pod }: TreePod): boolean => pod.snapshot.state === "idle";
async function isDone(tree: SimulatedTree, name: string): Promise<boolean> {
  return (await entries(tree, name)).some(({ kind }) => kind === "run_completed");
}
const done = "The Pod kid finished its run.";

/** What a stranger who connects to the parent is answered to his hello, and to an event when he is let in. */
async function claim(tree: SimulatedTree, role: Role, token: string, event: string): Promise<unknown> {
  const client = new LineClient(tree.connect(parentName));
  await client.send({
    id: "h",
    method: "hello",
    params: { protocol: 1, role, token, client: "forger", stream: false },
  });
  const hello = await client.answer("h");
  if (typeof hello === "object" && hello !== null && "code" in hello) return hello.code;
  const answer = await client.ask("pod_event", { event });
  client.connection.destroy();
  return typeof answer === "object" && answer !== null && "code" in answer ? answer.code : answer;
}

describe("completion", () => {
  test("a child's turn end wakes its idle parent, in a run that says why, and is told once", async () => {
    const { tree, parent } = await familyOf({ ownRuns: true });
    await tree.through(parent.manage.spawn(aRequest("kid", "/w/kid"), aCall()));
    await until(tree, "the parent's own run", async () => (await isDone(tree, "parent")) && isIdle(parent));
    assert.deepEqual(await heard(tree), [done]);
    const own = (await entries(tree, "parent")).filter(isKnown);
    assert.deepEqual(
      own.flatMap((entry) => (entry.kind === "invoke" ? [entry.trigger] : [])),
      ["pod_event"],
    );
    const told = own.filter((entry) => entry.kind === "system_item" && entry.delivers !== undefined);
    assert.equal(told.length, 1);
    const cursors = own.filter((entry) => entry.kind === "child_cursor");
    const end = (await entries(tree, "kid")).find(({ kind }) => kind === "run_completed");
    assert.deepEqual(
      cursors.map(({ child, through }) => [child, through]),
      [["kid", end?.seq]],
    );
    await tree.through(parent.end());
  });

  test("what ended while the parent was dead is in its history when it is back, once, also over a second death", async () => {
    const { tree, parent, reopen } = await familyOf();
    await tree.through(parent.manage.spawn(aRequest("kid", "/w/kid"), aCall()));
    tree.kill("parent");
    await until(tree, "the kid's end", () => isDone(tree, "kid"));
    await tree.through(reopen());
    assert.deepEqual(await heard(tree), [done]);
    tree.kill("parent");
    const again = await tree.through(reopen());
    assert.deepEqual(await heard(tree), [done]);
    // The child found its parent again, and says what ends from now on.
    const live = tree.find("kid");
    assert.ok(live !== null);
    await settle(tree, 3_000);
    await tree.through(live.pod.submit([{ type: "text", text: "more" }]));
    await until(tree, "the second end", async () => (await heard(tree)).length === 2);
    assert.deepEqual(await heard(tree), [done, done]);
    await tree.through(again.end());
  });

  test("a child that finished and was killed while its parent was dead: both are told, its loan is back", async () => {
    const { tree, parent, reopen } = await familyOf();
    await tree.through(parent.manage.spawn(aRequest("kid", "/w/kid"), aCall()));
    tree.kill("parent");
    await until(tree, "the kid's end", () => isDone(tree, "kid"));
    tree.kill("kid");
    const again = await tree.through(reopen());
    const told = await heard(tree);
    assert.equal(told.length, 2);
    assert.ok(told.includes(done));
    assert.deepEqual((await tree.record("parent")).children, []);
    await tree.through(again.end());
  });

  test("W-41: what a child said is read once, as far as the cursor, with its state", async () => {
    const { tree, parent } = await familyOf();
    await tree.through(parent.manage.spawn(aRequest("kid", "/w/kid"), aCall()));
    await until(tree, "the kid's end", () => isDone(tree, "kid"));
    const live = tree.find("kid");
    assert.ok(live !== null);
    await until(tree, "idle", () => isIdle(live));
    const first = await parent.manage.read("kid", null, aCall());
    assert.deepEqual([first.texts, first.more, first.state], [["The kid is done."], false, "idle"]);
    assert.deepEqual((await parent.manage.read("kid", first.cursor, aCall())).texts, []);
    tree.kill("kid");
    await until(tree, "the reclaim", async () => (await tree.record("parent")).children.length === 0);
    const last = await parent.manage.read("kid", null, aCall());
    assert.deepEqual([last.texts, last.state], [["The kid is done."], "stopped"]);
    await assert.rejects(parent.manage.read("stranger", null, aCall()), { code: "child_unknown" });
    await tree.through(parent.end());
  });
});

describe("the end of a child", () => {
  test("a hosted child's orderly end is the last record of its log, and its parent is told of it", async () => {
    const { tree, parent } = await familyOf();
    await tree.through(parent.manage.spawn(aRequest("kid", "/w/kid"), aCall()));
    await until(tree, "the kid's end", () => isDone(tree, "kid"));
    const live = tree.find("kid");
    assert.ok(live !== null);
    await until(tree, "idle", () => isIdle(live));
    void live.end();
    await until(tree, "the loan is back", async () => (await tree.record("parent")).children.length === 0);
    const last = (await entries(tree, "kid")).at(-1);
    assert.ok(last !== undefined && isKnown(last) && last.kind === "extension");
    assert.deepEqual([last.domain, last.payload], ["yoi.shutdown", { reason: "shutdown" }]);
    await until(tree, "all is told", async () => (await heard(tree)).length >= 2);
    await settle(tree, 10_000);
    const [first, second, ...more] = await heard(tree);
    assert.deepEqual([first, more], [done, []]);
    assert.match(second ?? "", /^The child kid has stopped \(shutdown\), and its loan came back\. /);
    await tree.through(parent.end());
  });

  test("a Pod without parent, and one that was not hosted, leave no such record", async () => {
    const { tree, parent } = await familyOf();
    await tree.through(parent.end());
    const alone = await tree.open("alone", { hosted: false });
    await alone.pod.close();
    for (const name of ["parent", "alone"])
      assert.ok(
        (await entries(tree, name)).every(
          ({ kind, ...entry }) => kind !== "extension" || !JSON.stringify(entry).includes("yoi.shutdown"),
        ),
      );
  });
});

describe("W-43: who a child is", () => {
  const spawned = async () => {
    const family = await familyOf();
    const { tree, parent } = family;
    await tree.through(parent.manage.spawn(aRequest("kid", "/w/kid"), aCall()));
    await tree.through(parent.manage.spawn(aRequest("sister", "/w/sister"), aCall()));
    for (const name of ["kid", "sister"]) await until(tree, `${name}'s end`, () => isDone(tree, name));
    await until(tree, "both are told", async () => (await heard(tree)).length === 2);
    const tokenOf = async (name: string) => (await tree.record(name)).parent?.token ?? "";
    return { ...family, tokens: { kid: await tokenOf("kid"), sister: await tokenOf("sister") } };
  };

  test("a forged shut_down reclaims nothing: a wrong token, the user's, another child's, the right one of a child that lives", async () => {
    const { tree, parent, tokens } = await spawned();
    const before = await tree.record("parent");
    assert.deepEqual(
      [
        await claim(tree, "child", "0".repeat(64), "shut_down"),
        await claim(tree, "child", userToken, "shut_down"),
        await claim(tree, "child", "", "shut_down"),
        await claim(tree, "user", tokens.kid, "shut_down"),
        await claim(tree, "user", userToken, "shut_down"),
        await claim(tree, "peer", userToken, "shut_down"),
        await claim(tree, "send_only", userToken, "shut_down"),
        await claim(tree, "child", tokens.sister, "shut_down"),
        await claim(tree, "child", tokens.kid, "shut_down"),
        await claim(tree, "child", tokens.kid, "errored"),
        await claim(tree, "child", tokens.kid, "turn_ended"),
        await claim(tree, "child", tokens.kid, "scope_sub_delegated"),
      ],
      [
        "unauthorized",
        "unauthorized",
        "unauthorized",
        "unauthorized",
        "forbidden",
        "forbidden",
        "forbidden",
        {},
        {},
        {},
        {},
        "invalid_request",
      ],
    );
    await settle(tree, 20_000);
    assert.deepEqual((await tree.record("parent")).children, before.children, "both loans are open");
    assert.equal((await heard(tree)).length, 2, "and nothing is told");
    assert.deepEqual([tree.find("kid") === null, tree.find("sister") === null], [false, false]);
    await tree.through(parent.end());
  });

  test("control: the same hint of a child that is gone brings its loan back; its token is nobody's from then on", async () => {
    const { tree, parent, tokens } = await spawned();
    tree.behaviour.set("kid", { ...tree.behaviour.get("kid"), shutdown: "ignored" });
    tree.kill("kid");
    // The hint is about the one whose token it was said with, whoever says it.
    await claim(tree, "child", tokens.kid, "turn_ended");
    await until(tree, "the reclaim", async () => (await tree.record("parent")).children.length === 1);
    assert.deepEqual(
      (await tree.record("parent")).children.map(({ name }) => name),
      ["sister"],
    );
    assert.equal(await claim(tree, "child", tokens.kid, "turn_ended"), "unauthorized");
    assert.deepEqual(await claim(tree, "child", tokens.sister, "turn_ended"), {});
    await tree.through(parent.end());
  });

  test("nobody who connects takes a name under which a child's end comes in", async () => {
    const { tree, parent } = await familyOf();
    const client = await LineClient.hello(tree.connect(parentName), { token: userToken, stream: false });
    for (const submission of ["child/kid/x/3", "reclaim/1", "kept/1"]) {
      for (const [method, params] of [
        ["notify", { message: "m" }],
        ["submit", { parts: [{ type: "text", text: "t" }] }],
      ] as const) {
        const answer = await client.ask(method, { ...params, submission });
        assert.ok(typeof answer === "object" && answer !== null && "code" in answer, submission);
        assert.equal(answer.code, "invalid_request");
      }
    }
    client.connection.destroy();
    await tree.through(parent.end());
  });
});

test("the user makes peers over the wire, and takes them away: on record, and nothing else", async () => {
  const { tree, parent } = await familyOf();
  const client = await LineClient.hello(tree.connect(parentName), { token: userToken, stream: false });
  const peers = async () => (await tree.record("parent")).peers;
  await tree.open("reviewer", { manifest: manifestOf({ scope: { allow: [], deny: [] } }) });
  assert.deepEqual(await client.ask("register_peer", { name: "reviewer" }), {});
  assert.deepEqual(await client.ask("register_peer", { name: "reviewer" }), {});
  const { name: reviewer, pointer } = await tree.record("reviewer");
  assert.deepEqual(await peers(), [{ name: reviewer, session: pointer.session }]);
  for (const name of ["parent", "no/name", "nobody"]) {
    const answer = await client.ask("register_peer", { name });
    assert.ok(typeof answer === "object" && answer !== null && "code" in answer);
    assert.equal(answer.code, "invalid_request", name);
  }
  assert.deepEqual(await client.ask("register_peer", { name: "reviewer", remove: true }), {});
  assert.deepEqual(await peers(), []);
  client.connection.destroy();
  await tree.through(parent.end());
});

test("the user restores a child over the wire: one that lives, one whose loan came back, and no stranger", async () => {
  const { tree, parent } = await familyOf();
  await tree.through(parent.manage.spawn(aRequest("kid", "/w/kid"), aCall()));
  await until(tree, "the kid's end", () => isDone(tree, "kid"));
  const client = await LineClient.hello(tree.connect(parentName), { token: userToken, stream: false });
  const restore = (name: string) => client.ask("restore_pod", { name });
  assert.deepEqual(await restore("kid"), { action: "already_live", socket: "/run/kid", warnings: [] });
  tree.kill("kid");
  await until(tree, "the reclaim", async () => (await tree.record("parent")).children.length === 0);
  const asking = restore("kid");
  await settle(tree);
  assert.deepEqual(await asking, { action: "restored", socket: "/run/kid", warnings: [] });
  assert.deepEqual(
    (await tree.record("parent")).children.map(({ name }) => name),
    [kid],
  );
  const answer = await restore("stranger");
  assert.ok(typeof answer === "object" && answer !== null && "cause" in answer);
  assert.equal(answer.cause, "child_unknown");
  client.connection.destroy();
  await tree.through(parent.end());
});
