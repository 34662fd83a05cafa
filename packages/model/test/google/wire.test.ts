/** What of a history goes to Gemini, and how. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { openGoogle } from "../../src/google/adapter.ts";
import { googleEvent, googleFrame } from "../../../../test/support/google-server.ts";
import type { Answer } from "../../../../test/support/provider-answer.ts";
import {
  call,
  committed,
  itemsOf,
  note,
  read,
  readTool,
  requestOf,
  result,
  said,
  thought,
  user,
} from "../support.ts";
import { bench, clock, key, partsOf } from "./bench.ts";

const done: Answer = { blocks: [{ type: "text", text: "x" }] };
const counts = { promptTokenCount: 3, candidatesTokenCount: 2 };
const stop = { finishReason: "STOP" };

test("what goes to Gemini, frozen, and where the key goes", () =>
  bench([done], async ({ model, requests }) => {
    const { wires } = await read(
      model,
      requestOf([
        user(1, "go"),
        said(3, "yes"),
        call(4, 2, 0, '{"path":"a"}'),
        result(5, 2, 0, "gone", { is_error: true }),
        note(6, "n", "interrupt"),
      ]),
    );
    assert.deepEqual(requests[0]?.body, {
      generationConfig: { maxOutputTokens: 1000 },
      contents: [
        { role: "user", parts: [{ text: "go" }] },
        {
          role: "model",
          parts: [
            { text: "yes" },
            {
              functionCall: { id: "call_2_0", name: "read", args: { path: "a" } },
              thoughtSignature: "skip_thought_signature_validator",
            },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "call_2_0", name: "read", response: { name: "read", error: "gone" } } },
          ],
        },
        {
          role: "user",
          parts: [{ text: '<yoi-note id="6" kind="interrupt" source="host">\nn\n</yoi-note>' }],
        },
      ],
      systemInstruction: { parts: [{ text: "You are a test." }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: "read",
              description: "Reads a file.",
              parametersJsonSchema: {
                type: "object",
                properties: { path: { type: "string" } },
                required: ["path"],
              },
            },
          ],
        },
      ],
    });
    const path = "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse";
    assert.equal(requests[0]?.path, path);
    assert.equal(requests[0]?.headers["x-goog-api-key"], key);
    assert.deepEqual(
      { ...wires[0], sha256: "", bytes: 0 },
      {
        sha256: "",
        bytes: 0,
        method: "POST",
        path,
        headers: {},
      },
    );
  }));

test("thinking is asked for with an effort, in words too, and not without one", async () => {
  const rows: readonly [string, string | undefined, unknown][] = [
    ["gemini-3.8-flash", undefined, undefined],
    ["gemini-3.8-flash", "high", { thinkingLevel: "high", includeThoughts: true }],
    ["gemini-2.5-flash", "low", { thinkingBudget: 6554, includeThoughts: true }],
    ["gemini-2.5-flash", "none", { thinkingBudget: 0 }],
  ];
  await Promise.all(
    rows.map(([id, reasoning, expected]) =>
      bench(
        [done],
        async ({ model, requests }) => {
          const config = {
            model: `google/${id}`,
            max_output_tokens: 1000,
            ...(reasoning !== undefined && { reasoning }),
          };
          await read(model, requestOf([user(1, "go")], { head: { system: "", tools: [], config } }));
          const [sent] = requests.map(({ body }) => body as { generationConfig: JsonObject });
          assert.deepEqual(sent?.generationConfig["thinkingConfig"], expected, `${id} ${reasoning}`);
        },
        id,
      ),
    ),
  );
});

test("what another provider said goes out without its data; calls get the marker that Gemini 3 wants, older models none", async () => {
  const items = [
    user(1, "go"),
    thought(3, "hm", { anthropic: { signature: "alien" } }),
    thought(4, "a summary", { google: {} }, { provider: "google" }),
    said(5, "yes", { provider: "openai", metadata: { openai: { itemId: "alien" } } }),
    call(6, 2, 0, "{}"),
    call(7, 2, 1, "{}"),
    result(8, 2, 0, "a"),
    result(9, 2, 1, "b"),
  ];
  const sent = (id: string): Promise<JsonObject[]> => {
    let parts: JsonObject[] = [];
    return bench(
      [done, done],
      async ({ model, requests }) => {
        await read(model, requestOf(items));
        // The same bytes again, and with what the next step adds the same prefix.
        await read(model, requestOf([...items, said(11, "x"), user(12, "on")]));
        parts = partsOf(requests[0]?.body);
        assert.deepEqual(partsOf(requests[1]?.body).slice(0, parts.length), parts);
      },
      id,
    ).then(() => parts.filter(({ role }) => role === "model"));
  };
  const calls = [0, 1].map((n) => ({ functionCall: { id: `call_2_${n}`, name: "read", args: {} } }));
  const thoughtSignature = "skip_thought_signature_validator";
  await Promise.all([
    sent("gemini-3.8-flash").then((parts) =>
      assert.deepEqual(parts, [
        { role: "model", text: "yes" },
        ...calls.map((one) => ({ role: "model", ...one, thoughtSignature })),
      ]),
    ),
    sent("gemini-2.5-flash").then((parts) =>
      assert.deepEqual(parts, [
        { role: "model", text: "yes" },
        ...calls.map((one) => ({ role: "model", ...one })),
      ]),
    ),
  ]);
});

test("signatures go back where they came: on a thought, a text, the first of parallel calls, and alone", () => {
  const raw = [
    googleEvent([{ text: "Let me ", thought: true }], counts),
    googleEvent([{ text: "see.", thought: true, thoughtSignature: "dGhvdWdodA==" }], counts),
    googleEvent([{ text: "Two " }, { text: "files." }], counts),
    googleEvent([{ text: "", thoughtSignature: "dGV4dA==" }], counts),
    googleEvent([{ functionCall: { name: "read", args: { n: 1 } }, thoughtSignature: "Y2FsbA==" }], counts),
    googleEvent([{ functionCall: { name: "read", args: { n: 2 } } }], counts),
    googleEvent([{ text: "", thoughtSignature: "YWxvbmU=" }], counts, stop),
  ];
  return bench([{ raw: raw.map(googleFrame).join("") }, done], async ({ model, requests }) => {
    const ids: (string | undefined)[] = [];
    const answer = await read(model, requestOf([user(1, "go")]), {
      onEvent: (event) => {
        if (event.type === "block_start" && event.block === "tool_call") ids.push(event.providerCallId);
      },
    });
    const signed = (thoughtSignature: string) => ({ metadata: { google: { thoughtSignature } } });
    assert.deepEqual(committed(answer), [
      { block: "reasoning", text: "Let me see.", ...signed("dGhvdWdodA==") },
      { block: "text", text: "Two files.", ...signed("dGV4dA==") },
      { block: "tool_call", name: "read", text: '{"n":1}', ...signed("Y2FsbA==") },
      { block: "tool_call", name: "read", text: '{"n":2}' },
      { block: "text", text: "", ...signed("YWxvbmU=") },
    ]);
    assert.deepEqual(ids, [undefined, undefined]);
    const items = [
      user(1, "go"),
      ...itemsOf(answer, 2, 3, "google"),
      result(8, 2, 2, "one"),
      result(9, 2, 3, "two"),
    ];
    await read(model, requestOf(items));
    const response = (index: number, content: string) => ({
      role: "user",
      functionResponse: { id: `call_2_${index}`, name: "read", response: { name: "read", content } },
    });
    assert.deepEqual(partsOf(requests[1]?.body).slice(1), [
      { role: "model", text: "Let me see.", thought: true, thoughtSignature: "dGhvdWdodA==" },
      { role: "model", text: "Two files.", thoughtSignature: "dGV4dA==" },
      {
        role: "model",
        functionCall: { id: "call_2_2", name: "read", args: { n: 1 } },
        thoughtSignature: "Y2FsbA==",
      },
      { role: "model", functionCall: { id: "call_2_3", name: "read", args: { n: 2 } } },
      { role: "model", text: "", thoughtSignature: "YWxvbmU=" },
      response(2, "one"),
      response(3, "two"),
    ]);
  });
});

test("a tool whose schema refers to its own parts goes out with them in place", () =>
  bench([done], async ({ model, requests }) => {
    const tool = {
      ...readTool,
      input_schema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $defs: { path: { type: "string" } },
        type: "object",
        properties: { path: { $ref: "#/$defs/path", description: "Where." } },
      },
    };
    const config = { model: "google/gemini-3.8-flash", max_output_tokens: 1000 };
    await read(model, requestOf([user(1, "go")], { head: { system: "", tools: [tool], config } }));
    const [sent] = requests.map(({ body }) => body as { tools: readonly JsonObject[] });
    assert.deepEqual(sent?.tools, [
      {
        functionDeclarations: [
          {
            name: "read",
            description: "Reads a file.",
            parametersJsonSchema: {
              type: "object",
              properties: { path: { type: "string", description: "Where." } },
            },
          },
        ],
      },
    ]);
  }));

test("a model id that would change where a request goes is refused", () => {
  const open = (id: string) =>
    openGoogle({
      provider: "google",
      id,
      apiKey: key,
      baseUrl: new URL("http://127.0.0.1:1/v1beta"),
      limits: { contextWindow: 1, outputTokensMax: 1 },
      capabilities: { images: false, midSystem: false },
      price: () => null,
      endpoint: {
        label: "Google",
        host: "127.0.0.1:1",
        model: id,
        keyVariable: "GEMINI_API_KEY",
        baseUrlVariable: "GOOGLE_GEMINI_BASE_URL",
        secret: key,
      },
      clock,
    });
  for (const id of ["gemini-2.5-flash", "tunedModels/mine-1", "models/gemini-2.5-pro", "gemma-3n-e2b-it"])
    assert.equal(open(id).id, id);
  for (const id of ["", "a?b", "a#b", "../a", "a/../b", "/a", "a/", "a b", "a%2f", "a:b", "http://x"])
    assert.throws(() => open(id), {
      code: "config_invalid",
      message: /^The model id ".*" is none of Google:/,
    });
});
