/** Examples that name a ticket, with one that there is. */

/** Those that help shows: the one that examples work on, as a whole and as an end, and the one that it is linked to. */
const shown = ["00001KT6Q08R9", "00001KT6Q08R8"] as const;
const endChars = 5;

export function withTicket(example: string, [id, other]: readonly [string, string]): string {
  const [first, second] = shown;
  return example
    .replaceAll(first, id)
    .replaceAll(second, other)
    .replace(` ${first.slice(-endChars)} `, ` ${id.slice(-endChars)} `);
}
