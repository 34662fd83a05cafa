/** The real program: a hosted child's shell has no Unix sockets, its lender's has them. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Hosting } from "../service/hosted.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { eventually } from "../support/processes.ts";
import { findLog } from "../support/stored-log.ts";

const socket = `perl -MSocket -e 'print socket(S, PF_UNIX, SOCK_STREAM, 0) ? "a socket" : "none: $!"'`;

test("a child's shell can make no Unix socket; its lender's can", { skip: noBubblewrap() }, async () => {
  await using hosting = new Hosting();
  const { workspace, home } = hosting.home;
  mkdirSync(join(workspace, "a"));
  mkdirSync(join(home, "config/profiles"), { recursive: true });
  const bash = { name: "Bash", arguments: { command: socket } };
  const kid = { steps: [{ text: "I try.", tool_calls: [bash] }, { text: "Tried." }] };
  writeFileSync(join(workspace, "kid.yaml"), JSON.stringify(kid));
  writeFileSync(
    join(home, "config/profiles/kid.toml"),
    'description = "A child"\n\n[model]\nref = "scripted/kid.yaml"\n',
  );
  const spawn = {
    name: "SpawnPod",
    arguments: {
      name: "kid",
      profile: "user:kid",
      task: "Try.",
      scope: [
        { target: join(workspace, "a"), permission: "write" },
        { target: workspace, permission: "read" },
      ],
    },
  };
  const steps = [
    { text: "I try and lend.", tool_calls: [bash, spawn] },
    { text: "Done." },
    { text: "Noted." },
  ];
  const lead = await hosting.startPod("lead", JSON.stringify({ steps }), ["--sandbox", "on"]);
  try {
    const client = await lead.client();
    await client.endOf(
      await client.ask("submit", { parts: [{ type: "text", text: "go" }], submission: "one" }),
    );
    client.drop();
    const said = (pod: string): string => {
      const path = findLog(home, pod);
      return path === null ? "" : readFileSync(path, "utf8");
    };
    await eventually("its child has tried", () => said("kid").includes("run_completed"), 20_000);
    assert.match(said("lead"), /"content":"a socket/);
    assert.match(said("kid"), /"content":"none: Address family not supported by protocol/);
  } finally {
    // Its end in order is that of its child too.
    await lead.stop();
  }
});
