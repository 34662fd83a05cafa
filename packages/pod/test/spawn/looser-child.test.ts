/** A child that outlived a parent with more gets no work from one that may do less now, until it is started anew. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Manifest, parseManifest } from "@yoi/manifest";
import { manifestOf } from "../../../../test/support/simulated-pod.ts";
import { aCall, aRequest, SimulatedTree, type TreePod } from "../../../../test/support/simulated-tree.ts";
import { refused } from "./asserting.ts";

const ruleOf = (action: "allow" | "deny") =>
  ({ tool: "Bash", pattern: "git push*", action, origin: "/c" }) as const;
const policy = (...actions: ("allow" | "deny")[]) =>
  ({ mode: "allow-in-scope", rules: actions.map(ruleOf) }) as const;
const turns = (most: number | null) => ({ ...manifestOf().limits, max_turns: most });

/** A parent opened with `began` that was killed, and again with `now`; its child `kid` lives. */
async function outlived(began: Manifest, now: Manifest): Promise<{ tree: SimulatedTree; again: TreePod }> {
  const tree = new SimulatedTree();
  const parent = await tree.open("parent", { manifest: began });
  await parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
  tree.kill("parent");
  return { tree, again: await tree.open("parent", { change: now }) };
}

const warned = ({ pod }: TreePod) =>
  pod.alerts.filter(({ message }) => message.includes("began with more")).map(({ message }) => message);

const looser: readonly (readonly [string, Partial<Manifest>, Partial<Manifest>])[] = [
  ["the sandbox is on again", { sandbox: { mode: "off", network: false } }, {}],
  ["the network is gone", { sandbox: { mode: "on", network: true } }, {}],
  ["the mode is stricter", {}, { permissions: { mode: "deny-unlisted", rules: [] } }],
  ["a rule denies", {}, { permissions: policy("deny") }],
  [
    "a rule of a Pod above denies",
    {},
    { permissions: { ...policy(), above: [{ pod: "root", ...policy("deny") }] } },
  ],
  ["a rule allows no more", { permissions: policy("allow") }, {}],
  ["there are fewer turns", {}, { limits: turns(3) }],
];

for (const [what, began, now] of looser) {
  test(`decision 4: ${what}: a child that lives with more is not sent to or restored, is said, and is bound by a new start`, async () => {
    const strict = manifestOf(now);
    const { tree, again } = await outlived(manifestOf(began), strict);
    assert.deepEqual(warned(again), [
      "The child kid lives and began with more than parent may do now (its permissions, sandbox, network, web or limits); parent gives it no work. `yoi pod stop kid` and then `yoi pod restore kid` start it again, bound by what parent may do now.",
    ]);
    const sentence =
      /^The child kid began with more than parent may do now .*StopPod and then RestorePod start it again/;
    const before = (await tree.log("kid")).entries.length;
    await refused(again.manage.send("kid", "go", aCall()), "loan_refused", sentence);
    await refused(again.manage.restore("kid", aCall()), "loan_refused", sentence);
    assert.equal((await tree.log("kid")).entries.length, before);
    assert.equal((await again.manage.read("kid", null, aCall())).state, "idle");
    assert.deepEqual(
      (await again.manage.list(aCall())).map(({ name }) => name),
      ["parent", "kid"],
    );
    await tree.through(again.manage.stop("kid", aCall()));
    assert.equal((await again.manage.restore("kid", aCall())).action, "restored");
    await again.manage.send("kid", "go", aCall());
    const { sandbox } = parseManifest((await tree.record("kid")).manifest, "x");
    assert.deepEqual(sandbox, strict.sandbox);
  });
}

const bound: readonly (readonly [string, Partial<Manifest>, Partial<Manifest>])[] = [
  ["as before", {}, {}],
  ["with more", { limits: turns(3) }, { sandbox: { mode: "off", network: true }, limits: turns(null) }],
  ["without a denial", { permissions: policy("deny") }, {}],
  ["with a rule that allows", {}, { permissions: policy("allow") }],
  ["with a milder mode", { permissions: { mode: "deny-unlisted", rules: [] } }, {}],
];

for (const [how, began, now] of bound) {
  test(`control: a child whose parent is opened again ${how} is sent to as ever, and nothing is said`, async () => {
    const { again } = await outlived(manifestOf(began), manifestOf(now));
    assert.deepEqual(warned(again), []);
    assert.equal((await again.manage.restore("kid", aCall())).action, "already_live");
    await again.manage.send("kid", "go", aCall());
  });
}
