/** What the model does in a session that is killed: a fixed plan, and the step of it that a request calls for. */
import type { AnswerBlock, StreamAnswer } from "../support/anthropic-answer.ts";
import type { WireBlock } from "../support/wire-blocks.ts";

export const effectsFile = "effects.log";
export const finalText = "All five steps are done, and each of them was done once.";
/** Longer than any test: a command that waits this long ends by being ended. */
const foreverS = 300;

/** One effect that the model means to have once: a line of its own in the effects file. */
export interface Intent {
  readonly line: string;
  readonly step: number;
}

export interface Plan {
  /** The answers in order; each but the last makes calls. */
  readonly steps: readonly (readonly AnswerBlock[])[];
  readonly intents: readonly Intent[];
}

export interface PlanOptions {
  /** The step whose first command waits after its effect; null: none does. */
  readonly waitsIn: number | null;
  /** What that command does after its effect, instead of waiting itself. */
  readonly waitCommand?: string;
}

/** Says itself in several deltas, so that a stream of it can be cut in the middle. */
function remark(step: number): AnswerBlock {
  return {
    type: "text",
    text: `Step ${step} of the plan comes now: I say at some length what I am about to do, so that this text takes a while to arrive.`,
  };
}

function reasoning(step: number): AnswerBlock {
  const signature = Buffer.from(`signature of step ${step}`).toString("base64");
  return { type: "reasoning", text: `What does step ${step} need? One effect, and only once.`, signature };
}

/** Steps with one call, with parallel calls, with reasoning and without any text. Every step's first command carries its number. */
export function makePlan({ waitsIn, waitCommand = `sleep ${foreverS}` }: PlanOptions): Plan {
  const intents: Intent[] = [];
  const effect = (step: number, name: string): AnswerBlock => {
    const line = `${name} of step ${step}`;
    intents.push({ line, step });
    const after = step === waitsIn && name === "effect" ? ` && ${waitCommand}` : "";
    const command = `echo '${line}' >> ${effectsFile}${after} # step ${step}`;
    return { type: "tool_call", name: "Bash", arguments: { command } };
  };
  const look = (file_path: string): AnswerBlock => ({
    type: "tool_call",
    name: "Read",
    arguments: { file_path },
  });
  return {
    steps: [
      [reasoning(0), remark(0), effect(0, "effect")],
      [remark(1), effect(1, "effect"), look("/etc/hostname"), effect(1, "second effect")],
      [effect(2, "effect")],
      [reasoning(3), remark(3), effect(3, "effect"), look("/nowhere/at/all")],
      [remark(4), effect(4, "effect")],
      [{ type: "text", text: finalText }],
    ],
    intents,
  };
}

/** The step that a request calls for: the one after the last whose calls it holds. Like a model it knows nothing but the request. */
export function stepFor(plan: Plan, blocks: readonly WireBlock[]): number {
  const calls = JSON.stringify(blocks.filter(({ type }) => type === "tool_use"));
  return plan.steps.findIndex((_, step) => !calls.includes(`# step ${step}"`));
}

export function answerOf(plan: Plan, step: number, extra: Partial<StreamAnswer> = {}): StreamAnswer {
  return { blocks: plan.steps[step] ?? [], ...extra };
}
