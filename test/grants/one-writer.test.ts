/** A path that an answer gave has one writer: also while a command goes on behind a revoke, and where the registry is lost; behind it the path is free, and the user's own commands do not reach it. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout } from "node:timers/promises";
import { type HostedPod, Hosting } from "../service/hosted.ts";
import { grantsLookMs } from "../../packages/pod/src/approval/scope-grants.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";

const call = (name: string, args: object) =>
  `  - tool_calls:\n      - name: ${name}\n        arguments: ${JSON.stringify(args)}\n`;
const scenario = (...calls: readonly string[]) => `steps:\n${calls.join("")}  - text: Done.\n`;

async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await setTimeout(20);
  }
}
const entries = (pod: HostedPod, kind: string) =>
  pod.log().filter((entry) => entry.kind === kind) as unknown as readonly Readonly<Record<string, unknown>>[];

test(
  "a revoke, a registry that is lost, and another Pod that wants to write there",
  { skip: noBubblewrap() },
  async () => {
    await using hosting = new Hosting();
    const { root, home } = hosting.home;
    const outside = join(root, "outside/data");
    mkdirSync(outside, { recursive: true });
    const [begun, go] = [join(outside, "begun"), join(outside, "go")];
    const p = await hosting.startPod(
      "p",
      scenario(
        call("Write", { file_path: join(outside, "a"), content: "a\n" }),
        call("Bash", {
          command: `touch ${begun}; while [ ! -e ${go} ]; do sleep 0.02; done; echo p >> ${outside}/a`,
        }),
      ),
      ["--sandbox", "on"],
    );
    await hosting.yoi("pod", "send", "p", "go");
    const { digest } = await until(() => entries(p, "approval_asked")[0]);
    const said = await hosting.yoi("approve", "p", String(digest), "--for", "always", "--rule", "2");
    assert.equal(said.code, 0, said.stderr);
    await until(() => existsSync(begun));
    const { id } = (
      JSON.parse((await hosting.yoi("grant", "list", "--json")).stdout) as { grants: [{ id: string }] }
    ).grants[0];
    // What the command may write is on record with its start.
    assert.deepEqual(entries(p, "tool_started").at(-1)?.["allowed_by"], [
      { for: "always", id, rule: `write ${outside}/**` },
    ]);

    writeFileSync(join(outside, "q.yaml"), scenario(call("Bash", { command: "true" })));
    const start = () =>
      hosting.yoi("pod", "start", "q", "-m", "scripted/q.yaml", "-C", outside, "--sandbox", "on");
    for (const file of readdirSync(home)) if (file.startsWith("registry")) rmSync(join(home, file));
    const lost = await start();
    assert.match(lost.stderr, /the Pod p \(process \d+\) works there/, "the registry is made anew with it");
    assert.equal((await hosting.yoi("grant", "revoke", id)).code, 0);
    await setTimeout(grantsLookMs + 500);
    const revoked = await start();
    assert.match(
      revoked.stderr,
      /the Pod p \(process \d+\) works there/,
      "the command may still write there",
    );
    writeFileSync(go, "");
    await until(() => entries(p, "run_completed").length > 0);
    assert.equal(readFileSync(join(outside, "a"), "utf8"), "a\np\n");

    const client = await p.client();
    const submission = "01a2045c-d6f9-73fb-b88a-f0564ec5d462";
    await client.ask("run_command", { command: `cat ${outside}/a`, submission });
    const told = await until(() => JSON.stringify(p.log()).match(/No such file or directory/)?.[0]);
    assert.ok(told);
    // Nobody calls a tool in it: the path is free all the same.
    const free = await start();
    assert.equal(free.code, 0, free.stderr);
    assert.equal((await hosting.yoi("pod", "stop", "q")).code, 0);
  },
);
