/** `yoi ticket` for tests: many command lines in one process, where starting the program for each would take longer than all of them. */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ticket, TicketEvent } from "@yoi/tickets";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import type { YoiResult } from "../support/yoi-process.ts";

export type Result = Pick<YoiResult, "code" | "stdout" | "stderr">;

export interface Tickets extends Disposable {
  readonly home: TempHome;
  readonly workspace: string;
  /** Where its tickets are. */
  readonly root: string;
  /** One command line at a time; standard input is /dev/null, the user is `hare`. */
  readonly yoi: (...argv: readonly string[]) => Promise<Result>;
  /** `yoi ticket ...` */
  readonly ticket: (...args: readonly string[]) => Promise<Result>;
  /** The id of a new one. */
  readonly made: (title?: string) => Promise<string>;
}

/** A fresh machine, and a process on it in its workspace. */
export function openTickets(changes: Readonly<Record<string, string>> = {}): Tickets {
  const home = tempHome();
  const { workspace } = home;
  const child = fork(fileURLToPath(new URL("command-process.ts", import.meta.url)), {
    cwd: workspace,
    env: { ...home.env, USER: "hare", ...changes },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const yoi = async (...argv: readonly string[]): Promise<Result> => {
    child.send(argv);
    const [result] = (await once(child, "message")) as [Result];
    return result;
  };
  const ticket = (...args: readonly string[]): Promise<Result> => yoi("ticket", ...args);
  return {
    home,
    workspace,
    root: rootOf(workspace),
    yoi,
    ticket,
    made: async (title = "A ticket") => jsonOf<Ticket>(await ticket("create", "--title", title, "--json")).id,
    [Symbol.dispose]: () => {
      child.disconnect();
      home[Symbol.dispose]();
    },
  };
}

/** What it printed with `--json`. */
export function jsonOf<T>({ code, stdout, stderr }: Result): T {
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\{.*\}\n$/, "not one line");
  return JSON.parse(stdout) as T;
}

export type ShownEvent = TicketEvent & { readonly ticket: string };

export function rootOf(workspace: string): string {
  return join(workspace, ".yoi", "tickets");
}

/** Folders of tickets. */
export function idsIn(workspace: string): readonly string[] {
  return readdirSync(rootOf(workspace)).filter((name) => !name.startsWith("."));
}
