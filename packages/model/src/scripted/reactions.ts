/** Reactions: what a scenario answers to news whose order nobody knows beforehand. Which answer is due stays a pure function of the request's items. */
import type { CommittedItem } from "@yoi/base";
import { happenings } from "./position.ts";
import type { Scenario, Step } from "./scenario.ts";

/** The scenario's own list of steps, or the index of a reaction. */
type ThreadName = "steps" | number;

/** Steps that are due, one after the other. */
interface Thread {
  readonly of: ThreadName;
  /** The next of its steps; of the scenario's own list that stands in `Due.next`. */
  readonly at: number;
}

interface Due {
  /** Oldest first: the first is being answered. */
  readonly threads: readonly Thread[];
  /** The next step of the scenario's own list. */
  readonly next: number;
  /** Reactions that began. */
  readonly begun: readonly number[];
  readonly attempt: number;
}

export interface DueStep {
  /** Undefined: the scenario has nothing to say. */
  readonly step: Step | undefined;
  readonly attempt: number;
}

const nothingYet: Due = { threads: [], next: 0, begun: [], attempt: 0 };

/**
 * Each input begins a thread: that of the first reaction whose texts it all contains, else, where it is a user's, the next steps of the list. A thread ends with
 * an answer without tool calls, and the next one begins; where another one waits, that last answer is left out. Behind a compaction it begins anew.
 */
export function dueStep(items: readonly CommittedItem[], scenario: Scenario): DueStep {
  let due = nothingYet;
  let before = due;
  for (const happening of happenings(items)) {
    switch (happening.type) {
      case "input":
        due = begun(due, happening, scenario);
        break;
      case "answer":
        due = readied(due, scenario);
        before = due;
        due = answered(due, scenario);
        break;
      case "broken":
        due = { ...before, attempt: before.attempt + 1 };
        break;
      case "lost":
        due = { ...due, attempt: due.attempt + 1 };
        break;
      case "left_out":
        due = nothingYet;
        break;
    }
  }
  due = readied(due, scenario);
  const [thread] = due.threads;
  const { attempt } = due;
  return { step: thread === undefined ? scenario.otherwise : stepOf(thread, due, scenario), attempt };
}

function begun(
  due: Due,
  { text, isUser }: { readonly text: string; readonly isUser: boolean },
  { reactions }: Scenario,
): Due {
  const found = reactions.findIndex(
    ({ to, once }, index) => to.every((part) => text.includes(part)) && !(once && due.begun.includes(index)),
  );
  const of: ThreadName | null = found >= 0 ? found : isUser ? "steps" : null;
  if (of === null) return due;
  const begun = of === "steps" ? due.begun : [...due.begun, of];
  return { ...due, begun, threads: [...due.threads, { of, at: 0 }] };
}

/** Without what is over, and without a last word where somebody else waits. */
function readied(due: Due, scenario: Scenario): Due {
  let ready = due;
  for (;;) {
    const [thread, ...others] = ready.threads;
    if (thread === undefined) return ready;
    const step = stepOf(thread, ready, scenario);
    const isOver = step === undefined && thread.of !== "steps";
    if (!isOver && !(others.length > 0 && step !== undefined && isLastWord(step))) return ready;
    const isSkipped = thread.of === "steps" && !isOver;
    ready = { ...ready, threads: others, next: ready.next + (isSkipped ? 1 : 0), attempt: 0 };
  }
}

function answered(due: Due, scenario: Scenario): Due {
  const [thread, ...others] = due.threads;
  if (thread === undefined) return { ...due, attempt: 0 };
  const step = stepOf(thread, due, scenario);
  const next = thread.of === "steps" ? due.next + 1 : due.next;
  const isOver = step === undefined || isLastWord(step);
  return {
    ...due,
    threads: isOver ? others : [{ ...thread, at: thread.at + 1 }, ...others],
    next,
    attempt: 0,
  };
}

function stepOf(thread: Thread, { next }: Due, { steps, reactions }: Scenario): Step | undefined {
  return thread.of === "steps" ? steps[next] : reactions[thread.of]?.steps[thread.at];
}

/** The turn ends with it. */
function isLastWord({ attempts }: Step): boolean {
  return !attempts.some(({ blocks }) => blocks.some(({ block }) => block === "tool_call"));
}
