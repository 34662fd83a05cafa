/** A workspace in a temporary folder, with the real file tools on it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JsonObject, Scope, Tool, ToolOutput } from "@yoi/base";
import { callId, podName } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import type { Command, CommandExit, CommandRunner } from "@yoi/sandbox";
import { protectionOf, scopeRule } from "@yoi/scope";
import type { OutputFilter } from "../src/shell.ts";
import {
  createScopedFiles,
  createSeen,
  createTools,
  type ScopedFiles,
  type ToolsOptions,
} from "../src/index.ts";

export interface Bench {
  readonly root: string;
  readonly workspace: string;
  readonly spill: string;
  readonly files: ScopedFiles;
  readonly reports: string[];
  path(name: string): string;
  put(name: string, content: string | Uint8Array): string;
  call(tool: string, args: JsonObject): Promise<ToolOutput>;
  /** What a call gives, but for its record. */
  shown(tool: string, args: JsonObject): Promise<ToolOutput>;
  tool(name: string): Tool;
  close(): void;
}

/** What a command does in these tests: prints, then ends. The real runner is tested where processes may be started. */
export type PlayCommand = (command: Command) => Promise<CommandExit> | CommandExit;

export function createBench(
  options: {
    scope?: (workspace: string) => Scope;
    play?: PlayCommand;
    seesImages?: boolean;
    outputFilter?: () => OutputFilter;
    kept?: ToolsOptions["kept"];
  } = {},
): Bench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-tools-")));
  const workspace = join(root, "ws");
  const spill = join(root, "data", "spill", "p");
  mkdirSync(workspace);
  mkdirSync(join(root, "data"));
  const usual: Scope = { allow: [scopeRule(workspace, "write")], deny: [] };
  const scope = () => options.scope?.(workspace) ?? usual;
  const protection = protectionOf({ workspace, home: join(root, "home"), own: [join(root, "data")], spill });
  const files = createScopedFiles({ scope, protection });
  const host = nodeHost();
  const runner: CommandRunner = {
    status: { mode: "off" },
    run: async (command) => await (options.play?.(command) ?? { kind: "exited", code: 0 }),
    runProgram: () => Promise.reject(new Error("no programs here")),
    endStrays: async () => 0,
    close: async () => {},
  };
  const pod = podName("p");
  const tools = createTools({
    seen: createSeen(),
    seesImages: () => options.seesImages ?? true,
    mayShow: () => true,
    files,
    pod,
    workspace,
    runner,
    scope,
    network: false,
    spillDirectory: spill,
    hostFiles: host.files,
    timers: host.timers,
    ...(options.outputFilter === undefined ? {} : { outputFilter: options.outputFilter }),
    ...(options.kept === undefined ? {} : { kept: options.kept }),
  });
  const reports: string[] = [];
  const find = (name: string): Tool => {
    const tool = tools.find((one) => one.definition.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };
  const call: Bench["call"] = (name, args) =>
    find(name).execute(args, {
      call: callId(3, 0),
      signal: new AbortController().signal,
      progress: (text) => reports.push(text),
    });
  return {
    root,
    workspace,
    spill,
    files,
    reports,
    path: (name) => join(workspace, name),
    put: (name, content) => {
      const path = join(workspace, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    call,
    shown: async (name, args) => {
      const { record: _, ...shown } = await call(name, args);
      return shown;
    },
    tool: find,
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
