/** Starter processes, driven from a test. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { YoiError, type ErrorCode } from "@yoi/base";
import type { HeldLease, Lease } from "@yoi/pod-store";

export type StoreCall = "create" | "update" | "read" | "list" | "find" | "remove";

type Verb =
  /** `atMs`: the moment (wall clock) at which all starters of a race try. */
  | { readonly verb: "acquire"; readonly name: string; readonly purpose: string; readonly atMs?: number }
  /** `held`: the id of the acquire. */
  | { readonly verb: "release"; readonly held: number }
  | { readonly verb: "owner" | "renew"; readonly name: string }
  | { readonly verb: "pid-file"; readonly path: string; readonly atMs: number; readonly breakAtMs: number }
  | { readonly verb: "read"; readonly path: string }
  | { readonly verb: "store"; readonly call: StoreCall; readonly name: string };

export type StarterRequest = Verb & { readonly id: number };

export interface StarterReply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: { readonly code: ErrorCode | null; readonly message: string };
}

const script = fileURLToPath(new URL("starter.ts", import.meta.url));

let warmed: string | null = null;

/** Node's compile cache, filled by one starter: the others start in a quarter of the time. It goes with this process. */
function compileCache(): string {
  if (warmed === null) {
    const folder = mkdtempSync(join(tmpdir(), "yoi-starter-cache-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    spawnSync(process.execPath, [script, folder], { env: { NODE_COMPILE_CACHE: folder }, input: "" });
    warmed = folder;
  }
  return warmed;
}

export class Starter {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  #lastId = 0;

  constructor(dataDir: string) {
    this.#child = spawn(process.execPath, [script, dataDir], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { NODE_COMPILE_CACHE: compileCache() },
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error("a starter without stdout");
    createInterface({ input: stdout }).on("line", (line) => this.#settle(JSON.parse(line) as StarterReply));
    this.#child.on("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the starter has ended"));
      this.#waiting.clear();
    });
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error("a starter that was not started");
    return pid;
  }

  /** The id of the request is handed to `onId`: a release names the acquire that it undoes. */
  call(verb: Verb, onId: (id: number) => void = () => {}): Promise<unknown> {
    const id = (this.#lastId += 1);
    onId(id);
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#child.stdin?.write(`${JSON.stringify({ ...verb, id })}\n`);
    return answer;
  }

  /** Its lease, as this process would use its own. */
  get lease(): Lease {
    return {
      renewHint: async (name) => void (await this.call({ verb: "renew", name })),
      acquire: async (name, purpose): Promise<HeldLease> => {
        let held = 0;
        await this.call({ verb: "acquire", name, purpose }, (id) => (held = id));
        return { name, release: async () => void (await this.call({ verb: "release", held })) };
      },
      owner: async (name) =>
        (await this.call({ verb: "owner", name })) as Awaited<ReturnType<Lease["owner"]>>,
    };
  }

  /** Sends the signal to this one process. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** SIGKILL, and waits until the kernel has taken it apart. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  #settle(reply: StarterReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.error === undefined) waiting?.resolve(reply.value);
    else if (reply.error.code === null) waiting?.reject(new Error(reply.error.message));
    else waiting?.reject(new YoiError(reply.error.code, reply.error.message));
  }
}
