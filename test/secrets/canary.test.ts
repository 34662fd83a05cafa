/** A key that was given to yoi is in nothing that it writes, wherever the provider, a tool or a failure says it. A decoy beside it is: the search finds. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type Answer, startAnthropicServer } from "../support/anthropic-server.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { Hosting } from "../service/hosted.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { runYoi, startYoi, type YoiOptions } from "../support/yoi-process.ts";
import { canary, commandLines, filesBelow, hitsIn } from "./canary.ts";

interface Keys {
  /** In a variable of another provider than the one in use. */
  readonly variable: string;
  /** In the store, and what requests carry. */
  readonly stored: string;
  /** Of nobody: yoi does not know it, so it must be found. */
  readonly decoy: string;
}

function makeKeys(): Keys {
  return { variable: canary("variable"), stored: canary("stored"), decoy: canary("decoy") };
}

function machine(home: TempHome, keys: Keys): YoiOptions & { readonly tmp: string } {
  const tmp = join(home.root, "tmp");
  mkdirSync(tmp);
  // A project's own file that holds all three, as text and in Base64; the workspace itself is the user's and is not searched.
  const all = Object.values(keys);
  writeFileSync(join(home.workspace, "keys.txt"), all.map((key) => `${key}\n`).join(""));
  writeFileSync(
    join(home.workspace, "long.txt"),
    `${`${all.join(" ")}\n`.repeat(400)}${"x".repeat(1990)} ${all.join(" ")}\n`,
  );
  return {
    tmp,
    cwd: home.workspace,
    env: { ...home.env, OPENAI_API_KEY: keys.variable, GEMINI_API_KEY: "short", TMPDIR: tmp },
  };
}

async function keepKey(options: YoiOptions, key: string): Promise<void> {
  const kept = await runYoi(["secret", "set", "providers/anthropic/default", "--json"], {
    ...options,
    input: `${key}\n`,
  });
  assert.equal(kept.code, 0, kept.stderr);
  assert.deepEqual(hitsIn(new Map(Object.entries({ stdout: kept.stdout, stderr: kept.stderr })), key), []);
}

/** What yoi wrote, but the secret's own file, which holds it by design. */
function written(home: TempHome, tmp: string): Map<string, Buffer> {
  const files = filesBelow(home.home, tmp, join(home.root, "user"));
  assert.ok(files.delete(join(home.home, "keep/secrets/providers+anthropic+default.json")), "the store");
  return files;
}

const sandbox = noBubblewrap() === false ? "on" : "off";

test("a key echoed by the provider, printed by tools and put into failures is in no log, output, command line or environment", async () => {
  using home = tempHome();
  const keys = makeKeys();
  const { tmp, ...options } = machine(home, keys);
  await keepKey(options, keys.stored);
  const all = Object.values(keys);
  const echo = all.join(" and ");
  const calls: readonly (readonly [string, object])[] = [
    ["Bash", { command: "env > environment.txt; cat keys.txt; base64 -w0 keys.txt; env" }],
    ["Bash", { command: "cat long.txt long.txt" }],
    ["Bash", { command: `printf '%s' ${JSON.stringify(echo)}; exit 3` }],
    ["Read", { file_path: join(home.workspace, "long.txt") }],
    ["Read", { file_path: join(home.workspace, "no", echo) }],
    [keys.decoy, { [echo]: [echo, 1] }],
  ];
  const answers: Answer[] = [
    {
      pieceLength: 7,
      blocks: [
        { type: "reasoning", text: `I have ${echo}`, signature: `signed ${echo}` },
        { type: "text", text: `Your keys: ${echo}. ${encodeURIComponent(echo)} ${JSON.stringify(echo)}` },
        ...calls.map(([name, args], index) => ({
          type: "tool_call" as const,
          name,
          arguments: args,
          id: `toolu_${index}_${keys.decoy}`,
        })),
      ],
    },
    // Slow enough that pieces go on record, and cut in the middle of a key.
    {
      pieceLength: 11,
      eventDelayMs: 40,
      blocks: [{ type: "text", text: `Again: ${echo} and ${keys.stored.slice(0, 40)}` }],
      fault: { type: "error", after: 24, error: { type: "overloaded_error", message: `no ${echo}` } },
    },
    {
      status: 400,
      headers: { "x-echo": encodeURIComponent(echo), "request-id": encodeURIComponent(echo) },
      body: { type: "error", error: { type: "invalid_request_error", message: `bad ${echo}` } },
    },
  ];
  const server = await startAnthropicServer({ answers });
  const flags = [
    "--pod",
    "p",
    "-m",
    "anthropic/claude-sonnet-4-5",
    "--base-url",
    server.url,
    "--sandbox",
    sandbox,
  ];
  try {
    const seen = new Map<string, string>();
    const running = startYoi(["run", `My keys are ${echo}`, ...flags, "--output-format", "stream-json"], {
      ...options,
      env: { ...options.env, NODE_OPTIONS: "--report-on-signal" },
    });
    // The prompt is an argument that the user typed.
    const poll = setInterval(() => {
      for (const [place, line] of commandLines())
        if (!line.includes("My keys are")) seen.set(`${place} ${line.length}`, line);
    }, 50);
    const failed = await running.ended;
    clearInterval(poll);
    const shown = await runYoi(["pod", "log", "p"], options);
    // This process reads no secret of the store, so what it knows is what its environment holds.
    const given = `${keys.variable} ${keys.decoy}`;
    const wrong = await runYoi(["run", "-m", `anthropic/${given}`, "--pod", given, "x"], options);
    const again = await runYoi(["pod", "log", "p", "--json"], options);
    const outputs = new Map<string, string>();
    for (const [name, { stdout, stderr }] of Object.entries({ failed, shown, wrong, again })) {
      outputs.set(`stdout of ${name}`, stdout);
      outputs.set(`stderr of ${name}`, stderr);
    }
    assert.notEqual(failed.code, 0);
    const environment = readFileSync(join(home.workspace, "environment.txt"), "utf8");
    assert.match(environment, /^YOI_POD=p$/m);
    const places = new Map<string, Buffer | string>([
      ...written(home, tmp),
      ...outputs,
      ...seen,
      ["the environment of a tool", environment],
      ...server.requests.map(({ raw }, index) => [`body of request ${index}`, raw] as const),
    ]);
    for (const name of ["variable", "stored"] as const)
      assert.deepEqual(hitsIn(places, keys[name]), [], name);
    assert.match(again.stdout, /"kind":"assistant_partial"/, "pieces went on record");
    assert.ok(seen.size > 0, "command lines were read");
    // The provider alone gets the key, in its header.
    assert.ok(server.requests.length >= 3);
    for (const { headers } of server.requests) assert.equal(headers["x-api-key"], keys.stored);
    // Control: what yoi does not know is in all of these.
    const found = hitsIn(places, keys.decoy).map((hit) => hit.replace(/^.*(sessions|spill)\/.*?: /, "$1: "));
    for (const place of [
      "sessions: JSON",
      "sessions: JSON in JSON",
      "spill: raw",
      "stdout of failed: JSON",
      "stderr of failed: raw",
      "stdout of shown: raw",
      "stderr of wrong: JSON",
      "body of request 1: JSON",
    ]) {
      assert.ok(
        found.some((hit) => hit === place || hit.startsWith(`${place}`)),
        `the decoy is not in ${place}: ${[...new Set(found)].join(", ")}`,
      );
    }
    const verified = await runYoi(["pod", "verify", "p", "--wire"], options);
    assert.equal(verified.code, 0, verified.stderr);
  } finally {
    await server.close();
  }
});

test("a scripted model's words and a run that goes on are without the key too", async () => {
  using home = tempHome();
  const keys = makeKeys();
  const { tmp, ...options } = machine(home, keys);
  await keepKey(options, keys.stored);
  const echo = `${keys.variable} ${keys.decoy}`;
  const steps = [
    {
      reasoning: `thinking ${echo}`,
      text: `I say ${echo}`,
      tool_calls: [{ name: "Bash", arguments: { command: `echo '${echo}'; cat keys.txt` } }],
    },
    { text: `done ${echo}` },
  ];
  writeFileSync(join(home.workspace, "s.yaml"), JSON.stringify({ steps }));
  const run = await runYoi(
    ["run", `go ${echo}`, "--pod", "p", "-m", "scripted/s.yaml", "--sandbox", sandbox],
    options,
  );
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /^done \[redacted: OPENAI_API_KEY\] sk-decoy-/);
  const places = new Map<string, Buffer | string>([
    ...written(home, tmp),
    ["stdout", run.stdout],
    ["stderr", run.stderr],
  ]);
  assert.deepEqual(hitsIn(places, keys.variable), []);
  assert.ok(hitsIn(places, keys.decoy).length > 4);
});

test("a hosted Pod says to no client, and writes nowhere, a key that it was given or the token that lets clients in", async () => {
  const keys = makeKeys();
  await using hosting = new Hosting({ env: { OPENAI_API_KEY: keys.variable } });
  const { home } = hosting;
  writeFileSync(join(home.workspace, "keys.txt"), `${keys.variable}\n${keys.decoy}\n`);
  const echo = `${keys.variable} ${keys.decoy}`;
  const steps = [
    {
      reasoning: `thinking ${echo}`,
      text: `I say ${echo}`,
      // Said while it runs, and not only as its result.
      tool_calls: [{ name: "Bash", arguments: { command: "cat keys.txt; sleep 0.3; cat keys.txt" } }],
    },
    { text: `done ${echo}` },
  ];
  const pod = await hosting.startPod("p", JSON.stringify({ steps }), ["--sandbox", sandbox]);
  const { token } = pod;
  using client = await pod.client();
  const said: string[] = [];
  client.socket.on("data", (bytes: Buffer) => said.push(bytes.toString("utf8")));
  const parts = [{ type: "text", text: `My keys are ${echo}, and my token is ${token}` }];
  await client.endOf(await client.ask("submit", { parts, submission: "s" }));
  const log = await hosting.yoi("pod", "log", "p");
  await pod.stop();
  const files = filesBelow(home.home, join(home.root, "user"));
  assert.ok(files.delete(join(home.home, "run", "token")), "control: the token lies where it belongs");
  const places = new Map<string, Buffer | string>([
    ...files,
    ["said to a client", said.join("")],
    ["what the host says", pod.output],
    ["stdout of log", log.stdout],
    ["stderr of log", log.stderr],
  ]);
  assert.deepEqual(hitsIn(places, keys.variable), []);
  assert.deepEqual(hitsIn(places, token), []);
  const found = hitsIn(places, keys.decoy);
  assert.ok(
    found.includes("said to a client: JSON") && found.some((hit) => hit.includes("/sessions/")),
    found.join(),
  );
  assert.ok(
    client.live.some((live) => JSON.stringify(live).includes("redacted: OPENAI_API_KEY")),
    "what is said while it happens has held the key",
  );
});
