/** What is measured: a command line that runs against the model server in a fresh folder. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Folder {
  /** Empty when the run starts; the home of the process. */
  readonly root: string;
  /** In it, and empty too. */
  readonly workspace: string;
}

/** What the model calls in each step. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface CommandLine {
  readonly file: string;
  readonly args: readonly string[];
}

export interface Subject {
  readonly name: string;
  /** Left out where there is no bubblewrap. */
  readonly needsBubblewrap: boolean;
  readonly tool: ToolCall;
  /** Called before the first run in a folder. */
  prepare?(folder: Folder): void;
  command(url: string, folder: Folder): CommandLine;
  /** Goes on, in a process of its own, with what `command` did in the folder. Absent: it cannot. */
  resume?(url: string, folder: Folder): CommandLine;
  env(folder: Folder, url: string): Readonly<Record<string, string>>;
  /** Size of what it recorded, in bytes. */
  recorded(folder: Folder): number;
}

const path = process.env["PATH"] ?? "/usr/bin:/bin";
const shellCall: ToolCall = { name: "Bash", arguments: { command: "true" } };

export const rawLoop: Subject = {
  name: "raw loop",
  needsBubblewrap: false,
  tool: shellCall,
  command: (url, { root }) => ({
    file: process.execPath,
    args: [fileURLToPath(new URL("raw-loop.ts", import.meta.url)), url, join(root, "log.jsonl")],
  }),
  env: ({ root }) => ({ PATH: path, HOME: root }),
  recorded: ({ root }) => statSync(join(root, "log.jsonl")).size,
};

/** The launcher of this checkout. */
export const checkoutCommand = fileURLToPath(new URL("../packages/cli/bin/yoi", import.meta.url));

export interface Installed extends Disposable {
  /** The launcher. */
  readonly command: string;
}

/** The bundle as a package holds it: without sources, so that nothing looks whether they are newer, and nothing changes while it is measured. */
export function installBundle(): Installed {
  const root = mkdtempSync(join(tmpdir(), "yoi-bench-installed-"));
  const cli = join(root, "packages/cli");
  mkdirSync(cli, { recursive: true });
  for (const name of ["bin", "dist", "package.json"])
    cpSync(fileURLToPath(new URL(`../packages/cli/${name}`, import.meta.url)), join(cli, name), {
      recursive: true,
    });
  symlinkSync(fileURLToPath(new URL("../node_modules", import.meta.url)), join(root, "node_modules"));
  return {
    command: join(cli, "bin/yoi"),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

export interface YoiOptions {
  readonly sandbox: "on" | "off";
  /** The launcher. */
  readonly command: string;
  /** Stands behind the name. */
  readonly note?: string;
  readonly prepare?: (folder: Folder) => void;
}

const homeOf = ({ root }: Folder) => ({
  PATH: path,
  HOME: root,
  YOI_HOME: join(root, "yoi"),
  LANG: "C.UTF-8",
});

/** Leaves behind what an earlier Pod of another name leaves: the data directory is there, as it is for every start but a user's first. */
export function usedBefore(command: string): (folder: Folder) => void {
  return (folder) => {
    const scenario = join(folder.workspace, "earlier.yaml");
    writeFileSync(scenario, "steps:\n  - text: done\n");
    const args = ["run", "go", "--pod=earlier", "--model=scripted/earlier.yaml", "--sandbox=off"];
    const { status, stderr } = spawnSync(command, args, {
      cwd: folder.workspace,
      env: homeOf(folder),
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`the earlier run ended with ${status}: ${stderr}`);
    rmSync(scenario);
  };
}

export function yoi({ sandbox, command, note, prepare }: YoiOptions): Subject {
  const run =
    (prompt: string) =>
    (url: string, { workspace }: Folder): CommandLine => ({
      file: command,
      args: [
        "run",
        prompt,
        "--pod=bench",
        "--model=anthropic/claude-sonnet-4-5",
        `--base-url=${url}`,
        `--sandbox=${sandbox}`,
        `--cd=${workspace}`,
        "--output-format=json",
      ],
    });
  return {
    name: `yoi, sandbox ${sandbox}${note === undefined ? "" : `, ${note}`}`,
    needsBubblewrap: sandbox === "on",
    tool: shellCall,
    ...(prepare === undefined ? {} : { prepare }),
    command: run("go"),
    resume: run("go on"),
    env: (folder) => ({ ...homeOf(folder), ANTHROPIC_API_KEY: "bench-key-of-no-account" }),
    recorded: ({ root }) =>
      globSync(join(root, "yoi/sessions/**/*.jsonl")).reduce((bytes, file) => bytes + statSync(file).size, 0),
  };
}
