/** Moments of a ticket's way at which Pods are killed. */
import { existsSync } from "node:fs";
import type { TicketPod } from "../../packages/cli/src/demo/tickets-steps.ts";
import type { Life } from "./life.ts";
import type { Scene } from "./scene.ts";

const plain = { held: null, waits: null, closes: false } as const;
const coderWorks = (scene: Scene): boolean =>
  scene.results("coder", "Skill").length === 1 && scene.said("lead", "The coder works.");
const reviewerRead = (scene: Scene): boolean => scene.results("reviewer", "Bash").length === 2;
const begins =
  (pod: TicketPod) =>
  (scene: Scene): boolean =>
    scene.log(pod).some(({ kind }) => kind === "opened");
const isSentBack = (scene: Scene): boolean =>
  scene.events().some(({ status }) => status === "request_changes");

/** The first one runs in every test; `yoi demo tickets` plays the second. */
export const killPoints: readonly Life[] = [
  {
    ...plain,
    name: "changes are asked for; all three",
    at: isSentBack,
    kills: ["lead", "coder", "reviewer"],
  },
  { ...plain, name: "the coder works; the orchestrator", waits: "work", at: coderWorks, kills: ["lead"] },
  {
    ...plain,
    name: "it is taken, and nothing else is done; the orchestrator",
    held: "clone",
    at: (scene) => scene.results("lead", "TicketTransition").length === 1,
    kills: ["lead"],
  },
  {
    ...plain,
    name: "the clone is half made; the orchestrator",
    waits: "clone",
    at: (scene) => existsSync(`${scene.clone}.part/.git`),
    kills: ["lead"],
  },
  {
    ...plain,
    name: "the clone is there; the orchestrator",
    held: "spawn coder",
    at: (scene) => scene.results("lead", "Bash").length === 2,
    kills: ["lead"],
  },
  {
    ...plain,
    name: "the coder begins; the orchestrator and the coder",
    at: begins("coder"),
    kills: ["coder", "lead"],
  },
  // Up, and nobody is left to give it its task.
  { ...plain, name: "the coder begins; the orchestrator", at: begins("coder"), kills: ["lead"] },
  { ...plain, name: "the reviewer begins; the orchestrator", at: begins("reviewer"), kills: ["lead"] },
  { ...plain, name: "the coder works; the coder", waits: "work", at: coderWorks, kills: ["coder"] },
  {
    ...plain,
    name: "the change is not committed; the orchestrator and the coder",
    held: "commit",
    at: (scene) => scene.results("coder", "Write").length === 1 && scene.said("lead", "The coder works."),
    kills: ["coder", "lead"],
  },
  {
    ...plain,
    name: "the review is not written; the reviewer",
    held: "judge",
    at: reviewerRead,
    kills: ["reviewer"],
  },
  {
    ...plain,
    name: "the review is not written; all three",
    held: "judge",
    at: reviewerRead,
    kills: ["lead", "coder", "reviewer"],
  },
  {
    ...plain,
    name: "both are stopped, and nothing is fetched; the orchestrator",
    held: "fetch",
    at: (scene) => scene.results("lead", "StopPod").length === 2,
    kills: ["lead"],
  },
  { ...plain, name: "nothing, and the close is delegated", closes: true, at: () => true, kills: [] },
];
