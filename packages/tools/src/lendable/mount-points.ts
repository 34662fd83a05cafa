/** Where something is mounted on this machine, as the kernel says it to this process. */
import { mountTable } from "../scoped-files/descriptor.ts";

/** The field of a line that is the mount point. */
const pointField = 4;

export function mountPoints(): readonly string[] {
  return parseMountPoints(mountTable());
}

/** @param text one character a byte. */
export function parseMountPoints(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.split(" ")[pointField])
    .filter((field) => field !== undefined)
    .map(unescaped);
}

/** The kernel writes a space, a tab, a newline and a backslash as three octal digits. */
function unescaped(field: string): string {
  const bytes = field.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
