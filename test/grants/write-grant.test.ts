/** A path outside of the scope that the user let one Pod write: its shell sees it too, and no other Pod writes there. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout } from "node:timers/promises";
import { type HostedPod, Hosting } from "../service/hosted.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";

const call = (name: string, args: object) =>
  `  - tool_calls:\n      - name: ${name}\n        arguments: ${JSON.stringify(args)}\n`;

async function first(pod: HostedPod, kind: string): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const found = pod.log().find((entry) => entry.kind === kind);
    if (found !== undefined) return found as Readonly<Record<string, unknown>>;
    await setTimeout(20);
  }
}

test(
  "what the user lets one Pod write, its shell writes in the sandbox, and another Pod is refused by the name of the one that has it",
  { skip: noBubblewrap() },
  async () => {
    await using hosting = new Hosting();
    const outside = join(hosting.home.root, "outside/data");
    mkdirSync(outside, { recursive: true });
    const made = join(outside, "made");
    const scenario = (...calls: readonly string[]) => `steps:\n${calls.join("")}  - text: Done.\n`;
    const p = await hosting.startPod(
      "p",
      scenario(
        call("Write", { file_path: join(outside, "a"), content: "a\n" }),
        call("Bash", { command: `cat ${outside}/a > ${made}; ls ${hosting.home.root}/yoi` }),
      ),
      ["--sandbox", "on"],
    );
    await hosting.yoi("pod", "send", "p", "go");
    const { digest } = await first(p, "approval_asked");
    const rule = `write ${outside}/**`;
    const said = await hosting.yoi("approve", "p", String(digest), "--for", "session", "--rule", rule);
    assert.equal(said.code, 0, said.stderr);
    await first(p, "run_completed");
    assert.equal(readFileSync(made, "utf8"), "a\n");
    const ran = p.log().findLast((entry) => entry.kind === "tool_result");
    // Control: it is a sandbox, in which yoi's own directory is not seen.
    assert.doesNotMatch(JSON.stringify(ran), /pods/);
    const theirs = scenario(call("Write", { file_path: join(outside, "b"), content: "b\n" }));
    const other = join(hosting.home.root, "other");
    mkdirSync(other);
    writeFileSync(join(other, "q.yaml"), theirs);
    const q = await hosting.startPod("q", theirs, ["-C", other]);
    await hosting.yoi("pod", "send", "q", "go");
    const { item } = await first(q, "tool_result");
    assert.match(
      JSON.stringify(item),
      /Refused: This Pod could write .*, and the Pod p \(process \d+\) works there/,
    );
    assert.ok(!existsSync(join(outside, "b")));
  },
);
