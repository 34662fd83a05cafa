/** What is given to a ticket, before anything is written: one line or text, and within its limit. */
import { utf8Length, YoiError } from "@yoi/base";
import { normalizeBody } from "./lines.ts";
import { type Actor, authorCharsMax, bodyBytesMax, reasonBytesMax, titleCharsMax } from "./ticket.ts";

/** A control or a separator of lines would make two lines of one. */
const breaking = /[\p{Cc}\u2028\u2029]/u;

/** Without white space around it. Throws usage, limit_exceeded. */
export function checkedTitle(title: string): string {
  const checked = oneLine("title of a ticket", title);
  // Characters as Unicode counts them: an emoji of one code point is one.
  const chars = [...checked].length;
  if (chars > titleCharsMax)
    throw tooLong("title of a ticket", `${chars} characters`, titleCharsMax, "put the rest into its body");
  return checked;
}

export function checkedReason(reason: string): string {
  const checked = oneLine("reason", reason);
  const bytes = utf8Length(checked);
  if (bytes > reasonBytesMax)
    throw tooLong("reason", `${bytes} bytes`, reasonBytesMax, "write the rest as a comment");
  return checked;
}

export function checkedActor(actor: Actor): Actor {
  const author = oneLine("author", actor.author);
  const chars = [...author].length;
  if (chars > authorCharsMax)
    throw tooLong("author", `${chars} characters`, authorCharsMax, "give a shorter name");
  return { ...actor, author };
}

/** As it is stored: see `normalizeBody`. @param what as in "The <what> ..."; empty is refused where it is said to be `needed`. */
export function checkedBody(what: string, body: string, need: "needed" | "optional"): string {
  if (!body.isWellFormed() || body.includes("\0"))
    throw new YoiError("usage", `The ${what} is not text: it holds a NUL, or half of a surrogate pair.`);
  const checked = normalizeBody(body);
  if (need === "needed" && checked === "")
    throw new YoiError("usage", `The ${what} is empty: say something in it.`);
  const bytes = utf8Length(checked);
  if (bytes > bodyBytesMax)
    throw tooLong(what, `${bytes} bytes`, bodyBytesMax, "put what is long into a file below artifacts/");
  return checked;
}

export function oneLine(what: string, text: string): string {
  const trimmed = text.trim();
  if (trimmed === "") throw new YoiError("usage", `The ${what} is empty: give one.`);
  if (!trimmed.isWellFormed() || breaking.test(trimmed))
    throw new YoiError(
      "usage",
      `The ${what} is not one line of text: leave out line breaks and control characters.`,
    );
  return trimmed;
}

export function tooLong(what: string, has: string, max: number, advice: string): YoiError {
  return new YoiError("limit_exceeded", `The ${what} has ${has}, and at most ${max} are kept: ${advice}.`);
}
