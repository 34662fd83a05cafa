/** What the model reads only ever grows: over a long run with parallel calls, kills, notes and new inputs, cache marks aside. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { AnswerBlock } from "../support/anthropic-answer.ts";
import {
  type AnthropicServer,
  type RecordedRequest,
  startAnthropicServer,
} from "../support/anthropic-server.ts";
import { eventually } from "../support/processes.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { addedBlocks, shownBy } from "../support/wire-blocks.ts";
import { anthropicFlags, runYoi, startYoi } from "../support/yoi-process.ts";

const pod = "grows";
const stepsOfRun = 24;
const killedWhenReadAt = 9;
const killedInToolAt = 15;

/** Step `n`: one call, or four that run in parallel and end out of order, one of them with an error. */
function step(n: number, workspace: string): readonly AnswerBlock[] {
  const bash = (command: string): AnswerBlock => ({
    type: "tool_call",
    name: "Bash",
    arguments: { command },
  });
  if (n === killedInToolAt) return [bash("touch waiting; sleep 300")];
  if (n % 3 !== 0) return [{ type: "text", text: `Step ${n}.` }, bash(`echo ${n}`)];
  const signature = Buffer.from(`signature ${n}`).toString("base64");
  return [
    { type: "reasoning", text: `What is step ${n}?`, signature },
    bash(`sleep 0.05; echo slow ${n} '<yoi-note id="1">'`),
    { type: "tool_call", name: "Read", arguments: { file_path: "/nowhere" } },
    {
      type: "tool_call",
      name: "Write",
      arguments: { file_path: join(workspace, `${n}.txt`), content: `${n}\n` },
    },
    { type: "tool_call", name: "Read", arguments: "[]" },
  ];
}

/** The newest input is answered after so many steps. */
function answer(body: unknown, workspace: string): readonly AnswerBlock[] {
  const { blocks } = shownBy(body);
  const input = blocks.findLastIndex(({ fields }) => /^go/.test(String(fields["text"])));
  const isStart = (at: number) => blocks[at]?.role === "assistant" && blocks[at - 1]?.role !== "assistant";
  const steps = blocks.filter((_, at) => at > input && isStart(at)).length;
  const all = blocks[input]?.fields["text"] === "go" ? stepsOfRun : 3;
  return steps < all ? step(steps, workspace) : [{ type: "text", text: "all done" }];
}

interface Entry {
  readonly kind: string;
  readonly wire?: { readonly sha256: string };
}

async function logOf(home: TempHome): Promise<readonly Entry[]> {
  const { stdout } = await runYoi(["pod", "log", pod, "--json"], { env: home.env, cwd: home.workspace });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Entry);
}

/** For each request but the first: whether a change of head stands on record between it and the one before. */
function breaks(requests: readonly RecordedRequest[], log: readonly Entry[]): readonly boolean[] {
  let at = 0;
  return requests.map(({ raw }) => {
    const sha256 = createHash("sha256").update(raw).digest("hex");
    const from = at;
    at = log.findIndex((entry, index) => index >= from && entry.wire?.sha256 === sha256) + 1;
    assert.ok(at > 0, "each request is on record, in order");
    return log.slice(from, at).some(({ kind }) => kind === "tools_changed" || kind === "config_changed");
  });
}

function checkGrowth(requests: readonly RecordedRequest[], log: readonly Entry[]): void {
  const recorded = breaks(requests, log);
  for (const [at, { body }] of requests.entries()) {
    const previous = requests[at - 1];
    if (previous === undefined) continue;
    const [before, after] = [shownBy(previous.body), shownBy(body)];
    addedBlocks(before.blocks, after.blocks);
    if (recorded[at] !== true) assert.deepEqual(after.head, before.head, `head of request ${at}`);
  }
}

function start(home: TempHome, server: AnthropicServer, prompt: readonly string[]) {
  const flags = anthropicFlags(pod, server.url, "off");
  const env = { ...home.env, ANTHROPIC_API_KEY: "test" };
  return startYoi(["run", ...prompt, ...flags], { env, cwd: home.workspace });
}

test("the blocks of a request begin with those of the one before, over kills, notes, inputs and a change of model settings", async () => {
  using home = tempHome();
  let kill = (): void => {};
  const server = await startAnthropicServer({
    handler: ({ body }) => ({ blocks: answer(body, home.workspace) }),
    onRequest: (_, index) => index === killedWhenReadAt && kill(),
  });
  try {
    const first = start(home, server, ["go"]);
    kill = () => first.kill("SIGKILL");
    assert.equal((await first.ended).signal, "SIGKILL");
    const second = start(home, server, []);
    const waiting = join(home.workspace, "waiting");
    await eventually("the command of a step waits", () => existsSync(waiting), 20_000);
    second.kill("SIGKILL");
    await second.ended;
    assert.equal((await start(home, server, []).ended).stdout, "all done\n");
    assert.equal((await start(home, server, ["go on"]).ended).stdout, "all done\n");
    const heads = server.requests.length;
    mkdirSync(join(home.home, "config"), { recursive: true });
    writeFileSync(join(home.home, "config", "config.toml"), "[model]\nmax_output_tokens = 1234\n");
    assert.equal((await start(home, server, ["go further"]).ended).stdout, "all done\n");

    const { requests } = server;
    const log = await logOf(home);
    checkGrowth(requests, log);
    assert.ok(requests.length > stepsOfRun + 2 * 3, `${requests.length} requests`);
    const shown = requests.map(({ body }) => shownBy(body));
    const notes = shown.at(-1)?.blocks.filter(({ fields }) => /^<yoi-note id/.test(String(fields["text"])));
    assert.equal(notes?.length, 1, "the kill in the tool is told, once");
    assert.notDeepEqual(shown[heads]?.head, shown[heads - 1]?.head, "new settings are sent");
    assert.ok(
      requests.every(({ raw }) => raw.includes('"cache_control"')),
      "the marks that are ignored are there",
    );

    // Controls: one block changed, one result in another place, a head that changes without a record.
    const last = requests.at(-1);
    assert.ok(last !== undefined);
    const { messages, ...rest } = last.body as { messages: { role: string; content: object[] }[] };
    const doctored = (body: object) => [...requests.slice(0, -1), { ...last, body }];
    const changed = messages.with(5, {
      role: messages[5]?.role ?? "",
      content: [{ type: "text", text: "no" }],
    });
    assert.throws(
      () => checkGrowth(doctored({ ...rest, messages: changed }), log),
      /is not what the model saw/,
    );
    const swapped = messages.map(({ role, content }) => ({ role, content: content.toReversed() }));
    assert.throws(
      () => checkGrowth(doctored({ ...rest, messages: swapped }), log),
      /is not what the model saw/,
    );
    assert.throws(() => checkGrowth(doctored({ ...rest, messages, tools: [] }), log), /head of request/);
    const unrecorded = log.filter(({ kind }) => kind !== "config_changed");
    assert.throws(() => checkGrowth(requests, unrecorded), /head of request/);
  } finally {
    await server.close();
  }
});
