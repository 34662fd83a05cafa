/** A plain table on stdout: columns as wide as their cells, two spaces between. */
import { escapeControls } from "@yoi/base";

export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(tableText(header, rows));
}

/** One line a row, without spaces at its end. A cell cannot disturb the terminal, or its neighbours. */
export function tableText(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => escapeControls(cell)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}
