/** A person's machine with a repository and a queued ticket, three Pods that have it done, and what is on disk of all that, read with git and as text. */
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PodRole } from "@yoi/tickets";
import { projectFiles, ticketBody, ticketTitle } from "../../packages/cli/src/demo/tickets-project.ts";
import { ticketsFiles } from "../../packages/cli/src/demo/tickets-scenario.ts";
import {
  branchOf,
  type TicketPod,
  ticketPods,
  type TicketsPlaces,
} from "../../packages/cli/src/demo/tickets-steps.ts";
import { aliveWithEnv, eventually } from "../support/processes.ts";
import { findLog, linesOf, type LogLine } from "../support/stored-log.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, type YoiResult } from "../support/yoi-process.ts";

/** The whole of it, on a machine that is busy. */
const stepMsMax = 60_000;

export type Choices = Pick<TicketsPlaces, "held" | "closes"> & {
  /** The command that waits for `go`. */
  readonly waits: "clone" | "work" | null;
  /** Of the orchestrator, instead of its own. */
  readonly role?: PodRole;
};

/** A line of the thread, as a list of its attributes' values. */
export type Event = Readonly<Record<string, string>>;

export class Scene implements AsyncDisposable {
  readonly home: TempHome = tempHome();
  readonly workspace = this.home.workspace;
  readonly env = { ...this.home.env, USER: "hare" };
  ticket = "";
  #copies = 0;

  git(...args: readonly string[]): string {
    return execFileSync("git", ["-c", "user.name=hare", "-c", "user.email=hare@localhost", ...args], {
      cwd: this.workspace,
      encoding: "utf8",
    }).trimEnd();
  }

  /** Throws where it does not end with 0. */
  async yoi(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.tried(...args);
    if (code !== 0) throw new Error(`yoi ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  }

  tried(...args: readonly string[]): Promise<YoiResult> {
    return runYoi(args, { cwd: this.workspace, env: this.env });
  }

  /** A repository, a ticket that is ready, and the orchestrator. */
  async begin(choices: Choices): Promise<void> {
    for (const [name, text] of Object.entries(projectFiles)) put(join(this.workspace, name), text);
    this.git("init", "--quiet", "--initial-branch", "main");
    this.git("add", ".");
    this.git("commit", "--quiet", "--message", "Begin");
    const body = join(this.home.root, "body.md");
    put(body, ticketBody);
    const made = await this.yoi("ticket", "create", "--title", ticketTitle, "--file", body, "--json");
    this.ticket = (JSON.parse(made) as { id: string }).id;
    await this.yoi("ticket", "status", this.ticket, "ready");
    this.write(choices);
    if (choices.role !== undefined)
      appendFileSync(
        join(this.home.home, "config/profiles/lead.toml"),
        `\n[tickets]\nrole = "${choices.role}"\n`,
      );
    await this.yoi("pod", "start", ticketPods.lead, "--profile", ticketPods.lead);
  }

  /** The human gate: from here on the Pods do it. */
  async queue(): Promise<void> {
    await this.yoi("ticket", "status", this.ticket, "queued");
  }

  /** What the models say from now on, where a Pod begins anew. */
  write({ held, closes, waits }: Choices): void {
    const { workspace, ticket } = this;
    const { root, home } = this.home;
    const places = {
      workspace,
      root,
      config: join(home, "config"),
      ticket,
      waits: waits === null ? null : { in: waits, file: this.goFile },
      held,
      closes,
    };
    for (const [path, text] of Object.entries(ticketsFiles(places))) put(path, text);
  }

  get goFile(): string {
    return join(this.workspace, "go");
  }

  go(): void {
    put(this.goFile, "");
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    try {
      await eventually(what, holds, stepMsMax);
    } catch (cause) {
      const threads = this.events().map((event) => Object.values(event).join(" "));
      throw new Error(`${what}\n${threads.join("\n")}`, { cause });
    }
  }

  events(): readonly Event[] {
    const text = readFileSync(join(this.workspace, ".yoi/tickets", this.ticket, "thread.md"), "utf8");
    return [...text.matchAll(/^<!-- event: (\S+) (.*) -->$/gm)].map(([, kind = "", rest = ""]) => ({
      kind,
      ...Object.fromEntries(
        [...rest.matchAll(/(\w+): (\S+)/g)].map(([, name = "", value = ""]) => [name, value]),
      ),
    }));
  }

  /** Whole lines; none where there is no Pod of the name. */
  log(pod: TicketPod): readonly LogLine[] {
    const path = findLog(this.home.home, pod);
    if (path === null || !existsSync(path)) return [];
    const bytes = readFileSync(path);
    return linesOf(bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1));
  }

  /** What it was answered by a tool, as lines of the log, oldest first. */
  results(pod: TicketPod, tool: string): readonly { readonly is_error: boolean; readonly summary: string }[] {
    return this.log(pod).flatMap(({ kind, item }) => {
      const { name, is_error, summary } = (kind === "tool_result" ? item : {}) as {
        name?: string;
        is_error?: boolean;
        summary?: string;
      };
      return name === tool ? [{ is_error: is_error === true, summary: summary ?? "" }] : [];
    });
  }

  said(pod: TicketPod, text: string): boolean {
    return this.log(pod).some(
      ({ kind, item }) => kind === "assistant_item" && JSON.stringify(item).includes(text),
    );
  }

  /** SIGKILL to the process that holds the Pod, and to no other; what its commands left is theirs. */
  kill(pod: TicketPod): void {
    const owner = JSON.parse(readFileSync(this.#owner(pod), "utf8")) as {
      pid: number;
    };
    if (!aliveWithEnv(`YOI_HOME=${this.home.home}`).includes(owner.pid))
      throw new Error(`${pod} is not alive`);
    process.kill(owner.pid, "SIGKILL");
  }

  #owner(pod: TicketPod): string {
    return join(this.home.home, "locks", `${pod}.owner`);
  }

  async restore(): Promise<void> {
    await this.yoi("pod", "restore", ticketPods.lead, "--resume");
  }

  /** What node --test says of a commit, in a copy of its own. */
  passes(commit: string): boolean {
    this.#copies += 1;
    const copy = join(this.home.root, `copy-${this.#copies}`);
    execFileSync("git", ["clone", "--quiet", "--branch", commit, this.workspace, copy], { stdio: "ignore" });
    const { PATH } = process.env;
    return spawnSync("node", ["--test"], { cwd: copy, env: { PATH } }).status === 0;
  }

  /** Also one that is not whole. */
  clones(): readonly string[] {
    return readdirSync(join(this.workspace, ".yoi-work")).filter((name) => !name.startsWith("."));
  }

  get clone(): string {
    return join(this.workspace, ".yoi-work", this.ticket);
  }

  branch(): string {
    return branchOf(this.ticket);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const alive = () => aliveWithEnv(`YOI_HOME=${this.home.home}`);
    for (let left = alive(); left.length > 0; left = alive()) {
      for (const pid of left) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It ended by itself.
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    this.home[Symbol.dispose]();
  }
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text);
}
