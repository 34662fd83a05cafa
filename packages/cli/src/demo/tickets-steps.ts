/** What the scenarios of work on a ticket are made of: places, names, steps. */
export interface TicketsPlaces {
  /** A git repository. */
  readonly workspace: string;
  /** Folder of the scenario files. */
  readonly root: string;
  /** The user's configuration, for the profiles. */
  readonly config: string;
  /** Of the ticket that is worked on. */
  readonly ticket: string;
  /** A command that goes on only once a file is there; null: none waits. */
  readonly waits: { readonly in: "clone" | "work"; readonly file: string } | null;
  /** A step before which its model thinks for longer than anybody waits: whoever is killed there has done all before it and nothing behind it. */
  readonly held: HeldStep | null;
  /** The user delegated the close. */
  readonly closes: boolean;
}

export const ticketPods = { lead: "lead", coder: "coder", reviewer: "reviewer" } as const;
export type TicketPod = keyof typeof ticketPods;

/** Named by what they do first. */
export type HeldStep = "clone" | "spawn coder" | "commit" | "judge" | "pass on the review" | "fetch";

/** Of the branch, in their order; the tests of the second one are those that the review asked for. */
export const commitTitles = ["Count the pieces of a line", "Take an order without lines"] as const;

export const branchOf = (ticket: string): string => `ticket/${ticket}`;
export const cloneOf = ({ workspace, ticket }: Pick<TicketsPlaces, "workspace" | "ticket">): string =>
  `${workspace}/.yoi-work/${ticket}`;

interface Call {
  readonly name: string;
  readonly arguments: object;
}

export interface Step {
  readonly name?: HeldStep;
  readonly text: string;
  readonly tool_calls?: readonly Call[];
}

/** Answers to an input that holds all of `to`. */
export interface Reaction {
  readonly to: readonly string[];
  readonly once?: true;
  readonly steps: readonly Step[];
}

export const call = (name: string, given: object): Call => ({ name, arguments: given });
export const bash = (command: string): Call => call("Bash", { command });
/** For a shell. */
export const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Ends when the file is there. */
export function untilThere({ waits }: TicketsPlaces, command: "clone" | "work"): string {
  return waits?.in === command ? `until [ -e ${word(waits.file)} ]; do sleep 0.05; done; ` : "";
}
