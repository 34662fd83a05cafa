/** Every command: its help has examples that work as they stand, and its JSON has the shape that scripts rely on. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { runProgram } from "../../packages/cli/src/program.ts";
import { plant } from "../bad-input/machine.ts";
import {
  type Answer,
  apiError,
  type RecordedRequest,
  startAnthropicServer,
} from "../support/anthropic-server.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";
import { shell } from "./shell.ts";
import { withPlace } from "./with-place.ts";
import { withTicket } from "./with-ticket.ts";

/** In this process, which is what the program does too: as one process each it would cost more than all examples. */
async function helpOf(t: TestContext, command: readonly string[]): Promise<string> {
  let help = "";
  const write = t.mock.method(process.stdout, "write", (text: string) => {
    help += text;
    return true;
  });
  // The help is written before the first await.
  const ended = runProgram([...command, "--help"]);
  write.mock.restore();
  assert.equal(await ended, 0, command.join(" "));
  return help;
}

/** Every command with its help, found by reading the help. */
async function allHelp(
  t: TestContext,
  command: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  const help = await helpOf(t, command);
  const all = new Map([[command.join(" "), help]]);
  const listed = help.split(/^Commands:\n/m)[1]?.split("\n\n")[0] ?? "";
  for (const [, name = ""] of listed.matchAll(/^ {2}(\w+)/gm)) {
    if (name === "help") continue;
    for (const [path, text] of await allHelp(t, [...command, name])) all.set(path, text);
  }
  return all;
}

/** The command lines below "Example:" or "Examples:", without what is said of them. */
function examplesOf(help: string): readonly string[] {
  const after = /^Examples?:\n((?: {2}.*\n?)+)/m.exec(help)?.[1] ?? "";
  return [...after.matchAll(/^ {2}(.+?)(?: {2,}.*)?$/gm)].map(([, line = ""]) => line);
}

const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const done: Answer = { blocks: [{ type: "text", text: "all done" }] };

/** The diff that is sent for review meets a limit the first time, so that there is a run to go on with. */
function limitedOnce(): (request: RecordedRequest) => Answer {
  let limited = false;
  return ({ raw }) => {
    if (limited || !raw.includes("diff --git")) return done;
    limited = true;
    return apiError(429, "rate_limit_error", "later", { "retry-after": "80000" });
  };
}

/** Where there is just then nothing to stop or to go on with. */
const refusals: Readonly<Record<string, number>> = {
  // There is no terminal here.
  "": 2,
  ui: 2,
  "pod unqueue": 1,
  // No call waits, and nothing was granted.
  approve: 2,
  "grant revoke": 2,
  "pod cancel": 1,
  "pod pause": 1,
  "pod resume": 2,
  "pod compact": 1,
};

/** `attach` ends with the Pod: runs the line until it says something, then stops the Pod; its exit code is the line's. */
function untilStopped(line: string): string {
  return `yoi pod start review
out=$(mktemp)
{ ${line}; } >"$out" & line=$!
until [ -s "$out" ] || ! kill -0 $line 2>/dev/null; do sleep 0.02; done
yoi pod stop review && wait $line`;
}

test("every command has help with examples, and they work in the order of the help", async (t) => {
  if (!has("git")) return t.skip("skipped: no git on this machine");
  using home = tempHome();
  const site = join(home.env["HOME"] ?? "", "site");
  mkdirSync(site);
  for (const folder of [site, home.workspace])
    plant(join(folder, "scenario.yaml"), "steps:\n  - text: Done.\n");
  plant(join(home.workspace, ".yoi/features/lint.ts"), "export default {};\n");
  mkdirSync(join(home.workspace, "work-items/open"), { recursive: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], {
      cwd: home.workspace,
      env: home.env,
    });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "first");
  plant(join(home.workspace, "scenario.yaml"), "steps:\n  - text: Changed.\n");

  const help = await allHelp(t);
  const real = await runYoi(["pod", "--help"], { env: home.env, cwd: home.workspace });
  assert.deepEqual([real.code, real.stdout, real.stderr], [0, help.get("pod"), ""]);
  assert.equal(
    [...help.keys()].join(", "),
    ", " +
      "ui, run, tree, usage, pod, pod list, pod show, pod start, pod restore, pod send, pod " +
      "unqueue, pod cancel, pod pause, pod resume, pod stop, pod title, pod peer, pod compact, " +
      "pod rewind, pod fork, pod log, pod lineage, pod verify, pod diff, pod export, pod rm, " +
      "attach, approve, config, config show, config check, profile, profile list, " +
      "skill, skill list, skill show, model, model " +
      "list, grant, grant list, grant revoke, secret, secret set, secret list, secret rm, " +
      "feature, feature list, feature show, feature approve, feature revoke, ticket, ticket create, ticket list, ticket " +
      "show, ticket comment, ticket plan, ticket decide, ticket report, ticket review, ticket status, ticket " +
      "close, ticket reopen, ticket link, ticket doctor, ticket import, doctor, demo, demo " +
      "loans, demo tickets, completion",
  );
  const server = await startAnthropicServer({ handler: limitedOnce() });
  const play = (line: string) => shell(home, line, { cwd: home.workspace, providerUrl: server.url });
  const ticket = async () =>
    (await play("yoi ticket create --title example")).stdout.trim().replace("created ", "");
  try {
    const tickets = [await ticket(), await ticket()] as const;
    for (const [command, text] of [...help].toSorted(
      ([a], [b]) => Number(a === "pod rm") - Number(b === "pod rm"),
    )) {
      const examples = examplesOf(text);
      assert.ok(examples.length > 0, `yoi ${command} has no example`);
      for (const shown of examples) {
        const example = await withPlace(
          withTicket(shown, tickets),
          async () => (await play("yoi pod rewind review --json")).stdout,
        );
        const line = has("jq") ? example : example.replace(/ \| jq .*/, "");
        const ran = await play(command === "attach" ? untilStopped(line) : line);
        const expected = line.startsWith("git diff") ? [75] : [0, refusals[command] ?? 0];
        assert.ok(expected.includes(ran.code ?? -1), `${line}\n${ran.code}\n${ran.stdout}${ran.stderr}`);
      }
    }
  } finally {
    await play("yoi pod stop review; yoi pod stop site");
    await server.close();
  }
});

/** The shape of a value: keys of objects, the shape of a list's first element, types of the rest. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

const usage = {
  input_tokens: "number",
  output_tokens: "number",
  cache_read_tokens: "number",
  cache_write_tokens: "number",
  reasoning_tokens: "number",
};
const head = { seq: "number", sum: "string" };

describe("--json", () => {
  const prepared = async (home: TempHome): Promise<(...args: string[]) => Promise<unknown>> => {
    plant(join(home.workspace, "s.yaml"), "steps:\n  - text: Done.\n");
    plant(join(home.workspace, "AGENTS.md"), "Be brief.\n");
    const options = { env: home.env, cwd: home.workspace };
    const ran = await runYoi(["run", "go", "--pod", "p", "-m", "scripted/s.yaml"], options);
    assert.equal(ran.code, 0, ran.stderr);
    return async (...args) => {
      const { code, stdout, stderr } = await runYoi([...args, "--json"], options);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^\{.*\}\n$/, "not one line");
      return JSON.parse(stdout);
    };
  };

  test("pod list, show, verify, rm", async () => {
    using home = tempHome();
    const json = await prepared(home);
    assert.deepEqual(shapeOf(await json("pod", "list")), {
      pods: [
        {
          name: "string",
          workspace: "string",
          model: "string",
          owner_pid: "null",
          owner_purpose: "null",
          now: "null",
          updated_ms: "number",
          used_ms: "number",
          state: "string",
          title: "null",
          error: "null",
          parent: "null",
          children: [],
          peers: [],
        },
      ],
    });
    const { manifest, ...shown } = shapeOf(await json("pod", "show", "p")) as Record<string, unknown>;
    assert.deepEqual(shown, {
      name: "string",
      title: "null",
      state: "string",
      owner_pid: "null",
      owner_purpose: "null",
      now: "null",
      workspace: "string",
      writes: "null",
      model: "string",
      session_id: "string",
      segment_id: "string",
      segments: "number",
      log: "string",
      entries: "number",
      items: "number",
      waiting: "number",
      queue: [],
      approvals: "number",
      turns: "number",
      usage,
      cost: { known_usd: "number", unpriced_requests: "number" },
      total_cost_usd: "null",
      paused: "null",
      features: [
        {
          feature: "string",
          version: "string",
          digest: "string",
          status: "string",
          granted: [],
          granted_more: "number",
          reasons: [],
          reasons_more: "number",
        },
      ],
      documents: ["string"],
      damage: "null",
      profile: "null",
      scope: {
        allow: [{ target: "string", permission: "string", recursive: "boolean" }],
        deny: [],
      },
      granted: [],
      parent: "null",
      loan: "null",
      children: [],
      reclaimed: [],
      peers: [],
      created_ms: "number",
      updated_ms: "number",
    });
    assert.equal(typeof manifest, "object");
    const verified = {
      pod: "string",
      segment_id: "string",
      log: "string",
      ok: "boolean",
      entries: "number",
      requests: "number",
      wire_checked: "number",
      wire_other_version: "number",
      other_versions: [],
      wire_unavailable: "number",
      head,
      segments: [
        {
          segment_id: "string",
          log: "string",
          role: "string",
          entries: "number",
          head,
          requests: "number",
          wire_checked: "number",
        },
      ],
      left_over: [],
      problems: [],
    };
    assert.deepEqual(shapeOf(await json("pod", "verify", "p", "--wire")), verified);
    assert.deepEqual(shapeOf(await json("pod", "verify", "p", "--head")), verified);
    assert.deepEqual(shapeOf(await json("pod", "rm", "p")), {
      removed: "string",
      session_id: "string",
      damage: "null",
    });
    assert.deepEqual(await json("pod", "list"), { pods: [] });
  });

  test("pod log: an entry a line, as stored", async () => {
    using home = tempHome();
    await prepared(home);
    const { stdout } = await runYoi(["pod", "log", "p", "--json"], { env: home.env, cwd: home.workspace });
    const entries = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number; ts: number; kind: string });
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      entries.map((_, index) => index),
    );
    assert.deepEqual(
      entries.map(({ kind }) => kind).filter((kind) => kind !== "assistant_partial"),
      [
        "segment_start",
        "segment_ready",
        "opened",
        "tools_changed",
        "extension",
        "invoke",
        "user_input",
        "llm_request",
        "assistant_item",
        "llm_usage",
        "turn_end",
        "run_completed",
      ],
    );
  });

  test("config show and check, doctor", async () => {
    using home = tempHome();
    const json = await prepared(home);
    assert.deepEqual(shapeOf(await json("config", "show")), {
      workspace: "string",
      profile: "null",
      directories: { config: "string", data: "string", runtime: "string" },
      values: [{ key: "string", value: "string", origin: "string" }],
      warnings: [],
    });
    assert.deepEqual(shapeOf(await json("config", "check")), {
      ok: "boolean",
      files: [{ path: "string", present: "boolean", problems: [] }],
      warnings: [],
    });
    const found = (await json("doctor")) as { checks: readonly { check: string; verdict: string }[] };
    assert.deepEqual(shapeOf(found), {
      ok: "boolean",
      version: "string",
      node: "string",
      checks: [{ check: "string", verdict: "string", detail: "string" }],
    });
    assert.deepEqual(
      found.checks.map(({ check }) => check),
      ["yoi", "proc", "sandbox", "data", "runtime", "configuration", "credentials"],
    );
  });

  test("demo", async () => {
    using home = tempHome();
    const { code, stdout, stderr } = await runYoi(["demo", "--json"], {
      env: { ...home.env, TMPDIR: home.root },
      cwd: home.workspace,
    });
    assert.equal(code, 0, stdout + stderr);
    const shown = JSON.parse(stdout) as { ok: boolean; claims: readonly { holds: boolean }[] };
    assert.deepEqual(shapeOf(shown), {
      ok: "boolean",
      claims: [{ claim: "string", holds: "boolean", evidence: "string" }],
    });
    assert.deepEqual(
      shown.claims.map(({ holds }) => holds),
      [true, true, true, true, true],
    );
  });
});
