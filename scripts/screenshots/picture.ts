/** A picture of a terminal: its cells as SVG, and that as PNG. The same cells are the same bytes. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Resvg } from "@resvg/resvg-js";
import type { Cell } from "../../packages/tui/test/support/emulator.ts";
import { glyphsOf } from "./glyphs.ts";
import { pngWithPalette } from "./png.ts";

export interface Shown {
  readonly cells: readonly (readonly Cell[])[];
  /** Null: hidden. */
  readonly cursor: { readonly row: number; readonly column: number } | null;
  readonly title: string;
}

const background = "#16181d";
const foreground = "#d5d8de";
const frame = "#23262e";
/** The sixteen that a terminal has: ordinary ones, then bright ones. */
const palette = [
  ["#2a2e37", "#e5727a", "#8cc57c", "#e0b870", "#72a7ea", "#c792dd", "#5fbfc9", "#c6cad2"],
  ["#767d8c", "#f08a91", "#a3d694", "#ecca8d", "#8dbbf5", "#d9abec", "#80d3dc", "#ffffff"],
].flat();

const fontPx = 15;
/** Of DejaVu Sans Mono. */
const advance = 1233 / 2048;
const cellWidth = fontPx * advance;
const cellHeight = 19;
const baseline = 14.2;
const margin = { side: 18, top: 46, bottom: 16 } as const;
/** Pixels of the picture for one of these. */
const scale = 1.5;

const fonts = join(dirname(createRequire(import.meta.url).resolve("dejavu-fonts-ttf/package.json")), "ttf");
const faces = [
  "DejaVuSansMono",
  "DejaVuSansMono-Bold",
  "DejaVuSansMono-Oblique",
  "DejaVuSansMono-BoldOblique",
];
const fontFiles = faces.map((face) => join(fonts, `${face}.ttf`));

/** Throws where a sign has no glyph. */
export function pngOf(shown: Shown): Uint8Array {
  const missing = signsWithoutGlyph(shown);
  if (missing.length > 0)
    throw new Error(`The font of the pictures has no glyph for ${missing.map(named).join(", ")}.`);
  const image = new Resvg(svgOf(shown), {
    font: { fontFiles, loadSystemFonts: false, defaultFontFamily: "DejaVu Sans Mono" },
    fitTo: { mode: "zoom", value: scale },
  });
  const { width, height, pixels } = image.render();
  return pngWithPalette({ width, height, rgba: pixels });
}

export function svgOf({ cells, cursor, title }: Shown): string {
  const width = (cells[0]?.length ?? 0) * cellWidth + 2 * margin.side;
  const height = cells.length * cellHeight + margin.top + margin.bottom;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${px(width)}" height="${px(height)}" font-family="DejaVu Sans Mono" font-size="${fontPx}" xml:space="preserve">`,
    `<rect width="100%" height="100%" rx="10" fill="${frame}"/>`,
    `<path d="M1 32H${px(width - 1)}V${px(height - 10)}a9 9 0 0 1 -9 9H10a9 9 0 0 1 -9 -9Z" fill="${background}"/>`,
    ...["#e5727a", "#e0b870", "#8cc57c"].map(
      (fill, at) => `<circle cx="${20 + 18 * at}" cy="16" r="5.5" fill="${fill}"/>`,
    ),
    `<text x="${px(width / 2)}" y="21" text-anchor="middle" font-size="13" fill="#9aa0ad">${escaped(title)}</text>`,
  ];
  for (const [row, line] of cells.entries()) {
    for (const run of runsOf(line)) {
      const at = { x: margin.side + run.column * cellWidth, y: margin.top + row * cellHeight };
      if (run.background !== null)
        parts.push(
          `<rect x="${px(at.x)}" y="${px(at.y)}" width="${px(run.width * cellWidth)}" height="${cellHeight}" fill="${run.background}"/>`,
        );
      if (run.text.trim() !== "") parts.push(textOf(run, at));
    }
  }
  if (cursor !== null) {
    const x = margin.side + cursor.column * cellWidth;
    const y = margin.top + cursor.row * cellHeight;
    parts.push(
      `<rect x="${px(x)}" y="${px(y + 1)}" width="${px(cellWidth)}" height="${cellHeight - 2}" fill="${foreground}" fill-opacity="0.55"/>`,
    );
  }
  return [...parts, "</svg>"].join("\n");
}

interface Run {
  readonly column: number;
  readonly width: number;
  readonly text: string;
  /** Of each character. */
  readonly columns: readonly number[];
  readonly style: string;
  readonly background: string | null;
}

/** Cells beside one another that look alike. */
function runsOf(line: readonly Cell[]): readonly Run[] {
  const runs: Run[] = [];
  for (const [column, cell] of line.entries()) {
    if (cell.width === 0) continue;
    const { style, background: behind } = looksOf(cell);
    const text = cell.text === "" ? " " : cell.text;
    const last = runs.at(-1);
    if (last !== undefined && last.style === style && last.background === behind)
      runs[runs.length - 1] = {
        ...last,
        width: last.width + cell.width,
        text: last.text + text,
        columns: [...last.columns, column],
      };
    else runs.push({ column, width: cell.width, text, columns: [column], style, background: behind });
  }
  return runs;
}

function looksOf(cell: Cell): { readonly style: string; readonly background: string | null } {
  const ink = colourOf(cell.foreground, foreground);
  const behind = cell.background === null ? null : colourOf(cell.background, background);
  const [fill, back] = cell.isReversed ? [behind ?? background, ink] : [ink, behind];
  const style = [
    `fill="${fill}"`,
    cell.isBold ? ' font-weight="bold"' : "",
    cell.isItalic ? ' font-style="italic"' : "",
    cell.isDim ? ' fill-opacity="0.58"' : "",
    cell.isUnderlined ? ' text-decoration="underline"' : "",
  ].join("");
  return { style, background: back };
}

function colourOf(colour: number | string | null, otherwise: string): string {
  if (colour === null) return otherwise;
  if (typeof colour === "string") return colour;
  const known = palette[colour];
  if (known === undefined) throw new Error(`The views use sixteen colours; this is number ${colour}.`);
  return known;
}

/** Each character at its own column, so that no rounding of the font moves it. */
function textOf({ text, columns, style }: Run, { y }: { readonly y: number }): string {
  const signs = Array.from(text);
  const places = columns.map((column) => px(margin.side + column * cellWidth));
  const first = signs.findIndex((sign) => sign !== " ");
  const end = signs.findLastIndex((sign) => sign !== " ") + 1;
  return `<text x="${places.slice(first, end).join(" ")}" y="${px(y + baseline)}" ${style}>${escaped(signs.slice(first, end).join(""))}</text>`;
}

function signsWithoutGlyph({ cells, title }: Shown): readonly string[] {
  const [regular] = fontFiles;
  if (regular === undefined) return [];
  const has = glyphsOf(regular);
  const signs = new Set([...cells.flatMap((line) => line.map(({ text }) => text)), title].join(""));
  return [...signs].filter((sign) => !has(sign.codePointAt(0) ?? 0));
}

function named(sign: string): string {
  return `${sign} (U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")})`;
}

function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
