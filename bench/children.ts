/** What lending costs without the child's process: a decision of an effective scope, and a loan put into the registry and taken back, on a disk. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { podName, type ScopeRule } from "@yoi/base";
import { moveTree, nodeHost } from "@yoi/host";
import { LiveScope, permissionAt } from "@yoi/scope";
import { openRegistry } from "@yoi/scope/registry";
import { summary, type Summary } from "./summary.ts";

export interface ChildrenOptions {
  /** Of the effective scope, half of them of loans. */
  readonly rules: number;
  /** Of each run. */
  readonly decisions: number;
  /** Beside the lender, with rows of their own. */
  readonly others: number;
  readonly loans: number;
  readonly runs: number;
}

export interface ChildrenResults {
  readonly rules: number;
  readonly others: number;
  readonly decisionUs: Summary;
  readonly delegateAndReclaimMs: Summary;
  /** One small write and fdatasync in the same directory. */
  readonly syncMs: Summary;
}

export async function measureChildren(options: ChildrenOptions): Promise<ChildrenResults> {
  const { rules, others, runs } = options;
  const root = mkdtempSync(join(tmpdir(), "yoi-bench-"));
  try {
    const decisionUs: number[] = [];
    for (let run = 0; run < runs; run += 1) decisionUs.push(decide(options));
    const syncMs = syncs(join(root, "sync"), options.loans);
    const delegateAndReclaimMs = await lend(join(root, "data", "registry.sqlite"), options);
    return {
      rules,
      others,
      decisionUs: summary(decisionUs),
      delegateAndReclaimMs: summary(delegateAndReclaimMs),
      syncMs: summary(syncMs),
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const write = (target: string): ScopeRule => ({ target, permission: "write", recursive: true });

/** Microseconds of one decision. */
function decide({ rules, decisions }: ChildrenOptions): number {
  const half = Math.floor(rules / 2);
  const at = (kind: string, index: number): string => `/home/user/project/${kind}/folder-${index}`;
  const ceiling = {
    allow: Array.from({ length: rules - half }, (_, index) => write(at("src", index))),
    deny: [],
  };
  const lent = Array.from({ length: half }, (_, index) => write(at("src", index).concat("/lent")));
  const live = new LiveScope(ceiling, [{ id: "loan", scope: { allow: lent, deny: [] } }]);
  const paths = Array.from({ length: 64 }, (_, index) =>
    at("src", index % half).concat(index % 2 === 0 ? "/lent/a.ts" : "/a.ts"),
  );
  let writable = 0;
  const from = performance.now();
  for (let index = 0; index < decisions; index += 1)
    if (permissionAt(live.current, paths[index % paths.length] ?? "/") === "write") writable += 1;
  const tookMs = performance.now() - from;
  if (writable * 2 !== decisions) throw new Error(`${writable} of ${decisions} decisions said write`);
  return (tookMs * 1000) / decisions;
}

async function lend(path: string, { others, loans }: ChildrenOptions): Promise<readonly number[]> {
  const host = nodeHost();
  const registry = openRegistry({
    ...host,
    path,
    move: moveTree,
    isHeld: async () => true,
    isLent: async () => true,
    holders: async () => [],
    rebuild: async () => [],
  });
  const row = { owner: host.processes.self(), socket: null, segment: null, epoch: null };
  const place = (name: string, target: string) =>
    registry.register({
      ...row,
      name: podName(name),
      scope: { allow: [write(target)], deny: [] },
      delegatedFrom: null,
      loan: null,
    });
  for (let index = 0; index < others; index += 1) await place(`other-${index}`, `/home/user/other-${index}`);
  await place("lead", "/home/user/project");
  const [lead, child] = [podName("lead"), podName("child")];
  const tookMs: number[] = [];
  for (let index = 0; index < loans; index += 1) {
    const loan = { id: `loan-${index}`, scope: { allow: [write("/home/user/project/src")], deny: [] } };
    const from = performance.now();
    await registry.delegate(lead, { ...row, name: child }, loan);
    await registry.reclaim(lead, child, loan.id);
    tookMs.push(performance.now() - from);
  }
  return tookMs;
}

function syncs(path: string, count: number): readonly number[] {
  const file = openSync(path, "w");
  const tookMs: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const from = performance.now();
    writeSync(file, "x".repeat(200));
    fdatasyncSync(file);
    tookMs.push(performance.now() - from);
  }
  closeSync(file);
  return tookMs;
}
