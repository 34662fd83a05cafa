/** Title: what the user calls a Pod, beside its name. */
import { escapeControls, YoiError } from "@yoi/base";
import type { Lease, PodStore } from "@yoi/pod-store";
import { titleCharsMax } from "@yoi/protocol";
import { findPod } from "./find-pod.ts";

/** As it is kept; null: none. Throws usage for what is not one line that can be read, and limit_exceeded. */
export function checkedTitle(title: string | null): string | null {
  if (title === null) return null;
  const trimmed = title.trim();
  if (trimmed === "") throw new YoiError("usage", "The title is empty: write one, or take it away.");
  if (trimmed.length > titleCharsMax)
    throw new YoiError(
      "limit_exceeded",
      `The title has ${trimmed.length} characters, and the limit is ${titleCharsMax}: make it shorter.`,
    );
  if (escapeControls(trimmed) === trimmed && trimmed.isWellFormed()) return trimmed;
  throw new YoiError(
    "usage",
    `The title ${escapeControls(JSON.stringify(trimmed))} holds characters that cannot be seen: write it on one line, without them.`,
  );
}

/** Of a Pod that no process has. Throws as `checkedTitle`, pod_unknown, and pod_held where a process has it. */
export async function setTitleClosed(
  { pods, lease }: { readonly pods: PodStore; readonly lease: Pick<Lease, "acquire"> },
  name: string,
  title: string | null,
): Promise<void> {
  const checked = checkedTitle(title);
  const found = await findPod(pods, name);
  const held = await lease.acquire(found.name, "title");
  try {
    await pods.update(found.name, await findPod(pods, name), { title: checked });
  } finally {
    await held.release();
  }
}
