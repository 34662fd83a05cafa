/** BackgroundTasks: runs what features registered, contained, from when the Pod is ready until it closes. */
import { type Timers, YoiError } from "@yoi/base";
import type { BackgroundTaskState, FeatureId } from "@yoi/feature";
import type { Alerts } from "../../alert/alerts.ts";
import { boundedText } from "../../hook/said.ts";
import { guardedSignal } from "../guarded-signal.ts";
import type { FeatureDiagnostics } from "../sinks/feature-diagnostics.ts";

/** From the abort until nothing waits for a task any more. */
export const taskStopMsMax = 2_000;

type Run = (context: { readonly signal: AbortSignal }) => Promise<void>;

interface Task {
  readonly feature: FeatureId;
  readonly name: string;
  readonly run: Run;
  readonly diagnostics: FeatureDiagnostics;
  readonly abort: AbortController;
  state: BackgroundTaskState;
}

export interface BackgroundTasksOptions {
  readonly timers: Timers;
  readonly alerts: Alerts;
  readonly redact: (text: string) => string;
}

/** The tasks of a feature that is being installed. */
export interface StagedTasks {
  /** Throws feature_invalid for a second task of the name, and for what is no function. */
  register(name: string, run: Run): void;
  /** They will be started. Once. */
  commit(): void;
}

export class BackgroundTasks {
  readonly #options: BackgroundTasksOptions;
  readonly #tasks: Task[] = [];
  readonly #running = new Set<Promise<void>>();
  #isStarted = false;
  #stopping: Promise<void> | null = null;

  constructor(options: BackgroundTasksOptions) {
    this.#options = options;
  }

  stage(feature: FeatureId, diagnostics: FeatureDiagnostics): StagedTasks {
    const staged = new Map<string, Task>();
    return Object.freeze({
      register: (name: string, run: Run) => {
        if (typeof run !== "function" || staged.has(name)) {
          const why = staged.has(name) ? "is registered twice" : "is no function";
          throw new YoiError(
            "feature_invalid",
            `The background task ${JSON.stringify(name)} of ${feature} ${why}.`,
          );
        }
        const abort = new AbortController();
        guardedSignal(abort.signal, (thrown) => {
          const why = boundedText(thrown, this.#options);
          diagnostics.host.warning(
            `The background task ${JSON.stringify(name)} failed when it was told to stop: ${why}`,
          );
        });
        staged.set(name, { feature, name, run, diagnostics, abort, state: "waiting" });
      },
      commit: () => {
        if (this.#isStarted || this.#stopping !== null)
          throw new Error("background tasks are staged before the start");
        this.#tasks.push(...staged.values());
        staged.clear();
      },
    });
  }

  /** As they are now, in the order of their registration. */
  statesOf(feature: FeatureId): readonly { readonly name: string; readonly state: BackgroundTaskState }[] {
    return this.#tasks.filter((task) => task.feature === feature).map(({ name, state }) => ({ name, state }));
  }

  /** Once, when the Pod is ready. No task runs before this has returned. */
  start(): void {
    if (this.#isStarted) throw new Error("background tasks are started once");
    if (this.#stopping !== null) throw new Error("background tasks are not started after their stop");
    this.#isStarted = true;
    for (const task of this.#tasks) {
      const running: Promise<void> = this.#contain(task).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /** Aborts all and waits for them, for 2 s at most. Never rejects. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /** Never rejects. */
  async #contain(task: Task): Promise<void> {
    task.state = "running";
    const { signal } = task.abort;
    try {
      await Promise.resolve();
      if (!signal.aborted) await task.run(Object.freeze({ signal }));
      this.#settle(task, signal.aborted ? "stopped" : "finished");
    } catch (error) {
      if (signal.aborted && isAbort(error, signal)) this.#settle(task, "stopped");
      else this.#fail(task, boundedText(error, this.#options));
    }
  }

  #settle(task: Task, state: BackgroundTaskState): void {
    if (task.state === "running") task.state = state;
  }

  /** Nothing more is said of a task that was given up. */
  #fail(task: Task, why: string): void {
    if (task.state !== "running") return;
    task.state = "failed";
    const message = boundedText(
      `The background task ${JSON.stringify(task.name)} failed, and is not started again: ${why}`,
      this.#options,
    );
    task.diagnostics.host.error(message);
    this.#options.alerts.raise("error", task.feature, message);
  }

  async #stop(): Promise<void> {
    for (const task of this.#tasks) {
      if (task.state === "waiting") task.state = "stopped";
      if (task.state === "running") task.abort.abort(new YoiError("cancelled", "The Pod is closing."));
    }
    await this.#allOrTimeUp();
    for (const task of this.#tasks) {
      if (task.state !== "running") continue;
      task.state = "failed";
      task.diagnostics.host.warning(
        `The background task ${JSON.stringify(task.name)} did not end within ${taskStopMsMax} ms of its abort: nothing waits for it any more.`,
      );
    }
  }

  #allOrTimeUp(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.timers.after(taskStopMsMax, resolve);
    void Promise.all(this.#running).then(() => {
      cancel();
      resolve();
    });
    return promise;
  }
}

/** That a task ends by its abort is no failure. */
function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  if (thrown === signal.reason) return true;
  try {
    if (thrown instanceof YoiError) return thrown.kind === "cancelled";
    return thrown instanceof Error && thrown.name === "AbortError";
  } catch {
    // A value whose properties throw.
    return false;
  }
}
