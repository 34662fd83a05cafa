/** Panel: what a feature shows a person of its state, beside the conversation. Data only: the same whatever client draws it. */

/** What stands in front of a row. `note`: nothing does. */
export const panelMarks = ["todo", "doing", "done", "dropped", "note"] as const;
export type PanelMark = (typeof panelMarks)[number];

export interface PanelRow {
  readonly mark: PanelMark;
  /** One line. */
  readonly text: string;
}

export interface Panel {
  /** The feature that shows it. */
  readonly feature: string;
  readonly title: string;
  /** Empty: there is nothing to show. */
  readonly rows: readonly PanelRow[];
}

export const panelRowsMax = 64;
/** Characters of a row, and of the title. */
export const panelTextCharsMax = 200;
