/** The scenarios of work on a ticket: what the models of an orchestrator, its coder and its reviewer say, and the profiles that give each its own. */
import { join } from "node:path";
import { coderSays } from "./tickets-coder.ts";
import { leadSays } from "./tickets-lead.ts";
import { reviewerSays } from "./tickets-reviewer.ts";
import { type Reaction, type Step, type TicketPod, ticketPods, type TicketsPlaces } from "./tickets-steps.ts";

const heldMs = 600_000;

/** By path. */
export function ticketsFiles(places: TicketsPlaces): Readonly<Record<string, string>> {
  const { root, config } = places;
  const said = { lead: leadSays(places), coder: coderSays(places), reviewer: reviewerSays(places) };
  const pods = Object.keys(ticketPods) as TicketPod[];
  return Object.fromEntries(
    pods.flatMap((pod) => [
      [join(root, `${pod}.yaml`), scenarioOf(said[pod], places)],
      [join(config, "profiles", `${pod}.toml`), profileOf(pod, places)],
    ]),
  );
}

const builtIn: Readonly<Record<TicketPod, string>> = {
  lead: "orchestrator",
  coder: "coder",
  reviewer: "reviewer",
};

function profileOf(pod: TicketPod, { root, closes }: TicketsPlaces): string {
  const model = `[model]\nref = ${JSON.stringify(`scripted/${root}/${pod}.yaml`)}\n`;
  const close = pod === "lead" && closes ? "\n[tickets]\nclose = true\n" : "";
  return `description = "A ${builtIn[pod]} that says what was written down for it"\nextends = "builtin:${builtIn[pod]}"\n\n${model}${close}`;
}

// YAML is a superset of JSON.
function scenarioOf(reactions: readonly Reaction[], { held }: TicketsPlaces): string {
  const waiting = (step: Step) =>
    step.name === held && held !== null ? { ...step, delay_ms: heldMs } : step;
  return JSON.stringify(
    {
      steps: [{ text: "I wait for a ticket." }],
      reactions: reactions.map((one) => ({ ...one, steps: one.steps.map(waiting) })),
      otherwise: { text: "Noted." },
    },
    null,
    1,
  );
}
