/** The lists of the user's file that define providers and models. A file that comes with a workspace may hold neither. */
import { providerKinds } from "@yoi/base";
import type { ListKey } from "./config-keys.ts";
import { isKeyLike, isModelId, isOneOf, isWebUrl, isWholeNumber, shown } from "./config-values.ts";
import type { ModelDefinition, ProviderDefinition } from "./definitions.ts";
import {
  elementsOf,
  fieldOf,
  optionalFieldOf,
  projectRule,
  type FieldSpec,
  type ListElement,
  type ListReader,
} from "./list-elements.ts";
import { isProviderName, providerNameCharsMax } from "./model-ref.ts";

/** Characters of a provider's label. */
export const labelCharsMax = 60;
/** US dollars per million tokens. */
export const priceMax = 1_000_000;

const textThat = (allowed: string, pattern: RegExp): FieldSpec<string> => ({
  allowed,
  accepts: (value): value is string => typeof value === "string" && pattern.test(value),
});
const name: FieldSpec<string> = {
  allowed: `a name of lower-case letters, digits, "-" and "_", at most ${providerNameCharsMax}, that is not "scripted"`,
  accepts: (value): value is string =>
    typeof value === "string" && isProviderName(value) && value !== "scripted",
};
const kind = {
  allowed: `one of ${providerKinds.map((one) => `"${one}"`).join(", ")}`,
  accepts: (value: unknown) => isOneOf(value, providerKinds),
};
const url = { allowed: "an http or https URL without user, password, query or fragment", accepts: isWebUrl };
const label = textThat(
  `1 to ${labelCharsMax} characters without control characters`,
  new RegExp(`^[^\\p{Cc}]{1,${labelCharsMax}}$`, "u"),
);
/** Of a key: the pattern alone would take many a key itself. */
const nameThat = (allowed: string, pattern: RegExp): FieldSpec<string> => ({
  allowed,
  accepts: (value): value is string => typeof value === "string" && pattern.test(value) && !isKeyLike(value),
  nearKeys: true,
});
const variable = nameThat("the name of an environment variable", /^[A-Za-z_][A-Za-z0-9_]{0,99}$/);
const secretId = nameThat(
  "the id of a secret, such as providers/corp/default",
  /^(?=.{1,128}$)(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+)*$/,
);
const none = { allowed: '"none"', accepts: (value: unknown) => isOneOf(value, ["none"]), nearKeys: true };
const ref = { allowed: 'a model as "provider/id"', accepts: isModelId };
const tokens: FieldSpec<number> = {
  allowed: "a whole number of tokens, at least 1",
  accepts: (value) => isWholeNumber(value, 1),
};
const flag: FieldSpec<boolean> = {
  allowed: "true or false",
  accepts: (value): value is boolean => typeof value === "boolean",
};
const rate: FieldSpec<number> = {
  allowed: `US dollars per million tokens, from 0 to ${priceMax}`,
  accepts: (value): value is number => typeof value === "number" && value >= 0 && value <= priceMax,
};

/** Each says itself where its key comes from: a name alone must never send the key of a built-in provider to another host. */
export function readProviders(value: unknown, reader: ListReader): readonly ProviderDefinition[] {
  const refusal = "may not be set";
  const named = new Set<string>();
  return ownElements("providers", value, refusal, reader).flatMap((at) => {
    const given = {
      name: fieldOf(at, "name", name, reader),
      kind: fieldOf(at, "kind", kind, reader),
      base_url: fieldOf(at, "base_url", url, reader),
      label: optionalFieldOf(at, "label", label, reader),
      key_variable: optionalFieldOf(at, "key_variable", variable, reader),
      secret: optionalFieldOf(at, "secret", secretId, reader),
    };
    const key = optionalFieldOf(at, "key", none, reader);
    if (given.name === null || given.kind === null || given.base_url === null || key === null) return [];
    if (given.label === null || given.key_variable === null || given.secret === null) return [];
    const hasKey = given.key_variable !== undefined || given.secret !== undefined;
    if (hasKey === (key === "none")) {
      reader.complain(
        at.path,
        hasKey
          ? 'may not have key = "none" beside key_variable or secret'
          : 'needs key_variable, secret or key = "none": it says itself where its key comes from',
      );
      return [];
    }
    if (isRepeated(at, "name", given.name, named, reader)) return [];
    return [
      {
        name: given.name,
        kind: given.kind,
        base_url: given.base_url,
        label: given.label ?? given.name,
        key_variable: given.key_variable ?? null,
        secret: given.secret ?? null,
        origin: reader.originOf(at.path),
      },
    ];
  });
}

export function readModels(value: unknown, reader: ListReader): readonly ModelDefinition[] {
  const refusal = "may not be set, as it says what your models can do and what they cost";
  const named = new Set<string>();
  return ownElements("models", value, refusal, reader).flatMap((at) => {
    const model = fieldOf(at, "ref", ref, reader);
    const fields = {
      context_window: optionalFieldOf(at, "context_window", tokens, reader),
      max_output_tokens: optionalFieldOf(at, "max_output_tokens", tokens, reader),
      images: optionalFieldOf(at, "images", flag, reader),
      mid_system: optionalFieldOf(at, "mid_system", flag, reader),
    };
    const price = readPrice(at, reader);
    const { context_window, max_output_tokens, images, mid_system } = fields;
    if (model === null || context_window === null || max_output_tokens === null) return [];
    if (images === null || mid_system === null || price === null) return [];
    if (isRepeated(at, "ref", model, named, reader)) return [];
    return [
      {
        ref: model,
        ...(context_window !== undefined && { context_window }),
        ...(max_output_tokens !== undefined && { max_output_tokens }),
        ...(images !== undefined && { images }),
        ...(mid_system !== undefined && { mid_system }),
        ...(price !== undefined && { price }),
        origin: reader.originOf(at.path),
      },
    ];
  });
}

/** Without rates of their own, cached tokens cost what others do. Undefined: no price is given; null: it is wrong. */
function readPrice(at: ListElement, reader: ListReader): ModelDefinition["price"] | null {
  const input = optionalFieldOf(at, "input_price", rate, reader);
  const output = optionalFieldOf(at, "output_price", rate, reader);
  const cacheRead = optionalFieldOf(at, "cache_read_price", rate, reader);
  const cacheWrite = optionalFieldOf(at, "cache_write_price", rate, reader);
  if (input === null || output === null || cacheRead === null || cacheWrite === null) return null;
  if (input === undefined || output === undefined) {
    if ([input, output, cacheRead, cacheWrite].every((one) => one === undefined)) return undefined;
    reader.complain(at.path, "needs both input_price and output_price, or no price");
    return null;
  }
  return { input, output, cache_read: cacheRead ?? input, cache_write: cacheWrite ?? input };
}

/** The elements of a list that only the user's own file may hold. */
function ownElements(key: ListKey, value: unknown, refusal: string, reader: ListReader): ListElement[] {
  if (reader.source.trust === "user") return elementsOf(key, value, reader);
  reader.complain([key], `${refusal} ${projectRule}`);
  return [];
}

function isRepeated(
  at: ListElement,
  field: string,
  value: string,
  before: Set<string>,
  reader: ListReader,
): boolean {
  if (before.has(value)) {
    reader.complain(
      [...at.path, field],
      `is ${shown(value)} like that of an element above: keep one of them`,
    );
    return true;
  }
  before.add(value);
  return false;
}
