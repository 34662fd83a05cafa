/** Verbs of the registry: who gets in, who is refused and told what, what is swept, and what a lost file changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, type Scope, YoiError } from "@yoi/base";
import type { Registry } from "../../src/registry/index.ts";
import { read, write } from "../support.ts";
import { childRow, identity, row, World } from "./world.ts";

const only = (...allow: Scope["allow"]): Scope => ({ allow, deny: [] });
const ws = only(write("/ws"), read("/usr"));

/** `ok`, or the code of the refusal. */
async function outcome(doing: Promise<unknown>): Promise<string> {
  return doing.then(
    () => "ok",
    (error: unknown) => (error instanceof YoiError ? error.code : String(error)),
  );
}

async function refusal(doing: Promise<unknown>): Promise<string> {
  return doing.then(
    () => assert.fail("it was not refused"),
    (error: unknown) => (error instanceof YoiError ? error.message : String(error)),
  );
}

async function names(registry: Registry): Promise<readonly string[]> {
  return (await registry.list()).map(({ name }) => name);
}

/** A Pod that runs: its lease, its metadata and its row. */
async function begin(
  world: World,
  registry: Registry,
  name: string,
  scope: Scope,
  socket: string | null = null,
) {
  const pod = world.pod(name);
  pod.pid = world.start();
  pod.scope = scope;
  await registry.register(row(name, scope, { pid: pod.pid, socket }));
  return pod;
}

test("two that could write one path: the second is refused, reads are never exclusive, and what is disjoint gets in", async () => {
  const world = new World();
  const registry = world.open(":memory:");
  await begin(world, registry, "lead", ws);
  const table: readonly [Scope, string][] = [
    [ws, "scope_conflict"],
    [only(write("/ws/src")), "scope_conflict"],
    [only(write("/")), "scope_conflict"],
    [only(read("/ws")), "ok"],
    [only(write("/ws2")), "ok"],
    [{ allow: [write("/")], deny: [write("/ws"), write("/ws2")] }, "ok"],
  ];
  for (const [index, [scope, expected]] of table.entries())
    assert.equal(
      await outcome(registry.register(row(`p${index}`, scope, { pid: world.start() }))),
      expected,
      JSON.stringify(scope),
    );
  assert.deepEqual(await names(registry), ["lead", "p3", "p4", "p5"]);
});

test("a refusal names the owner, a path, and the ways out that there are", async () => {
  const world = new World();
  const registry = world.open(":memory:");
  const lead = await begin(world, registry, "lead", only(write("/hosted")), "/run/s/lead");
  const solo = await begin(world, registry, "solo", only(write("/run-once")));
  lead.loans.set(podName("kid"), { id: "l1", scope: only(write("/hosted/kid")) });
  const kid = world.start();
  await registry.delegate(lead.name, childRow("kid", kid, "/run/s/kid"), {
    id: "l1",
    scope: only(write("/hosted/kid")),
  });
  const newcomer = (scope: Scope) => registry.register(row("new", scope, { pid: world.start() }));
  const elsewhere = ", or with --write DIR for a part of the workspace where nobody else writes.";
  const ends = (pod: string): string =>
    `end it (\`yoi pod stop ${pod}\`), or start this one with --read-only`;
  const work = (pod: string): string =>
    `give ${pod} the work (\`yoi run --pod ${pod} PROMPT\`, \`yoi attach ${pod}\`)`;
  const works = (path: string, pid: number | null): string =>
    `This Pod could write "${path}", and the Pod lead (process ${pid}) works there: `;
  const lent =
    `This Pod could write "/hosted/kid/x", and it is on loan from the Pod lead to its child kid (process ${kid}): ` +
    `${work("kid")}, end lead, which lends it, with all that it lends to (\`yoi pod stop lead\`), or start this one with --read-only`;
  assert.deepEqual(
    [
      await refusal(newcomer(only(write("/hosted/x")))),
      await refusal(newcomer(only(write("/hosted/x"), write("/hosted/kid/x")))),
      await refusal(newcomer(only(write("/hosted/x"), write("/free")))),
      await refusal(newcomer(only(write("/hosted/kid/x")))),
      await refusal(newcomer(only(write("/run-once")))),
    ],
    [
      `${works("/hosted/x", lead.pid)}${work("lead")}, ${ends("lead")}.`,
      `${works("/hosted/x", lead.pid)}${work("lead")}, ${ends("lead")}.`,
      `${works("/hosted/x", lead.pid)}${work("lead")}, ${ends("lead")}${elsewhere}`,
      `${lent}.`,
      `This Pod could write "/run-once", and the Pod solo (process ${solo.pid}) works there: wait until its run ends and then give solo the work (\`yoi run --pod solo PROMPT\`), end it (\`kill ${solo.pid}\`), or start this one with --read-only.`,
    ],
  );
  // The lender is gone and the child lives on.
  world.living.delete(lead.pid ?? 0);
  assert.equal(
    await refusal(newcomer(only(write("/hosted")))),
    `This Pod could write "/hosted/kid", and it is on loan from the Pod lead to its child kid (process ${kid}): ${work("kid")}, ${ends("kid")}${elsewhere}`,
  );
});

test("W-34: a row is swept when its process is gone and nobody holds its Pod's lease, whatever has its pid now", async () => {
  const world = new World();
  const registry = world.open(":memory:");
  const dead = await begin(world, registry, "dead", ws);
  const gone = dead.pid ?? 0;
  const newcomer = () => registry.register(row("new", ws, { pid: world.start() }));
  world.living.delete(gone);
  // Its lease is held by somebody whom the row does not know.
  dead.pid = world.start();
  assert.equal(await outcome(newcomer()), "scope_conflict");
  world.living.delete(dead.pid);
  assert.equal(await outcome(newcomer()), "ok");
  assert.deepEqual(await names(registry), ["new"]);
  // The same pid, of a process that began at another time or under another boot.
  for (const [index, owner] of [
    { ...identity(gone), started: 1 },
    { ...identity(gone), boot: "before" },
  ].entries()) {
    world.living.add(gone);
    const area = only(write(`/area${index}`));
    await registry.register({ ...row("stale", area, { pid: gone }), owner });
    assert.equal(await outcome(registry.register(row(`next${index}`, area, { pid: world.start() }))), "ok");
  }
});

test("reclaim: refused while one of the rows has a process that lives and is not its lender's, whatever else is gone", async () => {
  const world = new World();
  const registry = world.open(":memory:");
  const lead = await begin(world, registry, "lead", ws);
  const lent = only(write("/ws/a"));
  const deep = only(write("/ws/a/deep"));
  lead.loans.set(podName("kid"), { id: "l1", scope: lent });
  await registry.delegate(lead.name, childRow("kid", lead.pid), { id: "l1", scope: lent });
  // Still being made, by its lender.
  const taken = () => registry.reclaim(lead.name, podName("kid"), "l1");
  const kid = world.pod("kid");
  const grand = world.pod("grand");
  const lend = async (): Promise<void> => {
    await registry.delegate(lead.name, childRow("kid", lead.pid), { id: "l1", scope: lent });
    kid.pid = world.start();
    await registry.adopt(lead.name, childRow("kid", kid.pid), { id: "l1", scope: lent });
    kid.loans.set(grand.name, { id: "l2", scope: deep });
    await registry.delegate(kid.name, childRow("grand", kid.pid), { id: "l2", scope: deep });
    grand.pid = world.start();
    await registry.adopt(kid.name, childRow("grand", grand.pid), { id: "l2", scope: deep });
  };
  assert.equal(await outcome(taken()), "ok");
  await lend();
  const [kidPid, grandPid] = [kid.pid ?? 0, grand.pid ?? 0];
  // Their leases and metadata are lost; their processes are not.
  Object.assign(kid, { pid: null });
  Object.assign(grand, { pid: null });
  kid.loans.clear();
  assert.match(await refusal(taken()), /The Pod kid still works on what lead lent.*`kill \d+`/);
  world.living.delete(kidPid);
  assert.match(await refusal(taken()), /The Pod grand still works on what lead lent/);
  assert.deepEqual(await names(registry), ["grand", "kid", "lead"]);
  world.living.delete(grandPid);
  assert.equal(await outcome(taken()), "ok");
  assert.deepEqual(await names(registry), ["lead"]);
});

test("delegate: within what the lender holds and has not lent, under a name that is free, and kin are no conflict", async () => {
  const world = new World();
  const registry = world.open(":memory:");
  const lead = await begin(world, registry, "lead", { allow: [write("/ws")], deny: [write("/ws/.git")] });
  await begin(world, registry, "other", only(write("/elsewhere")));
  const lend = (name: string, id: string, scope: Scope, lender = lead.name) =>
    registry.delegate(lender, childRow(name, lead.pid), { id, scope });
  const denied = (...allow: Scope["allow"]): Scope => ({ allow, deny: [write("/ws/.git")] });
  // What a lend that failed could not take away, and nobody has on record, is nothing that exists.
  assert.equal(await outcome(lend("a", "0", denied(write("/ws/docs")))), "ok");
  assert.equal(await outcome(lend("a", "1", denied(write("/ws/src")))), "ok");
  lead.loans.set(podName("a"), { id: "1", scope: denied(write("/ws/src")) });
  const table: readonly [string, string, Scope, string][] = [
    ["b", "2", denied(write("/ws/src/x")), "scope_conflict"],
    ["b", "2", denied(write("/ws")), "scope_conflict"],
    ["b", "2", only(write("/elsewhere")), "scope_conflict"],
    ["b", "2", only(write("/nowhere")), "loan_refused"],
    ["b", "2", only(read("/nowhere")), "loan_refused"],
    ["b", "2", only(write("/ws/.git")), "loan_refused"],
    ["a", "2", denied(write("/ws/docs")), "pod_exists"],
    ["other", "2", denied(write("/ws/docs")), "pod_exists"],
    ["b", "2", denied(write("/ws/docs"), read("/ws/src")), "ok"],
  ];
  for (const [name, id, scope, expected] of table)
    assert.equal(await outcome(lend(name, id, scope)), expected, `${name} ${JSON.stringify(scope)}`);
  // A child lends on what it was lent, and nothing else.
  assert.equal(await outcome(lend("aa", "3", denied(write("/ws/src/x")), podName("a"))), "ok");
  assert.equal(await outcome(lend("ab", "4", denied(write("/ws/docs/x")), podName("a"))), "scope_conflict");
  assert.match(
    await refusal(lend("ab", "4", denied(write("/ws/src/x/y")), podName("a"))),
    /^"\/ws\/src\/x\/y" is on loan to the child aa already: lend another part, or stop aa first\.$/,
  );
});

test("W-35: adopt, release, reclaim: a child's row stays on loan until it is taken back, with all below", async () => {
  const world = new World();
  const registry = world.open(":memory:");
  const lead = await begin(world, registry, "lead", ws);
  const loan = { id: "l1", scope: only(write("/ws/a")) };
  const below = { id: "l2", scope: only(write("/ws/a/b")) };
  const [kid, grand] = [podName("kid"), podName("grand")];
  lead.loans.set(kid, loan);
  world.pod("kid").loans.set(grand, below);
  await registry.delegate(lead.name, childRow("kid", lead.pid), loan);
  const pid = (world.pod("kid").pid = world.start());
  await registry.adopt(lead.name, childRow("kid", pid, "/s/kid"), loan);
  await registry.delegate(kid, childRow("grand", pid), below);
  assert.equal(
    await outcome(registry.adopt(lead.name, childRow("kid", pid), { ...loan, id: "old" })),
    "loan_missing",
  );
  await registry.release(kid);
  await registry.release(kid);
  world.living.delete(pid);
  assert.deepEqual(
    (await registry.list()).map(({ name, owner, loan: id }) => [name, owner, id]),
    [
      ["grand", identity(pid), "l2"],
      ["kid", null, "l1"],
      ["lead", identity(lead.pid ?? 0), null],
    ],
  );
  // The lender comes back: what it lent is no conflict for it.
  assert.equal(await outcome(registry.register(row("lead", ws, { pid: world.start() }))), "ok");
  await registry.reclaim(lead.name, kid, "another loan");
  assert.equal((await registry.list()).length, 3);
  for (const _ of [1, 2]) await registry.reclaim(lead.name, kid, "l1");
  assert.deepEqual(await names(registry), ["lead"]);
  lead.loans.clear();
  await registry.release(lead.name);
  assert.deepEqual(await names(registry), []);
  // A row that is missing is made again from the loan that metadata has.
  lead.loans.set(kid, loan);
  assert.equal(await outcome(registry.adopt(lead.name, childRow("kid", world.start()), loan)), "ok");
});

test("a Pod that has the name of a lender, and lent nothing, is no kin of the child", async () => {
  const world = new World();
  const registry = world.open(":memory:");
  const lead = await begin(world, registry, "lead", ws);
  const loan = { id: "l1", scope: only(write("/ws/a")) };
  lead.loans.set(podName("kid"), loan);
  await registry.delegate(lead.name, childRow("kid", world.start()), loan);
  world.living.delete(lead.pid ?? 0);
  const again = () => registry.register(row("lead", ws, { pid: world.start() }));
  lead.loans.clear();
  assert.equal(await outcome(again()), "scope_conflict");
  lead.loans.set(podName("kid"), loan);
  assert.equal(await outcome(again()), "ok");
});

test("what a child is just lending on is no conflict for the Pod above it, though no metadata says it yet", async () => {
  const world = new World();
  const registry = world.open(":memory:");
  const lead = await begin(world, registry, "lead", ws);
  const loan = { id: "l1", scope: only(write("/ws/a")) };
  const kid = world.pod("kid");
  lead.loans.set(kid.name, loan);
  kid.pid = world.start();
  await registry.adopt(lead.name, childRow("kid", kid.pid), loan);
  await registry.delegate(kid.name, childRow("grand", kid.pid), { id: "l2", scope: only(write("/ws/a/b")) });
  world.living.delete(lead.pid ?? 0);
  const again = () => registry.register(row("lead", ws, { pid: world.start() }));
  assert.equal(await outcome(again()), "ok");
  // The control: of a row that another process has, nothing but metadata tells whose it is.
  await registry.reclaim(kid.name, podName("grand"), "l2");
  const other = { id: "l3", scope: only(write("/ws/a/b")) };
  await registry.delegate(kid.name, childRow("grand", world.start()), other);
  assert.equal(await outcome(again()), "scope_conflict");
});

test("moved: the log is put on the row; where the row was lost since, and another got in, it is refused", async () => {
  const world = new World();
  const registry = world.open(":memory:");
  const mine = row("mine", ws, { pid: world.start() });
  await registry.register(mine);
  await registry.moved({ ...mine, segment: "seg", epoch: 7 });
  assert.deepEqual(await registry.list(), [{ ...mine, segment: "seg", epoch: 7 }]);
  await registry.release(mine.name);
  await begin(world, registry, "other", ws);
  assert.equal(await outcome(registry.moved({ ...mine, segment: "seg", epoch: 7 })), "scope_conflict");
});
