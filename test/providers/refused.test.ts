/** A provider that refuses what is in the history, row by row: the session goes on without it, or without the one item that it names, on record and verified; any other refusal ends the run. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pngOf } from "../../packages/tools/test/pictures.ts";
import type { Answer, HttpAnswer } from "../support/provider-answer.ts";
import type { RecordedRequest } from "../support/provider-server.ts";
import { providerRows, startServerOf, type ProviderRow } from "../support/providers.ts";
import { tempHome } from "../support/temp-home.ts";
import { runYoi } from "../support/yoi-process.ts";

interface Row {
  readonly row: ProviderRow;
  readonly keyVariable: string;
  /** @param raw the body that it refuses. */
  readonly error: (raw: string) => object;
  /** What of a request it refuses. */
  readonly refused: RegExp;
  /** It says which item. */
  readonly names: boolean;
}

const invalid = (message: string): object => ({
  type: "error",
  error: { type: "invalid_request_error", message },
});
const inputOf = (raw: string): readonly { readonly type: string }[] => JSON.parse(raw).input;
const signature = "c2lnbmF0dXJl";
const reasoning: readonly Row[] = [
  {
    row: providerRows.anthropic,
    keyVariable: "ANTHROPIC_API_KEY",
    error: () => invalid("messages.1.content.0: Invalid `signature` in `thinking` block"),
    refused: /"signature"/,
    names: true,
  },
  {
    row: providerRows.openai,
    keyVariable: "OPENAI_API_KEY",
    error: (raw) => ({
      error: {
        message: "The encrypted content gAAA...DQ== could not be verified.",
        type: "invalid_request_error",
        param: `input[${inputOf(raw).findIndex(({ type }) => type === "reasoning")}]`,
        code: "invalid_encrypted_content",
      },
    }),
    refused: /"encrypted_content":"/,
    names: true,
  },
  {
    row: providerRows.google,
    keyVariable: "GEMINI_API_KEY",
    error: () => ({
      error: {
        code: 400,
        message: "Corrupted thought signature.",
        status: "INVALID_ARGUMENT",
        details: [{ fieldViolations: [{ field: "contents[2].parts[0].thought_signature" }] }],
      },
    }),
    refused: new RegExp(signature),
    names: true,
  },
  {
    row: providerRows.openAiCompatible,
    keyVariable: "OPENAI_COMPATIBLE_API_KEY",
    error: () => ({
      error: {
        message: "messages.1: property 'reasoning_content' is unsupported",
        type: "invalid_request_error",
      },
    }),
    refused: /"reasoning_content"/,
    names: false,
  },
];

const said = (text: string): Answer => ({
  blocks: [
    { type: "reasoning", text: "Hm.", signature },
    { type: "text", text },
  ],
});
const bodyOf = ({ raw }: RecordedRequest): string => raw.toString("utf8");

/** Two runs of one Pod on a server; the second run's outcome, and what is on record. */
async function twoRuns(
  { row, keyVariable }: Row,
  handler: (request: RecordedRequest, index: number) => Answer,
) {
  using home = tempHome();
  const asked: RecordedRequest[] = [];
  const server = await startServerOf(row, {
    // Of a model that is in no catalog the server is asked what it has.
    handler: (request) =>
      request.method === "POST" ? handler(request, asked.push(request) - 1) : { status: 404 },
  });
  try {
    writeFileSync(join(home.workspace, "a.png"), pngOf(3, 4));
    const options = { cwd: home.workspace, env: { ...home.env, [keyVariable]: "canary-0123456789-key" } };
    const flags = ["--base-url", server.url, "--sandbox", "off"];
    const model = ["-m", `${row.provider}/${row.id}`];
    const first = await runYoi(["run", "--pod", "p", ...model, ...flags, "look at @a.png"], options);
    assert.equal(first.code, 0, first.stderr);
    const second = await runYoi(["run", "--pod", "p", ...flags, "more"], options);
    const verified = await runYoi(["pod", "verify", "p", "--wire", "--json"], options);
    const log = await runYoi(["pod", "log", "p", "--json"], options);
    const entries = log.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { ok, requests, wire_checked } = JSON.parse(verified.stdout);
    return {
      second,
      verified: { ok, requests, wire_checked },
      reasons: entries
        .filter(({ kind }) => kind === "projection" || kind === "quarantined")
        .map(({ reason, part }) => reason ?? `quarantined ${part}`),
      bodies: asked.map(bodyOf),
    };
  } finally {
    await server.close();
  }
}

for (const one of reasoning) {
  test(`${one.row.provider}: reasoning that it refuses is left out`, async () => {
    const refusal = (raw: string): HttpAnswer => ({ status: 400, body: one.error(raw) });
    const { second, verified, reasons, bodies } = await twoRuns(one, (request, index) =>
      one.refused.test(bodyOf(request)) ? refusal(bodyOf(request)) : said(`answer ${index}`),
    );
    assert.deepEqual([second.code, second.stdout], [0, "answer 2\n"], second.stderr);
    assert.match(
      second.stderr,
      one.names
        ? /refused the reasoning of entry \d+ \(an answer of the model\): the request is made again without.*status 400, /
        : /refused the request because of the model's earlier reasoning/,
    );
    assert.deepEqual(
      bodies.map((body) => one.refused.test(body)),
      [false, true, false],
      "control: it was sent, and refused, once",
    );
    assert.deepEqual(reasons, [one.names ? "quarantined reasoning" : "reasoning_refused"]);
    assert.deepEqual(verified, { ok: true, requests: 3, wire_checked: 3 });
  });
}

const [anthropic] = reasoning;
assert.ok(anthropic);

test("a picture that the provider cannot process is left out of the next request and of all later ones", async () => {
  const message = "messages.0.content.1.image.source.base64.data: Could not process image";
  const refusal: HttpAnswer = { status: 400, body: invalid(message) };
  const { second, verified, reasons, bodies } = await twoRuns(anthropic, (request, index) =>
    bodyOf(request).includes('"type":"image"') ? refusal : said(`answer ${index}`),
  );
  assert.deepEqual([second.code, second.stdout], [0, "answer 2\n"], second.stderr);
  assert.deepEqual(
    bodies.map((body) => body.includes('"type":"image"')),
    [true, false, false],
  );
  assert.match(bodies[2] ?? "", /1 image left out: the provider refused a request for it/);
  assert.deepEqual(reasons, ["quarantined images"]);
  assert.deepEqual(verified, { ok: true, requests: 3, wire_checked: 3 });
});

test("control: a refusal of something else is asked once, and the sentence says what helps", async () => {
  const refusal: HttpAnswer = {
    status: 400,
    body: invalid("tools.0: not like this"),
  };
  const { second, reasons, bodies } = await twoRuns(anthropic, (_, index) =>
    index === 0 ? said("answer 0") : refusal,
  );
  assert.equal(second.code, 1, second.stderr);
  assert.match(
    second.stderr,
    /refuses again: `yoi run --pod p -m PROVIDER\/MODEL` goes on with another model/,
  );
  assert.deepEqual([reasons, bodies.length], [[], 2]);
});

test("reasoning with a credential in it goes back to a server that checks signatures without being refused", async () => {
  using home = tempHome();
  const secret = "sk-proj-canary-0123456789abcdef";
  const signed = (text: string) => createHash("sha256").update(text).digest("hex");
  const thought = `The sample has ${secret} in it.`;
  const server = await startServerOf(providerRows.anthropic, {
    handler: ({ body }): Answer => {
      const { messages } = body as {
        messages: { content: { type: string; thinking: string; signature: string }[] }[];
      };
      const parts = messages.flatMap(({ content }) => content).filter(({ type }) => type === "thinking");
      if (parts.some(({ thinking, signature: of }) => of !== signed(thinking)))
        return { status: 400, body: anthropic.error("") };
      return {
        blocks: [
          { type: "reasoning", text: thought, signature: signed(thought) },
          { type: "text", text: `It is ${secret}.` },
        ],
      };
    },
  });
  try {
    const env = { ...home.env, ANTHROPIC_API_KEY: "canary-0123456789-key", OPENAI_API_KEY: secret };
    const ask = (text: string, more: readonly string[] = []) =>
      runYoi(["run", "--pod", "p", "--base-url", server.url, "--sandbox", "off", ...more, text], {
        cwd: home.workspace,
        env,
      });
    const runs = [await ask("a", ["-m", "anthropic/claude-opus-5-5"]), await ask("b")];
    for (const { code, stdout, stderr } of runs) {
      assert.equal(code, 0, stderr);
      assert.ok(!stdout.includes(secret), "the whole text of an answer is without it too");
    }
    assert.equal(server.requests.length, 2, "none was refused");
    assert.ok(!server.requests.some((request) => bodyOf(request).includes(secret)));
  } finally {
    await server.close();
  }
});
