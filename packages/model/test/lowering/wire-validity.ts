/** What each provider demands of a request body, as far as a history can break it. The loopback servers take anything; these do not. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** Every string of a body, names of fields too. */
function textsOf(value: JsonValue | undefined): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, field]) => [name, ...textsOf(field)])
    : [];
}

function object(value: unknown): JsonObject {
  assert.ok(isJsonObject(value), "no object");
  return value;
}

function objects(value: unknown): JsonObject[] {
  assert.ok(Array.isArray(value), "no array");
  return value.map(object);
}

function visible(text: unknown): void {
  assert.ok(typeof text === "string" && text.trim() !== "", "a text without a visible character");
}

/** Parses to an object. */
function argumentsText(text: unknown): void {
  assert.ok(typeof text === "string");
  object(JSON.parse(text));
}

/** Calls by their ids: each once, and closed before anything else comes. */
class Calls {
  readonly #ids = new Set<string>();
  readonly #open = new Set<string>();

  make(id: unknown, name: unknown): void {
    assert.ok(typeof id === "string" && !this.#ids.has(id), "a call without an id of its own");
    assert.match(String(name), toolName);
    this.#ids.add(id);
    this.#open.add(id);
  }

  answer(id: unknown): void {
    assert.ok(this.#open.delete(String(id)), "a result without its call");
  }

  allAnswered(): void {
    assert.deepEqual([...this.#open], [], "calls without results");
  }
}

function anthropicMessages(body: JsonObject): void {
  const calls = new Calls();
  let role = "assistant";
  for (const message of objects(body["messages"])) {
    assert.notEqual(message["role"], role, "roles alternate");
    role = String(message["role"]);
    const content = objects(message["content"]);
    assert.ok(content.length > 0);
    for (const block of content) {
      if (block["type"] === "text") visible(block["text"]);
      if (block["type"] === "thinking") assert.ok(typeof block["signature"] === "string");
      if (block["type"] === "tool_use") {
        calls.make(block["id"], block["name"]);
        object(block["input"]);
      }
      if (block["type"] === "tool_result") {
        calls.answer(block["tool_use_id"]);
        const parts = typeof block["content"] === "string" ? [] : objects(block["content"]);
        for (const part of parts) if (part["type"] === "text") visible(part["text"]);
        if (block["is_error"] === true) assert.ok(parts.every((part) => part["type"] === "text"));
      }
    }
    if (role === "assistant") assert.notEqual(content.at(-1)?.["type"], "thinking", "ends in thinking");
    else calls.allAnswered();
  }
  assert.equal(role, "user");
  calls.allAnswered();
}

function responsesInput(body: JsonObject): void {
  const calls = new Calls();
  let reasoning = false;
  for (const item of objects(body["input"])) {
    const type = item["type"] ?? "message";
    const ofModel = type === "reasoning" || type === "function_call" || item["role"] === "assistant";
    if (!ofModel) assert.ok(!reasoning, "reasoning without what it led to");
    reasoning = type === "reasoning";
    if (type === "reasoning") assert.ok(typeof item["encrypted_content"] === "string");
    else if (type === "function_call") {
      calls.make(item["call_id"], item["name"]);
      argumentsText(item["arguments"]);
    } else if (type === "function_call_output") calls.answer(item["call_id"]);
    else {
      if (!ofModel) calls.allAnswered();
      const { content } = item;
      if (typeof content === "string") visible(content);
      else for (const part of objects(content)) if ("text" in part) visible(part["text"]);
    }
  }
  assert.ok(!reasoning);
  calls.allAnswered();
}

function chatMessages(body: JsonObject): void {
  const calls = new Calls();
  let role: unknown;
  for (const message of objects(body["messages"])) {
    ({ role } = message);
    if (role !== "tool") calls.allAnswered();
    const { content, tool_calls } = message;
    if (role === "tool") calls.answer(message["tool_call_id"]);
    if (role === "assistant" && tool_calls !== undefined) {
      for (const call of objects(tool_calls)) {
        const made = object(call["function"]);
        calls.make(call["id"], made["name"]);
        argumentsText(made["arguments"]);
      }
    } else if (Array.isArray(content)) {
      for (const part of objects(content)) if (part["type"] === "text") visible(part["text"]);
    } else visible(content);
  }
  assert.notEqual(role, "assistant");
  calls.allAnswered();
}

function geminiContents(body: JsonObject): void {
  const calls = new Calls();
  let role: unknown;
  for (const content of objects(body["contents"])) {
    ({ role } = content);
    const parts = objects(content["parts"]);
    assert.ok(parts.length > 0);
    for (const part of parts) {
      if ("text" in part && !("thoughtSignature" in part)) visible(part["text"]);
      if ("functionCall" in part) {
        const call = object(part["functionCall"]);
        calls.make(call["id"], call["name"]);
        object(call["args"]);
      }
      if ("functionResponse" in part) calls.answer(object(part["functionResponse"])["id"]);
      if ("inlineData" in part) assert.notEqual(object(part["inlineData"])["mimeType"], "image/gif");
    }
    if (role === "user") calls.allAnswered();
  }
  assert.equal(role, "user");
  calls.allAnswered();
}

export const demands = {
  anthropic: anthropicMessages,
  openai: responsesInput,
  "openai-compatible": chatMessages,
  google: geminiContents,
} as const;

/** Throws for what the provider would refuse, this time and every time after. */
export function assertTaken(provider: keyof typeof demands, raw: Buffer): void {
  const body = object(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw)));
  assert.ok(
    textsOf(body).every((text) => text.isWellFormed()),
    "half a character",
  );
  demands[provider](body);
}
