/** Who is told that a run was cut: only after a run on record in which a call may have been given up. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHost, noFaults } from "@yoi/host";
import { noPoints } from "@yoi/worker";
import { openParts, type Parts, type PartsOptions, unlimited } from "../../../../test/inbox/parts.ts";
import { effectTool, World } from "../../../../test/support/simulated-pod.ts";

interface Case {
  readonly name: string;
  readonly told: number;
  readonly options?: (host: PartsOptions["host"]) => Partial<PartsOptions>;
  readonly play: (parts: Parts, host: PartsOptions["host"]) => Promise<unknown>;
}

const call = { tool_calls: [{ name: "Effect", arguments: { what: "a" } }], delay_ms: 100 };
const refused = { promptSubmit: async () => ({ action: "cancel", reason: "no" }) as const };
const failing = JSON.stringify({ steps: [{ text: "x", failure: { kind: "auth", status: 401 } }] });

const cases: readonly Case[] = [
  { name: "a run that finished", told: 0, play: (parts) => parts.submit("go") },
  {
    name: "a prompt that is empty",
    told: 0,
    play: (parts) => assert.rejects(parts.submit(" "), { code: "prompt_empty" }),
  },
  {
    name: "a prompt that is refused",
    told: 0,
    options: () => ({ input: refused }),
    play: (parts) => assert.rejects(parts.submit("go"), { code: "prompt_refused" }),
  },
  {
    name: "nothing to resume",
    told: 0,
    play: (parts) => assert.rejects(parts.drive.resume(unlimited), { code: "nothing_to_resume" }),
  },
  {
    name: "a limit of turns",
    told: 0,
    options: () => ({ maxTurns: 1 }),
    play: (parts) => parts.submit("go"),
  },
  {
    name: "a pause by a hook",
    told: 0,
    options: () => ({
      points: (drain) => ({ ...noPoints, drain, gate: async () => ({ action: "pause", reason: "wait" }) }),
    }),
    play: (parts) => parts.submit("go"),
  },
  {
    name: "a model that fails",
    told: 0,
    options: () => ({ scenario: failing }),
    play: (parts) => parts.submit("go"),
  },
  {
    name: "an input whose time is up while another run goes on",
    told: 0,
    play: async (parts, host) => {
      await parts.notify("news");
      const { accepted } = await parts.drive.submit([{ type: "text", text: "go" }], { timeoutMs: 20 });
      assert.equal(accepted, false);
      await host.advance(1_000);
    },
  },
  ...(["cancel", "pause"] as const).map((kind) => ({
    name: `a ${kind}`,
    told: 1,
    play: async (parts: Parts, host: PartsOptions["host"]) => {
      const running = parts.submit("go");
      await host.advance(50);
      parts.drive.stop(kind);
      await running;
    },
  })),
  {
    name: "the time that is up",
    told: 1,
    play: (parts) => parts.drive.submit([{ type: "text", text: "go" }], { timeoutMs: 50 }),
  },
  {
    name: "a log that takes no result",
    told: 1,
    options: (host) => ({
      observer: ({ type }) => {
        if (type === "tool_start")
          host.disk.plan = ({ path, kind }) =>
            kind === "write" && path.includes("/sessions/") ? "ENOSPC" : "pass";
      },
    }),
    play: async (parts, host) => {
      await assert.rejects(parts.submit("go"), { code: "disk_full" });
      host.disk.plan = noFaults;
    },
  },
];

for (const { name, told, options, play } of cases) {
  test(`${name}: ${told === 0 ? "nobody is told" : "features go back to what is on record"}`, async () => {
    const host = memoryHost({ seed: 4 });
    let count = 0;
    const parts = await openParts({
      host,
      scenario: JSON.stringify({ steps: [call, { text: "Done." }] }),
      tools: [effectTool(new World(), host)],
      beginsOwnRuns: true,
      unfinished: () => (count += 1),
      ...options?.(host),
    });
    const played = play(parts, host);
    await host.advance(10_000);
    await played;
    assert.equal(count, told);
    await parts.close();
  });
}
