/** GIF: whether its blocks lead to its end, with a picture among them. */

export function isWholeGif(bytes: Buffer): boolean {
  let at = 13 + coloursBytes(bytes[10]);
  let pictures = 0;
  while (at < bytes.length) {
    switch (bytes[at]) {
      case 0x21:
        at = endOfParts(bytes, at + 2);
        break;
      case 0x2c:
        // Place and size, the table of colours, and how many bits the codes begin with.
        at = endOfParts(bytes, at + 10 + coloursBytes(bytes[at + 9]) + 1);
        pictures += 1;
        break;
      case 0x3b:
        return pictures > 0;
      default:
        return false;
    }
  }
  return false;
}

/** Of the table that these flags tell of. */
function coloursBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** Parts begin with their length; one of length 0 is the last. */
function endOfParts(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
  return at + 1;
}
