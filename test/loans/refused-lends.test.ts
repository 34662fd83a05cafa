/** A model that lends what must not be lent, through the real program: each SpawnPod is refused, and of no child is anything left. */
import assert from "node:assert/strict";
import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Hosting } from "../service/hosted.ts";

test("W-37, W-59: a lend of dot dot, a link, a hard link, what is protected or not held is refused, and nothing of the child is left", async () => {
  await using hosting = new Hosting();
  const { workspace, home } = hosting.home;
  mkdirSync(join(workspace, "src"));
  writeFileSync(join(workspace, "src/f"), "x");
  linkSync(join(workspace, "src/f"), join(workspace, "also"));
  symlinkSync("/etc", join(workspace, "out"));
  symlinkSync("src", join(workspace, "in"));
  const cases: readonly (readonly [string, RegExp])[] = [
    [`${workspace}/../etc`, /contains "\.\.": write the path without it/],
    [join(workspace, "out"), /which leads to "\/etc", is (outside|read-only)|is a symbolic link/],
    [join(workspace, "in"), /is a symbolic link, or is reached through one: name/],
    [join(workspace, "also"), /has 2 hard links, so writing it writes somewhere else too/],
    [join(workspace, "src"), /a file with 2 hard links of which only 1 is in it/],
    [join(workspace, "none"), /does not exist: make it, then lend it/],
    [join(workspace, ".yoi/config.toml"), /cannot be written by this Pod itself now/],
    [join(home, "sessions"), /is outside of what this Pod holds/],
    ["/usr", /cannot be written by this Pod itself now/],
    ["src", /is not absolute|absolute path/],
  ];
  const calls = cases.map(([target], index) => ({
    name: "SpawnPod",
    arguments: {
      name: `kid-${index}`,
      task: "Work.",
      scope: [
        { target: workspace, permission: "read" },
        { target, permission: "write" },
      ],
    },
  }));
  const scenario = JSON.stringify({ steps: [{ tool_calls: calls }, { text: "Done." }] });
  const pod = await hosting.startPod("lender", scenario);
  const client = await pod.client();
  const parts = [{ type: "text", text: "go" }];
  await client.endOf(await client.ask("submit", { parts, submission: "one" }));
  client.drop();
  const said = pod
    .log()
    .filter(({ kind }) => kind === "tool_result")
    .map((entry) => ({
      call: String(entry["call"]),
      text: JSON.stringify(entry["item"]).replaceAll('\\"', '"'),
    }))
    .toSorted((a, b) => Number(a.call.split(".")[1]) - Number(b.call.split(".")[1]));
  assert.equal(said.length, cases.length);
  for (const [index, [target, message]] of cases.entries())
    assert.match(said[index]?.text ?? "", message, target);
  assert.deepEqual(readdirSync(join(home, "pods")), ["lender"]);
});
