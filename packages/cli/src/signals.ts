/** Signals: the first one asks for an orderly stop, the second ends the process at once, a hangup that was to be ignored stays ignored. */
import { raise } from "@yoi/host";

export type StopSignal = "SIGINT" | "SIGTERM";

export interface StopSignals {
  /** The first signal that came, if any. */
  readonly received: StopSignal | null;
  /** The same by its own name: a hangup counts as SIGTERM. */
  readonly receivedAs: NodeJS.Signals | null;
  /** Gives the signals back to the system's default. */
  dispose(): void;
}

/** Set by the launcher, which is the last to know: Node gives a hangup its default back before any of our code runs. */
const hangupIgnored = "YOI_HANGUP_IGNORED";

const nothing = (): void => undefined;

/** `nohup yoi` outlives its terminal, as whoever started it wants. For the whole process, so that no gap is left between commands. */
export function keepHangupIgnored(): void {
  if (isHangupIgnored()) process.on("SIGHUP", nothing);
}

function isHangupIgnored(): boolean {
  return process.env[hangupIgnored] === "1";
}

/**
 * Calls `stop` on the first SIGINT, SIGTERM or SIGHUP (treated as SIGTERM). The log is a log at every instant, so the second one
 * may simply end the process, by the signal itself: nothing that hangs can keep it.
 */
export function onStopSignals(stop: (signal: StopSignal) => void): StopSignals {
  let received: StopSignal | null = null;
  let receivedAs: NodeJS.Signals | null = null;
  const signals = isHangupIgnored()
    ? (["SIGINT", "SIGTERM"] as const)
    : (["SIGINT", "SIGTERM", "SIGHUP"] as const);
  const dispose = (): void => {
    for (const signal of signals) process.off(signal, handle);
  };
  function handle(signal: NodeJS.Signals): void {
    const meant: StopSignal = signal === "SIGINT" ? "SIGINT" : "SIGTERM";
    if (received !== null) {
      dispose();
      raise(meant);
      return;
    }
    received = meant;
    receivedAs = signal;
    stop(meant);
  }
  for (const signal of signals) process.on(signal, handle);
  return {
    get received() {
      return received;
    },
    get receivedAs() {
      return receivedAs;
    },
    dispose,
  };
}
