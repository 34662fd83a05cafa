/** How a secret is called: `providers/anthropic/default`. An id says what the value is for; it is no secret itself. */
import { YoiError } from "@yoi/base";

export const secretIdBytesMax = 128;

const allowed = /^[A-Za-z0-9._/-]+$/;

/** Throws `usage` with what is wrong. The text is not repeated: who mixes up id and value must not find the value in a log. */
export function checkSecretId(text: string): void {
  const problem = problemOf(text);
  if (problem !== null) {
    throw new YoiError(
      "usage",
      `The id of a secret ${problem}: use one like providers/anthropic/default, of letters, digits, ".", "_", "-" and "/".`,
    );
  }
}

function problemOf(text: string): string | null {
  if (text === "") return "is empty";
  if (Buffer.byteLength(text) > secretIdBytesMax) return `has more than ${secretIdBytesMax} bytes`;
  if (!allowed.test(text)) return "holds a character that it may not";
  if (text.startsWith("/")) return 'begins with "/"';
  const parts = text.split("/");
  if (parts.includes("")) return "has an empty part between two slashes, or ends with one";
  if (parts.includes(".") || parts.includes("..")) return 'has a part "." or ".."';
  return null;
}

const suffix = ".json";

/** `/` becomes `+`, which no id holds: every id has a name of its own, and every name tells its id. */
export function fileNameOf(id: string): string {
  return `${id.replaceAll("/", "+")}${suffix}`;
}

/** Null: not the name of a secret's file. */
export function idOfFileName(name: string): string | null {
  if (!name.endsWith(suffix)) return null;
  const id = name.slice(0, -suffix.length).replaceAll("+", "/");
  return problemOf(id) === null && fileNameOf(id) === name ? id : null;
}
