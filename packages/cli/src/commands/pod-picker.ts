/** `yoi run -r` on a terminal: a numbered list of Pods, and the number that a person types. */
import { escapeControls, flattenInput, type Item, podName, type PodName, YoiError } from "@yoi/base";
import { isoTime, type PodSummary, readActive, statusOf } from "@yoi/pod";
import type { Stores } from "../compose/stores.ts";
import { tableText } from "../output/table.ts";

/** Older ones are reached by name. Each row reads a log. */
export const rowsMax = 20;
/** How often a wrong number is asked for again. */
export const asksMax = 3;
const lastLineCharsMax = 60;

/** Writes the question, reads one line; null at the end of the input. */
export type Ask = (question: string) => Promise<string | null>;

export async function choosePodOnTerminal(
  pods: readonly PodSummary[],
  stores: Stores,
  ask: Ask,
): Promise<PodName> {
  const shown = pods.slice(0, rowsMax);
  const rows: string[][] = [];
  for (const [index, pod] of shown.entries()) rows.push([String(index + 1), ...(await rowOf(pod, stores))]);
  const older = pods.length > shown.length ? `and ${pods.length - shown.length} older ones\n` : "";
  let question = `${tableText(["", "NAME", "STATE", "USED", "LAST LINE"], rows)}${older}Which one (1-${shown.length})? `;
  for (let asked = 0; asked < asksMax; asked += 1) {
    const typed = (await ask(question))?.trim();
    if (typed === undefined || typed === "")
      throw new YoiError("usage", "No Pod was chosen: nothing was done.");
    const pod = /^\d{1,3}$/.test(typed) ? shown[Number(typed) - 1] : shown.find(({ name }) => name === typed);
    if (pod !== undefined) return podName(pod.name);
    question = `Type a number from 1 to ${shown.length}, or nothing to leave: `;
  }
  throw new YoiError("usage", "No Pod was chosen: nothing was done.");
}

async function rowOf(pod: PodSummary, stores: Stores): Promise<readonly string[]> {
  const kin = pod.parent === null ? "" : `child of ${pod.parent}`;
  const used = isoTime(pod.usedMs).slice(0, 16).replace("T", " ");
  try {
    const { view } = await readActive(stores, pod.name);
    const { status, state } = await statusOf(stores.lease, podName(pod.name), view);
    const line = lastLineOf(state?.items.map(({ item }) => item) ?? []);
    return [pod.name, status, used, kin === "" ? line : `${kin}: ${line}`];
  } catch (error) {
    // One log that cannot be read does not keep the others from being chosen.
    if (!(error instanceof YoiError)) throw error;
    return [pod.name, "unreadable", used, error.message.slice(0, lastLineCharsMax)];
  }
}

/** Of what was said last, by the model or to it. */
export function lastLineOf(items: readonly Item[]): string {
  for (const item of items.toReversed()) {
    const text =
      item.type === "assistant_message"
        ? item.text
        : item.type === "user_message"
          ? `> ${flattenInput(item.parts)}`
          : "";
    const line = text.trim().split("\n").at(-1) ?? "";
    if (line !== "") return escapeControls([...line].slice(0, lastLineCharsMax).join(""));
  }
  return "";
}
