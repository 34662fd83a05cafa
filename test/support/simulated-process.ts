/** A process of a simulated machine that can be killed by itself: from that moment nothing that it waits for ever comes, and nothing that it asks for is done. */
import type { Timers } from "@yoi/base";
import type { Files, MemoryHost, ProcessIdentity, Processes } from "@yoi/host";

/** Methods whose result has methods that reach outside of the process too. */
const handles: ReadonlySet<string> = new Set(["openAppend", "createAppend", "acquire", "reach"]);

export interface DiskCall {
  readonly method: string;
  readonly path: string;
  /** 1 for the first one of this process. */
  readonly nth: number;
}

export class SimulatedProcess {
  readonly identity: ProcessIdentity;
  /** Asked at each call that changes the disk: where the process dies. */
  killAt: (call: DiskCall) => "before" | "after" | null = () => null;
  /** Called once, at its death. */
  readonly died = Promise.withResolvers<void>();
  #isDead = false;
  #calls = 0;

  constructor(identity: ProcessIdentity) {
    this.identity = identity;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Calls so far that changed the disk. */
  get diskCalls(): number {
    return this.#calls;
  }

  kill(): void {
    this.#isDead = true;
    this.died.resolve();
  }

  /** Gives what `promise` gives as long as the process lives. */
  await<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => void (this.#isDead || resolve(value)),
        (error: unknown) => void (this.#isDead || reject(error)),
      );
    });
  }

  /** The same, out of the reach of a dead process. */
  reach<T extends object>(target: T): T {
    // What is frozen shows itself and nothing else, so an empty object stands for it.
    return new Proxy({} as T, {
      get: (_, key) => {
        const object = target;
        const value: unknown = Reflect.get(object, key, object);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          if (this.#isDead) return new Promise(() => {});
          const result: unknown = Reflect.apply(value, object, args);
          if (!(result instanceof Promise)) return result;
          const isHandle = typeof key === "string" && handles.has(key);
          return this.await(isHandle ? result.then((made: object) => this.reach(made)) : result);
        };
      },
    });
  }

  files(files: Files): Files {
    return this.reach(this.#counted(files, null));
  }

  timers(timers: Timers): Timers {
    return {
      after: (delayMs, fire) => timers.after(delayMs, () => void (this.#isDead || fire())),
      sleep: (delayMs, signal) => this.await(timers.sleep(delayMs, signal)),
    };
  }

  #counted<T extends object>(target: T, file: string | null): T {
    return new Proxy(target, {
      get: (object, key) => {
        const value: unknown = Reflect.get(object, key, object);
        if (typeof value !== "function" || typeof key !== "string") return value;
        return async (...args: unknown[]): Promise<unknown> => {
          const path = file ?? String(args[0]);
          const changes = !reading.has(key);
          const fate = changes ? this.killAt({ method: key, path, nth: (this.#calls += 1) }) : null;
          if (fate === "before") this.kill();
          if (this.#isDead) return new Promise(() => {});
          const result: unknown = await Reflect.apply(value, object, args);
          if (fate === "after") this.kill();
          return handles.has(key) && result !== null && typeof result === "object"
            ? this.#counted(result, path)
            : result;
        };
      },
    });
  }
}

const reading: ReadonlySet<string> = new Set(["read", "readRange", "stat", "list", "close"]);

/** All processes of one machine. */
export class SimulatedProcesses {
  readonly #all: SimulatedProcess[] = [];
  readonly #boot: string;

  constructor(host: MemoryHost) {
    this.#boot = host.processes.self().boot;
  }

  begin(): SimulatedProcess {
    const n = this.#all.length + 1;
    const process = new SimulatedProcess({ pid: 1000 + n, started: n, boot: this.#boot });
    this.#all.push(process);
    return process;
  }

  find(identity: ProcessIdentity): SimulatedProcess | null {
    const found = this.#all.find(
      ({ identity: { pid, started, boot } }) =>
        pid === identity.pid && started === identity.started && boot === identity.boot,
    );
    return found ?? null;
  }

  /** As the process sees the machine. */
  portOf(process: SimulatedProcess): Processes {
    return { self: () => process.identity, isAlive: (other) => this.find(other)?.isDead === false };
  }
}
