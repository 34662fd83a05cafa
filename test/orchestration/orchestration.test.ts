/** The whole way of a ticket through three Pods on a real repository: from the queue to the branch that a person merges, with the orchestrator killed on the way. */
import test from "node:test";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { live } from "./life.ts";

test(
  "a queued ticket is done by a coder, sent back by a reviewer, done again, and left to a person; the orchestrator is killed while the coder works",
  { skip: noBubblewrap() },
  () =>
    live({
      name: "the coder is at work",
      held: null,
      waits: true,
      at: (scene) => scene.results("coder", "Skill").length === 1 && scene.said("lead", "The coder works."),
      kills: ["lead"],
    }),
);
