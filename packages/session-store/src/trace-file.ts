/** TraceFile over the files port: lines appended to `<segment>.trace.jsonl`, without a sync. */
import type { AppendFile, Files } from "@yoi/host";
import type { Redact } from "./redact-entry.ts";
import type { TraceFile } from "./store.ts";

const lf = 0x0a;

/** Opens or creates the file. What an owner that died left of a line gets its end, so that every line of this owner stands alone. */
export async function openTraceFile(files: Files, path: string, redact: Redact | null): Promise<TraceFile> {
  const found = await files.stat(path);
  const file = await (found === null ? files.createAppend(path) : files.openAppend(path));
  try {
    if (await endsInsideLine(files, path, file)) await file.append(Buffer.of(lf));
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    path,
    get bytes() {
      return file.bytes;
    },
    append: (lines) => file.append(Buffer.from(redact === null ? lines : redact(lines), "utf8")),
    close: () => file.close(),
  };
}

async function endsInsideLine(files: Files, path: string, file: AppendFile): Promise<boolean> {
  if (file.bytes === 0) return false;
  const [last] = await files.readRange(path, file.bytes - 1, 1);
  return last !== lf;
}
