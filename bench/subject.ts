/** What is measured: a command line that runs against the model server in a fresh folder. */
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Folder {
  /** Empty when the run starts. */
  readonly root: string;
  readonly workspace: string;
}

export interface Subject {
  readonly name: string;
  /** Left out where there is no bubblewrap. */
  readonly needsBubblewrap: boolean;
  command(url: string, folder: Folder): { readonly file: string; readonly args: readonly string[] };
  env(folder: Folder): Readonly<Record<string, string>>;
  /** Size of what it recorded, in bytes. */
  recorded(folder: Folder): number;
}

const path = process.env["PATH"] ?? "/usr/bin:/bin";

export const rawLoop: Subject = {
  name: "raw loop",
  needsBubblewrap: false,
  command: (url, { root }) => ({
    file: process.execPath,
    args: [fileURLToPath(new URL("raw-loop.ts", import.meta.url)), url, join(root, "log.jsonl")],
  }),
  env: ({ root }) => ({ PATH: path, HOME: root }),
  recorded: ({ root }) => statSync(join(root, "log.jsonl")).size,
};

export function yoi(sandbox: "on" | "off"): Subject {
  return {
    name: `yoi, sandbox ${sandbox}`,
    needsBubblewrap: sandbox === "on",
    command: (url, { workspace }) => ({
      file: fileURLToPath(new URL("../packages/cli/bin/yoi", import.meta.url)),
      args: [
        "run",
        "go",
        "--pod=bench",
        "--model=anthropic/claude-sonnet-4-5",
        `--base-url=${url}`,
        `--sandbox=${sandbox}`,
        `--cd=${workspace}`,
        "--output-format=json",
      ],
    }),
    env: ({ root }) => ({
      PATH: path,
      HOME: root,
      YOI_HOME: join(root, "yoi"),
      ANTHROPIC_API_KEY: "bench",
      LANG: "C.UTF-8",
    }),
    recorded: ({ root }) =>
      globSync(join(root, "yoi/sessions/**/*.jsonl")).reduce((bytes, file) => bytes + statSync(file).size, 0),
  };
}
