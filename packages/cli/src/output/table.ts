/** A plain table on stdout: columns as wide as their cells, two spaces between. */
import { escapeControls } from "@yoi/base";

export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const cells = [header, ...rows].map((row) => row.map((cell) => escapeControls(cell)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells) {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
    process.stdout.write(`${line.trimEnd()}\n`);
  }
}
