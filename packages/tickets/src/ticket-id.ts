/** Ticket ids: 13 characters of Crockford base32 that say when the ticket was made, to the millisecond, so that names sort by time. */

const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const idChars = 13;
const pattern = /^[0-9A-HJKMNP-TV-Z]{13}$/;
/** The last moment that a Date can hold, in Unix milliseconds. */
const timeMsMax = 8_640_000_000_000_000;

/** By how much clocks of two machines may disagree before a time counts as one to come. */
export const clockSkewMs = 5 * 60_000;

/** @param ms whole Unix milliseconds, 0 to 8.64e15. Throws a RangeError for others. */
export function encodeTicketId(ms: number): string {
  if (!Number.isInteger(ms) || ms < 0 || ms > timeMsMax) {
    throw new RangeError(`not a time of a ticket: ${ms} ms`);
  }
  let id = "";
  for (let rest = ms; id.length < idChars; rest = Math.floor(rest / digits.length)) {
    id = digits.charAt(rest % digits.length) + id;
  }
  return id;
}

/** In Unix milliseconds. Throws a RangeError for what is no ticket id. */
export function timeOfTicketId(id: string): number {
  const ms = pattern.test(id) ? valueOf(id) : Number.NaN;
  if (!(ms <= timeMsMax)) throw new RangeError(`not a ticket id: ${JSON.stringify(id)}`);
  return ms;
}

/** Upper case only: a folder's name is compared as it is, and some file systems hold two that differ in case to be one. */
export function isTicketId(text: string): boolean {
  return pattern.test(text) && valueOf(text) <= timeMsMax;
}

function valueOf(id: string): number {
  let value = 0;
  for (const char of id) value = value * digits.length + digits.indexOf(char);
  return value;
}
