/** A plain table on stdout: columns as wide as their cells, two spaces between. */
import { escapeControls } from "@yoi/base";

export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  process.stdout.write(tableText(header, rows));
}

/**
 * One line a row, without spaces at its end; where a line would be longer than `columns`, one line a cell instead, below the first of its row. A cell cannot disturb the
 * terminal, or its neighbours.
 */
export function tableText(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
): string {
  const cells = [header, ...rows].map((row) => row.map((cell) => escapeControls(cell)));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const isNarrow = rows.length > 0 && lines.some((line) => line.length > columns);
  return (isNarrow ? cellLines(cells) : lines).map((line) => `${line}\n`).join("");
}

/** A cell that is empty says nothing. */
function cellLines([header = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  return rows.flatMap((row) =>
    row.flatMap((cell, column) => {
      if (column > 0 && cell === "") return [];
      return [`${column === 0 ? "" : "  "}${(header[column] ?? "").toLowerCase()}: ${cell}`];
    }),
  );
}
