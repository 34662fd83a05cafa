/** Signals of a run: the first one asks for an orderly stop, the second ends the process at once. */
import { exitCode } from "./exit-code.ts";

export type StopSignal = "SIGINT" | "SIGTERM";

export interface StopSignals {
  /** The first signal that came, if any. */
  readonly received: StopSignal | null;
  /** Gives the signals back to the system's default. */
  dispose(): void;
}

/** Calls `stop` on the first SIGINT, SIGTERM or SIGHUP (treated as SIGTERM). The log is a log at every instant, so the second one may simply end the process. */
export function onStopSignals(stop: (signal: StopSignal) => void): StopSignals {
  let received: StopSignal | null = null;
  const handle = (signal: NodeJS.Signals): void => {
    const meant: StopSignal = signal === "SIGINT" ? "SIGINT" : "SIGTERM";
    if (received !== null) process.exit(meant === "SIGINT" ? exitCode.interrupted : exitCode.terminated);
    received = meant;
    stop(meant);
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, handle);
  return {
    get received() {
      return received;
    },
    dispose: () => {
      for (const signal of signals) process.off(signal, handle);
    },
  };
}
