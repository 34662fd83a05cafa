/** A prompt for a Pod, whatever it does: it begins a run, or is told to the one that goes on. */
import { type InputPart, YoiError } from "@yoi/base";
import type { ReachedPod } from "./connect-pod.ts";

/** While a run goes on the prompt waits for its next step. The Pod decides which: nobody looks first. */
export async function givePrompt(
  pod: Pick<ReachedPod, "submit">,
  parts: readonly InputPart[],
  submission: string,
): Promise<void> {
  try {
    await pod.submit("submit", { parts, submission });
  } catch (error) {
    if (!(error instanceof YoiError && error.code === "already_running")) throw error;
    await pod.submit("queue", { parts, submission, when: "boundary" });
  }
}
