/** The grammar of shells is loaded by the first command that a rule needs taken apart, and by nothing before. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import type { PermissionRule } from "@yoi/manifest";

const gate = new URL("../../packages/pod/src/policy/permission-gate.ts", import.meta.url).href;

/** Judges a command under one set of rules after the other, in a process of its own: whether the grammar was loaded by then. */
async function loadsGrammar(sets: readonly (readonly PermissionRule[])[]): Promise<unknown> {
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
    const found = [];
    for (const rules of ${JSON.stringify(sets)}) {
      const permissions = { mode: "allow-in-scope", rules };
      const judge = new PermissionGate({ permissions, workspace: "/w", locate: (path) => path });
      await judge.decide({ name: "Bash", args: { command: "true; ls" }, readOnly: false });
      await judge.decide({ name: "Read", args: { file_path: "a" }, readOnly: true });
      found.push(loads);
    }
    console.log(JSON.stringify(found));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  return JSON.parse(stdout);
}

const rule = { origin: "/c/config.toml", action: "deny" } as const;

test("without a rule over some commands and not others, none is parsed and the grammar is not loaded", async () => {
  const sets: readonly (readonly PermissionRule[])[] = [
    [],
    [
      { ...rule, tool: "Bash", pattern: "*", action: "ask" },
      { ...rule, tool: "*", pattern: "**" },
    ],
    [
      { ...rule, tool: "Read", pattern: "/w/secret*" },
      { ...rule, tool: "*", argument: "file_path", pattern: "/w/secret*" },
      { ...rule, tool: "Bash", pattern: "ls*", action: "allow" },
    ],
    // The control.
    [{ ...rule, tool: "Bash", pattern: "git push*" }],
  ];
  assert.deepEqual(await loadsGrammar(sets), [false, false, false, true]);
});
