/** A file's bytes as text: where its lines are, or what it is when it is not text. */
import { YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";

export interface TextFile {
  readonly text: string;
  /** Offsets at which lines start; one more than there are lines, the last being the end. */
  readonly lineStarts: readonly number[];
  /** False: bytes that are not UTF-8 are shown as U+FFFD, and writing the text back would change them. */
  readonly exact: boolean;
  readonly usesCrlf: boolean;
  /** There are line ends, and every one is CRLF. */
  readonly onlyCrlf: boolean;
  readonly endsWithNewline: boolean;
}

const sniffedBytes = 8192;

const signatures: readonly (readonly [string, string])[] = [
  ["89504e470d0a1a0a", "a PNG image"],
  ["ffd8ff", "a JPEG image"],
  ["47494638", "a GIF image"],
  ["52494646", "a RIFF file (WebP, WAV or AVI)"],
  ["255044462d", "a PDF document"],
  ["7f454c46", "an ELF program"],
  ["504b0304", "a ZIP archive (or an office document)"],
  ["1f8b", "gzip data"],
  ["fd377a585a00", "xz data"],
  ["28b52ffd", "zstd data"],
  ["53514c69746520666f726d6174203300", "an SQLite database"],
  ["0061736d", "a WebAssembly module"],
];

/** What the bytes are, when they are not text: `a PNG image`, `binary data`; null when they may be text. */
export function binaryKindOf(bytes: Buffer): string | null {
  const head = bytes.subarray(0, sniffedBytes);
  const start = head.toString("hex", 0, 16);
  const known = signatures.find(([signature]) => start.startsWith(signature));
  return known?.[1] ?? (head.includes(0) ? "binary data" : null);
}

/** Throws `usage` for what is not text, with its kind and size. */
export function textOf(bytes: Buffer, path: string): TextFile {
  const kind = binaryKindOf(bytes);
  if (kind !== null) {
    throw new YoiError(
      "usage",
      `${quotePath(path)} is ${kind} of ${bytes.length} bytes, not text: use a program that understands it with the Bash tool.`,
    );
  }
  const text = bytes.toString("utf8");
  return {
    text,
    lineStarts: lineStartsOf(text),
    exact: Buffer.compare(Buffer.from(text, "utf8"), bytes) === 0,
    usesCrlf: text.includes("\r\n"),
    onlyCrlf: text.includes("\r\n") && !/(?<!\r)\n/.test(text),
    endsWithNewline: text.endsWith("\n"),
  };
}

export function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  if (starts.at(-1) !== text.length) starts.push(text.length);
  return text === "" ? [0] : starts;
}

/** The 1-based number of the line that holds `offset`. */
export function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return Math.max(1, Math.min(low + 1, starts.length - 1));
}
