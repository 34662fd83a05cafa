/** Live output for observers, at a bounded rate: a command that prints without end must not flood them. */
import type { Timers } from "@yoi/base";

/** Between two reports. */
export const progressEveryMs = 100;
/** Of one report: older text of the interval is dropped. */
export const progressBytesMax = 4096;

export interface Progress {
  add(chunk: Uint8Array): void;
  /** Reports what is left and leaves no timer behind. */
  close(): void;
}

export function createProgress(report: (text: string) => void, timers: Timers): Progress {
  let waiting: Buffer = Buffer.alloc(0);
  let cancel: (() => void) | null = null;
  const flush = (): void => {
    const text = waiting.toString("utf8");
    waiting = Buffer.alloc(0);
    if (text !== "") report(text);
  };
  return {
    add: (chunk) => {
      const all = Buffer.concat([waiting, chunk]);
      waiting = all.subarray(Math.max(0, all.length - progressBytesMax));
      cancel ??= timers.after(progressEveryMs, () => {
        cancel = null;
        flush();
      });
    },
    close: () => {
      cancel?.();
      cancel = null;
      flush();
    },
  };
}
