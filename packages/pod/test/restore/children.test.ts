/** A parent that is opened again: what it had lent is established by evidence, inside of opening, before anything can run. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { podName, YoiError } from "@yoi/base";
import type { ModelRequest } from "@yoi/model";
import { aCall, aRequest, SimulatedTree, type TreePod } from "../../../../test/support/simulated-tree.ts";
import { overriding } from "../../../../test/support/overriding.ts";
import { dataDir, manifestOf } from "../../../../test/support/simulated-pod.ts";
import { inboxMax } from "../../src/inbox/inbox.ts";
import { read, reasonsOf, reclaimNotices, withKid, write, writes } from "../spawn/asserting.ts";

interface Case {
  readonly what: string;
  /** What became of the child while its parent was dead. */
  readonly became: (tree: SimulatedTree) => Promise<void> | void;
  /** Null: the loan stays open. */
  readonly reason: "stopped" | "lost" | "not_started" | null;
}

const path = `${dataDir}/pods/kid/metadata.json`;
const cases: readonly Case[] = [
  { what: "lives", became: () => {}, reason: null },
  { what: "ended in order", became: async (tree) => tree.through(endOf(tree, "kid")), reason: "stopped" },
  { what: "was killed", became: (tree) => tree.kill("kid"), reason: "lost" },
  {
    what: "was removed by the user",
    became: async (tree) => {
      tree.kill("kid");
      await tree.pods.remove(podName("kid"));
    },
    reason: "lost",
  },
  {
    what: "was removed, and another Pod has its name",
    became: async (tree) => {
      tree.kill("kid");
      await tree.pods.remove(podName("kid"));
      await tree.open("kid", {
        manifest: manifestOf({ scope: { allow: [read("/w"), write("/elsewhere")], deny: [] } }),
      });
    },
    reason: "lost",
  },
  {
    what: "has damaged metadata, and nobody runs it",
    became: async (tree) => {
      tree.kill("kid");
      await tree.host.files.replace(path, Buffer.from("{"));
    },
    reason: "lost",
  },
  {
    what: "lives, with damaged metadata",
    became: (tree) => tree.host.files.replace(path, Buffer.from("{")),
    reason: null,
  },
  {
    what: "is run by somebody else than its host",
    became: async (tree) => {
      tree.kill("kid");
      await tree.open("kid", { hosted: false });
    },
    reason: null,
  },
];

describe("A3-17, A3-19: W-46, W-47: what became of a child while its parent was dead", () => {
  for (const { what, became, reason } of cases) {
    test(`the child ${what}: ${reason === null ? "its loan stays open" : `reclaimed as ${reason}`}`, async () => {
      const { tree } = await withKid();
      const [before] = (await tree.record("parent")).children;
      tree.kill("parent");
      await became(tree);
      const parent = await tree.open("parent");
      const { children } = await tree.record("parent");
      assert.equal(writes(parent, "/w/a/x"), reason !== null);
      assert.ok(writes(parent, "/w/x"));
      if (reason === null) {
        assert.deepEqual(children, [before]);
        assert.deepEqual(await reclaimNotices(tree, "parent"), []);
        return;
      }
      assert.deepEqual([children, await reasonsOf(tree, "parent")], [[], [["kid", reason]]]);
      const told = await reclaimNotices(tree, "parent");
      assert.deepEqual(
        told.map(({ submission, kind }) => [submission, kind]),
        [[`reclaim/${before?.loan.id}`, "pod_event"]],
      );
      assert.match(
        told[0]?.body ?? "",
        /kid .* You may write there again: \/w\/a\. RestorePod starts it again/,
      );
      // Once more: nothing is told or taken back again.
      tree.kill("parent");
      await tree.open("parent");
      assert.equal((await reclaimNotices(tree, "parent")).length, 1);
      // It stays visible, and says what became of it.
      const listed = await tree.find("parent")?.manage.list(aCall());
      assert.deepEqual(
        listed?.map(({ name, relation, loan }) => [name, relation, loan]),
        [
          ["parent", "self", null],
          ["kid", "child", reason],
        ],
      );
    });
  }
});

test("W-46: a child whose lease somebody has who does not say who it is keeps its loan, and the user is told", async () => {
  const unsaid = new YoiError("pod_held", "The Pod kid is locked by a process that did not say who it is.");
  const tree = new SimulatedTree({
    wrapLease: (lease) => ({
      ...lease,
      acquire: (name, purpose) =>
        purpose === "reclaim" ? Promise.reject(unsaid) : lease.acquire(name, purpose),
    }),
  });
  await withKid(tree);
  tree.kill("parent");
  tree.kill("kid");
  const parent = await tree.open("parent");
  assert.ok(!writes(parent, "/w/a/x"));
  assert.deepEqual(
    parent.pod.alerts.map(({ message }) => message),
    [
      "The loan of the child kid stays open, because nobody can tell that it, or what is below it, is gone (StopPod ends it): The Pod kid is locked by a process that did not say who it is.",
    ],
  );
  // Evidence comes with StopPod, which gets the lease.
  await tree.through(parent.manage.stop("kid", aCall()));
  assert.ok(writes(parent, "/w/a/x"));
});

test("what cannot be found out about a child keeps its loan, and no Pod from its user; once it can be, the loan comes back", async () => {
  const fault = { isThere: true };
  const tree = new SimulatedTree({
    wrapLease: (lease) => ({
      ...lease,
      acquire: async (name, purpose) => {
        if (name === "kid" && purpose === "reclaim" && fault.isThere)
          throw new YoiError("io_failed", "The lock file of kid cannot be locked.");
        return lease.acquire(name, purpose);
      },
    }),
  });
  const { parent: before } = await withKid(tree);
  await before.manage.spawn(aRequest("other", "/w/b"), aCall());
  for (const name of ["parent", "kid", "other"]) tree.kill(name);
  const parent = await tree.open("parent");
  assert.deepEqual([writes(parent, "/w/a/x"), writes(parent, "/w/b/x")], [false, true]);
  await parent.manage.list(aCall());
  await tree.host.advance(30_000);
  const told = [
    "Whether the child kid is gone could not be found out, so its loan stays open: The lock file of kid cannot be locked.",
  ];
  assert.deepEqual(
    parent.pod.alerts.map(({ message }) => message),
    told,
  );
  fault.isThere = false;
  await tree.through(parent.manage.stop("kid", aCall()));
  assert.ok(writes(parent, "/w/a/x"));
});

test("a notice that a crash made untrue is taken back, and the next one of that loan is given", async () => {
  const fault = { kills: false };
  const tree: SimulatedTree = new SimulatedTree({
    wrapPods: (pods) => ({
      ...pods,
      reclaimChild: async (...given) => {
        if (!fault.kills) return pods.reclaimChild(...given);
        tree.kill("parent");
        return await new Promise<never>(() => {});
      },
    }),
  });
  const { parent } = await withKid(tree);
  for (const nth of [1, 2]) {
    fault.kills = true;
    tree
      .find("parent")
      ?.manage.stop("kid", aCall())
      .catch(() => {});
    await tree.host.advance(5_000);
    fault.kills = false;
    // The user, before its parent: it is told that its loan came back, and it has not.
    await tree.open("kid");
    await tree.open("parent");
    assert.equal(writes(tree.find("parent"), "/w/a/x"), false, `${nth}`);
  }
  assert.ok(parent.process.isDead);
  tree.kill("kid");
  await tree.through(tree.find("parent")?.manage.stop("kid", aCall()) ?? assert.fail());
  const { entries } = await tree.log("parent");
  const told = entries.flatMap((entry) =>
    entry.kind === "inbox_accepted" && "item" in entry && /^(kept|reclaim)\//.test(entry.submission ?? "")
      ? [/has stopped|is open after all|is gone without/.exec(entry.item.body)?.[0]]
      : [],
  );
  assert.deepEqual(told, [
    "has stopped",
    "is open after all",
    "has stopped",
    "is open after all",
    "is gone without",
  ]);
});

test("A3-15, A3-20, A3-22: what came back is in history before the first request, and in the very opening", async () => {
  const { tree } = await withKid();
  tree.kill("parent");
  tree.kill("kid");
  const requests: ModelRequest[] = [];
  const parent = await tree.open("parent", {
    scenario: "steps:\n  - text: done\n",
    wrapModel: (model) =>
      overriding(model, {
        stream: (request, options) => {
          requests.push(request);
          return model.stream(request, options);
        },
      }),
  });
  const [told, ...others] = await reclaimNotices(tree, "parent");
  assert.deepEqual([others, requests], [[], []], "before anybody asks for anything");
  await tree.through(parent.pod.submit([{ type: "text", text: "go on" }]));
  const [first] = requests;
  const texts = (first?.items ?? []).flatMap(({ item }) =>
    item.type === "system_item" && item.kind === "pod_event" ? [item.body] : [],
  );
  assert.deepEqual([texts, requests.length], [[told?.body], 1]);
});

test("A3-18, A3-27: a log says nothing about scopes: what a Pod holds is its manifest's less what metadata has lent", async () => {
  const { tree, parent } = await withKid();
  tree.kill("parent");
  const again = await tree.open("parent");
  assert.deepEqual(again.scope.current, parent.scope.current);
  for (const name of ["parent", "kid"]) {
    const { entries } = await tree.log(name);
    assert.doesNotMatch(JSON.stringify(entries), /"allow"|"deny"|pod\.scope|"permission"/);
  }
  // Metadata lends something else now, and the same log goes with another scope.
  tree.kill("parent");
  const record = await tree.record("parent");
  const [child] = record.children;
  assert.ok(child !== undefined);
  const scope = { allow: [write("/w/b"), read("/w")], deny: [] };
  await tree.pods.putChild(record.name, record, { ...child, loan: { ...child.loan, scope } });
  const changed = await tree.open("parent");
  assert.deepEqual(
    [again, changed].map((pod) => [writes(pod, "/w/a/x"), writes(pod, "/w/b/x")]),
    [
      [false, true],
      [true, false],
    ],
  );
});

test("A3-21, A3-23: the registry is a mirror: without it the same loans are open, and come back", async () => {
  for (const killed of [false, true]) {
    const { tree } = await withKid();
    const [child] = (await tree.record("parent")).children;
    tree.kill("parent");
    if (killed) tree.kill("kid");
    // A row that is missing, and a registry that is.
    if (killed) await tree.registry.reclaim(podName("parent"), podName("kid"), child?.loan.id ?? "");
    else await tree.loseRegistry();
    const parent = await tree.open("parent");
    assert.equal(writes(parent, "/w/a/x"), killed);
    assert.equal((await tree.record("parent")).children.length, killed ? 0 : 1);
  }
});

test("A3-28: a child whose log is gone, though its metadata is there, gives its loan back as one that was lost", async () => {
  const { tree } = await withKid();
  tree.kill("parent");
  await tree.through(endOf(tree, "kid"));
  await tree.sessions.removeSession((await tree.record("kid")).pointer.session);
  await tree.open("parent");
  assert.deepEqual(await reasonsOf(tree, "parent"), [["kid", "lost"]]);
});

test("a dead child below which another Pod lives keeps its loan, and the model is told once what ends that", async () => {
  const { tree } = await withKid();
  await tree.find("kid")?.manage.spawn(aRequest("grandkid", "/w/a/deep"), aCall());
  tree.kill("parent");
  tree.kill("kid");
  const parent = await tree.open("parent");
  assert.deepEqual([writes(parent, "/w/a/x"), writes(tree.find("grandkid"), "/w/a/deep/x")], [false, true]);
  assert.deepEqual(await reclaimNotices(tree, "parent"), []);
  tree.kill("parent");
  await tree.open("parent");
  const { entries } = await tree.log("parent");
  const told = entries.flatMap((entry) =>
    entry.kind === "inbox_accepted" && "item" in entry && entry.submission?.startsWith("kept/") === true
      ? [entry.item.body]
      : [],
  );
  assert.equal(told.length, 1);
  assert.match(
    told[0] ?? "",
    /^The child kid is gone, but a Pod below it .*grandkid.* StopPod of kid ends what is below it/,
  );
  // Started again, it takes up what is below it.
  const again = tree.find("parent");
  await again?.manage.restore("kid", aCall());
  assert.deepEqual(
    (await tree.record("kid")).children.map(({ name }) => name),
    ["grandkid"],
  );
  await tree.through(again?.manage.stop("kid", aCall()) ?? Promise.reject(new Error("no parent")));
  assert.deepEqual(
    tree.live.map(({ name }) => name),
    ["parent"],
  );
});

test("where the inbox is full a reclaim waits with its last steps, and ends when there is room: nothing is lost", async () => {
  const { tree, parent } = await withKid();
  await tree.host.advance(10);
  while (parent.pod.snapshot.waiting < inboxMax) await parent.pod.notify({ source: "host", message: "note" });
  tree.kill("parent");
  tree.kill("kid");
  const scenario = `steps:\n${"  - text: done\n".repeat(2)}`;
  const again = await tree.open("parent", { scenario });
  assert.deepEqual([writes(again, "/w/a/x"), (await tree.record("parent")).children.length], [false, 1]);
  assert.deepEqual(await reclaimNotices(tree, "parent"), []);
  await tree.through(again.pod.submit([{ type: "text", text: "go on" }]));
  await tree.host.advance(10);
  assert.deepEqual([writes(again, "/w/a/x"), await reasonsOf(tree, "parent")], [true, [["kid", "lost"]]]);
  assert.equal((await reclaimNotices(tree, "parent")).length, 1);
});

test("a child that was starting when its parent died: what never began is removed, and its name is free again", async () => {
  const tree = new SimulatedTree();
  const parent = await tree.open("parent");
  tree.behaviour.set("kid", { start: "hangs" });
  parent.manage.spawn(aRequest("kid", "/w/a"), aCall()).catch(() => {});
  await tree.host.advance(10);
  assert.equal((await tree.record("parent")).children[0]?.state, "starting");
  assert.equal((await tree.record("kid")).pointer.state, "pending");
  tree.kill("parent");
  const again = await tree.open("parent");
  assert.deepEqual(await reasonsOf(tree, "parent"), []);
  assert.match((await reclaimNotices(tree, "parent"))[0]?.body ?? "", /never began.*SpawnPod begins it anew/);
  assert.deepEqual(
    (await tree.pods.list()).map(({ name }) => name),
    ["parent"],
  );
  tree.behaviour.delete("kid");
  await again.manage.spawn(aRequest("kid", "/w/a"), aCall());
});

async function endOf(tree: SimulatedTree, name: string): Promise<void> {
  const pod: TreePod | null = tree.find(name);
  if (pod === null) throw new Error(`${name} does not live`);
  await pod.end();
}
