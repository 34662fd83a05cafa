/** One JSON object as one line that every reader takes for one, and that a terminal shows as it is. */

/** What some readers end lines at, what a terminal obeys, and what turns the direction of a line. */
const disturbing = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** LF at the end and nowhere else; none of those as it stands. */
export function jsonLine(object: object): string {
  const text = JSON.stringify(object).replace(
    disturbing,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${text}\n`;
}
