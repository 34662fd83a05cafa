/** Refused part: what of the history a provider's refusal is about, so that a session can go on without it. The words are those that users have reported. */
import type { ModelFailure } from "./model.ts";

type Part = NonNullable<ModelFailure["about"]>;

/** Error codes of OpenAI, which also come as an event of a stream. */
export const refusedParts: ReadonlyMap<string, Part> = new Map([
  ["invalid_encrypted_content", "reasoning"],
  ["invalid_image", "images"],
  ["invalid_image_format", "images"],
  ["invalid_image_mode", "images"],
  ["invalid_image_url", "images"],
  ["invalid_base64_image", "images"],
  ["image_parse_error", "images"],
  ["image_too_large", "images"],
  ["image_too_small", "images"],
  ["image_file_too_large", "images"],
  ["image_content_policy_violation", "images"],
  ["unsupported_image_media_type", "images"],
  ["empty_image_file", "images"],
]);

/** A refusal because reasoning is missing is none of these: with less of it the request would not be taken either. */
const words: readonly (readonly [Part, RegExp])[] = [
  // Anthropic: Invalid `signature` in `thinking` block. ... thinking.signature: Field required. Invalid `data` in `redacted_thinking` block.
  ["reasoning", /invalid `?(?:signature|data)`? in `?(?:redacted_)?thinking`? block|thinking\.signature/i],
  // Anthropic: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.
  ["reasoning", /thinking`? blocks .*cannot be modified/i],
  // OpenAI: The encrypted content for item rs_... could not be verified. Item 'rs_...' of type 'reasoning' was provided without its required following item.
  ["reasoning", /encrypted content .*could not be|item '?rs_\w+'?.* (?:not found|of type 'reasoning')/i],
  // Google: Corrupted thought signature. Unable to submit request because Thought signature is not valid.
  ["reasoning", /(?:corrupted|invalid) thought[ _]signature|thought[ _]signature is (?:not valid|invalid)/i],
  // Groq: property 'reasoning_content' is unsupported. Cerebras: the same, with the path. Servers on pydantic: Extra inputs are not permitted.
  [
    "reasoning",
    // Of a message, and not the parameter that asks for it.
    /(?:\breasoning_content\b|\bmessages?\b\S*\breasoning\b(?!\.)).*(?:unsupported|not (?:supported|permitted|allowed)|unknown|unrecognized)/i,
  ],
  // Anthropic: Could not process image. messages.2.content.0.image.source.base64.data: Image does not match the provided media type image/png.
  // OpenAI: The image data you provided does not represent a valid image. Google: Provided image is not valid. Unable to process input image.
  // Servers of text models: unknown variant `image_url`, expected `text`.
  ["images", /\bimages?\b|\bimage_url\b|\binline_data\b/i],
];

/** Most places that are looked up for one refusal. */
export const refusedPlacesMax = 8;
/** Characters; a longer path is none. */
const placeMax = 256;

/** Paths into a body, as providers write them: `messages.2.content.0.image.source`, `input[7].content[1]`; and the ids of reasoning items. */
const places = /\b(?:messages|input|contents)(?:\.\d+|\[\d+\])(?:\.\w+|\[\d+\])*|\brs_\w{8,}/g;

/** A refusal of every part of that kind, or of how they stand together: what is named is only the first one. */
const notOfOne: { readonly [part in Part]: RegExp } = {
  reasoning:
    /unsupported|not (?:supported|permitted|allowed)|unknown|unrecognized|cannot be modified|without its required/i,
  images:
    /unknown variant|only supported|(?:not|n't) support(?:ed)? (?:\w+ )?(?:images?|vision|multimodal)|(?:images?|image_url|image inputs?) (?:is|are) not (?:supported|allowed|permitted)/i,
};

/** Where in the body a refusal says what it is about; empty: it does not. */
export function refusedPlaces(part: Part, texts: readonly string[]): readonly string[] {
  if (texts.some((text) => notOfOne[part].test(text))) return [];
  const found = texts.flatMap((text) => text.match(places) ?? []).filter(({ length }) => length <= placeMax);
  return [...new Set(found)].slice(0, refusedPlacesMax);
}

/** Null: it is about something else. `names`: what the provider calls it. */
export function refusedPart(names: readonly string[], message: string): Part | null {
  const named = names.map((name) => refusedParts.get(name)).find((part) => part !== undefined);
  return named ?? words.find(([, pattern]) => pattern.test(message))?.[0] ?? null;
}
