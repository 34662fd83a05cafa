/** What the reviewer of the demo of tickets says and calls. */
import { about } from "./tickets-about.ts";
import { bash, branchOf, call, cloneOf, type Reaction, type TicketsPlaces, word } from "./tickets-steps.ts";

export function reviewerSays(places: TicketsPlaces): readonly Reaction[] {
  const { ticket } = places;
  const clone = cloneOf(places);
  const branch = branchOf(ticket);
  const looked = (probe: string) =>
    bash(
      `git clone --quiet --local --no-hardlinks --branch ${branch} ${word(clone)} /tmp/review && cd /tmp/review && git log --oneline --no-decorate origin/HEAD..${branch}; node --test > /dev/null && echo tests pass; ${probe}; rm -rf /tmp/review`,
    );
  const noLines = `node --input-type=module -e 'import { total } from "./total.js"; console.log("no lines:", total([]))'`;
  const diff = bash(`git -C ${word(clone)} diff origin/HEAD...${branch}`);
  return [
    {
      to: [`Review ticket ${ticket}`],
      once: true,
      steps: [
        {
          text: "I read how a review is made, and the ticket.",
          tool_calls: [
            call("Skill", { name: "ticket-review" }),
            call("TicketShow", { ticket, events_after: "start" }),
          ],
        },
        { text: "I read the change, and run it on a copy.", tool_calls: [diff, looked(noLines)] },
        {
          text: "I would mend it myself.",
          tool_calls: [call("Write", { file_path: `${clone}/by-reviewer.js`, content: "" })],
        },
        {
          name: "judge",
          text: "The ticket names an order without lines, and no test does.",
          tool_calls: [
            call("TicketReview", {
              ticket,
              status: "request_changes",
              body: `## To be changed\n1. ${about.changes} (total.js), and no test has that case. The ticket says that it costs nothing.`,
            }),
          ],
        },
        { text: "It is reviewed." },
      ],
    },
    {
      to: [about.secondReport],
      once: true,
      steps: [
        { text: "First my own point.", tool_calls: [diff, looked(noLines)] },
        {
          text: "It is settled.",
          tool_calls: [
            call("TicketReview", {
              ticket,
              status: "approve",
              body: `## Verdict\n${about.approval}, and a test shows each.\n\n## Looked at\nBoth commits, and the tests on a copy.`,
            }),
          ],
        },
        { text: "It is reviewed again." },
      ],
    },
    // It hears of it from the ticket and from the orchestrator, in either order.
    { to: [about.secondReport], steps: [{ text: "I know, from the ticket." }] },
    { to: [about.goOn], steps: [{ text: "I am where I was." }] },
  ];
}
