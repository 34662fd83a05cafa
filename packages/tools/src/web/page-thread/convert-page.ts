/**
 * The conversion of a page, in a thread of its own: the libraries that do it take time and memory that a page can choose, and nothing else may
 * wait for them. The one place with threads: such a thread computes, it starts no process, and processes are started from the main thread only.
 */
import { Worker } from "node:worker_threads";
import { bareText } from "../bare-text.ts";
import type { Markdown } from "../markdown.ts";

/** Of the thread's heap. */
export const threadHeapMiBMax = 256;

export interface PageWork {
  readonly html: string;
  readonly pageUrl: string;
  readonly wholePage: boolean;
}

export type ThreadAnswer =
  | { readonly kind: "page"; readonly page: Markdown }
  | { readonly kind: "deep" }
  | { readonly kind: "failed" };

export interface ConvertedPage {
  readonly title: string;
  readonly text: string;
  /** What the reader has to know of how it was made; null: nothing. */
  readonly remark: string | null;
}

const bareReasons = {
  slow: "converting it took too long",
  large: "converting it took too much memory",
  deep: "its elements are nested too deep",
  failed: "it could not be converted",
} as const;

/** Never fails: what cannot be converted before `signal` aborts is shown as its bare text. */
export async function convertPage(
  work: PageWork,
  { signal, heapMiBMax = threadHeapMiBMax }: { readonly signal: AbortSignal; readonly heapMiBMax?: number },
): Promise<ConvertedPage> {
  const answer = signal.aborted ? { kind: "slow" as const } : await inThread(work, signal, heapMiBMax);
  if (answer.kind !== "page")
    return { ...bareText(work.html), remark: `${bareReasons[answer.kind]}, so its bare text is shown` };
  const { title, text, isArticle } = answer.page;
  const isMissed = !isArticle && !work.wholePage;
  return { title, text, remark: isMissed ? "no article was found in it, so all of it is shown" : null };
}

async function inThread(
  work: PageWork,
  signal: AbortSignal,
  heapMiBMax: number,
): Promise<ThreadAnswer | { readonly kind: "slow" | "large" }> {
  const ended = Promise.withResolvers<ThreadAnswer | { readonly kind: "slow" | "large" }>();
  const thread = new Worker(threadFile(), {
    workerData: work,
    // Of this process it gets nothing: neither what it was started with nor its terminal.
    argv: [],
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMiBMax, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  const abort = (): void => ended.resolve({ kind: "slow" });
  signal.addEventListener("abort", abort, { once: true });
  thread.once("message", (answer: ThreadAnswer) => ended.resolve(answer));
  thread.once("error", (error: NodeJS.ErrnoException) =>
    ended.resolve({ kind: error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "large" : "failed" }),
  );
  thread.once("exit", () => ended.resolve({ kind: "failed" }));
  try {
    return await ended.promise;
  } finally {
    signal.removeEventListener("abort", abort);
    // Not waited for: it may be in the middle of a garbage collection, and whoever cancelled is not to wait for that.
    void thread.terminate();
  }
}

/** Beside this file as it runs: in the source, or in the bundle, where rolldown.config.ts names it. */
function threadFile(): URL {
  const isSource = import.meta.url.endsWith(".ts");
  return new URL(isSource ? "./thread.ts" : "./page-thread.cjs", import.meta.url);
}
