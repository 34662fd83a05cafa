/** FeatureState: what a feature knows of a session, rebuilt from what its own tools did. */
import type { CallId, JsonObject, JsonValue, Panel } from "@yoi/base";

export interface StateDeclaration {
  /** The key in the log; unique among features. */
  readonly domain: string;
  /** Of the snapshot's format. */
  readonly version: number;
}

/** The committed result of a call of one of the feature's own tools. Frozen. */
export interface ToolRecord {
  readonly call: CallId;
  readonly tool: string;
  /** Null: what the model wrote is no JSON object. */
  readonly arguments: JsonObject | null;
  readonly isError: boolean;
  readonly summary: string;
  readonly content?: string;
  /** What the tool gave to be kept with the result. */
  readonly record?: JsonObject;
}

export interface StateSnapshot {
  readonly version: number;
  readonly value: JsonValue;
}

/**
 * The host calls `restore` on start, and whenever history goes back, on the same module: what was installed goes on with the new state.
 * No item, log or file is reachable through it. A throw of either is a diagnostic. After one of `restore` the state is that of no records, the
 * feature's tools are refused until a later one succeeds, and the next segment begins with the snapshot as it was.
 */
export interface FeatureState {
  /** Forgets all and applies `snapshot`, the last one, then `records`, in log order. */
  restore(records: readonly ToolRecord[], snapshot: StateSnapshot | null): void;
  /** The whole state as JSON of at most 256 KiB, with 512 KiB for those of all features; called when a segment starts. */
  snapshot(): JsonValue;
  /**
   * What the model has to know of the state when what it was told before has left history: a text of at most `describedBytesMax` bytes, cut there; null: nothing.
   * Called when history is compacted; it changes nothing. A throw is a diagnostic, and nothing is told.
   */
  describe?(): string | null;
  /**
   * What a person sees of the state, beside the conversation: at most `panelRowsMax` rows of `panelTextCharsMax` characters, cut there; null: nothing. Asked behind
   * each result of the feature's own tools and each `restore`; it changes nothing. A throw is a diagnostic, and nothing is shown.
   */
  panel?(): Omit<Panel, "feature"> | null;
}

/** UTF-8 bytes of what one feature tells of its state. */
export const describedBytesMax = 8 * 1024;
