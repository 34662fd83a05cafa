/** FormatProblem: a place in a ticket's file that is not as it should be. */

export interface FormatProblem {
  /** What is wrong, as a word of the doctor's. */
  readonly check:
    | "front_matter"
    | "front_matter_field"
    | "event_malformed"
    | "event_duplicate"
    | "event_id"
    | "event_repeated"
    | "event_unended"
    | "event_woven"
    | "text_outside_event";
  /** From 1. */
  readonly line: number;
  /** Of front matter that it is about. */
  readonly key?: string;
  /** What is there, in a sentence's end without its full stop: `the front matter is not closed by a line ---`. */
  readonly message: string;
}
