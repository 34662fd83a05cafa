/** docs/hosting.md, word by word: each block does what the text behind it says. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ShellResult, shell } from "../newcomer/shell.ts";
import { eventually } from "../support/processes.ts";
import { findLog, linesOf } from "../support/stored-log.ts";
import type { Proof } from "../support/proof.ts";
import { tempHome } from "../support/temp-home.ts";

const page = readFileSync(new URL("../../docs/hosting.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
/** On a busy machine. */
const waitMs = 30_000;
const hasJq = (process.env["PATH"] ?? "").split(":").some((folder) => existsSync(join(folder, "jq")));

async function asWritten(): Promise<void> {
  assert.ok(hasJq, "the page needs jq");
  using home = tempHome();
  const options = { cwd: home.workspace, providerUrl: "http://127.0.0.1:9" };
  const run = (block: string | undefined) =>
    shell(home, `set -e\n${block ?? assert.fail("no such block")}`, options);
  const kinds = () => {
    const log = findLog(home.home);
    return log === null ? [] : linesOf(readFileSync(log)).map(({ kind }) => kind);
  };
  const good = ({ code, stdout, stderr }: ShellResult) => {
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };
  try {
    assert.equal(blocks.length, 4);
    const [start, kill, allow, end] = blocks;
    const started = good(await run(start));
    assert.match(
      started,
      /^review is up: pid \d+, idle, socket \S+, log \S+\nOn record .*\nNAME .*\nreview +hosted \(pid \d+\) /,
    );
    await eventually("the call waits", () => kinds().includes("approval_asked"), waitMs);
    const [, ofFirst] = /pid (\d+)/.exec(started) ?? [];
    const restored = good(await run(kill));
    assert.match(restored, /^review is up: pid \d+, running, /);
    assert.match(restored, /waits for your answer/);
    assert.notEqual(/pid (\d+)/.exec(restored)?.[1], ofFirst);
    assert.equal(kinds().filter((kind) => kind === "approval_asked").length, 1, "it is asked once");
    assert.match(good(await run(allow)), /^Allowed once: Write /);
    await eventually("the run is over", () => kinds().includes("run_completed"), waitMs);
    assert.match(good(await run(end)), /^first\nStopped the Pod review/);
    assert.equal(kinds().filter((kind) => kind === "tool_started").length, 1, "it ran once");
  } finally {
    await run("yoi pod stop review || true");
  }
}

/** Each step has a test of its own elsewhere; the README's six lines are tried in `npm test`. */
export const hostingPage: Proof = {
  name: "docs/hosting.md as it is written: start, send, kill -9, restore, approve, stop",
  cases: { test: 0, prove: 1 },
  check: asWritten,
};
