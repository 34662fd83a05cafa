/** A parent with a child as real processes: what they do is fixed, and what is on disk of it is read as JSON, without any of yoi's own code. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Hosting, type HostedPod } from "../service/hosted.ts";
import { findLog } from "../support/stored-log.ts";

export const parent = "lead";
export const child = "kid";
/** Lent to the child. */
const lent = "src/a";
/** Answers of one scenario; a step is chosen by how many were given before. */
const stepsMax = 40;

/** As it stands in metadata. */
export interface StoredLoan {
  readonly name: string;
  readonly state?: string;
  readonly reason?: string;
  readonly loan: { readonly id: string };
}

export interface StoredPod {
  readonly pointer: { readonly segment: string | null };
  readonly children: readonly StoredLoan[];
  readonly reclaimed: readonly StoredLoan[];
  readonly closed_head: unknown;
}

export interface StoredEntry {
  readonly kind: string;
  readonly submission?: string;
  readonly domain?: string;
  readonly item?: { readonly body: string };
}

const call = (name: string, given: object) => ({ name, arguments: given });

/** The parent begins the child, ends it, begins it again on its loan, and ends it again. */
function leadScenario(workspace: string): string {
  const spawn = call("SpawnPod", {
    name: child,
    profile: `user:${child}`,
    task: "Write your part.",
    scope: [
      { target: join(workspace, lent), permission: "write" },
      { target: workspace, permission: "read" },
    ],
  });
  const stop = call("StopPod", { name: child });
  const steps = [
    { text: "I begin a child.", tool_calls: [spawn] },
    // Meanwhile the child does its part, and says so.
    { text: "It is done.", delay_ms: 300, tool_calls: [stop] },
    { text: "Once more.", tool_calls: [call("RestorePod", { name: child })] },
    { text: "That is enough.", tool_calls: [stop] },
  ];
  return scenario([...steps, ...Array(stepsMax).fill({ text: "Noted." })]);
}

/** At each answer a file, and so on: what can be written there is seen. */
export function tries(workspace: string, by: string): string {
  const write = (n: number) =>
    call("Write", { file_path: join(workspace, lent, `${by}-${n}.txt`), content: by });
  return scenario(
    Array.from({ length: stepsMax }, (_, n) =>
      n % 2 === 0 ? { text: "I write.", tool_calls: [write(n)] } : { text: "I wrote." },
    ),
  );
}

// YAML is a superset of JSON.
const scenario = (steps: readonly object[]): string => JSON.stringify({ steps });

export class Family implements AsyncDisposable {
  readonly hosting = new Hosting();
  readonly #lead: { pod: HostedPod | null } = { pod: null };

  get workspace(): string {
    return this.hosting.home.workspace;
  }

  get lead(): HostedPod {
    if (this.#lead.pod === null) throw new Error("the parent was not started");
    return this.#lead.pod;
  }

  async start(): Promise<void> {
    const { home } = this.hosting.home;
    mkdirSync(join(this.workspace, lent), { recursive: true });
    mkdirSync(join(home, "config", "profiles"), { recursive: true, mode: 0o700 });
    const model = join(this.workspace, `${child}.yaml`);
    writeFileSync(model, tries(this.workspace, child));
    writeFileSync(
      join(home, "config", "profiles", `${child}.toml`),
      `description = "Writes its part"\n\n[model]\nref = ${JSON.stringify(`scripted/${model}`)}\n\n[features]\npods = false\n`,
    );
    this.#lead.pod = await this.hosting.startPod(parent, leadScenario(this.workspace));
  }

  /** From now on its parent tries to write what it lent. */
  setTries(): void {
    writeFileSync(join(this.workspace, `${parent}.yaml`), tries(this.workspace, parent));
  }

  /** Files that a Pod wrote in what is lent. */
  wrote(by: string): boolean {
    return Array.from({ length: stepsMax }, (_, n) => n).some((n) =>
      existsSync(join(this.workspace, lent, `${by}-${n}.txt`)),
    );
  }

  /** Null: there is none. It is replaced whole, so it is always one or the other. */
  metadata(pod: string): StoredPod | null {
    const text = readText(join(this.hosting.home.home, "pods", pod, "metadata.json"));
    return text === null ? null : (JSON.parse(text) as StoredPod);
  }

  hasLog(pod: string): boolean {
    return (this.metadata(pod)?.pointer.segment ?? null) !== null;
  }

  /** Whole lines of the log. */
  log(pod: string): readonly StoredEntry[] {
    if (!this.hasLog(pod)) return [];
    const path = findLog(this.hosting.home.home, pod);
    const text = (path === null ? null : readText(path)) ?? "";
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as StoredEntry);
  }

  /** Whose process has the Pod's lease, as the hint beside it says; null: nobody who lives. */
  owner(pod: string): number | null {
    const text = readText(join(this.hosting.home.home, "locks", `${pod}.owner`));
    if (text === null || text === "") return null;
    const { pid, started, purpose } = JSON.parse(text) as {
      pid: number;
      started: number;
      purpose: string;
    };
    return purpose === "host" && startOf(pid) === started ? pid : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const pid = this.owner(child);
    if (pid !== null) process.kill(pid, "SIGKILL");
    await this.hosting[Symbol.asyncDispose]();
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Clock ticks since boot; null: it is gone, or a zombie. */
function startOf(pid: number): number | null {
  const text = readText(`/proc/${pid}/stat`);
  if (text === null) return null;
  const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" ? null : Number(fields[18]);
}
