/** What a config value may be, as checks, and how a wrong one is shown. */
import { escapeControls } from "@yoi/base";
import { parseModelRef } from "./model-ref.ts";

export function isWholeNumber(value: unknown, min: number, max = Number.MAX_SAFE_INTEGER): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max;
}

/** Characters of `worker.language`. */
export const languageCharsMax = 60;

/** The name of a language, and nothing that could be an instruction: it stands in the host's own part of the prompt. */
export function isLanguage(value: unknown): value is string {
  return (
    typeof value === "string" && value.length <= languageCharsMax && /^\p{L}[\p{L}\p{M} ()-]*$/u.test(value)
  );
}

export function isOneOf<T extends string>(value: unknown, options: readonly T[]): value is T {
  return options.some((option) => option === value);
}

export function isModelId(value: unknown): value is string {
  return typeof value === "string" && parseModelRef(value) !== null;
}

/** The URL of an endpoint. One with a password in it would end up in logs and errors. */
export function isWebUrl(value: unknown): value is string {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const url = new URL(value);
  const isBare = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return (url.protocol === "http:" || url.protocol === "https:") && isBare;
}

/** Where what looks like a field of a file should be. Said in place of the value, which may be one. */
export const keyPlace =
  "an API key belongs into no file: keep it with `yoi secret set ID`, or in an environment variable";

/** How the keys of providers begin. A name or an id that does would be shown everywhere. */
export function isKeyLike(text: string): boolean {
  return /^(?:sk|pk|rk|gsk|hf|xai|pplx|ghp)[-_]|^(?:AIza|eyJ|AKIA|Bearer )/i.test(text);
}

const shownCharsMax = 60;

/** A wrong value in an error: short, without control characters, and nothing at all that could be a password. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date";
  if (typeof value === "object") return "a table";
  if (typeof value !== "string") return String(value);
  if (value.includes("://")) return "an unusable URL";
  if (isKeyLike(value)) return "what looks like an API key";
  const cut = value.length > shownCharsMax ? `${value.slice(0, shownCharsMax)}...` : value;
  return `"${escapeControls(cut)}"`;
}
