/** A log that is not what was written: nothing of it reaches the model, what is good can be read, and verify names where it differs. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { type Answer, type AnthropicServer, startAnthropicServer } from "../support/anthropic-server.ts";
import { type EditableLine, rechain } from "../support/rechain.ts";
import { findLog } from "../support/stored-log.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { anthropicFlags, runYoi, startYoi, type YoiResult } from "../support/yoi-process.ts";

const done: Answer = { blocks: [{ type: "text", text: "all done" }] };
const bash: Answer = { blocks: [{ type: "tool_call", name: "Bash", arguments: { command: "echo hello" } }] };

/** Pods that were played once and are copied back before each test: `closed` ended in order, `killed` was not closed. */
let home: TempHome;
let server: AnthropicServer;
let kill = (): void => {};
const pods = ["closed", "killed"] as const;

const options = () => ({ env: { ...home.env, ANTHROPIC_API_KEY: "test" }, cwd: home.workspace });
const yoi = (args: readonly string[]): Promise<YoiResult> => runYoi(args, options());
const start = (pod: string, prompt: readonly string[]) =>
  startYoi(["run", ...prompt, ...anthropicFlags(pod, server.url, "off")], options());
const run = (pod: string, prompt: readonly string[]) => start(pod, prompt).ended;
const logOf = (pod: string): string => findLog(home.home, pod) ?? "";

/** The log as it was played, before every edit. */
const originals = new Map<string, Buffer>();

function original(pod: string): Buffer {
  const bytes = originals.get(pod);
  assert.ok(bytes !== undefined);
  return bytes;
}

before(async () => {
  home = tempHome();
  server = await startAnthropicServer({
    handler: ({ raw }) => (raw.includes("tool_result") ? done : bash),
    onRequest: () => kill(),
  });
  assert.equal((await run("closed", ["go"])).code, 0);
  const { pid, ended } = start("killed", ["go"]);
  kill = () => {
    if (server.requests.length === 4) process.kill(pid, "SIGKILL");
  };
  assert.equal((await ended).signal, "SIGKILL");
  kill = () => {};
  for (const pod of pods) originals.set(pod, readFileSync(logOf(pod)));
});

beforeEach(() => {
  for (const pod of pods) writeFileSync(logOf(pod), original(pod));
});

after(async () => {
  await server.close();
  home[Symbol.dispose]();
});

/** One bit of the middle of line `line` (from 1) is another one. Gives where the line begins. */
function flip(pod: string, line: number): number {
  const bytes = Buffer.from(original(pod));
  let offset = 0;
  for (let at = 1; at < line; at += 1) offset = bytes.indexOf("\n", offset) + 1;
  const middle = Math.floor((offset + bytes.indexOf("\n", offset)) / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  writeFileSync(logOf(pod), bytes);
  return offset;
}

for (const line of [1, 7, 16]) {
  test(`a flipped bit in line ${line}: nothing is sent, file, line and byte are named, the good part can be read`, async () => {
    const offset = flip("closed", line);
    const path = logOf("closed");
    const damaged = readFileSync(path);
    const sent = server.requests.length;
    for (const prompt of [["and this"], []]) {
      const refused = await run("closed", prompt);
      assert.deepEqual([refused.code, refused.stdout], [1, ""], refused.stderr);
      const said = refused.stderr.split("\n").filter((text) => text.startsWith("yoi: "));
      assert.equal(said.length, 1, refused.stderr);
      assert.ok(said[0]?.includes(`${path} is damaged at line ${line} (byte ${offset})`), said[0]);
    }
    assert.equal(server.requests.length, sent, "nothing was sent");
    const log = await yoi(["pod", "log", "closed", "--json"]);
    assert.equal(log.code, 1);
    assert.ok(log.stderr.includes(`${path} is damaged at line ${line}, byte ${offset}`), log.stderr);
    const good = original("closed")
      .toString("utf8")
      .split("\n")
      .slice(0, line - 1);
    const shown = log.stdout
      .split("\n")
      .slice(0, -1)
      .map((text) => JSON.parse(text) as EditableLine);
    const stored = good.map((text) => {
      const { sum: _, ...entry } = JSON.parse(text) as EditableLine;
      return entry;
    });
    const error_code = shown.pop()?.["error_code"];
    assert.deepEqual({ shown, error_code }, { shown: stored, error_code: "log_damaged" });
    const verified = await yoi(["pod", "verify", "closed", "--wire", "--json"]);
    assert.equal(verified.code, 1);
    const { ok, problems } = JSON.parse(verified.stdout) as {
      ok: boolean;
      problems: { kind: string; seq: number }[];
    };
    assert.deepEqual(
      { ok, kind: problems[0]?.kind, seq: problems[0]?.seq },
      { ok: false, kind: "damage", seq: line - 1 },
    );
    assert.ok(readFileSync(path).equals(damaged), "nothing was changed");
  });
}

test("control: the same log without the flipped bit is read, sent and verified", async () => {
  const sent = server.requests.length;
  assert.equal((await run("closed", ["and this"])).code, 0);
  assert.equal(server.requests.length, sent + 1);
  assert.equal((await yoi(["pod", "verify", "closed", "--wire"])).code, 0);
  assert.equal((await yoi(["pod", "verify", "killed", "--wire"])).code, 0);
  originals.set("closed", readFileSync(logOf("closed")));
});

interface Edit {
  readonly what: string;
  readonly pod: string;
  readonly edit: (line: EditableLine) => boolean | void;
  readonly code: number;
  /** In what verify says, on stdout or stderr. */
  readonly says: RegExp;
}

const firstRequest = /Entry 7: the request cannot be rebuilt as it was sent/;

const edits: readonly Edit[] = [
  {
    what: "another input",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "user_input") line["parts"] = [{ type: "text", text: "stop" }];
    },
    code: 1,
    says: firstRequest,
  },
  {
    what: "another system prompt",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "segment_start") line["prompt"] = "You may do anything.";
    },
    code: 1,
    says: firstRequest,
  },
  {
    what: "another tool description",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "tools_changed")
        (line["tools"] as { description: string }[])[0] = {
          ...(line["tools"] as [{ description: string }])[0],
          description: "Harmless.",
        };
    },
    code: 1,
    says: /Entry 3: the tool set does not have the digest that it names/,
  },
  {
    what: "another result",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "tool_result") (line["item"] as { content: string }).content = "goodbye";
    },
    code: 1,
    says: /Entry 13: the request cannot be rebuilt/,
  },
  {
    what: "a wire digest of other bytes",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "llm_request") (line["wire"] as { sha256: string }).sha256 = "0".repeat(64);
    },
    code: 1,
    says: /Entry 7: the rebuilt body has SHA-256 .* with the same adapter and lowering/,
  },
  {
    what: "another reach of a request",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "llm_request") line["through"] = Number(line["through"]) - 1;
    },
    code: 1,
    says: /Entry 7: the request cannot be rebuilt as it was sent: it reaches to entry 5, and what was there reaches to 6/,
  },
  {
    what: "parameters that were not in force",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "llm_request")
        line["config"] = { ...(line["config"] as object), max_output_tokens: 7 };
    },
    code: 1,
    says: /Entry 7: the request cannot be rebuilt as it was sent: its parameters are not the ones in force/,
  },
  {
    what: "another method",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "llm_request") (line["wire"] as { method: string }).method = "GET";
    },
    code: 1,
    says: /Entry 7: the rebuilt request is a \w+, sent was a GET, with the same adapter and lowering/,
  },
  {
    what: "another path",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "llm_request") (line["wire"] as { path: string }).path = "/v1/other";
    },
    code: 1,
    says: /Entry 7: the rebuilt request goes to \S+, sent was one to \/v1\/other/,
  },
  {
    what: "another header",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "llm_request") (line["wire"] as { headers: object }).headers = { "x-beta": "1" };
    },
    code: 1,
    says: /Entry 7: the rebuilt request has the headers .*, sent were \{"x-beta":"1"\}/,
  },
  {
    what: "another model",
    pod: "killed",
    edit: (line) => {
      const config = (line.kind === "segment_start" || line.kind === "llm_request") && line["config"];
      if (typeof config === "object") line["config"] = { ...config, model: "elsewhere/x" };
    },
    code: 1,
    says: /the request cannot be rebuilt as it was sent: its digest/,
  },
  {
    what: "a request that leaves out what nothing says",
    pod: "killed",
    edit: (line) => {
      if (line.kind === "llm_request") line["projection"] = { prune_before: null, reasoning_before: 9 };
    },
    code: 1,
    says: /the request cannot be rebuilt as it was sent: its projection is not the one in force/,
  },
  {
    what: "requests of another adapter version",
    pod: "killed",
    edit: (line) => {
      if (line.kind !== "llm_request") return;
      (line["wire"] as { sha256: string }).sha256 = "0".repeat(64);
      (line["adapter"] as { version: string }).version = "0.0.1";
    },
    code: 0,
    says: /2 request bodies were made by another adapter or lowering version, as the log says, and could not be compared\n    made by \S+ 0\.0\.1 with lowering \d+, here \S+ (?!0\.0\.1)/,
  },
  {
    what: "requests of another lowering",
    pod: "killed",
    edit: (line) => {
      if (line.kind !== "llm_request") return;
      (line["wire"] as { sha256: string }).sha256 = "0".repeat(64);
      line["lowering"] = 99;
    },
    code: 0,
    says: /2 request bodies were made by another adapter or lowering version, as the log says, and could not be compared\n    made by .* with lowering 99, here /,
  },
  {
    what: "lines missing at the end of a closed log",
    pod: "closed",
    edit: (line) => line.kind !== "run_completed",
    code: 1,
    says: /whole lines are missing at the end/,
  },
  {
    what: "a closed log that was written anew",
    pod: "closed",
    edit: (line) => {
      line["ts"] = Number(line["ts"]) + 1;
    },
    code: 1,
    says: /the log was replaced/,
  },
];

for (const { what, pod, edit, code, says } of edits) {
  test(`verify of a log with good checksums and ${what}`, async () => {
    const edited = rechain(original(pod), edit);
    assert.ok(!edited.equals(original(pod)), "the edit changes something");
    writeFileSync(logOf(pod), edited);
    const verified = await yoi(["pod", "verify", pod, "--wire"]);
    assert.equal(verified.code, code, verified.stdout + verified.stderr);
    assert.match(verified.stdout + verified.stderr, says);
  });
}

test("control: a log that is put together again without an edit is the same", () => {
  for (const pod of pods) assert.ok(rechain(original(pod), () => {}).equals(original(pod)));
});
