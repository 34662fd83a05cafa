/** A workspace with a ticket in every state, and Pods in it that do what a test writes down. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { nodeHost } from "@yoi/host";
import type { Actor, TicketStore } from "@yoi/tickets";
import { openTicketStore } from "../../packages/cli/src/tickets/open-ticket-store.ts";
import { plant } from "../bad-input/machine.ts";
import { findLog, linesOf } from "../support/stored-log.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, type YoiResult } from "../support/yoi-process.ts";

export const person: Actor = { author: "hare", role: "user" };
const lead: Actor = { author: "lead", role: "orchestrator" };
const coder: Actor = { author: "somebody", role: "coder" };

/** Ids by state; `reported` is in progress too, and waits for its review. */
export interface Tickets {
  readonly planning: string;
  readonly ready: string;
  readonly queued: string;
  readonly inprogress: string;
  readonly reported: string;
  readonly done: string;
}

export interface Call {
  readonly name: string;
  readonly arguments: object;
}

/** What became of a call: the ends of the turn do not say it. */
export interface Outcome {
  readonly name: string;
  readonly is_error: boolean;
  /** Summary and content. */
  readonly text: string;
}

export class Scene implements Disposable {
  readonly home: TempHome = tempHome();
  readonly root = join(this.home.workspace, ".yoi", "tickets");
  readonly store: TicketStore = openTicketStore(nodeHost(), this.home.workspace);
  #runs = 0;

  async tickets(): Promise<Tickets> {
    const make = async (title: string): Promise<string> =>
      (await this.store.create({ title, body: `What ${title} is about.` }, person)).id;
    const bring = async (
      id: string,
      steps: readonly (readonly [Parameters<TicketStore["transition"]>[1]["to"], Actor])[],
    ) => {
      for (const [to, actor] of steps) await this.store.transition(id, { to }, actor);
      return id;
    };
    const queue = [
      ["ready", person],
      ["queued", person],
    ] as const;
    const reported = await bring(await make("reported"), [...queue, ["inprogress", lead]]);
    await this.store.add(reported, { kind: "implementation_report", body: "It is there." }, coder);
    return {
      planning: await make("planning"),
      ready: await bring(await make("ready"), [["ready", person]]),
      queued: await bring(await make("queued"), queue),
      inprogress: await bring(await make("inprogress"), [...queue, ["inprogress", lead]]),
      reported,
      done: await bring(await make("done"), [...queue, ["inprogress", person], ["done", person]]),
    };
  }

  config(text: string): void {
    plant(join(this.home.home, "config", "config.toml"), text);
  }

  yoi(...args: readonly string[]): Promise<YoiResult> {
    return runYoi(args, { cwd: this.home.workspace, env: this.home.env });
  }

  /** One run of a new Pod that makes these calls, one after the other. */
  async run(pod: string, calls: readonly Call[], ...flags: readonly string[]): Promise<readonly Outcome[]> {
    this.#runs += 1;
    const name = `s${this.#runs}.yaml`;
    plant(join(this.home.workspace, name), scenarioOf([calls]));
    const { code, stderr } = await this.yoi("run", "go", "--pod", pod, "-m", `scripted/${name}`, ...flags);
    if (code !== 0) throw new Error(`yoi run ended with ${code}: ${stderr}`);
    return this.outcomes(pod);
  }

  outcomes(pod: string): readonly Outcome[] {
    const log = findLog(this.home.home, pod);
    if (log === null) throw new Error(`no Pod ${pod}`);
    return linesOf(readFileSync(log)).flatMap(({ kind, item }) => {
      if (kind !== "tool_result") return [];
      const { name, is_error, summary, content } = item as Omit<Outcome, "text"> & {
        summary: string;
        content?: string;
      };
      return [{ name, is_error, text: content === undefined ? summary : `${summary}\n${content}` }];
    });
  }

  /** Every file of the tickets with its text. Who reads takes the lock's file along, or makes it: it holds nothing. */
  files(): Readonly<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const name of readdirSync(this.root, { recursive: true, encoding: "utf8" }).toSorted()) {
      const path = join(this.root, name);
      if (!name.startsWith(".lock") && statSync(path).isFile()) found[name] = readFileSync(path, "utf8");
    }
    return found;
  }

  async stateOf(id: string): Promise<string> {
    return (await this.store.show(id)).state;
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }
}

/** Turns of a scripted model, each of which makes its calls one by one and then says that it is done. */
export function scenarioOf(turns: readonly (readonly Call[])[]): string {
  const steps = turns.flatMap((calls) => [
    ...calls.map((call) => `  - tool_calls:\n      - ${JSON.stringify(call)}\n`),
    "  - text: Done.\n",
  ]);
  return `steps:\n${steps.join("")}`;
}
