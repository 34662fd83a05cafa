/** A root with nothing wrong, and the shape of the rows that say what is found where one thing in it is. */
import { event, gitFiles, item, type Odd, thread, type Tree } from "./tree.ts";

export const a = "00001KT6Q08R9";
export const b = "00001KT6Q08RA";

export const created = event(1, { kind: "create", to: "planning" });
export const steps = {
  ready: event(11, { kind: "state_changed", from: "planning", to: "ready" }),
  queued: event(12, { kind: "state_changed", from: "ready", to: "queued" }),
  inprogress: event(13, {
    kind: "state_changed",
    from: "queued",
    to: "inprogress",
    author: "lead",
    role: "orchestrator",
  }),
  report: event(14, { kind: "implementation_report", author: "hands", role: "coder", body: "It is there." }),
  approved: event(15, { kind: "review", status: "approve", author: "eyes", role: "reviewer", body: "Fine." }),
  done: event(16, {
    kind: "state_changed",
    from: "inprogress",
    to: "done",
    author: "lead",
    role: "orchestrator",
  }),
  closed: event(17, { kind: "close", from: "done", to: "closed", body: "It works." }),
};

/** One ticket that is closed, one that is planned, as the store would have left them. */
export const sound: Tree = {
  ...gitFiles,
  [`${a}/item.md`]: item({ state: "closed" }),
  [`${a}/thread.md`]: thread(created, ...Object.values(steps)),
  [`${a}/resolution.md`]: "It works.\n",
  [`${a}/artifacts/deep/review.md`]: "Fine.\n",
  [`${b}/item.md`]: item({ labels: "[one, two]", kind: "task" }, "日本語 😀"),
  [`${b}/thread.md`]: thread(
    created,
    event(2, {
      kind: "comment",
      body: "<<<<<<< HEAD\nas git shows it\n=======\nthe other side\n>>>>>>> other",
    }),
    event(4, { kind: "link", relation: "follows", target: a }),
    event(3, { kind: "unknown_kind", author: "another tool", body: "Kept." }),
  ),
};

export interface Row {
  readonly name: string;
  readonly change: Tree;
  readonly odd?: Odd;
  /** severity, check, path and line of each problem that is there then. */
  readonly found: readonly string[];
  /** What `--fix` leaves of them; absent: it mends nothing. */
  readonly left?: readonly string[];
}

/** The planned ticket with another thread. */
export function thinks(...events: readonly string[]): Tree {
  return { [`${b}/thread.md`]: thread(created, ...events) };
}

/** With the state that its thread comes to. */
export function comesTo(state: string, ...events: readonly string[]): Tree {
  return { ...thinks(...events), [`${b}/item.md`]: item({ state }) };
}
