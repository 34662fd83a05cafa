/** A lender while its loan is open: it cannot write there by shell or by tool, and can again when the loan is back; and the lend waits for what still runs. */
import assert from "node:assert/strict";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { callId, type JsonObject, podName, type Scope, type ScopeRule } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { effectiveScope, LiveScope, scopeRule } from "@yoi/scope";
import { createScopedFiles, createSeen, createTools, featureFiles, lendable } from "@yoi/tools";
import { guardScope } from "../../packages/cli/src/compose/scope-guard.ts";
import { harness, type Harness } from "../escape/harness.ts";
import { treeLines } from "../escape/place.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { inLanes, type LentPlace, makeLentPlace } from "./lent-place.ts";
import { renames, writes } from "./writes.ts";

const skip = noBubblewrap();
/** Longer than a process takes that was told to write late. */
const lateMs = 300;
const { timers, files: hostFiles } = nodeHost();

/** What each way does to `target` with either scope: whether it is changed. */
async function tried(
  ways: typeof writes,
  of: (lane: LentPlace) => { target: string; own: string; meanwhile: Scope; reclaimed: Scope },
) {
  return inLanes(ways, async ({ name, script, never }, lane) => {
    const { target, own, meanwhile, reclaimed } = of(lane);
    const attempt = async (scope: Scope): Promise<boolean> => {
      const before = treeLines(target).join("\n");
      const { ino } = statSync(target);
      await lane.box.run(script({ target, above: dirname(target), own }), { scope });
      if (name.includes("stays")) await timers.sleep(lateMs);
      const changed = treeLines(target).join("\n") !== before || statSync(target).ino !== ino;
      lane.reset();
      return changed;
    };
    const through = await attempt(meanwhile);
    return { name, through, control: never === true ? null : await attempt(reclaimed) };
  });
}

function judge(results: Awaited<ReturnType<typeof tried>>): void {
  assert.deepEqual(
    results.filter(({ through }) => through),
    [],
    "what gets through while the loan is open",
  );
  assert.deepEqual(
    results.filter(({ control }) => control === false),
    [],
    "what does not work when it is back",
  );
}

test(
  `${writes.length} ways of a lender's shell to write what is lent: 0 work while it is; they do when it is back`,
  { skip },
  async () => {
    judge(
      await tried(writes, ({ lent, kept, scopes }) => ({
        target: lent,
        own: kept,
        meanwhile: scopes.lenderMeanwhile,
        reclaimed: scopes.lender,
      })),
    );
  },
);

test(
  `${renames.length} ways of a borrower that lends on: 0 work on what it lent on; they do when that is back`,
  { skip },
  async () => {
    judge(
      await tried(renames, ({ lent, inner, scopes }) => ({
        target: inner,
        own: join(lent, "sub"),
        meanwhile: effectiveScope(scopes.child, [
          { id: "inner", scope: { allow: [scopeRule(inner, "write")], deny: [] } },
        ]),
        reclaimed: scopes.child,
      })),
    );
  },
);

test("a lender's tools and features: refused in what is lent, not beside it, and let in again when it is back", async () => {
  const { place, lent, kept, loan, scopes, reset } = makeLentPlace();
  const { protection, workspace } = place;
  try {
    const live = new LiveScope(scopes.lender);
    const scope = () => live.current;
    const files = createScopedFiles({ scope, protection });
    const feature = featureFiles({
      scope,
      enter: (what) => live.enter(what),
      protection,
      workspace,
      grants: [{ access: "write", path: "." }],
    });
    const outcomes = async (): Promise<readonly string[]> => {
      const told: string[] = [];
      for (const target of [lent, kept]) {
        for (const [name, write] of [
          ["new", (path: string) => files.write(path, Buffer.from("x"), { kind: "anything" })],
          ["made/new", (path: string) => files.write(path, Buffer.from("x"), { kind: "anything" })],
          ["f.txt", (path: string) => files.write(path, Buffer.from("x"), { kind: "anything" })],
          ["sub/g.txt", (path: string) => feature.write(path, "x")],
        ] as const) {
          const wrote = await write(join(target, name)).then(
            () => "written",
            () => "refused",
          );
          told.push(wrote);
        }
      }
      reset();
      return told;
    };
    const [refused, written] = ["refused", "written"].map((word) => Array.from({ length: 4 }, () => word));
    assert.deepEqual(await outcomes(), [...(written ?? []), ...(written ?? [])]);
    await live.lend(loan, { timers, signal: new AbortController().signal });
    assert.deepEqual(await outcomes(), [...(refused ?? []), ...(written ?? [])]);
    assert.equal((await files.read(join(lent, "f.txt"))).bytes.toString(), "as it was\n", "reading stays");
    live.takeBack(loan.id);
    assert.deepEqual(await outcomes(), [...(written ?? []), ...(written ?? [])]);
  } finally {
    place.remove();
  }
});

/** Bash as a Pod has it: behind the guard, with the scope of the moment. */
function bashOf({ place, runner }: Pick<Harness, "place" | "runner">, live: LiveScope) {
  const tools = createTools({
    seen: createSeen(),
    seesImages: () => false,
    mayShow: () => true,
    files: createScopedFiles({ scope: () => live.current, protection: place.protection }),
    runner,
    scope: () => live.current,
    network: false,
    pod: podName("p"),
    workspace: place.workspace,
    spillDirectory: `${place.data}/spill/p`,
    hostFiles,
    timers,
  });
  const bash = tools.find(({ definition }) => definition.name === "Bash");
  assert.ok(bash !== undefined);
  const guarded = guardScope(bash, live);
  return (command: string, cancel = new AbortController()) => {
    const args: JsonObject = { command };
    return guarded.execute(args, { call: callId(12, 0), signal: cancel.signal, progress: () => {} });
  };
}

test(
  "a lend waits for a command that runs: what that writes last is there when the lend is done, and nothing comes later",
  { skip },
  async () => {
    const { place, lent, loan, scopes } = makeLentPlace();
    const box = await harness({ place });
    const signal = new AbortController().signal;
    try {
      const live = new LiveScope(scopes.lender);
      const bash = bashOf(box, live);
      const began = join(lent, "began");
      const last = join(lent, "last");
      const running = bash(
        `touch ${began}; setsid sh -c 'sleep 0.6; echo x > ${lent}/survivor' & sleep 0.3; echo x > ${last}`,
      );
      while (!existsSync(began)) await timers.sleep(5);
      await live.lend(loan, { timers, signal });
      assert.equal(readFileSync(last, "utf8"), "x\n", "the command kept its write until it ended");
      assert.match((await running).summary, /^\$ touch/);
      const then = treeLines(lent).join("\n");
      const output = await bash(`echo y > ${last}`);
      assert.match(output.content ?? "", /Read-only file system/);
      await timers.sleep(500);
      assert.equal(treeLines(lent).join("\n"), then, "nothing that it left behind writes there");
      live.takeBack(loan.id);
      assert.doesNotMatch((await bash(`echo z > ${last}`)).content ?? "", /Read-only/);
      assert.equal(readFileSync(last, "utf8"), "z\n");
    } finally {
      await box.close();
    }
  },
);

test(
  "a command that does not end keeps its write and the lend is refused; cancelled, it lets the next lend through",
  { skip },
  async () => {
    const { place, lent, loan, scopes } = makeLentPlace();
    const box = await harness({ place });
    const signal = new AbortController().signal;
    try {
      const live = new LiveScope(scopes.lender);
      const bash = bashOf(box, live);
      const cancel = new AbortController();
      const running = bash(`touch ${lent}/began; sleep 30`, cancel);
      while (!existsSync(join(lent, "began"))) await timers.sleep(5);
      await assert.rejects(
        live.lend(loan, { timers, signal, waitMs: 50 }),
        /work that goes on \(Bash \(12\.0\)\)/,
      );
      assert.equal(live.current, live.ceiling);
      const lend = live.lend(loan, { timers, signal });
      cancel.abort();
      await lend;
      assert.match((await running).summary, /cancelled; everything it started was ended/);
    } finally {
      await box.close();
    }
  },
);

test(
  "a lent file that its borrower replaces while a command of its lender runs stays out of that command's reach",
  { skip },
  async () => {
    const { place, kept, scopes, reset } = makeLentPlace();
    const box = await harness({ place });
    const file = join(kept, "f.txt");
    const ticks = join(kept, "sub/ticks");
    const stop = join(kept, "sub/stop");
    const replaced = async (rule: ScopeRule): Promise<string> => {
      const lender = effectiveScope(scopes.lender, [{ id: "file", scope: { allow: [rule], deny: [] } }]);
      const borrower = createScopedFiles({
        scope: () => ({ allow: [rule], deny: [] }),
        protection: place.protection,
      });
      const script = `until [ -e ${stop} ]; do echo lender >> ${file}; echo >> ${ticks}; sleep 0.01; done`;
      const running = box.run(script, { scope: lender });
      const tickedTo = async (count: number): Promise<void> => {
        while (!existsSync(ticks) || statSync(ticks).size < count) await timers.sleep(5);
      };
      await tickedTo(1);
      await borrower.write(file, Buffer.from("borrower\n"), { kind: "anything" });
      await tickedTo(statSync(ticks).size + 3);
      writeFileSync(stop, "");
      await running;
      const text = readFileSync(file, "utf8");
      reset();
      return text;
    };
    try {
      const [rule] = (
        await lendable([scopeRule(file, "write")], {
          ...nodeHost(),
          scope: scopes.lender,
          protection: place.protection,
        })
      ).rules;
      assert.ok(rule !== undefined);
      assert.equal(await replaced(rule), "borrower\n");
      const asMount = await replaced(scopeRule(file, "write"));
      assert.match(
        asMount,
        /^borrower\n(lender\n)+$/,
        "control: a mount on the file goes when it is replaced",
      );
    } finally {
      await box.close();
    }
  },
);

test(
  "what is lent is removed by the user: its lender cannot make it anew, and no file is left in its place",
  { skip },
  async () => {
    const { place, lent, scopes } = makeLentPlace();
    const box = await harness({ place });
    const make = `mkdir -p ${lent} && echo x > ${lent}/x; ln -s ../a ${lent}; mv a/kept b/lent; echo x > ${lent}`;
    try {
      rmSync(lent, { recursive: true });
      await box.run(make, { scope: scopes.lenderMeanwhile });
      assert.deepEqual(treeLines(lent), []);
      assert.notEqual(
        lstatSync(lent, { throwIfNoEntry: false })?.isFile(),
        true,
        "its user can have it back",
      );
      assert.equal(
        (await box.run(`echo x > ${lent}/x`, { scope: scopes.lenderMeanwhile })).output.includes("Read-only"),
        true,
      );
      // What the user puts there again is the borrower's to write.
      mkdirSync(lent, { recursive: true });
      await box.run(`echo x > ${lent}/x`, { scope: scopes.child });
      assert.equal(readFileSync(join(lent, "x"), "utf8"), "x\n");
      rmSync(lent, { recursive: true, force: true });
      await box.run(make, { scope: scopes.lender });
      assert.notDeepEqual(treeLines(lent), [], "control: when the loan is back it can");
    } finally {
      await box.close();
    }
  },
);

test(
  "what is lent is moved by the user, who leaves a link: its lender writes neither, nor puts anything in its place",
  { skip },
  async () => {
    const { place, lent, scopes } = makeLentPlace();
    const box = await harness({ place });
    const moved = join(place.workspace, "moved");
    const attempt = `echo x > ${lent}/f.txt; rm ${lent}; mkdir ${lent}; mv ${lent} ${lent}-old; ln -sfn ../a ${lent}; echo x > ${lent}/mine`;
    try {
      renameSync(lent, moved);
      symlinkSync(moved, lent);
      const before = treeLines(place.workspace);
      const mine = `echo x > ${dirname(lent)}/on/mine`;
      mkdirSync(join(dirname(lent), "on"));
      const { output } = await box.run(`${attempt}; ${mine} && echo written`, {
        scope: scopes.lenderMeanwhile,
      });
      assert.match(output, /written\n$/, "what lies beside it stays the lender's");
      rmSync(join(dirname(lent), "on"), { recursive: true });
      assert.deepEqual(treeLines(place.workspace), before);
      await box.run(attempt, { scope: scopes.lender });
      assert.notDeepEqual(treeLines(place.workspace), before, "control: when the loan is back it can");
    } finally {
      await box.close();
    }
  },
);

test(
  "two loans beside each other: each borrower writes its own, neither the other's, and their lender none of them",
  { skip },
  async () => {
    const { place, lent, kept, loan, scopes } = makeLentPlace();
    const box = await harness({ place });
    const other: Scope = {
      allow: loan.scope.allow.map((rule) => (rule.target === lent ? scopeRule(kept, "write") : rule)),
      deny: loan.scope.deny,
    };
    const lender = effectiveScope(scopes.lender, [loan, { id: "other", scope: other }]);
    const wrote = async (scope: Scope, target: string): Promise<boolean> => {
      const { exit } = await box.run(`echo x > ${target}/f.txt`, { scope });
      return exit.kind === "exited" && exit.code === 0;
    };
    try {
      const table = [];
      for (const scope of [scopes.child, other, lender])
        table.push([await wrote(scope, lent), await wrote(scope, kept)]);
      assert.deepEqual(table, [
        [true, false],
        [false, true],
        [false, false],
      ]);
    } finally {
      await box.close();
    }
  },
);
