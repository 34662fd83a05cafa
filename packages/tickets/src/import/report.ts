/** ImportReport: what came in from an old layout, as data. */

export interface ImportedTicket {
  readonly id: string;
  readonly title: string;
  /** The folder that it was, relative to the old root: `open/20260603-122317-name`. */
  readonly from: string;
  readonly events: number;
  readonly artifacts: number;
}

export interface ImportReport {
  readonly imported: readonly ImportedTicket[];
  /** Came in before. */
  readonly known: readonly { readonly id: string; readonly from: string }[];
  /** Folders that are no tickets, a sentence each; nothing of them came in. */
  readonly refused: readonly string[];
}
