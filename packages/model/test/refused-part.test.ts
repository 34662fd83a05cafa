/** What a refusal is about: the words of each provider as users have reported them, and those that are about something else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiFailure, type Endpoint } from "../src/failure.ts";
import type { ModelFailure } from "../src/model.ts";
import { refusedPlacesMax } from "../src/refused-part.ts";

const endpoint: Endpoint = {
  label: "The provider",
  host: "api.example",
  model: "m",
  keyVariable: "KEY",
  baseUrlVariable: "URL",
  secret: "",
};

interface Refusal {
  readonly message: string;
  readonly names?: readonly string[];
  readonly status?: number | undefined;
}

function aboutOf({ message, names = [], status = 400 }: Refusal): ModelFailure["about"] {
  return apiFailure(endpoint, { status, names, message, headers: {} }, 0).about;
}

const reasoning: readonly string[] = [
  "messages.1.content.0: Invalid `signature` in `thinking` block",
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  "messages.3.content.0: Invalid `data` in `redacted_thinking` block",
  "messages.5.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
  "messages.1.content.0.thinking.signature: Field required",
  "The encrypted content for item rs_037e7e05148bdd58006996d2f3bd048193a4f776b6dacd2bfc could not be verified.",
  "The encrypted content gAAA...DQ== could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
  "Item 'rs_68a1' of type 'reasoning' was provided without its required following item.",
  "Corrupted thought signature.",
  "Unable to submit request because Thought signature is not valid..",
  "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
  "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
  "messages.2.assistant.reasoning_content: Extra inputs are not permitted",
];
const images: readonly string[] = [
  "Could not process image",
  "messages.2.content.0.image.source.base64.data: Could not process image",
  "messages.17.content.12.image.source.base64.data: Image does not match the provided media type image/png",
  "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes",
  "The image data you provided does not represent a valid image. Please check your input and try again.",
  "Provided image is not valid.",
  "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`",
];
const others: readonly string[] = [
  "max_tokens: 999999 > 64000, which is the maximum allowed number of output tokens",
  // Less of it would not help: it is missing.
  "messages.129.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.",
  "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.",
  "The reasoning_content in the thinking mode must be passed back to the API.",
  "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
  "reasoning is not supported by this model",
  "Your credit balance is too low to access the API.",
  "tools.0.custom.input_schema: JSON schema is invalid",
];

test("a refusal is about reasoning, about images, or about neither", () => {
  for (const [about, messages] of [
    ["reasoning", reasoning],
    ["images", images],
    [undefined, others],
  ] as const)
    for (const message of messages) assert.equal(aboutOf({ message }), about, message);
});

test("a code tells it where the words do not, also in a stream, which has no status", () => {
  for (const status of [400, undefined]) {
    const of = (name: string) =>
      apiFailure(endpoint, { status, names: [name], message: "no", headers: {} }, 0);
    const failures = [of("invalid_encrypted_content"), of("image_parse_error"), of("some_error")];
    assert.deepEqual(
      failures.map(({ about }) => about),
      ["reasoning", "images", undefined],
    );
    assert.deepEqual(
      failures.map(({ retryable }) => retryable),
      [false, false, status === undefined],
    );
  }
});

test("what passes by itself, or is about the account, is about nothing in the history", () => {
  const message = "Could not process image: messages.1.content.0: Invalid `signature` in `thinking` block";
  for (const status of [401, 403, 404, 429, 500, 529]) assert.equal(aboutOf({ message, status }), undefined);
});

test("what is too large is about an image where it says so", () => {
  assert.equal(
    aboutOf({ message: "messages.0.content.1.image.source.base64: image exceeds 5 MB", status: 413 }),
    "images",
  );
  assert.equal(aboutOf({ message: "Request Entity Too Large", status: 413 }), undefined);
});

test("places are read out of messages and fields; a refusal of everything of a kind has none", () => {
  const at = (message: string, ...places: readonly string[]) =>
    apiFailure(endpoint, { status: 400, names: [], message, at: places, headers: {} }, 0).at;
  const image = "messages.17.content.12.image.source.base64.data";
  assert.deepEqual(at(`${image}: Image does not match the provided media type image/png`), [image]);
  assert.deepEqual(at("Invalid image.", "input[7].content[1].image_url"), ["input[7].content[1].image_url"]);
  assert.deepEqual(
    at("* GenerateContentRequest.contents[3].parts[0].inline_data.data: Base64 decoding failed"),
    ["contents[3].parts[0].inline_data.data"],
  );
  const id = "rs_037e7e05148bdd58006996d2f3bd048193a4f776b6dacd2bfc";
  assert.deepEqual(at(`The encrypted content for item ${id} could not be verified.`), [id]);
  assert.deepEqual(at("Could not process image"), undefined);
  assert.deepEqual(at("messages.2: property 'reasoning_content' is unsupported"), undefined);
  assert.deepEqual(at("messages[1]: unknown variant `image_url`, expected `text`"), undefined);
  assert.deepEqual(
    at("messages.5.content.1: `thinking` blocks in the latest assistant message cannot be modified."),
    undefined,
  );
  const many = (count: number): string =>
    Array.from({ length: count }, (_, index) => `messages.${index}.content.0 image`).join(" ");
  assert.equal(at(many(refusedPlacesMax))?.length, refusedPlacesMax);
  assert.equal(at(many(refusedPlacesMax + 1))?.length, refusedPlacesMax);
});
