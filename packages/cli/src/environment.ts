/** The one place that reads the process: environment variables, working directory, streams, terminal. */
import { isUtf8 } from "node:buffer";
import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { YoiError } from "@yoi/base";
import { type Directories, directories } from "@yoi/manifest";

export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly directories: Directories;
  readonly cwd: string;
  /** Canonical; null when there is none to protect. */
  readonly home: string | null;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderr: { readonly isTerminal: boolean; readonly columns: number };
}

export function readEnvironment(): Environment {
  const variables = { ...process.env };
  return {
    variables,
    directories: directories(variables),
    cwd: process.cwd(),
    home: canonicalHome(variables["HOME"]),
    stdinIsTerminal: process.stdin.isTTY === true,
    stdoutIsTerminal: process.stdout.isTTY === true,
    stderr: {
      isTerminal: process.stderr.isTTY === true && variables["TERM"] !== "dumb",
      columns: process.stderr.columns ?? 80,
    },
  };
}

/** The largest prompt, in bytes. */
export const promptBytesMax = 16 * 1024 * 1024;

/** All of standard input as text. `replaced`: it held bytes that are not UTF-8; they became U+FFFD. */
export async function readStdin(
  stream: AsyncIterable<Uint8Array> = process.stdin,
): Promise<{ readonly text: string; readonly replaced: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    if (size > promptBytesMax) {
      throw new YoiError(
        "usage",
        `The prompt on standard input has more than ${promptBytesMax} bytes: put it into a file of the workspace and name the file in the prompt.`,
      );
    }
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  return { text: bytes.toString("utf8"), replaced: !isUtf8(bytes) };
}

function canonicalHome(home: string | undefined): string | null {
  if (home === undefined || !isAbsolute(home)) return null;
  try {
    return realpathSync(home);
  } catch {
    return null;
  }
}
