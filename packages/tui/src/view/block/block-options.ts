/** What all blocks are drawn with: how much of them, and how they say it. */
import type { ViewOptions } from "../theme.ts";

export interface BlockOptions extends ViewOptions {
  /** All of it; else what is long is folded. */
  readonly isExpanded: boolean;
}

/** Rows of what is expanded: more than anybody reads in a terminal. */
export const expandedRowsMax = 20_000;
/** Rows of live output, and of what is folded of its record. */
export const tailRowsMax = 5;

/** The most rows that something has now which has `rowsMax` folded. */
export function rowsIn({ isExpanded }: BlockOptions, rowsMax: number): number {
  return isExpanded ? expandedRowsMax : rowsMax;
}

export function picturesText(images: number): string {
  return images === 1 ? "1 picture" : `${images} pictures`;
}
