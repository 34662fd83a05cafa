/** A family of Pods as the commands show it: who holds what of whom, and a damaged member that costs nobody else. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Loan, podName, type PodName, sessionId } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { manifestToJson } from "@yoi/manifest";
import { createPodStore, peersMax, type PodStore } from "@yoi/pod-store";
import { manifestOf } from "../support/simulated-pod.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { sentenceOf, treeOf, yoi } from "./machine.ts";

const uuid = (n: number): string => `0198c0de-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
const names = { lead: 1, a: 2, b: 3, solo: 4 } as const;
const session = (name: keyof typeof names) => sessionId(uuid(names[name]));

/** `lead` lends src/a and src/b of its workspace to `a` and `b`; what it lent to `b` came back. */
async function family(home: TempHome): Promise<PodStore> {
  const { files, clock } = nodeHost();
  const pods = createPodStore({ files, clock, dataDir: home.home });
  const lead = podName("lead");
  const scope = {
    allow: [{ target: home.workspace, permission: "write", recursive: true }],
    deny: [],
  } as const;
  const manifest = manifestToJson(manifestOf({ workspace: home.workspace, scope }));
  for (const name of ["lead", "a", "b", "solo"] as const) {
    const isChild = name === "a" || name === "b";
    const parent = { pod: lead, session: session("lead"), depth: 1, token: "t" };
    await pods.create({
      name: podName(name),
      pointer: { state: "pending", session: session(name) },
      manifest,
      ...(isChild ? { parent } : {}),
    });
  }
  for (const name of ["a", "b"] as const) {
    const target = join(home.workspace, "src", name);
    const loan: Loan = {
      id: uuid(100 + names[name]),
      scope: { allow: [{ target, permission: "write", recursive: true }], deny: [] },
    };
    const child = { name: podName(name), state: "live", loan, session: session(name), sinceMs: 5 } as const;
    const hints = { tokenDigest: "0".repeat(64), socket: null, callback: null };
    await pods.putChild(lead, await recordOf(pods, lead), { ...child, ...hints });
  }
  await pods.reclaimChild(lead, await recordOf(pods, lead), podName("b"), { reason: "lost", atMs: 9 });
  return pods;
}

async function recordOf(pods: PodStore, name: PodName) {
  const record = await pods.read(name);
  assert.ok(record !== null);
  return record;
}

test("tree, list and show name parents, children, what is lent and what came back", async () => {
  using home = tempHome();
  await family(home);
  const [tree, part, list, show, json] = await Promise.all(
    [["tree"], ["tree", "a"], ["pod", "list"], ["pod", "show", "lead"], ["tree", "--json"]].map((args) =>
      yoi(home, args),
    ),
  );
  assert.deepEqual(
    [tree?.stdout, tree?.stderr, tree?.code],
    [
      `POD   STATE                                    HOLDS  LENT        TURNS  IN  OUT  COST
lead  never ran                                .      src/a to a  -      -   -    -
├─ a  never ran                                src/a  -           -      -   -    -
└─ b  never ran, loan back: it was found gone  -      -           -      -   -    -
solo  never ran                                .      -           -      -   -    -
4 Pods, 0 live; 0 turns, 0 in, 0 out, $0
`,
      "",
      0,
    ],
  );
  assert.match(part?.stdout ?? "", /^POD .*\na +never ran +src\/a +- .*\n1 Pod, 0 live; /);
  assert.match(list?.stdout ?? "", /^NAME +STATE +NOW +KIN +MODEL/);
  assert.match(list?.stdout ?? "", /^lead +stopped +- +1 child /m);
  assert.match(list?.stdout ?? "", /^a +stopped +- +child of lead /m);
  assert.match(show?.stdout ?? "", /^children: +a$/m);
  assert.match(show?.stdout ?? "", /^loans back: +b \(lost\)$/m);
  const { pods, total } = JSON.parse(json?.stdout ?? "") as { pods: never[]; total: unknown };
  const brief = (pod: { [key: string]: unknown; children: never[] }): unknown => ({
    name: pod["name"],
    parent: pod["parent"],
    loan: pod["loan"],
    lent: (pod["lent"] as { to: string }[]).map(({ to }) => to),
    children: pod.children.map(brief),
  });
  assert.deepEqual(pods.map(brief), [
    {
      name: "lead",
      parent: null,
      loan: null,
      lent: ["a"],
      children: [
        {
          name: "a",
          parent: "lead",
          loan: { state: "open", id: uuid(102), since_ms: 5 },
          lent: [],
          children: [],
        },
        {
          name: "b",
          parent: "lead",
          loan: { state: "lost", id: uuid(103), back_ms: 9 },
          lent: [],
          children: [],
        },
      ],
    },
    { name: "solo", parent: null, loan: null, lent: [], children: [] },
  ]);
  assert.deepEqual(total, {
    pods: 4,
    live: 0,
    turns: 0,
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
    },
    total_cost_usd: 0,
    cost: { known_usd: 0, unpriced_requests: 0 },
  });
});

test("W-44: a child with damaged metadata marks its own line and keeps its loan; no child is lost with a damaged field", async () => {
  using home = tempHome();
  const pods = await family(home);
  const damaged = pods.pathOf(podName("a"));
  const whole = readFileSync(damaged, "utf8");
  writeFileSync(damaged, whole.slice(0, 200));
  const tree = await yoi(home, ["tree"]);
  assert.equal(tree.code, 0);
  assert.match(tree.stdout, /^lead +never ran +\. +src\/a to a /m);
  assert.match(tree.stdout, /^├─ a +damaged /m);
  sentenceOf(tree.stderr);
  assert.match(
    tree.stderr,
    new RegExp(`^yoi: The metadata of the Pod a is damaged at byte 200 of ${damaged} `),
  );

  // The lender's own: refused as a whole, never read as one without children.
  const path = pods.pathOf(podName("lead"));
  const edited = readFileSync(path, "utf8").replace(/"children": \[.*?\n {2}\],/s, '"children": [],');
  assert.notEqual(edited, readFileSync(path, "utf8"));
  writeFileSync(path, edited);
  const before = treeOf(home.home);
  const shown = await yoi(home, ["pod", "show", "lead"]);
  assert.deepEqual([shown.code, shown.stdout], [1, ""]);
  sentenceOf(shown.stderr);
  assert.match(
    shown.stderr,
    new RegExp(
      `^yoi: The metadata of the Pod lead is damaged at byte \\d+ of ${path} \\(its checksum does not match`,
    ),
  );
  assert.deepEqual(treeOf(home.home), before);
});

test("two Pods become peers on both sides or on neither (W-51), and grant nothing", async () => {
  using home = tempHome();
  const pods = await family(home);
  const [lead, solo] = [podName("lead"), podName("solo")];
  const before = await recordOf(pods, lead);
  const peersOf = async (name: PodName) => (await recordOf(pods, name)).peers.map((peer) => peer.name);

  const made = await yoi(home, ["pod", "peer", "lead", "solo", "--json"]);
  const listed = await yoi(home, ["pod", "list"]);
  assert.match(listed.stdout, /^lead +stopped +- +1 child, peer of solo /m);
  assert.match(listed.stdout, /^solo +stopped +- +peer of lead /m);
  assert.deepEqual(JSON.parse(made.stdout), { pod: "lead", peer: "solo", peers: true, changed: true });
  assert.deepEqual([await peersOf(lead), await peersOf(solo)], [["solo"], ["lead"]]);
  const { peers: _, revision, updatedMs, ...rest } = await recordOf(pods, lead);
  assert.deepEqual({ ...before, ...rest }, before);
  assert.ok(revision === before.revision + 1 && updatedMs >= before.updatedMs);
  await pods.remove(podName("b"));
  const ended = await yoi(home, ["pod", "peer", "solo", "lead", "--remove"]);
  assert.equal(ended.stdout, "The Pods solo and lead are no peers any more.\n");
  assert.deepEqual([await peersOf(lead), await peersOf(solo)], [[], []]);

  // The second side has no room: the first is put back.
  for (let n = 0; n < peersMax; n += 1)
    await pods.setPeer(solo, await recordOf(pods, solo), podName(`p${n}`), sessionId(uuid(0x500 + n)));
  const refused = await yoi(home, ["pod", "peer", "lead", "solo"]);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^yoi: The Pod solo has 64 peers, the most that one can have/);
  assert.deepEqual([await peersOf(lead), (await peersOf(solo)).length], [[], peersMax]);
  // One that is gone can be taken away; two that are not there cannot.
  assert.equal((await yoi(home, ["pod", "peer", "p0", "solo", "--remove"])).code, 0);
  assert.equal((await peersOf(solo)).includes(podName("p0")), false);
  for (const args of [
    ["p1", "lead"],
    ["p1", "p2", "--remove"],
  ]) {
    const unknown = await yoi(home, ["pod", "peer", ...args]);
    assert.deepEqual([unknown.code, unknown.stdout], [1, ""]);
    assert.match(unknown.stderr, /^yoi: There is no Pod named p1: /);
  }
});
