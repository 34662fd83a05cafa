/** The tools of a Pod follow its live scope: what is lent is refused from then on, and the guard around every tool counts what may write. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { callId, podName, type Tool } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import type { Manifest } from "@yoi/manifest";
import type { Command, CommandRunner } from "@yoi/sandbox";
import { LiveScope, permissionAt, protectionOf, scopeRule } from "@yoi/scope";
import { makePodTools } from "../../src/compose/pod-tools.ts";
import { openStores } from "../../src/compose/stores.ts";
import type { Environment } from "../../src/environment.ts";
import { plainManifest } from "./plain-manifest.ts";

test("a lend waits for a call in the guard of a Pod, and what comes behind it asks the scope anew", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "yoi-pod-tools-")));
  const workspace = join(root, "ws");
  const lent = join(workspace, "lent");
  mkdirSync(lent, { recursive: true });
  const environment: Environment = {
    variables: {},
    directories: { config: join(root, "config"), data: join(root, "data"), runtime: join(root, "run") },
    workingDirectory: () => workspace,
    home: null,
    stdin: "other",
    stdoutIsTerminal: false,
    stderr: { isTerminal: false, columns: 80 },
  };
  const commands: Command[] = [];
  const ends: (() => void)[] = [];
  const begins = new Map<number, () => void>();
  /** What a command may change is listed before it begins. */
  const begun = (count: number): Promise<void> =>
    new Promise((resolve) => (commands.length < count ? begins.set(count, resolve) : resolve()));
  const runner: CommandRunner = {
    status: { mode: "off" },
    run: (command) =>
      new Promise((resolve) => {
        ends.push(() => resolve({ kind: "exited", code: 0 }));
        commands.push(command);
        begins.get(commands.length)?.();
      }),
    runProgram: () => Promise.reject(new Error("no programs here")),
    endStrays: async () => 0,
    close: async () => {},
  };
  const manifest: Manifest = {
    ...plainManifest(workspace),
    web: {
      allow_private_addresses: false,
      fetch: {
        timeout_secs: 1,
        redirect_limit: 1,
        max_response_bytes: 1024,
        max_output_bytes: 1024,
      },
      search: { provider: "brave", base_url: null, api_key_secret: "web/brave/default", timeout_secs: 1 },
    },
  };
  const scope = new LiveScope(manifest.scope);
  const stores = openStores(environment);
  try {
    const { tools, guard } = await makePodTools({
      name: podName("p"),
      manifest,
      scope,
      protection: protectionOf({ workspace, home: null, own: [], spill: null }),
      runner,
      skills: null,
      seesImages: () => false,
      environment,
      stores,
    });
    const waitedFor = tools.filter(({ readOnly, writesNoFile }) => !readOnly && writesNoFile !== true);
    assert.deepEqual(
      [tools.length, waitedFor.map(({ definition }) => definition.name)],
      [8, ["Write", "Edit", "Bash"]],
    );
    const call = (name: string, args: Parameters<Tool["execute"]>[0]) => {
      const tool = tools.map(guard).find(({ definition }) => definition.name === name);
      assert.ok(tool !== undefined);
      const { signal } = new AbortController();
      return tool.execute(args, { call: callId(12, 0), signal, progress: () => {} });
    };
    const may = () => commands.map((command) => permissionAt(command.scope, lent));
    const loan = { id: "l", scope: { allow: [scopeRule(lent, "write")], deny: [] } };
    const first = call("Bash", { command: "make" });
    await begun(1);
    let isLent = false;
    const lend = scope
      .lend(loan, { timers: nodeHost().timers, signal: new AbortController().signal })
      .then(() => (isLent = true));
    const write = { file_path: join(lent, "f"), content: "x" };
    await assert.rejects(call("Write", write), { code: "out_of_scope" });
    assert.equal(isLent, false, "the command goes on");
    ends.shift()?.();
    await Promise.all([first, lend]);
    const second = call("Bash", { command: "make" });
    await begun(2);
    ends.shift()?.();
    await second;
    assert.deepEqual(may(), ["write", "read"]);
    scope.takeBack(loan.id);
    await call("Write", write);
  } finally {
    stores.registry.close();
    rmSync(root, { recursive: true });
  }
});
