/** What a command prints: counted whole, kept at both ends within a bound, shown from the end. */
/** Output up to both limits is shown whole. */
export const inlineLinesMax = 80;
export const inlineBytesMax = 12 * 1024;
/** Of longer output the first and the last bytes are kept. */
export const keptHeadBytes = 1024 * 1024;
export const keptTailBytes = 3 * 1024 * 1024;

export interface CommandOutput {
  add(chunk: Uint8Array): void;
  readonly bytes: number;
  readonly lines: number;
  /** All of it when it is short. */
  isShort(): boolean;
  /** The last lines within both limits, as text. */
  tail(): string;
  /** What is kept, with a line where the middle is missing. */
  kept(): Buffer;
}

export function createCommandOutput(): CommandOutput {
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let bytes = 0;
  let newlines = 0;
  let endsWithNewline = true;

  const keepTail = (chunk: Buffer): void => {
    tail.push(chunk);
    tailBytes += chunk.length;
    if (tailBytes < 2 * keptTailBytes) return;
    const whole = Buffer.concat(tail);
    tail = [Buffer.from(whole.subarray(whole.length - keptTailBytes))];
    tailBytes = keptTailBytes;
  };
  const end = (): Buffer => {
    const whole = Buffer.concat(tail);
    return whole.subarray(Math.max(0, whole.length - keptTailBytes));
  };
  const lines = (): number => newlines + (endsWithNewline ? 0 : 1);
  const isShort = (): boolean => bytes <= inlineBytesMax && lines() <= inlineLinesMax;

  return {
    add: (data) => {
      const chunk = Buffer.from(data);
      if (chunk.length === 0) return;
      bytes += chunk.length;
      for (let at = 0; at < chunk.length; at += 1) if (chunk[at] === 0x0a) newlines += 1;
      endsWithNewline = chunk.at(-1) === 0x0a;
      const room = Math.min(keptHeadBytes - headBytes, chunk.length);
      if (room > 0) {
        head.push(chunk.subarray(0, room));
        headBytes += room;
      }
      if (room < chunk.length) keepTail(chunk.subarray(room));
    },
    get bytes() {
      return bytes;
    },
    get lines() {
      return lines();
    },
    isShort,
    tail: () => {
      const last = Buffer.concat([...head, end()]);
      return isShort() ? readable(last) : lastLines(last);
    },
    kept: () => {
      const last = end();
      const missing = bytes - headBytes - last.length;
      const gap = missing > 0 ? `\n[yoi: ${missing} bytes in the middle were not kept]\n` : "";
      return Buffer.concat([...head, Buffer.from(gap), last]);
    },
  };
}

/** Text for the model: other bytes as U+FFFD, NUL as a visible character, no final newline. */
function readable(bytes: Buffer): string {
  return bytes.toString("utf8").replaceAll("\0", "\u2400").replace(/\n$/, "");
}

/** Whole lines where there are some; of one line that is longer than the limit, its end. Bytes that are no text take three times their room. */
function lastLines(bytes: Buffer): string {
  const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
  let from = Math.max(0, end - inlineBytesMax);
  if (from > 0 && bytes[from - 1] !== 0x0a) {
    const next = bytes.indexOf(0x0a, from) + 1;
    if (next > 0 && next < end) from = next;
    else while (from < end && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  }
  return readable(bytes.subarray(from, end)).split("\n").slice(-inlineLinesMax).join("\n");
}
