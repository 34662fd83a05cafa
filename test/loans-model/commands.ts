/** What happens to a tree of Pods in a random sequence. Pods are named by a number that is counted over those there are, so that every part of a sequence is one. */
import fc from "fast-check";

/** Where a process dies: at that call of it that changes the disk, counted from now. */
export interface Death {
  readonly nth: number;
  readonly moment: "before" | "after";
}

export type Start = "well" | "throws" | "hangs" | Death;

export type Command =
  | {
      readonly do: "spawn";
      readonly by: number | "deepest";
      readonly targets: readonly { readonly target: string; readonly recursive: boolean }[];
      /** It gets a name that a removed Pod had, where there is one. */
      readonly reusesName: boolean;
      /** How the child's process begins. */
      readonly start: Start;
      /** Virtual time until the call is cancelled. */
      readonly cancelMs: number | null;
    }
  | { readonly do: "stop"; readonly by: number; readonly child: number; readonly isHeard: boolean }
  | { readonly do: "restore"; readonly by: number; readonly child: number; readonly start: "well" | Death }
  /** The user's `yoi pod restore`. */
  | { readonly do: "reopen"; readonly pod: number }
  /** More children at once than a Pod may have. */
  | { readonly do: "crowd"; readonly by: number }
  /** A Pod of another tree. */
  | { readonly do: "stranger"; readonly target: string }
  | { readonly do: "kill"; readonly pods: readonly number[] }
  | { readonly do: "doom"; readonly pod: number; readonly death: Death }
  | { readonly do: "end"; readonly pod: number }
  /** The user's `yoi pod rm`. */
  | { readonly do: "remove"; readonly pod: number }
  | { readonly do: "lose-registry" }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "both"; readonly one: Command; readonly other: Command };

export const root = "root";
/** Every one of them holds others, or is beside them. */
export const targets = ["/w", "/w/a", "/w/a/b", "/w/a/b/c", "/w/a/b/c/d", "/w/a/e", "/w/f", "/w/g"] as const;
/** One in each target that is in none of those within it. */
export const probes: readonly string[] = targets.map((target) => `${target}/x`);

const pod = fc.nat({ max: 11 });
const target = fc.constantFrom(...targets.slice(1));
const death: fc.Arbitrary<Death> = fc.record({
  nth: fc.integer({ min: 1, max: 24 }),
  moment: fc.constantFrom("before", "after"),
});

const weighted: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Command> }[] = [
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant("spawn"),
      by: fc.oneof({ weight: 2, arbitrary: pod }, { weight: 1, arbitrary: fc.constant("deepest" as const) }),
      targets: fc.uniqueArray(
        fc.record({ target, recursive: fc.integer({ min: 0, max: 4 }).map((n) => n > 0) }),
        { minLength: 0, maxLength: 2, selector: (rule) => rule.target },
      ),
      reusesName: fc.boolean(),
      start: fc.oneof(
        { weight: 8, arbitrary: fc.constant<Start>("well") },
        { weight: 2, arbitrary: death satisfies fc.Arbitrary<Start> },
        { weight: 1, arbitrary: fc.constantFrom<Start>("throws", "hangs") },
      ),
      cancelMs: fc.oneof(
        { weight: 6, arbitrary: fc.constant<number | null>(null) },
        { weight: 1, arbitrary: fc.nat({ max: 200 }) },
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("stop"),
      by: pod,
      child: pod,
      isHeard: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("restore"),
      by: pod,
      child: pod,
      start: fc.oneof(
        { weight: 4, arbitrary: fc.constant("well" as const) },
        { weight: 1, arbitrary: death },
      ),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("reopen"), pod }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stranger"), target: fc.constantFrom(...targets) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("kill"),
      pods: fc.uniqueArray(pod, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("doom"), pod, death }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("end"), pod }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove"), pod }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("lose-registry") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.integer({ min: 1, max: 3_000 }) }) },
];

const single: fc.Arbitrary<Command> = fc.oneof(
  ...weighted.map(({ weight, arbitrary }) => ({ weight: weight * 3, arbitrary })),
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crowd" as const), by: pod }) },
);

export const anySequence: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: single },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("both"), one: single, other: single }),
    },
  ),
  { minLength: 4, maxLength: 18, size: "max" },
);
