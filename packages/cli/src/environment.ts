/** The one place that reads the process: environment variables, working directory, streams, terminal. */
import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type Directories, directories } from "@yoi/manifest";

export interface Environment {
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly directories: Directories;
  readonly cwd: string;
  /** Canonical; null when there is none to protect. */
  readonly home: string | null;
  readonly stdinIsTerminal: boolean;
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
    stderr: {
      isTerminal: process.stderr.isTTY === true && variables["TERM"] !== "dumb",
      columns: process.stderr.columns ?? 80,
    },
  };
}

/** All of standard input as text. Invalid UTF-8 becomes U+FFFD. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function canonicalHome(home: string | undefined): string | null {
  if (home === undefined || !isAbsolute(home)) return null;
  try {
    return realpathSync(home);
  } catch {
    return null;
  }
}
