/** A parent that comes back in another environment than its child's: both find each other all the same, and nobody is killed for it. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { eventually } from "../support/processes.ts";
import { tempHome } from "../support/temp-home.ts";
import { findLog } from "../support/stored-log.ts";
import { runYoi, startYoi } from "../support/yoi-process.ts";

/** Connections that a Pod with this runtime directory has now. */
function connectionsTo(runtime: string, pod: string): number {
  const name = createHash("sha256").update(pod).digest("hex").slice(0, 12);
  // It is bound under another name, and moved to its own.
  const bound = join(runtime, "yoi", "s", `.${name}.`);
  const lines = readFileSync("/proc/net/unix", "utf8").split("\n");
  return lines.filter((line) => {
    const [, , , , , state, , at] = line.split(/ +/);
    return at?.startsWith(bound) === true && state === "03";
  }).length;
}

test("a parent restored with another XDG_RUNTIME_DIR: its child connects to it, is asked, and ends in order when it is stopped", async () => {
  using home = tempHome();
  const { YOI_HOME: _, ...env } = home.env;
  const data = join(home.root, "data");
  const [before, after] = ["one", "two"].map((name) => join(home.root, name)) as [string, string];
  for (const path of [data, before, after]) mkdirSync(path, { mode: 0o700 });
  const config = join(home.root, "config");
  mkdirSync(join(config, "yoi/profiles"), { recursive: true });
  mkdirSync(join(home.workspace, "a"));
  writeFileSync(
    join(config, "yoi/profiles/kid.toml"),
    'description = "A child"\n\n[model]\nref = "scripted/kid.yaml"\n',
  );
  writeFileSync(join(home.workspace, "kid.yaml"), "steps:\n  - text: The result.\n    delay_ms: 60000\n");
  const spawn = {
    name: "kid",
    profile: "user:kid",
    task: "Look.",
    scope: [
      { target: join(home.workspace, "a"), permission: "write" },
      { target: home.workspace, permission: "read" },
    ],
  };
  const call = (name: string, args: unknown) =>
    `      - name: ${name}\n        arguments: ${JSON.stringify(args)}\n`;
  writeFileSync(
    join(home.workspace, "lead.yaml"),
    `steps:
  - text: I lend.
    tool_calls:
${call("SpawnPod", spawn)}  - text: It works.
  - text: I look and stop it.
    tool_calls:
${call("ReadPodOutput", { name: "kid" })}${call("StopPod", { name: "kid" })}  - text: Done.
  - text: Noted.
`,
  );
  const where = (runtime: string) => ({
    env: { ...env, XDG_DATA_HOME: data, XDG_CONFIG_HOME: config, XDG_RUNTIME_DIR: runtime },
    cwd: home.workspace,
  });
  const log = (pod: string) => readFileSync(findLog(join(data, "yoi"), pod) ?? "", "utf8");
  const yoi = async (runtime: string, ...args: readonly string[]) => {
    const done = await runYoi(args, where(runtime));
    assert.equal(done.code, 0, done.stderr);
  };
  const started = ["pod", "start", "lead", "--foreground", "-m", "scripted/lead.yaml", "--sandbox", "off"];
  const first = startYoi(started, where(before));
  let second: ReturnType<typeof startYoi> | null = null;
  try {
    await first.waitFor(/^yoi-pod-ready\t/m);
    await yoi(before, "pod", "send", "lead", "go");
    await eventually("its child connects", () => connectionsTo(before, "lead") > 0, 20_000);
    await eventually("its run ended", () => log("lead").includes("run_completed"), 20_000);
    first.killGroup("SIGKILL");
    await first.ended;

    second = startYoi(["pod", "restore", "lead", "--foreground"], where(after));
    await second.waitFor(/^yoi-pod-ready\t/m);
    await eventually("its child connects again", () => connectionsTo(after, "lead") > 0, 20_000);
    await yoi(after, "pod", "send", "lead", "look");
    await eventually("it was stopped", () => log("lead").includes("Pod kid is stopped"), 20_000);
    assert.match(log("lead"), /Pod kid is at work: nothing new/);
    assert.match(log("lead"), /Pod kid is stopped\. You can write again/);
    assert.match(log("kid"), /yoi\.shutdown/);
  } finally {
    for (const process of [first, second]) process?.killGroup("SIGKILL");
    await Promise.allSettled([first.ended, second?.ended]);
    await runYoi(["pod", "stop", "kid"], where(before));
  }
});
