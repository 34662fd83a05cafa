/** Carries out a random sequence on a simulated machine, and asks the oracle after every step of it. */
import assert from "node:assert/strict";
import { type Scope, type ScopeRule, YoiError } from "@yoi/base";
import { removePod } from "@yoi/pod";
import { manifestOf } from "../support/simulated-pod.ts";
import type { DiskCall, SimulatedProcess } from "../support/simulated-process.ts";
import { aRequest, SimulatedTree, type TreeOptions, type TreePod } from "../support/simulated-tree.ts";
import { type Command, type Death, root } from "./commands.ts";
import { Oracle } from "./oracle.ts";

/** Two more than there may be. */
const crowd = 18;
const stepMs = 25;
/** Virtual; a stop that nobody hears takes 20 s for each level of a tree. */
const commandMsMax = 180_000;
/** Until what was only begun has come to its end: a notice on its way, a child that looks after its parent. */
const settleSteps = 12;
/** What a command may be refused with. Anything else is a fault of ours. */
const refusals: ReadonlySet<string> = new Set([
  "pod_exists",
  "pod_held",
  "pod_unknown",
  "pod_unreachable",
  "scope_conflict",
  "loan_refused",
  "loan_missing",
  "child_unknown",
  "limit_exceeded",
  "cancelled",
  // How a simulated process says that it did not begin.
  "io_failed",
]);

export interface Played {
  /** What each kind of command came to. */
  readonly outcomes: ReadonlyMap<string, number>;
}

export async function play(commands: readonly Command[], options: TreeOptions = {}): Promise<Played> {
  return new Machine(options).play(commands);
}

class Machine {
  readonly #tree: SimulatedTree;
  readonly #oracle: Oracle;
  readonly #outcomes = new Map<string, number>();
  #calls = 0;
  #names = 0;
  readonly #removed: string[] = [];

  constructor(options: TreeOptions) {
    this.#tree = new SimulatedTree({ seed: 1, ...options });
    this.#oracle = new Oracle(this.#tree);
  }

  async play(commands: readonly Command[]): Promise<Played> {
    await this.#tree.open(root);
    for (const command of commands) await this.#step(command);
    await this.#endAll();
    return { outcomes: this.#outcomes };
  }

  async #step(command: Command): Promise<void> {
    await this.#until(this.#carry(command));
    await this.#settle();
    await this.#oracle.quiet();
  }

  /** Virtual time passes, with the oracle looking at each moment of it. */
  async #until(work: Promise<void>): Promise<void> {
    const over = { yet: false };
    const end = (): void => void (over.yet = true);
    work.then(end, end);
    for (let ms = 0; !over.yet; ms += stepMs) {
      assert.ok(ms < commandMsMax, `a command did not end in ${commandMsMax / 1000} s`);
      await this.#tick();
    }
    await work;
  }

  async #tick(): Promise<void> {
    await this.#tree.host.advance(stepMs);
    this.#oracle.moment();
  }

  async #settle(): Promise<void> {
    await this.#oracle.look();
    for (let n = 0; n < settleSteps; n += 1) await this.#tick();
  }

  #carry(command: Command): Promise<void> {
    return this.#take(() => this.#carryOut(command), command.do);
  }

  async #take(work: () => Promise<void>, what: string): Promise<void> {
    try {
      await work();
      this.#count(what);
    } catch (error) {
      if (!(error instanceof YoiError) || !refusals.has(error.code)) throw error;
      this.#count(`${what} ${error.code}`);
    }
  }

  #count(what: string): void {
    this.#outcomes.set(what, (this.#outcomes.get(what) ?? 0) + 1);
  }

  #carryOut(command: Command): Promise<void> {
    switch (command.do) {
      case "spawn":
        return this.#spawn(command);
      case "stop":
        return this.#managed(
          command.by,
          async (pod, name) => {
            if (!command.isHeard) this.#tree.behaviour.set(name, { shutdown: "ignored" });
            await pod.manage.stop(name, this.#call());
            this.#tree.behaviour.delete(name);
          },
          command.child,
        );
      case "restore":
        return this.#managed(
          command.by,
          async (pod, name) => {
            this.#tree.behaviour.set(name, beginning(command.start));
            await pod.manage.restore(name, this.#call());
          },
          command.child,
        );
      case "crowd":
        return this.#crowd(command.by);
      case "reopen":
        return this.#reopen(command.pod);
      case "stranger":
        return this.#stranger(command.target);
      case "kill":
        for (const pod of new Set(command.pods.map((n) => at(this.#live(), n))))
          if (pod !== null) this.#tree.kill(pod.name);
        return Promise.resolve();
      case "doom":
        return this.#doom(command.pod, command.death);
      case "end": {
        const pod = at(this.#live(), command.pod);
        return pod === null ? Promise.resolve() : this.#alive(pod, pod.end());
      }
      case "remove":
        return this.#remove(command.pod);
      case "lose-registry":
        return this.#tree.loseRegistry();
      case "wait":
        return this.#tree.host.timers.sleep(command.ms);
      case "both":
        return Promise.all([this.#carry(command.one), this.#carry(command.other)]).then(() => {});
    }
  }

  #live(): readonly TreePod[] {
    return this.#tree.live.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #call(signal: AbortSignal = new AbortController().signal): {
    readonly call: string;
    readonly signal: AbortSignal;
  } {
    return { call: `${(this.#calls += 1)}.0`, signal };
  }

  /** As long as the process that does it lives: from a dead one nothing is heard. */
  async #alive(pod: TreePod, work: Promise<unknown>): Promise<void> {
    await Promise.race([work, pod.process.died.promise]);
  }

  async #spawn(command: Extract<Command, { readonly do: "spawn" }>): Promise<void> {
    const { by, targets, reusesName, start, cancelMs } = command;
    const pod = by === "deepest" ? await this.#deepest() : at(this.#live(), by);
    if (pod === null) return;
    const name = (reusesName ? this.#removed.pop() : undefined) ?? this.#newName();
    this.#tree.behaviour.set(name, beginning(start));
    const cancelling = new AbortController();
    const ms = cancelMs ?? (start === "hangs" ? 100 : null);
    if (ms !== null)
      this.#tree.host.timers.after(ms, () => cancelling.abort(new YoiError("cancelled", "Cancelled.")));
    const request = aRequest(name);
    const lent = targets.map((rule): ScopeRule => ({ ...rule, permission: "write" }));
    const asked = { ...request, scope: [...request.scope, ...lent] };
    await this.#alive(pod, pod.manage.spawn(asked, this.#call(cancelling.signal)));
  }

  async #crowd(by: number): Promise<void> {
    const pod = at(this.#live(), by);
    if (pod === null) return;
    const spawns = Array.from({ length: crowd }, () =>
      this.#take(() => this.#alive(pod, pod.manage.spawn(aRequest(this.#newName()), this.#call())), "crowd"),
    );
    await Promise.all(spawns);
  }

  #newName(): string {
    return `p${(this.#names += 1)}`;
  }

  async #deepest(): Promise<TreePod | null> {
    const depths = await Promise.all(
      this.#live().map(async (pod) => ({
        pod,
        depth: (await this.#tree.record(pod.name)).parent?.depth ?? 0,
      })),
    );
    return depths.toSorted((a, b) => b.depth - a.depth)[0]?.pod ?? null;
  }

  /** With a child that the Pod has, or had. */
  async #managed(
    by: number,
    work: (pod: TreePod, name: string) => Promise<void>,
    child: number,
  ): Promise<void> {
    const pod = at(this.#live(), by);
    if (pod === null) return;
    const { children, reclaimed } = await this.#tree.record(pod.name);
    const name = at([...children, ...reclaimed].map((one) => one.name).toSorted(), child);
    if (name !== null) await this.#alive(pod, work(pod, name));
  }

  async #reopen(n: number): Promise<void> {
    const stored = (await this.#tree.pods.list()).map(({ name }) => name);
    const name = at(stored.filter((one) => this.#tree.find(one) === null).toSorted(), n);
    if (name !== null) await this.#open(name);
  }

  /** Resolves when the Pod is open, or its process is dead. */
  async #open(name: string, scope = writable("/w")): Promise<void> {
    let died: Promise<void> = new Promise(() => {});
    const began = (process: SimulatedProcess): void => void (died = process.died.promise);
    const opening = this.#tree.open(name, { manifest: manifestOf({ scope }), began });
    // What it is refused with is heard before its end.
    await Promise.race([opening, died.then(() => this.#tree.host.timers.sleep(1))]);
  }

  async #stranger(target: string): Promise<void> {
    await this.#open(`s${(this.#names += 1)}`, writable(target));
  }

  async #doom(n: number, { nth, moment }: Death): Promise<void> {
    const pod = at(this.#live(), n);
    if (pod === null) return;
    pod.process.killAt = dying(pod.process.diskCalls + nth, moment);
  }

  async #remove(n: number): Promise<void> {
    const { pods, sessions, lease } = this.#tree;
    const names = (await pods.list()).map(({ name }) => name).filter((name) => name !== root);
    const name = at(names.toSorted(), n);
    if (name === null) return;
    await removePod({ pods, sessions, lease }, name, async () => {});
    this.#removed.push(name);
  }

  async #topOf(name: string): Promise<string> {
    const { parent } = await this.#tree.record(name);
    return parent === null
      ? name
      : (await this.#tree.pods.read(parent.pod)) === null
        ? name
        : this.#topOf(parent.pod);
  }

  /** Everybody else goes; then the root has all of its own again. */
  async #endAll(): Promise<void> {
    const tree = this.#tree;
    tree.behaviour.clear();
    for (const pod of tree.live) pod.process.killAt = () => null;
    for (const pod of tree.live) if (pod.name.startsWith("s")) await this.#until(this.#alive(pod, pod.end()));
    for (const { name } of tree.live) if ((await this.#topOf(name)).startsWith("s")) tree.kill(name);
    if (tree.find(root) === null) await this.#until(this.#open(root));
    await this.#settle();
    const self = tree.find(root);
    assert.ok(self !== null);
    for (const { name } of (await tree.record(root)).children)
      await this.#until(this.#alive(self, self.manage.stop(name, this.#call())));
    await this.#settle();
    for (const pod of tree.live)
      assert.ok(
        pod === self || !pod.name.startsWith("p"),
        `${pod.name} was left behind by the end of its tree`,
      );
    assert.deepEqual((await tree.record(root)).children, []);
    assert.deepEqual(self.scope.current, self.scope.ceiling, "the root has not all of its own again");
    assert.deepEqual(self.scope.ceiling, writable("/w"));
    await this.#oracle.quiet();
  }
}

function beginning(start: "well" | "throws" | "hangs" | Death) {
  if (start === "well") return {};
  if (start === "throws" || start === "hangs") return { start };
  const { nth, moment } = start;
  const began = (process: SimulatedProcess): void => void (process.killAt = dying(nth, moment));
  return { open: { began } };
}

function dying(nth: number, moment: Death["moment"]): (call: DiskCall) => Death["moment"] | null {
  return (call) => (call.nth === nth ? moment : null);
}

function at<T>(list: readonly T[], n: number): T | null {
  return list[n % Math.max(1, list.length)] ?? null;
}

function writable(target: string): Scope {
  return { allow: [{ target, permission: "write", recursive: true }], deny: [] };
}
