/** The thread's own side: converts the one page that it was started with, says what came of it, and is ended from outside. */
import { parentPort, workerData } from "node:worker_threads";
import { toMarkdown } from "../markdown.ts";
import type { PageWork, ThreadAnswer } from "./convert-page.ts";

// Only convert-page.ts starts this, and with this.
const { html, pageUrl, wholePage } = workerData as PageWork;
let answer: ThreadAnswer;
try {
  const page = toMarkdown(html, new URL(pageUrl), wholePage);
  answer = page === null ? { kind: "deep" } : { kind: "page", page };
} catch {
  // Whatever the libraries trip over is the page's doing.
  answer = { kind: "failed" };
}
parentPort?.postMessage(answer);
