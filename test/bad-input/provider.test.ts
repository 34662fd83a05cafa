/** What providers do wrong, and wrong addresses of them: said in one sentence, with the log whole and the run there to go on with. */
import assert from "node:assert/strict";
import { type AddressInfo, createServer, type Server } from "node:net";
import { describe, test } from "node:test";
import {
  type Answer,
  type AnthropicServer,
  apiError,
  startAnthropicServer,
} from "../support/anthropic-server.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { assertVerifies, key, model, resultOf, sentenceOf, yoi } from "./machine.ts";

const done: Answer = { blocks: [{ type: "text", text: "all done" }] };
const env = { ANTHROPIC_API_KEY: key };
const pod = "p";

async function serving(handler: () => Answer): Promise<AnthropicServer & AsyncDisposable> {
  const server = await startAnthropicServer({ handler });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

function ask(home: TempHome, url: string, more: readonly string[] = []) {
  return yoi(home, ["run", ...more, "--pod", pod, "-m", model, "--base-url", url], { env });
}

/** The log is whole, and the run goes on once the provider answers. */
async function assertGoesOn(home: TempHome): Promise<void> {
  await using mended = await serving(() => done);
  const resumed = await ask(home, mended.url);
  assert.deepEqual([resumed.code, resumed.stdout], [0, "all done\n"], resumed.stderr);
  await assertVerifies(home, pod);
}

const goOn = "`yoi run --pod p` goes on with it.";
const refusesAgain =
  'Asked the same again it refuses again: `yoi run --pod p -m PROVIDER/MODEL` goes on with another model, and `yoi run "..."` begins a new Pod.';

interface Refusal {
  readonly name: string;
  readonly answer: Answer;
  readonly code: number;
  readonly errorCode: string;
  readonly subtype: string;
  /** Lines that stand before the sentence. */
  readonly before?: readonly RegExp[];
  /** HOST stands for the server's host and port. */
  readonly says: string;
}

const failedRun = { code: 1, subtype: "model_failed" };
const refusals: readonly Refusal[] = [
  {
    name: "401",
    answer: apiError(401, "authentication_error", `invalid x-api-key ${key}`),
    ...failedRun,
    code: 4,
    errorCode: "auth",
    says: `Anthropic at HOST refused the credentials (status 401, "invalid x-api-key [key]"); check ANTHROPIC_API_KEY and what the account may use. ${goOn}`,
  },
  {
    name: "403",
    answer: apiError(403, "permission_error", "not yours"),
    ...failedRun,
    code: 4,
    errorCode: "auth",
    says: `Anthropic at HOST refused the credentials (status 403, "not yours"); check ANTHROPIC_API_KEY and what the account may use. ${goOn}`,
  },
  {
    name: "404: unknown model",
    answer: apiError(404, "not_found_error", "model: claude-sonnet-4-5"),
    ...failedRun,
    errorCode: "not_found",
    says: `Anthropic at HOST does not know what was asked for (model claude-sonnet-4-5) (status 404, "model: claude-sonnet-4-5"); check the model id and --base-url. ${goOn}`,
  },
  {
    name: "404 of a web server",
    answer: {
      status: 404,
      headers: { "content-type": "text/html" },
      body: "<html><h1>Not Found</h1></html>",
    },
    ...failedRun,
    errorCode: "not_found",
    says: `Anthropic at HOST does not know what was asked for (model claude-sonnet-4-5) (status 404, "Not Found"); check the model id and --base-url. ${goOn}`,
  },
  {
    name: "an HTML page",
    answer: { status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" },
    ...failedRun,
    errorCode: "invalid_request",
    says: `HOST answered with text/html instead of an event stream, so it is no Anthropic endpoint; check --base-url. ${goOn}`,
  },
  {
    name: "a redirect",
    answer: { status: 302, headers: { location: "https://elsewhere.example/" } },
    ...failedRun,
    errorCode: "invalid_request",
    says: `Anthropic at HOST redirects to https://elsewhere.example/, which yoi does not follow, so that the key stays with its host; check --base-url. ${goOn}`,
  },
  {
    name: "context overflow",
    answer: apiError(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    ...failedRun,
    errorCode: "context_full",
    before: [
      /^not compacted \(no_progress\): history would have about \d+ tokens at least, of \d+ now: too little is gained$/,
    ],
    says: `The history does not fit the model's context any more, and nothing more was sent: Anthropic at HOST says the request is too long for the model (status 400, "prompt is too long: 210000 tokens > 200000 maximum"); shorten the session or choose a model with a larger window; compacting came to nothing: history would have about N tokens at least, of N now: too little is gained. Go back with \`yoi pod rewind\`, choose a model with a larger context, or set \`model.context_window\` to the window that the provider has; the next run tries again.`,
  },
  {
    name: "a refusal with terminal codes in it",
    answer: apiError(400, "invalid_request_error", "\u001b[31mno\nway"),
    ...failedRun,
    errorCode: "invalid_request",
    says: `Anthropic at HOST refused the request (status 400, "\\u001b[31mno way"); change the request as it says. ${refusesAgain}`,
  },
];

/** How large a first request is changes with every tool. */
const counted = (sentence: string) =>
  sentence.replace(/about \d+ tokens at least, of \d+ now/, "about N tokens at least, of N now");

describe("refusals", { concurrency: 2 }, () => {
  for (const refusal of refusals) {
    test(refusal.name, async () => {
      using home = tempHome();
      await using server = await serving(() => refusal.answer);
      const { host } = new URL(server.url);
      const says = refusal.says.replace("HOST", host);
      const text = await ask(home, server.url, ["go"]);
      assert.deepEqual([text.code, text.stdout], [refusal.code, ""], text.stderr);
      assert.equal(counted(sentenceOf(text.stderr, refusal.before)), says);
      const json = await ask(home, server.url, ["--output-format", "json"]);
      assert.equal(json.code, refusal.code);
      const { subtype, is_error, error, error_code, result, pod: named, num_turns } = resultOf(json.stdout);
      assert.deepEqual(
        { subtype, is_error, error: counted(error ?? ""), error_code, result, named, num_turns },
        {
          subtype: refusal.subtype,
          is_error: true,
          error: says,
          error_code: refusal.errorCode,
          result: null,
          named: pod,
          num_turns: 0,
        },
      );
      // The second run has gone on with the first one's already.
      if (refusal === refusals[0]) await assertGoesOn(home);
    });
  }
});

/** A line that says what is tried again, and when. */
const again = (attempt: number) => new RegExp(`Trying again in \\d+\\.\\d s \\(${attempt} of 4\\)\\.$`);
const retried = [again(1), again(2), again(3)];

/** A TCP server that does `serve` with each connection. */
async function tcp(serve: Parameters<typeof createServer>[1]): Promise<{ url: string } & Disposable> {
  const listening: Server = createServer(serve);
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void listening.close() };
}

/** Most of their time is waiting. */
describe("a provider that is down", { concurrency: 6 }, () => {
  test("refused connections are tried again, said, and pause the run", async () => {
    using home = tempHome();
    const { url } = await tcp(() => {}).then((closed) => {
      closed[Symbol.dispose]();
      return closed;
    });
    const ran = await ask(home, url, ["go"]);
    assert.equal(ran.code, 75, ran.stderr);
    const { host } = new URL(url);
    assert.equal(
      sentenceOf(ran.stderr, retried).replace(/ until \S+Z/, " until THEN"),
      `The run is paused (Anthropic at ${host} cannot be reached (ECONNREFUSED connect ${host}); check the network and --base-url.) until THEN: ${goOn}`,
    );
    await assertGoesOn(home);
  });

  test("connections that are reset", async () => {
    using home = tempHome();
    await using server = await serving(() => "hang_up");
    const ran = await ask(home, server.url, ["go"]);
    assert.equal(ran.code, 75);
    assert.match(sentenceOf(ran.stderr, retried), /cannot be reached \(ECONNRESET/);
    await assertGoesOn(home);
  });

  test("overloaded for good (529)", async () => {
    using home = tempHome();
    await using server = await serving(() => apiError(529, "overloaded_error", "Overloaded"));
    const ran = await ask(home, server.url, ["go", "--output-format", "json"]);
    assert.equal(ran.code, 75);
    assert.match(
      sentenceOf(ran.stderr, retried),
      /^The run is paused \(.*is overloaded \(status 529, "Overloaded"\); try again later\./,
    );
    assert.deepEqual([resultOf(ran.stdout).error_code, resultOf(ran.stdout).subtype], ["network", "paused"]);
    await assertGoesOn(home);
  });

  test("a host that does not exist", async () => {
    using home = tempHome();
    const ran = await ask(home, "https://no-such-host.invalid", ["go"]);
    assert.equal(ran.code, 75);
    assert.match(
      sentenceOf(ran.stderr, retried),
      /^The run is paused \(Anthropic at no-such-host\.invalid cannot be reached \((ENOTFOUND|EAI_AGAIN) /,
    );
    await assertGoesOn(home);
  });

  test("https to a port that speaks http", async () => {
    using home = tempHome();
    await using server = await serving(() => done);
    const ran = await ask(home, server.url.replace("http:", "https:"), ["go"]);
    assert.equal(ran.code, 1);
    const { host } = new URL(server.url);
    assert.equal(
      sentenceOf(ran.stderr),
      `Anthropic at ${host} cannot be reached over https (wrong version number); the port may speak plain http, check --base-url. ${goOn}`,
    );
    await assertGoesOn(home);
  });

  test("a server that speaks no HTTP", async () => {
    using home = tempHome();
    using strange = await tcp((socket) => void socket.on("error", () => {}).end("220 mail ready\r\n"));
    const ran = await ask(home, strange.url, ["go"]);
    assert.equal(ran.code, 75);
    assert.match(sentenceOf(ran.stderr, retried), /cannot be reached \(HPE_/);
    await assertGoesOn(home);
  });
});

describe("a limit of the provider", () => {
  test("Retry-After beyond the budget pauses the run until then, exit 75", async () => {
    using home = tempHome();
    await using server = await serving(() =>
      apiError(429, "rate_limit_error", "monthly limit", { "retry-after": "7200" }),
    );
    const earliest = Date.now() + 7_200_000;
    const ran = await ask(home, server.url, ["go", "--output-format", "json"]);
    assert.equal(ran.code, 75, ran.stderr);
    const result = resultOf(ran.stdout);
    assert.deepEqual(
      [result.subtype, result.error_code, result.is_error],
      ["paused", "provider_limit", true],
    );
    const until = result.resume_after_ms ?? 0;
    assert.ok(until >= earliest - 1000 && until <= Date.now() + 7_200_000, String(until));
    const sentence = sentenceOf(ran.stderr);
    assert.equal(sentence, result.error);
    assert.ok(sentence.endsWith(` until ${new Date(until).toISOString()}: ${goOn}`), sentence);
    const shown = JSON.parse((await yoi(home, ["pod", "show", pod, "--json"])).stdout) as { state: string };
    assert.equal(shown.state, "paused");
    await assertGoesOn(home);
  });

  test("a short Retry-After is waited for, and said", async () => {
    using home = tempHome();
    let asked = 0;
    await using server = await serving(() => {
      asked += 1;
      return asked === 1 ? apiError(429, "rate_limit_error", "slow down", { "retry-after": "0" }) : done;
    });
    const ran = await ask(home, server.url, ["go"]);
    assert.deepEqual([ran.code, ran.stdout], [0, "all done\n"]);
    assert.match(
      ran.stderr,
      /^Anthropic at .* limits the rate of requests .* Trying again in 0\.\d s \(1 of 4\)\.\n$/,
    );
  });
});
