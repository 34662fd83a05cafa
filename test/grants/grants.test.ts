/** Answers that are kept, in the real program: for a session, for always, beyond the scope; and what taking them back does to a Pod that runs. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout } from "node:timers/promises";
import { type HostedPod, Hosting } from "../service/hosted.ts";

const call = (name: string, args: object) =>
  `  - tool_calls:\n      - name: ${name}\n        arguments: ${JSON.stringify(args)}\n`;
const bash = (command: string) => call("Bash", { command });
const read = (file_path: string) => call("Read", { file_path });

interface Asked {
  readonly kind: string;
  readonly call: string;
  readonly digest: string;
  readonly offers: readonly string[];
  readonly wish?: object;
}

/** The one that waits, from the log: looked for until it is there. */
async function asked(pod: HostedPod): Promise<Asked> {
  for (;;) {
    const log = pod.log() as unknown as readonly (Asked & { readonly item?: { readonly call?: string } })[];
    const over = new Set(log.flatMap((entry) => (entry.kind === "approval_answered" ? [entry.digest] : [])));
    const found = log.find((entry) => entry.kind === "approval_asked" && !over.has(entry.digest));
    if (found !== undefined) return found;
    await setTimeout(20);
  }
}

async function runs(pod: HostedPod, count: number): Promise<void> {
  const ended = () => pod.log().filter(({ kind }) => kind === "run_completed").length;
  while (ended() < count) await setTimeout(20);
}

/** What let each call start that was started, in order. */
function told(pod: HostedPod): readonly string[] {
  const log = pod.log() as unknown as readonly {
    kind: string;
    allowed_by?: readonly { for: string; rule: string }[];
  }[];
  return log
    .filter(({ kind }) => kind === "tool_started")
    .map(({ allowed_by = [] }) => allowed_by.map((by) => `${by.for} ${by.rule}`).join(", "));
}

test("an answer counts once, for the session, or until it is revoked, in what was offered and in nothing else; leaving the scope is asked the same way", async () => {
  await using hosting = new Hosting();
  const { root } = hosting.home;
  const outside = join(root, "outside/data");
  mkdirSync(outside, { recursive: true });
  for (const name of ["a", "b", "c"]) writeFileSync(join(outside, name), `the file ${name}\n`);
  const [a, b, c] = ["a", "b", "c"].map((name) => join(outside, name)) as [string, string, string];
  const scenario = `steps:\n${[
    bash("echo one"),
    bash("echo two"),
    bash("echo three && true"),
    read(a),
    read(a),
    read(b),
    "  - text: Done.\n",
    read(c),
    "  - text: Done again.\n",
  ].join("")}`;
  const pod = await hosting.startPod("p", scenario, ["--permission-mode", "ask", "--sandbox", "off"]);
  await hosting.yoi("pod", "send", "p", "go");
  const answer = async (...flags: readonly string[]) => {
    const waiting = await asked(pod);
    const said = await hosting.yoi("approve", "p", waiting.digest.slice(0, 12), ...flags);
    return { waiting, said };
  };

  const first = await answer("--for", "session", "--rule", "2");
  assert.deepEqual(first.waiting.offers, ["Bash(echo one)", "Bash(echo *)"]);
  assert.equal(
    first.said.stdout,
    'Allowed for this session: Bash {"command":"echo one"}\nKept: Bash(echo *)\n',
  );

  // "echo two" ran by itself. A command of several parts is allowed as a whole or not at all.
  const compound = await answer("--deny", "--reason", "no");
  assert.deepEqual(compound.waiting.offers, ["Bash(echo three && true)"]);

  const once = await answer();
  assert.deepEqual(once.waiting.wish, { permission: "read", target: a });
  assert.deepEqual(once.waiting.offers, [`read ${a}`, `read ${outside}/**`]);
  const wrong = await answer("--for", "always", "--rule", "read /");
  assert.deepEqual([wrong.said.code, wrong.said.stdout], [2, ""]);
  assert.match(wrong.said.stderr, /is none of the rules that are offered/);
  const always = await answer("--for", "always", "--rule", `read ${outside}/**`, "--expires", "7d");
  assert.equal(always.said.code, 0, always.said.stderr);
  await runs(pod, 1);
  assert.deepEqual(told(pod), ["", "session Bash(echo *)", "", "", `always read ${outside}/**`]);

  const list = await hosting.yoi("grant", "list", "--json");
  const { grants } = JSON.parse(list.stdout) as {
    grants: readonly { id: string; rule: string; workspace: string }[];
  };
  const [grant, ...others] = grants;
  assert.ok(grant !== undefined && others.length === 0, list.stdout);
  assert.deepEqual([grant.rule, grant.workspace], [`read ${outside}/**`, hosting.home.workspace]);
  assert.deepEqual(readdirSync(join(hosting.home.home, "keep/grants")), [`${grant.id}.json`]);
  const [shown, config] = await Promise.all([hosting.yoi("pod", "show", "p"), hosting.yoi("config", "show")]);
  assert.match(shown.stdout, /^granted: +Bash\(echo \*\) \(for its session\)$/m);
  assert.ok(
    shown.stdout.includes(`granted:       read ${outside}/** (grant ${grant.id}, until `),
    shown.stdout,
  );
  assert.ok(config.stdout.includes(`yoi grant ${grant.id}`), config.stdout);
  const revoked = await hosting.yoi("grant", "revoke", grant.id);
  assert.deepEqual([revoked.code, revoked.stdout], [0, `Revoked the grant ${grant.id}.\n`]);
  const again = await hosting.yoi("grant", "revoke", grant.id);
  assert.deepEqual([again.code, again.stdout], [2, ""]);

  await hosting.yoi("pod", "send", "p", "once more");
  const { waiting } = await answer("--deny");
  assert.deepEqual(waiting.wish, { permission: "read", target: c });
  await runs(pod, 2);
});
