/** The grammar of shells is loaded by the first command that a rule needs taken apart, and by nothing before. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import type { PermissionRule } from "@yoi/manifest";

const gate = new URL("../../packages/pod/src/policy/permission-gate.ts", import.meta.url).href;

/** Judges one command under the rules, in a process of its own, and says whether the grammar was loaded. */
async function loadsGrammar(rules: readonly PermissionRule[]): Promise<boolean> {
  const script = `
    import { registerHooks } from "node:module";
    let loads = false;
    registerHooks({
      resolve(specifier, context, next) {
        loads ||= specifier === "unbash";
        return next(specifier, context);
      },
    });
    const { PermissionGate } = await import(${JSON.stringify(gate)});
    const permissions = { mode: "allow-in-scope", rules: ${JSON.stringify(rules)} };
    const judge = new PermissionGate({ permissions, workspace: "/w", locate: (path) => path });
    await judge.decide({ name: "Bash", args: { command: "true; ls" }, readOnly: false });
    await judge.decide({ name: "Read", args: { file_path: "a" }, readOnly: true });
    console.log(loads);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return stdout === "true\n";
}

const rule = { origin: "/c/config.toml", action: "deny" } as const;

test("without a rule over some commands and not others, none is parsed and the grammar is not loaded", async () => {
  const loaded = await Promise.all([
    loadsGrammar([]),
    loadsGrammar([
      { ...rule, tool: "Bash", pattern: "*", action: "ask" },
      { ...rule, tool: "*", pattern: "**" },
    ]),
    loadsGrammar([
      { ...rule, tool: "Read", pattern: "/w/secret*" },
      { ...rule, tool: "*", argument: "file_path", pattern: "/w/secret*" },
      { ...rule, tool: "Bash", pattern: "ls*", action: "allow" },
    ]),
    // The control.
    loadsGrammar([{ ...rule, tool: "Bash", pattern: "git push*" }]),
  ]);
  assert.deepEqual(loaded, [false, false, false, true]);
});
