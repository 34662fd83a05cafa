/** What whoever started this process left open in it, a directory or a lock: no process that it starts gets that. */
import { openSync, readdirSync, readFileSync } from "node:fs";
import { YoiError } from "@yoi/base";

/** Highest such descriptor that can be kept from a process: each one up to it is a slot in what is handed over. */
export const inheritedMax = 4096;

/** As /proc writes it, in octal. */
const closeOnExec = 0o2000000;

type Slot = "ignore" | "pipe" | number;

/**
 * For `spawn`: `stdio` as given, and `/dev/null`, which a process has as its stdin too, over what it would inherit besides. Throws
 * io_failed where one is above `inheritedMax`, or /proc does not tell.
 */
export function ownStdio(stdio: readonly Slot[]): Slot[] {
  covers ??= coversOf(inheritedDescriptors());
  const slots = [...stdio];
  for (const [descriptor, cover] of covers) {
    if (descriptor < stdio.length) continue;
    while (slots.length < descriptor) slots.push("ignore");
    slots.push(cover);
  }
  return slots;
}

/**
 * What is put over each inherited descriptor, in their order. Looked for once: Node opens nothing that a process inherits, so there
 * is no more than at its start. It marks low ones itself, and stops at a gap.
 */
let covers: ReadonlyMap<number, number> | null = null;

function coversOf(descriptors: readonly number[]): ReadonlyMap<number, number> {
  const highest = descriptors.at(-1);
  if (highest === undefined) return new Map();
  if (highest > inheritedMax) throw tooHigh(highest);
  const nothing = openNothing();
  return new Map(descriptors.map((descriptor) => [descriptor, nothing]));
}

/** Stays open as long as this process lives. */
function openNothing(): number {
  try {
    return openSync("/dev/null", "r");
  } catch (cause) {
    throw new YoiError(
      "io_failed",
      "/dev/null cannot be opened: raise the limit of open files (`ulimit -n`), and try again.",
      { cause },
    );
  }
}

/** In ascending order, without stdin, stdout and stderr. */
function inheritedDescriptors(): number[] {
  return listed()
    .map(Number)
    .filter((descriptor) => descriptor > 2 && isInherited(descriptor))
    .toSorted((a, b) => a - b);
}

function listed(): string[] {
  try {
    return readdirSync("/proc/self/fd");
  } catch (cause) {
    throw new YoiError("io_failed", "What yoi has open cannot be listed in /proc/self/fd: mount /proc.", {
      cause,
    });
  }
}

function isInherited(descriptor: number): boolean {
  let text: string;
  try {
    text = readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1");
  } catch {
    // Closed since: that by which they were listed.
    return false;
  }
  const flags = /^flags:\s*([0-7]+)$/m.exec(text)?.[1] ?? "0";
  return (Number.parseInt(flags, 8) & closeOnExec) === 0;
}

function tooHigh(descriptor: number): YoiError {
  return new YoiError(
    "io_failed",
    `Descriptor ${descriptor} was open where yoi was started, and would reach what yoi starts: close it there (\`yoi ... ${descriptor}>&-\`), or open it as ${inheritedMax} or lower.`,
  );
}
