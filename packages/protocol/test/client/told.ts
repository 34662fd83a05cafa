/** What a listener was told, as lines that compare well. */
import type { StreamListener } from "../../src/index.ts";

export interface Told {
  readonly lines: string[];
  readonly entries: number[];
  readonly listener: StreamListener;
  /** Resolves with the nth line (from 1) of this text. */
  until(text: string, times?: number): Promise<void>;
}

export function told(): Told {
  const lines: string[] = [];
  const entries: number[] = [];
  const waiting: { readonly text: string; readonly times: number; readonly resolve: () => void }[] = [];
  const count = (text: string) => lines.filter((line) => line.startsWith(text)).length;
  const say = (line: string) => {
    lines.push(line);
    for (const wait of waiting) if (count(wait.text) >= wait.times) wait.resolve();
  };
  return {
    lines,
    entries,
    listener: {
      restarted: (segment) => {
        entries.length = 0;
        say(`restarted ${segment}`);
      },
      entry: (entry) => {
        entries.push(entry.seq);
        say(`entry ${entry.seq}`);
      },
      omitted: (seq, kind) => {
        entries.push(seq);
        say(`omitted ${seq} ${kind}`);
      },
      snapshot: (view) => say(`snapshot ${view.seq} alerts ${view.alerts.map(({ n }) => n).join(",")}`),
      live: (live) =>
        say(
          live.type === "turn" ? `live ${live.turn}` : live.type === "alert" ? `alert ${live.at}` : live.type,
        ),
      disconnected: (why) => say(`disconnected: ${why}`),
    },
    until: (text, times = 1) =>
      new Promise((resolve) => {
        if (count(text) >= times) resolve();
        else waiting.push({ text, times, resolve });
      }),
  };
}
